"""The whole loop over a fake OpenCode: from an event to a deed, and what comes between."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import anyio
import pytest
import trio

from auditor.live import planning
from auditor.live.settings import Mode
from auditor.live.spent import Deed, Outcome
from auditor.live.switches import Switch
from auditor.watching.board import Kind
from auditor.watching.permits import WatchMode
from tests.watching.fake import now
from tests.watching.place import Place, permits, play, until

CUT = "I will now look at the parser. First, the file:\n\n```python\ndef parse("
"""The beginning of an answer; `length` says that it was cut off."""


def stalled(place: Place, session: str = "ses_a") -> str:
    """A session whose turn was cut off just now."""
    place.fake.session(session)
    place.fake.ask(session)
    return place.fake.answer(session, CUT, "length")


def test_a_turn_that_was_cut_off_is_nudged_when_it_settled(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            ended = trio.current_time()
            await until(lambda: place.fake.prompts, 10)
            assert trio.current_time() - ended <= place.settings.settle + 0.2
            await anyio.sleep(1)

    place = play(tmp_path, script)
    ((session, body),) = place.fake.prompts
    assert session == "ses_a"
    assert body["agent"] == "build"
    assert body["model"] == {"providerID": "fake", "modelID": "m"}
    assert body["variant"] == "high"
    (part,) = body["parts"]
    assert part["synthetic"] is True
    assert part["metadata"]["auditor"]["recovery"] == "length_limit"
    assert len(place.lines(Kind.NUDGE)) == 1
    assert len(place.fake.toasts) == 1
    assert not place.lines(Kind.TROUBLE)


@pytest.mark.parametrize("mode", [WatchMode.OBSERVE, WatchMode.SHADOW])
def test_what_only_looks_sends_nothing(tmp_path: Path, mode: WatchMode) -> None:
    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place, mode, rules_only=False))):
            await anyio.sleep(1)
            stalled(place)
            await anyio.sleep(600)

    place = play(tmp_path, script)
    assert not [path for path in place.fake.asked if path.startswith("POST")]
    assert len(place.lines(Kind.AUDIT)) == 1
    assert len(place.lines(Kind.HELD)) == 1


CHANGES: dict[str, Callable[[Place], object]] = {
    "AR-T125 the user replies": lambda place: place.fake.ask("ses_a", "Go on."),
    "the user stopped it": lambda place: place.fake.stop("ses_a"),
    "a permission waits": lambda place: place.fake.permission("ses_a"),
    "DS-T03 it works again": lambda place: place.fake.busy("ses_a"),
    "the user took the message back": lambda place: place.fake.infos["ses_a"].update(revert={}),
    "a sub-agent works": lambda place: place.fake.busy(place.fake.session("ses_c", "ses_a")),
    "the session is deleted": lambda place: place.fake.infos.pop("ses_a"),
    "switched off": lambda place: place.store.switch(Switch.MODE, "ses_a", now(), mode=Mode.OFF),
    "paused": lambda place: place.store.switch(Switch.PAUSE, None, now()),
    "the kill switch": lambda place: (place.store.path.parent / "OFF").touch(),
    "somebody claimed it": lambda place: place.store.claim(
        "ses_a", place.fake.messages["ses_a"][-1]["info"]["id"], Deed.NUDGE, "other", now()
    ),
}

SILENT = {
    "the user took the message back",
    "the session is deleted",
    "switched off",
    "paused",
    "the kill switch",
    "somebody claimed it",
}
"""Changes of which no event tells here."""


@pytest.mark.parametrize(
    ("change", "when"),
    [(change, "GET /session/ses_a") for change in CHANGES]
    + [(change, "claim") for change in CHANGES if change not in SILENT],
)
def test_what_changes_before_the_send_is_seen(tmp_path: Path, change: str, when: str) -> None:
    """Each guard is asked a second time, on facts read for it; and nothing may move after that."""

    async def script(place: Place) -> None:
        changed = False

        def once() -> None:
            nonlocal changed
            if not changed:
                changed = True
                CHANGES[change](place)

        async def aside(do: Callable[..., object], *arguments: object) -> object:
            await anyio.lowlevel.checkpoint()
            if do.__name__ == "claim" and when == "claim":
                once()
                await anyio.wait_all_tasks_blocked()
            return do(*arguments)

        async with place.watched(place.watcher(permits(place), aside=aside)):
            await anyio.sleep(1)
            stalled(place)
            if when != "claim":
                place.fake.before[when] = once
            await anyio.sleep(30)
            assert changed

    place = play(tmp_path, script)
    assert not place.fake.prompts
    assert not place.lines(Kind.NUDGE)


def test_a_tool_loop_is_stopped_at_the_result_that_completes_it(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            session = fake.session()
            fake.ask(session)
            for _ in range(8):
                fake.call(session, "cat config.toml", "no such file: config.toml")
                await anyio.sleep(0.5)
                if fake.aborts:
                    break
            assert fake.aborts
            await until(lambda: fake.prompts, 10)
            assert place.store.spent(session).done[0].outcome is Outcome.DONE

    place = play(tmp_path, script)
    assert place.fake.aborts == ["ses_a"]
    ((_, body),) = place.fake.prompts
    assert body["parts"][0]["metadata"]["auditor"]["recovery"] == "tool_loop"


def test_the_same_call_with_other_results_is_work(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            session = fake.session()
            fake.ask(session)
            for number in range(20):
                fake.call(session, "make", f"{number} of 20 built, {number * 7} warnings")
                await anyio.sleep(0.5)

    assert not play(tmp_path, script).fake.aborts


def test_a_command_of_the_user_after_a_loop_is_not_stopped(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        fake.session()
        fake.ask("ses_a")
        for _ in range(8):
            fake.call("ses_a", "cat a", "a")
        fake.denied("ses_a")
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(30)
            fake.command("ses_a", "make release")
            await anyio.sleep(2 * place.settings.believe)

    assert not play(tmp_path, script).fake.aborts


def test_a_text_loop_is_stopped_while_it_streams(tmp_path: Path) -> None:
    chant = "I should check the configuration once more before I change the parser. "

    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            session = fake.session()
            fake.ask(session)
            message = fake.begin(session)
            part = fake.write(session, message, "Let me see. ")
            for _ in range(400):
                fake.more(session, message, part, chant)
                await anyio.sleep(0.1)
                if fake.aborts:
                    break
            assert fake.aborts
            await until(lambda: fake.prompts, 10)

    ((_, body),) = play(tmp_path, script).fake.prompts
    assert body["parts"][0]["metadata"]["auditor"]["recovery"] == "text_loop"


def test_a_silent_stream_is_stopped_and_nudged_once(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            session = fake.session()
            fake.ask(session)
            fake.write(session, fake.begin(session), "I will look at")
            began = trio.current_time()
            await anyio.sleep(place.settings.quiet - 2)
            assert not fake.aborts
            await until(lambda: fake.aborts, 5)
            await until(lambda: fake.prompts, 10)
            assert trio.current_time() - began < place.settings.quiet + 10
            await anyio.sleep(600)

    place = play(tmp_path, script)
    assert place.fake.aborts == ["ses_a"]
    ((_, body),) = place.fake.prompts
    assert body["parts"][0]["metadata"]["auditor"]["recovery"] == "silent_stream"
    assert not place.lines(Kind.TROUBLE)


@pytest.mark.parametrize("open_", [True, False])
def test_a_permission_waits_as_long_as_the_server_lists_it(tmp_path: Path, open_: bool) -> None:
    """No event tells that it was answered: then it is believed for a while."""

    async def script(place: Place) -> None:
        fake, believe = place.fake, place.settings.believe
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            fake.begin("ses_a")
            fake.permission("ses_a")
            await anyio.sleep(60)
            if not open_:
                fake.permissions.clear()
            for _ in range(int(4 * believe / 60)):
                await anyio.sleep(60)
                fake.say("server.heartbeat")

    assert play(tmp_path, script).fake.aborts == ([] if open_ else ["ses_a"])


def test_what_the_user_stops_stays_stopped_and_is_kept(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            session = fake.session()
            fake.ask(session)
            fake.write(session, fake.begin(session), "I will look at")
            await anyio.sleep(5)
            fake.stop(session)
            await anyio.sleep(3600)

    place = play(tmp_path, script)
    assert not place.fake.prompts
    assert len(place.lines(Kind.AUDIT)) == 1
    assert place.store.path.exists()


def test_a_sub_agent_is_observed_and_never_nudged(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.session("ses_p")
            fake.ask("ses_p")
            fake.call("ses_p", "task", "", status="running")
            child = fake.session("ses_c", "ses_p")
            fake.ask(child)
            fake.answer(child, CUT, "length")
            await anyio.sleep(20)

    place = play(tmp_path, script)
    assert not place.fake.prompts
    assert len(place.lines(Kind.AUDIT)) == 1


def test_a_pause_defers_and_ends(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            place.store.switch(Switch.PAUSE, None, now(), until=now() + 60)
            stalled(place)
            await anyio.sleep(50)
            assert not place.fake.prompts
            await until(lambda: place.fake.prompts, 15)

    assert len(play(tmp_path, script).fake.prompts) == 1


@pytest.mark.parametrize("seconds", [3600.0, 6 * 3600.0])
def test_a_pause_beyond_our_memory_defers_too(tmp_path: Path, seconds: float) -> None:
    """The messages of a session that rests are forgotten, what was to be done about it is not."""

    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            place.store.switch(Switch.PAUSE, None, now(), until=now() + seconds)
            stalled(place)
            for _ in range(int(seconds / 60) - 1):
                await anyio.sleep(60)
                place.fake.say("server.heartbeat")
            assert not place.fake.prompts
            await until(lambda: place.fake.prompts, 120)
            await anyio.sleep(300)

    assert len(play(tmp_path, script).fake.prompts) == 1


def test_what_only_a_person_can_lift_is_told_when_a_pause_is_over(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            place.store.switch(Switch.PAUSE, None, now(), until=now() + 600)
            fake.session()
            fake.ask("ses_a")
            fake.denied("ses_a")
            await anyio.sleep(590)
            assert not place.lines(Kind.TELL)
            await until(lambda: place.lines(Kind.TELL), 30)

    play(tmp_path, script)


def test_a_rate_limit_is_waited_for_as_long_as_it_takes(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            fake.limited("ses_a")
            for _ in range(14):
                await anyio.sleep(60)
                fake.say("server.heartbeat")
            assert not fake.prompts
            await until(lambda: fake.prompts, 120)

    ((_, body),) = play(tmp_path, script).fake.prompts
    assert body["parts"][0]["metadata"]["auditor"]["recovery"] == "rate_limit"


def test_a_nudge_that_a_person_asks_for_ignores_pauses_and_modes(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        watcher = place.watcher(permits(place, WatchMode.OBSERVE, rules_only=False))
        async with place.watched(watcher):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            fake.answer("ses_a", "All tests pass.")
            await anyio.sleep(10)
            place.store.switch(Switch.PAUSE, None, now())
            await anyio.sleep(10)
            assert not fake.prompts
            place.store.switch(Switch.NOW, "ses_a", now())
            await until(lambda: fake.prompts, 5)
            await anyio.sleep(120)
            assert place.store.paused("ses_a", now()) is not None

    ((_, body),) = play(tmp_path, script).fake.prompts
    assert body["parts"][0]["metadata"]["auditor"]["recovery"] == "resume_now"


SINCE: dict[str, Callable[[Place], object]] = {
    "they wrote something": lambda place: place.fake.ask("ses_a", "Never mind."),
    "it worked on": lambda place: place.fake.answer("ses_a", "All tests pass."),
    "they took messages back": lambda place: place.fake.infos["ses_a"].update(revert={}),
    "a sub-agent works": lambda place: place.fake.busy(place.fake.session("ses_c", "ses_a")),
    "everything is off": lambda place: (place.store.path.parent / "OFF").touch(),
}


@pytest.mark.parametrize("change", SINCE)
def test_a_nudge_that_a_person_asked_for_before_something_happened_is_moot(
    tmp_path: Path, change: str
) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.session()
            fake.ask("ses_a")
            fake.answer("ses_a", "All tests pass.")
            await anyio.sleep(10.3)
            place.store.switch(Switch.NOW, "ses_a", now())
            await anyio.sleep(0.1)  # switches are looked at every second
            SINCE[change](place)
            await anyio.sleep(100)

    assert not play(tmp_path, script).fake.prompts


def test_nudges_end_however_much_they_bring_and_the_person_is_told_once(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        numbers = count(1)
        fake.then = lambda session: fake.answer(session, f"{CUT}{next(numbers)}", "length")
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            await anyio.sleep(4 * 3600)
            assert len(fake.prompts) == place.settings.in_all
            # A person's message begins every budget anew.
            fake.ask("ses_a", "Go on, please.")
            fake.answer("ses_a", CUT, "length")
            await anyio.sleep(4 * 3600)
            assert len(fake.prompts) == 2 * place.settings.in_all

    place = play(tmp_path, script, in_all=4)
    assert len(place.lines(Kind.TELL)) == 2
    assert [toast["variant"] for toast in place.fake.toasts].count("warning") == 2


def test_the_same_words_are_not_sent_twice_for_nothing(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        place.fake.then = lambda session: place.fake.answer(session, CUT, "length")
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            await anyio.sleep(4 * 3600)

    place = play(tmp_path, script)
    assert len(place.fake.prompts) == 1
    assert len(place.lines(Kind.TELL)) == 1


def test_a_slow_session_delays_no_other(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake

        async def forever() -> None:
            await anyio.sleep(25)

        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake.before["GET /session/ses_slow/message"] = forever
            stalled(place, "ses_slow")
            await anyio.sleep(1)
            stalled(place, "ses_b")
            ended = trio.current_time()
            await until(lambda: fake.prompts, 10)
            assert trio.current_time() - ended <= place.settings.settle + 0.2

    assert play(tmp_path, script).fake.prompts[0][0] == "ses_b"


def test_an_error_costs_its_session_a_line_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planning.plan

    def broken(situation, *rest, **more):  # type: ignore[no-untyped-def]
        if situation.session == "ses_bad":
            raise ValueError("no such thing")
        return plan(situation, *rest, **more)

    monkeypatch.setattr(planning, "plan", broken)

    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place, "ses_bad")
            stalled(place, "ses_good")
            await anyio.sleep(600)

    place = play(tmp_path, script)
    assert [session for session, _ in place.fake.prompts] == ["ses_good"]
    (trouble,) = place.lines(Kind.TROUBLE)
    assert "ses_bad" in trouble


def test_two_watchers_send_one_nudge(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        one, two = (place.watcher(permits(place), by) for by in ("w1", "w2"))
        async with place.watched(one, two):
            await anyio.sleep(1)
            for number in range(20):
                stalled(place, f"ses_{number}")
            await anyio.sleep(300)

    place = play(tmp_path, script)
    assert sorted(session for session, _ in place.fake.prompts) == sorted(place.fake.infos)


def test_time_that_passes_during_a_look_loses_no_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An end that had not settled when it was planned for may have by the end of the look."""
    late, plan = [0.0], planning.plan

    def slow(*given, **more):  # type: ignore[no-untyped-def]
        made = plan(*given, **more)
        if made.reason == "it has only just ended" and not late[0]:
            late[0] = more["settings"].settle
        return made

    monkeypatch.setattr(planning, "plan", slow)

    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place), clock=lambda: now() + late[0])):
            await anyio.sleep(1)
            stalled(place)
            await until(lambda: place.fake.prompts, 10)
            assert late[0]

    play(tmp_path, script)


def test_a_deleted_session_is_forgotten(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        watcher = place.watcher(permits(place))
        async with place.watched(watcher):
            await anyio.sleep(1)
            stalled(place)
            await anyio.sleep(1)
            assert place.board.sessions()
            place.fake.say("session.deleted", info=place.fake.infos.pop("ses_a"))
            await anyio.sleep(30)

            assert not watcher.noted

    place = play(tmp_path, script)
    assert not place.fake.prompts
    assert not place.board.sessions()


def test_nothing_is_asked_of_the_server_after_the_end(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            await anyio.sleep(1)
        asked = len(place.fake.asked)
        await anyio.sleep(60)
        assert len(place.fake.asked) == asked

    assert not play(tmp_path, script).fake.prompts
