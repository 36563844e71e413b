"""OpenCode through a plugin: who may talk, what arrives, and what happens when one side leaves."""

# ruff: noqa: ASYNC240 - files of tests are small

from __future__ import annotations

import json
import stat
from functools import partial
from pathlib import Path

import anyio
import pytest
import trio.testing
from anyio.streams.stapled import StapledByteStream

from auditor.errors import HarnessUnavailable
from auditor.harness._opencode_server import Gone, Refused
from auditor.live.situation import ReplyAs
from auditor.watching import hub as hubs
from auditor.watching.heard import SESSIONS, Heard
from auditor.watching.hub import Hub, taken
from auditor.watching.post import Post
from auditor.watching.relay import EVENTS, About, Link, Said
from tests.watching.plugins import Speaker, first, opened, until


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "data" / "relay.json"


def test_a_plugin_that_knows_the_secret_is_asked_as_a_server(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub:
            plugin = await Speaker.connected(where)
            await plugin.greet("/srv/my app", ses_1=1)
            link = await first(hub)
            assert (link.directory, link.pid, link.gone) == ("/srv/my app", 1, False)
            found: list[object] = []

            async def ask() -> None:
                async with link.opencode() as opencode:
                    found.append(await opencode.session("ses_1"))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                asked = await plugin.hear()
                assert asked["method"] == "GET"
                assert asked["path"] == "/session/ses_1?directory=%2Fsrv%2Fmy+app"
                assert asked["body"] is None
                await plugin.say({"id": 999, "status": 200, "text": "nobody asked for this"})
                await plugin.say({"id": asked["id"], "status": 200, "text": '{"id":"ses_1"}'})
            assert found == [{"id": "ses_1"}]
            await plugin.stream.aclose()

    anyio.run(run)


def message(session: str) -> dict[str, object]:
    return {"event": {"type": "message.updated", "properties": {"sessionID": session}}}


async def heard(link: Link, session: str) -> None:
    with anyio.fail_after(60):
        await until(lambda: link.heard.at(session) is not None)


async def answers(plugin: Speaker, asked: list[str], text: str) -> None:
    """Answer every request with the same text."""
    while True:
        said = await plugin.hear()
        asked.append(f"{said['method']} {said['path'].split('?')[0]}")
        await plugin.say({"id": said["id"], "status": 200, "text": text})


def test_of_several_opencodes_only_the_one_that_works_on_a_session_is_asked(where: Path) -> None:
    """They share their sessions; to the others one that runs looks as if it had been left."""

    async def run() -> list[str]:
        asked: list[str] = []
        async with opened(where) as hub, anyio.create_task_group() as tasks:
            one, other = await Speaker.connected(where), await Speaker.connected(where)
            await one.greet("/srv/app", ses_1=5, ses_2=5)
            works = await first(hub)
            await other.greet("/srv/app", ses_2=4)
            looks_on = await first(hub)
            await one.say(message("ses_3"))
            await heard(works, "ses_3")
            listed = [{"id": f"ses_{n}", "more": "中"} for n in (1, 2, 3, 4)]
            tasks.start_soon(answers, other, asked, json.dumps(listed))
            async with looks_on.opencode() as opencode:
                assert await opencode.sessions(9) == []
                for session in ("ses_1", "ses_2", "ses_3", "ses_4"):
                    with pytest.raises(Gone):
                        await opencode.messages(session)
                    with pytest.raises(Gone):
                        await opencode.prompt(session, "go on", ReplyAs(), {}, hidden=True)
                    with pytest.raises(Gone):
                        await opencode.abort(session)
                await other.say(message("ses_3"))
                await heard(looks_on, "ses_3")
                assert (works.has("ses_3"), looks_on.has("ses_3")) == (False, True)
                assert await opencode.sessions(9) == [{"id": "ses_3", "more": "中"}]
                await one.stream.aclose()
                await until(lambda: works.gone)
                assert [one["id"] for one in await opencode.sessions(9)] == ["ses_2", "ses_3"]
                await opencode.abort("ses_2")
            tasks.cancel_scope.cancel()
            await other.stream.aclose()
        return asked

    assert anyio.run(run) == [
        "GET /session",
        "GET /session",
        "GET /session",
        "POST /session/ses_2/abort",
    ]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(
            {"type": "session.updated", "properties": {"sessionID": "ses_1"}}, id="a name"
        ),
        pytest.param({"type": "x", "properties": {"sessionID": "ses_1", "t": "message."}}, id="x"),
        pytest.param({"type": "message.updated", "properties": {"sessionID": 5}}, id="a number"),
        pytest.param({"type": "message.updated", "properties": "ses_1"}, id="a text"),
        pytest.param({"type": "message.updated"}, id="nothing"),
        pytest.param(["message."], id="a list"),
    ],
)
def test_what_is_no_message_of_a_session_is_no_sign_of_work(event: object) -> None:
    known = Heard({})
    known.event(json.dumps(event).encode(), 5.0)
    assert known.at("ses_1") is None
    known.event(json.dumps(message("ses_1")["event"]).encode(), 6.0)
    assert known.at("ses_1") == 6.0


def test_it_remembers_the_sessions_it_heard_of_last() -> None:
    known = Heard({"ses_old": 1.0, "ses_kept": 2.0})
    for number in range(SESSIONS - 1):
        known.event(json.dumps(message("ses_kept")["event"]).encode(), 3.0)
        known.event(json.dumps(message(f"ses_{number}")["event"]).encode(), 3.0)
    assert known.at("ses_old") is None
    assert known.at("ses_kept") == 3.0


def test_its_events_come_in_order_with_its_signs_of_life(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub:
            plugin = await Speaker.connected(where)
            await plugin.greet()
            link = await first(hub)
            heard: list[object] = []
            async with link.opencode() as opencode:
                events = opencode.events()
                heard.append(await anext(events))
                await plugin.say({"event": {"type": "a", "text": "中\n\u2028"}})
                await plugin.say({})
                # A line break between two tokens ends nothing.
                await plugin.stream.send(b'{"event":{"type":\r"b"}}\n{"event":{"type":"c"}}\n')
                heard += [await anext(events) for _ in range(4)]
                await plugin.stream.aclose()
                with pytest.raises(HarnessUnavailable):
                    await anext(events)
            assert heard == [
                {"type": "server.connected", "properties": {}},
                {"type": "a", "text": "中\n\u2028"},
                {"type": "server.heartbeat", "properties": {}},
                {"type": "b"},
                {"type": "c"},
            ]
            await until(lambda: link.gone)
            assert hub.here == []

    anyio.run(run)


def test_when_it_leaves_whoever_waits_is_told_and_so_is_whoever_asks_later(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub:
            plugin = await Speaker.connected(where)
            await plugin.greet()
            link = await first(hub)

            async def ask(*, may_have_done_it: bool) -> None:
                async with link.opencode() as opencode:
                    with pytest.raises(HarnessUnavailable) as caught:
                        await opencode.toast("a", "b")
                    assert isinstance(caught.value, Refused) is not may_have_done_it

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(partial(ask, may_have_done_it=True))
                await plugin.hear()
                await plugin.stream.aclose()
            await ask(may_have_done_it=False)
            async with link.opencode() as opencode:
                with pytest.raises(HarnessUnavailable):
                    await anext(opencode.events())

    anyio.run(run)


def test_a_text_that_is_cut_in_the_middle_of_a_character_ends_no_talk(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub:
            plugin = await Speaker.connected(where)
            await plugin.greet()
            link = await first(hub)
            said = message("ses_1")
            said["event"]["properties"]["delta"] = "\ud83d"  # type: ignore[index]
            await plugin.say(said)
            await heard(link, "ses_1")
            await plugin.stream.aclose()

    anyio.run(run)


def test_a_list_of_sessions_that_cannot_be_read_is_no_empty_one(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub, anyio.create_task_group() as tasks:
            plugin = await Speaker.connected(where)
            await plugin.greet(ses_1=5)
            link = await first(hub)
            tasks.start_soon(answers, plugin, [], "<html>")
            async with link.opencode() as opencode:
                with pytest.raises(HarnessUnavailable):
                    await opencode.sessions(9)
            tasks.cancel_scope.cancel()
            await plugin.stream.aclose()

    anyio.run(run)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", id="a browser"),
        pytest.param(b"x" * 20_000, id="a line without an end"),
        pytest.param(b'{"nonce": 5}\n', id="a nonce that is none"),
        pytest.param(b"[" * 9_000 + b"\n", id="nested deeply"),
        pytest.param(b"\xff\xfe\n", id="no UTF-8"),
        pytest.param(
            b'{"nonce":"n"}\n{"proof":"\\u00e9","directory":"/","pid":1}\n', id="no proof"
        ),
        pytest.param(b'{"nonce":"n"}\n{"proof":"","directory":"/","pid":1}\n', id="an empty proof"),
        pytest.param(b"", id="nothing, and leaves"),
    ],
)
def test_a_stranger_is_cut_off_and_the_next_one_is_heard(where: Path, said: bytes) -> None:
    async def run() -> None:
        async with opened(where) as hub:
            stranger = await Speaker.connected(where)
            await stranger.stream.send(said)
            if not said:
                await stranger.stream.send_eof()
            with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                while True:
                    await stranger.stream.receive()
            friend = await Speaker.connected(where)
            await friend.greet("/friend")
            assert (await first(hub)).directory == "/friend"
            await friend.stream.aclose()
            await stranger.stream.aclose()

    anyio.run(run)


def test_a_proof_cannot_be_used_again_nor_turned_round(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub:
            for proof in ("again", "round"):
                one, other = await Speaker.connected(where), await Speaker.connected(where, "wrong")
                await one.say({"nonce": "n"})
                await other.say({"nonce": "n"})
                theirs, others = await one.hear(), await other.hear()
                assert theirs["nonce"] != others["nonce"]
                stolen = (
                    one.proof("plugin", theirs["nonce"]) if proof == "again" else others["proof"]
                )
                await other.say({"proof": stolen, "directory": "/", "pid": 1})
                with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                    await other.stream.receive()
                await one.stream.aclose()
                await other.stream.aclose()
            assert hub.here == []

    anyio.run(run)


def test_many_strangers_do_not_pile_up(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "STRANGERS", 2)

    async def run() -> None:
        async with opened(where):
            silent = [await Speaker.connected(where) for _ in range(3)]
            with pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                await silent[2].stream.receive()
            for each in silent:
                await each.stream.aclose()

    anyio.run(run)


def test_the_file_is_its_owners_alone_and_goes_with_the_watcher(where: Path) -> None:
    async def run() -> None:
        async with opened(where):
            assert stat.S_IMODE(where.stat().st_mode) == 0o600
            assert sorted(json.loads(where.read_text())) == ["port", "secret"]
            assert taken(where)

    anyio.run(run)
    assert not where.exists()
    assert not taken(where)


def test_one_watcher_has_the_plugins_and_the_next_takes_over(
    where: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hubs, "AGAIN", 0.01)
    tries, alone = [], hubs._alone
    monkeypatch.setattr(hubs, "_alone", lambda lock: tries.append(lock) or alone(lock))

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            async with opened(where):
                port = where.read_text()
                tasks.start_soon(Hub(where).serve)
                await until(lambda: len(tries) > 3)
                assert where.read_text() == port
            with anyio.fail_after(30):
                await until(where.exists)
            assert where.read_text() != port
            tasks.cancel_scope.cancel()

    anyio.run(run)


def test_a_folder_that_cannot_be_written_is_a_line_and_no_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    said: list[str] = []
    anyio.run(Hub(tmp_path / "file" / "relay.json", said.append).serve)
    assert len(said) == 1
    assert said[0].startswith("plugins cannot report")


class _Nowhere:
    """A stream on which everything is sent, and nothing ever comes."""

    async def send(self, item: bytes) -> None:  # noqa: ARG002
        await anyio.lowlevel.checkpoint()

    async def receive(self, max_bytes: int = 65536) -> bytes:
        await anyio.sleep_forever()
        raise AssertionError(max_bytes)

    async def send_eof(self) -> None: ...

    async def aclose(self) -> None: ...


def _silent() -> Link:
    nowhere = _Nowhere()
    return Link(About("", "/srv", 1), StapledByteStream(nowhere, nowhere))  # type: ignore[arg-type]


@pytest.mark.parametrize("what", ["asked", "listened to"])
def test_a_plugin_that_says_nothing_any_more_is_given_up(what: str) -> None:
    async def run() -> float:
        begun = trio.current_time()
        async with _silent().opencode() as opencode:
            with pytest.raises(HarnessUnavailable):
                if what == "asked":
                    await opencode.statuses()
                else:
                    async for event in opencode.events():
                        assert event == {"type": "server.connected", "properties": {}}
        return trio.current_time() - begun

    clock = trio.testing.MockClock(autojump_threshold=0)
    waited = anyio.run(run, backend="trio", backend_options={"clock": clock})
    assert 10 < waited < 60


def test_a_request_that_is_given_up_leaves_no_trace() -> None:
    async def run() -> None:
        link = _silent()
        with anyio.move_on_after(1):
            await link.ask("GET", "/session", None)
        link.take(Said(id=1, status=200, text="too late"))
        assert link._open == {}

    clock = trio.testing.MockClock(autojump_threshold=0)
    anyio.run(run, backend="trio", backend_options={"clock": clock})


def test_more_events_than_are_read_end_the_stream() -> None:
    async def run() -> None:
        link = _silent()
        async with link.opencode() as opencode:
            events = opencode.events()
            await anext(events)
            for _ in range(EVENTS + 1):
                link.take(Said())
            with pytest.raises(HarnessUnavailable):
                await anext(events)
            assert (await link.events().get()).startswith(b'data: {"type":"server.connected"')

    anyio.run(run, backend="trio")


def test_what_waits_is_read_at_once_and_also_after_the_end() -> None:
    async def run() -> None:
        post = Post(3)
        post.put(b"a")
        post.put(b"b")
        assert await post.get() == b"ab"
        post.put(b"c")
        post.close()
        post.put(b"d")
        assert [await post.get(), await post.get()] == [b"c", b""]

    anyio.run(run)
