"""One session, several ways to watch it: just one of them acts, the one that it works in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
import trio.testing

from auditor.watching import running
from auditor.watching.board import Kind
from auditor.watching.relay import About, Link
from auditor.watching.watcher import Watcher
from tests.watching.fake import FINE, Fake
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


class Waiting:
    """In the place of a watcher: when it was told to watch."""

    def __init__(self) -> None:
        self.began: list[float] = []

    async def watch(self, _: object) -> None:
        self.began.append(trio.current_time())


@pytest.mark.parametrize("sessions", [{}, {"ses_a": 5.0}])
def test_a_plugin_waits_for_others_that_may_have_its_sessions(sessions: dict[str, float]) -> None:
    async def run() -> list[float]:
        watcher = Waiting()
        link = Link(About("", "/srv", 1, sessions), None)  # type: ignore[arg-type]
        await running._reported(watcher, link, running._Parts(*[None] * 7))  # type: ignore[arg-type]
        return watcher.began

    clock = trio.testing.MockClock(autojump_threshold=0)
    (began,) = anyio.run(run, backend="trio", backend_options={"clock": clock})
    assert began == (running.PLUGINS if sessions else 0.0)
