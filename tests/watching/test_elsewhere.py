"""One session, several ways to watch it: just one of them acts, the one that it works in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import httpx
import pytest

from auditor.harness._opencode_server import OpenCode
from auditor.watching import running
from auditor.watching.board import Kind
from auditor.watching.connection import Connection
from auditor.watching.heard import Heard
from auditor.watching.watcher import Watcher
from tests.watching.fake import FINE, Fake, now
from tests.watching.place import Place, permits, play, until
from tests.watching.test_loop import CUT, stalled


def beside(place: Place) -> Fake:
    """Another process on the same project: it has the same sessions, and works on others."""
    other = Fake()
    other.infos, other.messages = place.fake.infos, place.fake.messages
    return other


@asynccontextmanager
async def watched(place: Place, watcher: Watcher, *others: Fake) -> AsyncIterator[None]:
    async with place.watched(watcher), anyio.create_task_group() as tasks:
        for other in others:
            tasks.start_soon(place.watch, watcher, other)
        await anyio.sleep(1)
        yield
        for other in others:
            other.drop()
        tasks.cancel_scope.cancel()


def test_one_that_works_in_another_program_is_left_alone(tmp_path: Path) -> None:
    """Two programs on one project share the sessions, but each tells only of its own work."""

    async def script(place: Place) -> None:
        other = beside(place)
        async with watched(place, place.watcher(permits(place)), other):
            stalled(place)
            other.busy("ses_a")
            await anyio.sleep(600)

    assert not play(tmp_path, script).fake.prompts


def test_what_is_watched_in_two_ways_is_nudged_once_all_the_same(tmp_path: Path) -> None:
    """By its address and by its plugin: the same process tells everything twice."""

    async def script(place: Place) -> None:
        async with watched(place, place.watcher(permits(place)), place.fake):
            stalled(place)
            await until(lambda: place.fake.prompts, 10)
            await anyio.sleep(600)

    place = play(tmp_path, script)
    assert len(place.fake.prompts) == 1
    assert len(place.lines(Kind.AUDIT)) == 2


def test_a_nudge_goes_where_the_last_turn_was(tmp_path: Path) -> None:
    sent: list[str] = []

    async def script(place: Place) -> None:
        other = beside(place)
        place.fake.session()
        watcher = place.watcher(permits(place))
        async with watched(place, watcher, other):
            place.fake.ask("ses_a")
            place.fake.answer("ses_a", FINE)
            await anyio.sleep(10)
            other.ask("ses_a", "And now?")
            other.answer("ses_a", CUT, "length")
            await until(lambda: place.fake.prompts or other.prompts, 30)
            await anyio.sleep(300)
            sent.extend(["own"] * len(place.fake.prompts) + ["other"] * len(other.prompts))

    play(tmp_path, script)
    assert sent == ["other"]


class Reported:
    """A plugin that came: what it has, and its OpenCode."""

    def __init__(self, fake: Fake, **sessions: float) -> None:
        self.heard, self.gone, self._fake = Heard(sessions), False, fake

    def opencode(self) -> OpenCode:
        return OpenCode("http://plugin-1", "/p", allow_remote=True, transport=self._fake)


LATER = running.PLUGINS - 1
"""Seconds after the beginning: a plugin looks for a watcher every three."""


@pytest.mark.parametrize("slow", [0.0, 0.5])
@pytest.mark.parametrize("beside_it", ["a server", "an older plugin"])
def test_at_the_start_a_session_is_its_plugins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside_it: str, slow: float
) -> None:
    """The others know the session too, and wait until every plugin said what it has."""
    monkeypatch.setattr(running, "time", SimpleNamespace(time=now))
    sent: list[str] = []

    async def script(place: Place) -> None:
        other = beside(place)
        stalled(place)
        await anyio.sleep(10)
        mine = Reported(place.fake, ses_a=now() - 10)
        older = Reported(other, ses_a=now() - 3600)
        watcher = place.watcher(permits(place))
        more = (watcher, OpenCode(transport=other), place.face, place.settings)

        async def wait() -> None:
            await anyio.sleep(slow)

        place.fake.before["GET /session/status"] = wait
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watcher.run)
            if beside_it == "an older plugin":
                tasks.start_soon(running._connected, *more, older)
            await anyio.sleep(LATER)
            told = (watcher, mine.opencode(), place.face, place.settings, mine)
            tasks.start_soon(running._connected, *told)
            await anyio.sleep(running.PLUGINS - LATER)
            if beside_it == "a server":
                tasks.start_soon(running._connected, *more)
            await anyio.sleep(60)
            sent.extend(["its"] * len(place.fake.prompts) + ["other"] * len(other.prompts))
            other.drop()
            tasks.cancel_scope.cancel()

    play(tmp_path, script, settle=1.0)
    assert sent == ["its"]


def test_who_works_on_a_session_has_it_whoever_heard_of_it_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hangs in a server since before the watch; a plugin had messages of it an hour ago."""
    monkeypatch.setattr(running, "time", SimpleNamespace(time=now))

    async def script(place: Place) -> None:
        server, other = place.fake, beside(place)
        server.session()
        server.ask("ses_a")
        server.write("ses_a", server.begin("ses_a"), "I will look at")
        link = Reported(other, ses_a=now() - 3600)
        watcher = place.watcher(permits(place))
        told = (watcher, link.opencode(), place.face, place.settings, link)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watcher.run)
            tasks.start_soon(running._connected, *told)
            await anyio.sleep(running.PLUGINS)
            mine = (watcher, OpenCode(transport=server), place.face, place.settings)
            tasks.start_soon(running._connected, *mine)
            await until(lambda: server.aborts, place.settings.quiet + 60)
            other.drop()
            tasks.cancel_scope.cancel()

    play(tmp_path, script)


class Late(httpx.AsyncBaseTransport):
    """The same OpenCode in another way: its events come a little later."""

    def __init__(self, fake: Fake) -> None:
        self._fake = fake

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._fake.handle_async_request(request)
        if request.url.path == "/event":
            answer.stream = _LateEvents(answer.stream)
        return answer


class _LateEvents(httpx.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream._pieces:
            await anyio.sleep(0.02)
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


@pytest.mark.parametrize("pause", [0.4, 0.48, 0.49, 0.5, 0.51, 0.52, 0.6, 0.98, 0.99, 1.0, 1.01])
def test_silence_is_found_whoever_hears_the_last_word_later(tmp_path: Path, pause: float) -> None:
    """By its address and by its plugin: the owner changes with events that nobody looks at."""

    async def script(place: Place) -> None:
        fake, watcher = place.fake, place.watcher(permits(place))
        late = OpenCode(transport=Late(fake))
        async with place.watched(watcher), anyio.create_task_group() as tasks:
            tasks.start_soon(
                watcher.watch,
                lambda look: Connection(late, look=look, say=print, clock=now, fresh=900.0),
            )
            await anyio.sleep(2)
            fake.session()
            fake.ask("ses_a")
            message = fake.begin("ses_a")
            part = fake.write("ses_a", message, "I will")
            await anyio.sleep(pause)
            fake.more("ses_a", message, part, " look at")
            await until(lambda: fake.aborts, place.settings.quiet + 90)
            fake.drop()
            tasks.cancel_scope.cancel()

    play(tmp_path, script)
