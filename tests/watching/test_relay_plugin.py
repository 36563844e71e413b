"""The plugin itself, run by node as OpenCode runs it: what it passes on, does, and refuses."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from auditor.errors import HarnessUnavailable
from auditor.harness._opencode_server import Gone
from auditor.live.situation import ReplyAs
from auditor.watching import installing
from auditor.watching.relay import Link
from tests.watching.plugins import (
    Host,
    Speaker,
    first,
    host,
    listening,
    needs_node,
    opened,
    proof,
    until,
)

pytestmark = needs_node


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return tmp_path / "relay.json"


async def works_on(there: Host, link: Link, session: str) -> None:
    properties = {"sessionID": session}
    await there.say({"event": {"type": "message.updated", "properties": properties}})
    await until(lambda: link.has(session))


def test_everything_an_auditor_asks_goes_through_it(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub, host(where, directory="/srv/中 x") as there:
            link = await first(hub)
            assert (link.directory, link.pid) == ("/srv/中 x", there.process.pid)
            for session in ("ses_1", "ses_gone", "ses_bad"):
                await works_on(there, link, session)
            async with link.opencode() as opencode:
                assert await opencode.version() == "1.18.33"
                assert await opencode.sessions(5) == []
                assert len((await opencode.session("ses_1"))["text"]) == 300_003
                assert await opencode.messages("ses_1") == [{"info": {"id": "msg_1"}, "parts": []}]
                assert await opencode.children("ses_1") == []
                assert await opencode.todos("ses_1") == []
                assert await opencode.statuses() == {"ses_1": {"type": "busy"}}
                assert await opencode.permissions() == []
                assert await opencode.questions() == []
                await opencode.abort("ses_1")
                await opencode.toast("title", "message")
                with pytest.raises(Gone):
                    await opencode.session("ses_gone")
                with pytest.raises(HarnessUnavailable, match="502"):
                    await opencode.session("ses_bad")
            for _ in range(13):
                assert (await there.asked())["parseAs"] == "text"

    anyio.run(run)


def test_a_nudge_arrives_as_it_was_sent(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub, host(where) as there:
            link = await first(hub)
            async with link.opencode() as opencode:
                await works_on(there, link, "ses_1")
                reply_as = ReplyAs("plan", "fake", "model", "high")
                await opencode.prompt("ses_1", "weiter ✓", reply_as, {"v": 1}, hidden=True)
            asked = await there.asked()
            assert asked["url"].split("?")[0] == "/session/ses_1/prompt_async"
            assert asked["method"] == "POST"
            assert asked["body"] == {
                "parts": [
                    {
                        "type": "text",
                        "text": "weiter ✓",
                        "metadata": {"auditor": {"v": 1}},
                        "synthetic": True,
                    }
                ],
                "agent": "plan",
                "model": {"providerID": "fake", "modelID": "model"},
                "variant": "high",
            }

    anyio.run(run)


@pytest.mark.parametrize(
    "what",
    [
        "DELETE /session/ses_1",
        "POST /session/ses_1/shell",
        "POST /session/ses_1/message",
        "POST /session",
        "POST /api/session/ses_1/prompt",
        "GET /session/ses_1/../../config",
        "GET /session/ses_1%2f..%2fconfig",
        "GET /config",
        "GET /event",
        "GET //evil.example/session",
        "GET http://evil.example/session",
        "GET /session/statusx",
        "POST /session/ses_1/prompt_async/x",
        "post /session/ses_1/abort",
        "PUT /tui/show-toast",
        "GET /session/{id}",
    ],
)
def test_what_is_not_on_its_list_it_refuses(where: Path, what: str) -> None:
    async def run() -> None:
        async with opened(where) as hub, host(where) as there:
            link = await first(hub)
            method, path = what.split()
            assert (await link.ask(method, path, {})).status == 403
            assert (await link.ask("GET", "/session/status?directory=x", None)).status == 200
            assert (await there.asked())["url"] == "/session/status?directory=x"

    anyio.run(run)


def test_a_slow_answer_holds_up_no_other(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub, host(where):
            link = await first(hub)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(link.ask, "GET", "/session/ses_never", None)
                assert (await link.ask("GET", "/session/status", None)).status == 200
                tasks.cancel_scope.cancel()

    anyio.run(run)


def test_events_arrive_whole_and_in_order(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub, host(where) as there:
            link = await first(hub)
            async with link.opencode() as opencode:
                events = opencode.events()
                await anext(events)
                for number in range(200):
                    text = "中\n\u2028\U0001f600" * number
                    await there.say(
                        {"event": {"type": "x", "properties": {"n": number, "t": text}}}
                    )
                for number in range(200):
                    event = await anext(events)
                    assert isinstance(event, dict)
                    assert event["properties"]["n"] == number
                    assert event["properties"]["t"] == "中\n\u2028\U0001f600" * number

    anyio.run(run)


def test_somebody_else_on_the_port_learns_nothing(where: Path) -> None:
    """A port that a dead watcher left, taken by another program."""

    async def run() -> bytes:
        heard = bytearray()
        done = anyio.Event()

        async def impostor(stream: anyio.abc.SocketStream) -> None:
            async with stream:
                heard.extend(await stream.receive())
                await stream.send(b'{"nonce":"n","proof":"' + b"0" * 64 + b'"}\n')
                try:
                    heard.extend(await stream.receive())
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    done.set()

        async with listening(where, impostor), host(where, again=100_000) as there:
            await there.say({"event": {"type": "private"}})
            await done.wait()
        return bytes(heard)

    heard = anyio.run(run)
    assert heard.startswith(b'{"nonce":"')
    assert heard.count(b"\n") == 1
    assert b"private" not in heard
    assert b"/srv/app" not in heard


def test_it_finds_a_watcher_that_comes_later_and_the_next_one(where: Path) -> None:
    async def run() -> None:
        async with host(where) as there:
            assert await there.hear() == {"ready": [["event", "dispose"]]}
            event = {"type": "message.updated", "properties": {"sessionID": "ses_1"}}
            await there.say({"event": event})
            await there.hear()
            for _ in range(2):
                async with opened(where) as hub:
                    link = await first(hub)
                    assert (await link.ask("GET", "/session/status", None)).status == 200
                    assert (link.has("ses_1"), link.has("ses_2")) == (True, False)

    anyio.run(run)


def test_without_a_watcher_it_keeps_no_process_alive(where: Path) -> None:
    async def run() -> None:
        async with host(where) as there:
            await there.say({"event": {"type": "x"}})
            await there.stdin.aclose()
            with anyio.fail_after(60):
                assert await there.process.wait() == 0

    anyio.run(run)


def test_with_one_it_does_not_either(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub, host(where) as there:
            link = await first(hub)
            await there.stdin.aclose()
            assert await there.process.wait() == 0
            await until(lambda: link.gone)

    anyio.run(run)


def test_installed_twice_one_speaks(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub, host(where, copies=3) as there:
            link = await first(hub)
            async with link.opencode() as opencode:
                events = opencode.events()
                await anext(events)
                for kind in "ab":
                    await there.say({"event": {"type": kind}})
                assert [await anext(events), await anext(events)] == [{"type": "a"}, {"type": "b"}]
            assert len(hub.here) == 1

    anyio.run(run)


def test_a_disposed_one_leaves_for_good(where: Path) -> None:
    async def run() -> None:
        async with opened(where) as hub, host(where) as there:
            link = await first(hub)
            await there.say({"dispose": True})
            await until(lambda: link.gone)
            async with host(where, directory="/another"):  # it takes longer to begin than to return
                assert (await first(hub)).directory == "/another"
                assert len(hub.here) == 1

    anyio.run(run)


def test_under_opencode_run_it_stays_away(where: Path) -> None:
    async def run() -> None:
        async with host(where, "run") as run, host(where) as other:
            assert await run.hear() == {"ready": [[]]}
            assert await other.hear() == {"ready": [["event", "dispose"]]}

    anyio.run(run)


def test_a_watcher_that_does_not_read_costs_the_host_no_memory(where: Path) -> None:
    """What cannot be sent is dropped with the whole link: the next one reads everything anew."""

    async def run() -> int:
        accepted: list[anyio.abc.SocketStream] = []

        async def watcher(stream: anyio.abc.SocketStream) -> None:
            """Greets, and never reads again."""
            async with stream:
                accepted.append(stream)
                if len(accepted) > 1:
                    return
                plugin = Speaker(stream, "s")
                theirs = (await plugin.hear())["nonce"]
                await plugin.say({"nonce": "n", "proof": proof("s", f"watcher {theirs} n")})
                await anyio.sleep_forever()

        async with listening(where, watcher), host(where, backlog="1 << 20") as there:
            await there.hear()
            while len(accepted) < 2:
                text = "x" * 100_000
                await there.say({"event": {"type": "x", "text": text}, "times": 100})
                await there.hear()
        return len(accepted)

    assert anyio.run(run) >= 2


def test_it_is_short_and_has_one_place_to_fill_in() -> None:
    text = installing.written(Path("/a \"b\" \\ '中'/relay.json"))
    assert '"/a \\"b\\" \\\\ \'中\'/relay.json"' in text
    assert "@WHERE@" not in text
    assert text.count("\n") < 150
    assert text.count("export ") == 1
