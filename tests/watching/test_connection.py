"""Connecting, gaps and the start: nothing is missed, nothing is taken twice, nothing spreads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import trio

from auditor.watching.board import Kind
from auditor.watching.permits import Permits
from tests.watching.fake import now
from tests.watching.place import Clock, Place, permits, play, until
from tests.watching.test_loop import CUT, stalled


def set_ahead() -> tuple[list[float], Clock]:
    """Give what a clock is ahead by, and the clock."""
    by = [0.0]
    return by, lambda: now() + by[0]


def set_back() -> tuple[list[float], Clock]:
    """Give what a clock was set back by, and the clock."""
    by = [0.0]
    return by, lambda: now() - by[0]


async def _lose(place: Place, seconds: float) -> None:
    """Lose the connection for a while."""
    place.fake.up = False
    place.fake.drop()
    await anyio.sleep(seconds)


def _back(place: Place) -> None:
    place.fake.up = True


def test_a_turn_that_ends_in_a_gap_is_nudged_once(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            await anyio.sleep(5)
            await _lose(place, 20)
            fake.answer("ses_a", "First, the file:\n\n```python\ndef parse(", "length")
            _back(place)
            await until(lambda: fake.prompts, 40)
            await anyio.sleep(300)

    place = play(tmp_path, script)
    assert len(place.fake.prompts) == 1


def test_what_was_nudged_before_a_gap_is_not_nudged_again(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            await until(lambda: fake.prompts, 10)
            for _ in range(5):
                await _lose(place, 20)
                _back(place)
                await anyio.sleep(60)

    assert len(play(tmp_path, script).fake.prompts) == 1


def test_a_restarted_watcher_does_not_nudge_again(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        fake.then = None  # the agent stays away: the session is stuck as before
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            await until(lambda: fake.prompts, 10)
        fake.messages["ses_a"].pop()  # as if the prompt had been lost
        fake.idle("ses_a")
        async with place.watched(place.watcher(permits(place), "w2")):
            await anyio.sleep(300)

    assert len(play(tmp_path, script).fake.prompts) == 1


def test_what_happens_while_sessions_are_listed_is_not_missed(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake

        def meanwhile() -> None:
            fake.before.clear()
            stalled(place)

        fake.before["GET /session/status"] = meanwhile
        async with place.watched(place.watcher(permits(place))):
            await until(lambda: fake.prompts, 10)
            await anyio.sleep(60)

    assert len(play(tmp_path, script).fake.prompts) == 1


def test_a_server_that_is_not_there_is_tried_ever_more_rarely_and_said_once(
    tmp_path: Path,
) -> None:
    async def script(place: Place) -> None:
        place.fake.up = False
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(3600)
            assert len(place.fake.asked) < 300
            assert len(place.board.lines) == 1
            _back(place)
            await anyio.sleep(35)
            stalled(place)
            await until(lambda: place.fake.prompts, 10)

    play(tmp_path, script)


def test_at_the_start_the_latest_are_recovered_and_the_old_ones_left(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        stalled(place, "ses_old")
        await anyio.sleep(place.settings.fresh + 1)
        for number in range(12):
            stalled(place, f"ses_{number:02d}")
            await anyio.sleep(1)
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(300)
            # A person looks into the old one; that is no reason to go on with it.
            fake.say("session.updated", sessionID="ses_old", info=fake.infos["ses_old"])
            await anyio.sleep(60)

    place = play(tmp_path, script)
    assert sorted(session for session, _ in place.fake.prompts) == [
        f"ses_{number:02d}" for number in range(4, 12)
    ]


def test_ds_t49_a_session_that_needs_nothing_takes_no_place(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        stalled(place, "ses_third")
        stalled(place, "ses_second")
        for number in range(3):
            await anyio.sleep(1)
            fake.session(f"ses_{number}")
            fake.ask(f"ses_{number}")
            fake.answer(f"ses_{number}", "All tests pass.")
        await anyio.sleep(1)
        stalled(place, "ses_bad")
        fake.before["GET /session/ses_bad/message"] = _status(500)
        fake.infos["ses_second"]["time"]["updated"] += 1
        async with place.watched(place.watcher(permits(place))):
            await until(lambda: fake.prompts, 10)
            await anyio.sleep(300)
            assert [session for session, _ in fake.prompts] == ["ses_second"]
            # The one that was left is a person's again when they go on with it.
            fake.ask("ses_third", "Go on.")
            fake.answer("ses_third", "First, the file:\n\n```python\ndef parse(", "length")
            await until(lambda: len(fake.prompts) == 2, 10)

    play(tmp_path, script, scan=1)


@pytest.mark.parametrize(("heard", "least", "most"), [(True, 0, 200), (False, 600, 700)])
def test_a_turn_that_the_server_died_in_is_gone_on_with(
    tmp_path: Path, heard: bool, least: float, most: float
) -> None:
    """Unless another process may still be at it: nobody here heard the tool begin."""

    async def script(place: Place) -> None:
        fake = place.fake

        def begin() -> None:
            fake.session()
            fake.ask("ses_a")
            fake.call("ses_a", "make", "", status="running")

        if not heard:
            begin()
            fake.statuses.clear()
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            if heard:
                begin()
                await anyio.sleep(1)
                await _lose(place, 5)
                fake.statuses.clear()
                _back(place)
            await anyio.sleep(least)
            assert not fake.prompts
            await until(lambda: fake.prompts, most - least)
            await anyio.sleep(300)

    ((_, body),) = play(tmp_path, script).fake.prompts
    assert body["parts"][0]["metadata"]["auditor"]["recovery"] == "orphaned_message"


def _status(code: int) -> Callable[[], object]:
    return lambda: httpx.Response(code)


def _raw(raw: bytes) -> Callable[[], object]:
    return lambda: httpx.Response(200, content=raw)


CORRUPT: dict[str, Callable[[], object]] = {
    "the server fails": _status(500),
    "it is gone": _status(404),
    "null": _raw(b"null"),
    "no list": _raw(b'{"messages": 7}'),
    "no JSON": _raw(b"<html>"),
    "nothing at all": _raw(b""),
    "a null among the messages": _raw(b"[null, null]"),
    "messages without parts": _raw(b'[{"info": {"id": "msg_1", "role": "assistant"}}]'),
    "a message without a role": _raw(b'[{"info": {"id": "msg_1"}, "parts": [null, 3, {}]}]'),
    "times that are none": _raw(
        b'[{"info": {"id": "msg_1", "role": "assistant", "time": {"created": "soon"}},'
        b' "parts": []}]'
    ),
    "nested beyond reason": _raw(b"[" * 100_000),
}


def test_ds_t47_corrupt_histories_cost_no_healthy_session(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        stalled(place, "ses_first")
        for number, answer in enumerate(CORRUPT.values()):
            stalled(place, f"ses_bad{number}")
            fake.before[f"GET /session/ses_bad{number}/message"] = answer
        stalled(place, "ses_last")
        async with place.watched(place.watcher(permits(place))):
            began = trio.current_time()
            await until(lambda: len(fake.prompts) == 2, 10)
            assert trio.current_time() - began < 5
            await anyio.sleep(600)

    place = play(tmp_path, script, scan=50)
    assert {session for session, _ in place.fake.prompts} == {"ses_first", "ses_last"}
    assert len(place.fake.prompts) == 2
    lines = [line.text for line in place.board.lines if "ses_bad" in line.text]
    assert 1 <= len(lines) <= len(CORRUPT)
    for number in range(len(CORRUPT)):
        assert place.fake.asked.count(f"GET /session/ses_bad{number}/message") <= 4


HOSTILE: dict[str, bytes] = {
    "no JSON": b"data: {\n\n",
    "no event": b"data: 17\n\n",
    "null": b"data: null\n\n",
    "no properties": b'data: {"type": "session.idle"}\n\n',
    "an id that is none": b'data: {"type":"session.idle","properties":{"sessionID":"x"}}\n\n',
    "info that is none": b'data: {"type":"message.updated","properties":{"sessionID":"ses_a",'
    b'"info":7}}\n\n',
    "a part that is none": b'data: {"type":"message.part.updated","properties":{"sessionID":'
    b'"ses_a","part":{"messageID":[],"id":{}}}}\n\n',
    "an unknown kind": b'data: {"type":"session.exploded","properties":{"sessionID":"ses_a"}}\n\n',
    "nested beyond reason": b"data: " + b"[" * 50_000 + b"\n\n",
    "a comment": b": hello\n\n",
}


@pytest.mark.parametrize("event", HOSTILE)
def test_an_event_that_nobody_understands_ends_nothing(tmp_path: Path, event: str) -> None:
    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            place.fake.send(HOSTILE[event])
            await anyio.sleep(1)
            stalled(place)
            await until(lambda: place.fake.prompts, 10)
            place.fake.send(HOSTILE[event])
            await anyio.sleep(60)

    place = play(tmp_path, script)
    assert len(place.fake.prompts) == 1
    assert not [line for line in place.lines() if "trying again" in line]


def test_nothing_is_watched_before_the_gate_was_looked_at(tmp_path: Path) -> None:
    order: list[str] = []

    class Slow(Permits):
        def look(self, now: float, health: Any = None) -> str | None:
            order.append("gate")
            return super().look(now, health)

    async def script(place: Place) -> None:
        slow: Any = Slow(place.store, permits(place).mode, rules_only=True, offline=True)
        place.fake.before["GET /global/health"] = lambda: order.append("server")
        async with place.watched(place.watcher(slow)):
            await anyio.sleep(5)

    play(tmp_path, script)
    assert order[:2] == ["gate", "server"]


def test_a_gap_is_no_silence(tmp_path: Path) -> None:
    """What streamed while nobody listened is not known: patience begins anew."""

    async def script(place: Place) -> None:
        fake, quiet = place.fake, place.settings.quiet
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            fake.begin("ses_a")
            await anyio.sleep(1)
            await _lose(place, 2 * quiet)
            _back(place)
            await anyio.sleep(quiet - 10)
            assert not fake.aborts
            await until(lambda: fake.aborts, 60)

    play(tmp_path, script)


def test_nothing_is_done_while_nobody_listens(tmp_path: Path) -> None:
    """The server answers, its events do not come: the person may be at work there by now."""

    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            fake.before["GET /event"] = lambda: httpx.Response(503)
            fake.drop()
            await anyio.sleep(300)
            assert not fake.prompts
            fake.before.clear()
            await until(lambda: fake.prompts, 60)

    play(tmp_path, script)


@pytest.mark.parametrize(("gap", "nudges"), [(600.0, 1), (3 * 3600.0, 0)])
def test_what_ended_in_a_long_gap_is_left_as_at_a_start(
    tmp_path: Path, gap: float, nudges: int
) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            await anyio.sleep(5)
            fake.up = False
            fake.drop()
            fake.answer("ses_a", "First, the file:\n\n```python\ndef parse(", "length")
            await anyio.sleep(gap)
            _back(place)
            await anyio.sleep(300)

    assert len(play(tmp_path, script).fake.prompts) == nudges


def test_a_wait_outlives_a_gap(tmp_path: Path) -> None:
    """What was seen to end is no old news, however short the connection was lost for."""

    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            fake.limited("ses_a")
            first, _ = place.settings.rate_limit[:2]
            await anyio.sleep(first - 20)
            fake.say("server.heartbeat")
            await _lose(place, 5)
            _back(place)
            await until(lambda: fake.prompts, 120)

    play(tmp_path, script)


@pytest.mark.parametrize("beat", [True, False])
def test_a_machine_that_slept_is_no_silence(tmp_path: Path, beat: bool) -> None:
    """A stream on the loopback survives that, and so does what was measured by the clock."""
    asleep, clock = set_ahead()

    async def script(place: Place) -> None:
        fake, quiet = place.fake, place.settings.quiet
        watcher = place.watcher(permits(place), clock=clock)
        async with place.watched(watcher, clock=clock):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            part = fake.write("ses_a", message := fake.begin("ses_a"), "I will look at")
            await anyio.sleep(10)
            asleep[0] += 3600
            if beat:
                fake.say("server.heartbeat")
            await anyio.sleep(quiet - 40)
            assert not fake.aborts
            fake.more("ses_a", message, part, " the parser")
            await until(lambda: fake.aborts, quiet + 40)

    play(tmp_path, script)


def test_what_another_may_work_on_is_given_no_less_time_by_a_sleep(tmp_path: Path) -> None:
    asleep, clock = set_ahead()

    async def script(place: Place) -> None:
        fake = place.fake
        fake.session()
        fake.ask("ses_a")
        fake.write("ses_a", fake.begin("ses_a"), "I will look at")
        fake.statuses.clear()  # it is no work of this server's
        async with place.watched(place.watcher(permits(place), clock=clock), clock=clock):
            await anyio.sleep(100)
            asleep[0] = 700
            await anyio.sleep(100)

    assert not play(tmp_path, script).fake.prompts


@pytest.mark.parametrize("what", ["a silent stream", "an end"])
def test_what_began_before_a_clock_was_set_back_is_found(tmp_path: Path, what: str) -> None:
    back, clock = set_back()

    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place), clock=clock), clock=clock):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            if what == "an end":
                fake.answer("ses_a", CUT, "length")
            else:
                fake.write("ses_a", fake.begin("ses_a"), "I will look at")
            await anyio.sleep(1)
            back[0] = 3600
            for _ in range(30):
                await anyio.sleep(10)
                fake.say("server.heartbeat")

    fake = play(tmp_path, script).fake
    assert fake.prompts


def test_a_clock_that_is_set_back_delays_nothing(tmp_path: Path) -> None:
    back, clock = set_back()

    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place), clock=clock), clock=clock):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            fake.answer("ses_a", "All tests pass.")
            await anyio.sleep(10)
            back[0] = 3600
            fake.ask("ses_a", "And now?")
            fake.answer("ses_a", CUT, "length")
            await until(lambda: fake.prompts, 60)

    play(tmp_path, script)


def test_a_session_that_could_not_be_read_at_the_start_is_read_later(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        stalled(place)
        bad = [httpx.Response(503)]
        place.fake.before["GET /session/ses_a/message"] = lambda: bad.pop() if bad else None
        async with place.watched(place.watcher(permits(place))):
            await until(lambda: place.fake.prompts, 60)

    assert len(play(tmp_path, script).lines(Kind.NOTE)) == 1


def test_what_ended_before_the_watch_is_old_after_a_gap_too(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        stalled(place)
        for message in fake.messages["ses_a"]:  # two hours ago; it was only renamed since
            for each in (message["info"], *message["parts"]):
                times = each.get("time", {})
                times.update({name: at - 7_200_000 for name, at in times.items()})
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(60)
            await _lose(place, 5)
            _back(place)
            await anyio.sleep(600)

    assert not play(tmp_path, script).fake.prompts


def test_sessions_of_another_folder_are_not_ours(tmp_path: Path) -> None:
    """The server lists all of a project; of what they do it tells for its own folder alone."""

    async def script(place: Place) -> None:
        stalled(place)
        place.fake.infos["ses_a"]["directory"] = "/p/sub"
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(2 * place.settings.unheard)

    place = play(tmp_path, script)
    assert not place.fake.prompts
    assert not place.board.sessions()


IN_A_GAP: dict[str, Callable[[Place], object]] = {
    "they wrote": lambda place: place.fake.ask("ses_a", "No, do that instead."),
    "they wrote, and it was done": lambda place: (
        place.fake.ask("ses_a", "No, do that instead."),
        place.fake.answer("ses_a", "All tests pass."),
    ),
    "they wrote, and stopped it": lambda place: (
        place.fake.ask("ses_a", "No, do that instead."),
        place.fake.begin("ses_a"),
        place.fake.stop("ses_a"),
    ),
}


@pytest.mark.parametrize("what", IN_A_GAP)
def test_what_happened_in_a_gap_between_a_reading_and_the_deed_is_seen(
    tmp_path: Path, what: str
) -> None:
    """It is connected again when the deed is claimed, and has not read the session yet."""

    async def script(place: Place) -> None:
        fake = place.fake
        fake.then = None
        claimed: list[bool] = []

        async def slow() -> None:
            if claimed:
                await anyio.sleep(5)

        async def aside(do: Callable[..., Any], *arguments: object) -> object:
            await anyio.lowlevel.checkpoint()
            if do.__name__ == "claim" and not claimed:
                claimed.append(True)
                fake.drop()
                IN_A_GAP[what](place)
                await anyio.sleep(3)
            return do(*arguments)

        async with place.watched(place.watcher(permits(place), aside=aside)):
            await anyio.sleep(1)
            stalled(place)
            fake.before["GET /session/ses_a/message"] = slow
            await anyio.sleep(60)
            assert claimed

    assert not play(tmp_path, script).fake.prompts


def test_what_was_not_read_when_the_connection_broke_is_read_when_it_is_back(
    tmp_path: Path,
) -> None:
    """A server that dies while it is read at the start: what ended long before is news still."""

    async def script(place: Place) -> None:
        fake = place.fake
        stalled(place)
        await anyio.sleep(120)
        first = [True]

        async def slow() -> None:
            if first:
                await anyio.sleep(3)

        fake.before["GET /session/ses_a/message"] = slow
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            first.clear()
            await _lose(place, 5)
            _back(place)
            await until(lambda: fake.prompts, 30)

    play(tmp_path, script)
