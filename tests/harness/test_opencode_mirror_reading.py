"""A mirror that reads sessions from the server: gaps, races, what is kept, and real recordings."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.harness import opencode
from auditor.harness._opencode_mirror import SESSIONS, Mirror
from auditor.live.situation import Doing, HoldKind
from auditor.turn import FinishReason, Text, Turn
from tests.harness.opencode_bus import SESSION, START, Bus, asked
from tests.harness.structure import SHARED

OTHER = "ses_2222222222222222"
RECORDED = sorted((SHARED / "recordings" / "opencode").glob("*.events.jsonl"))


def elsewhere(bus: Bus) -> Bus:
    """The same session for a watcher that comes now: nothing is known of it."""
    other = Bus(Mirror(), bus.session)
    other.now, other.info, other.messages = bus.now, bus.info, bus.messages
    other._number = bus._number
    return other


# Reading.


def test_a_session_that_was_there_before_is_adopted() -> None:
    """AR-T059 AR-T073 AR-T152, B59."""
    bus = elsewhere(asked("Add it.").answers("I added it.")).read()
    bus.mirror.statuses({}, bus.now)
    seen = bus.seen
    assert (seen.doing, seen.observed, seen.orphan) == (Doing.IDLE, True, False)
    assert (bus.turn.request, bus.turn.reply) == ("Add it.", "I added it.")
    assert seen.reply_as.agent == "build"
    assert seen.idle_since == pytest.approx(bus.newest["time"]["completed"] / 1000)


def test_text_that_only_the_history_has_is_judged_the_same() -> None:
    """AR-T111."""
    live = asked().answers("I will check:")
    read = elsewhere(live).read()
    read.mirror.statuses({}, read.now)
    assert read.turn == live.turn


@pytest.mark.parametrize(
    "row",
    [{}, {"id": None}, {"id": 7}, {"id": "shell_1"}, {"info": {"id": SESSION}}],
)
def test_a_row_without_a_usable_id_is_skipped(row: dict[str, Any]) -> None:
    """AR-T152."""
    mirror = Mirror()
    mirror.known(row)
    mirror.read(row, [], START)
    mirror.statuses({"shell_1": {"type": "busy"}}, START)
    mirror.waiting(HoldKind.PERMISSION, [row, None, 3], START)
    assert mirror.sessions() == ()


@pytest.mark.parametrize(
    "history",
    [
        pytest.param([None], id="DS-T47 a null entry"),
        pytest.param([[], "text", 3], id="DS-T47 entries of other kinds"),
        pytest.param([{"info": None, "parts": []}], id="DS-T47 no header"),
        pytest.param([{"info": {"id": "msg_1"}, "parts": None}], id="DS-T47 null parts"),
        pytest.param([{"info": {"id": 3}, "parts": []}], id="DS-T47 an id that is none"),
        pytest.param([{"info": {"id": "msg_1"}, "parts": [None, 3, {}]}], id="DS-T47 odd parts"),
        pytest.param(
            [{"info": {"id": "msg_1", "role": "user", "time": "now"}, "parts": []}],
            id="DS-T47 a bad timestamp",
        ),
        pytest.param(
            [
                {
                    "info": {"id": "msg_1", "role": "assistant", "time": {"completed": "x"}},
                    "parts": [],
                }
            ],
            id="DS-T47 a bad end",
        ),
        pytest.param(
            [{"info": {"id": "msg_1", "role": "user"}, "parts": [{"type": "text", "text": 3}]}],
            id="a text that is none",
        ),
    ],
)
def test_a_damaged_history_is_taken_as_far_as_it_goes(history: list[Any]) -> None:
    mirror = Mirror()
    mirror.read({"id": SESSION}, history, START)
    mirror.statuses({}, START)
    found = mirror.situation(SESSION, START)
    assert found is not None
    assert found.turn is None or found.turn.parts == ()


def test_a_session_joined_midway_is_not_observed_until_it_is_read() -> None:
    """DS-T30."""
    bus = elsewhere(asked().begin().writes("I have "))
    bus.delta("begun")
    assert not bus.seen.observed
    assert bus.read().seen.observed


def test_a_message_that_was_never_seen_makes_the_rest_unsure() -> None:
    """Something was lost on the way: the session says so, once, and is read."""
    bus = asked().begin().text("One.").finish("tool-calls")
    part = {"id": "prt_9", "messageID": "msg_99999999", "type": "text", "text": "Two."}
    bus.say("message.part.updated", part=part)
    assert (bus.seen.observed, bus.looked) == (False, {SESSION})
    assert bus.say("message.part.updated", part=part).looked == frozenset()


def test_an_answer_to_a_request_that_was_never_seen_is_unsure() -> None:
    bus = asked().answers()
    unseen = "msg_00999999"
    info = {"id": "msg_01000000", "role": "assistant", "parentID": unseen, "time": {"created": 1}}
    assert not bus.say("message.updated", info=info).seen.observed


def test_a_late_part_of_an_old_message_makes_nothing_unsure() -> None:
    """DS-T31: and does not hide what the turn now says."""
    bus = asked().answers().user("Next.").answers("Later.")
    bus.user("Third.").begin().finish().idle()
    assert bus.turn.reply == ""
    late = {"id": "prt_1", "messageID": "msg_00000001", "type": "text", "text": "late"}
    bus.say("message.part.updated", part=late)
    assert (bus.turn.reply, bus.seen.observed) == ("", True)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(
            lambda bus: bus.part(type="text", text="Lost."),
            id="a part came before it, which was not kept",
        ),
        pytest.param(
            lambda bus: bus.say("session.created", info=bus.info).mirror.rest(bus.now + 1),
            id="it was said before, and the messages were forgotten since",
        ),
    ],
)
def test_a_session_whose_beginning_is_told_late_is_not_observed(before: Any) -> None:
    bus = Bus()
    bus.messages.append({"info": {"id": "msg_00000001"}, "parts": []})
    before(bus)
    bus.idle().mirror.rest(bus.now + 1)
    bus.created()
    assert not bus.seen.observed
    assert Bus().created().seen.observed  # the control
    assert bus.read().seen.observed


@pytest.mark.parametrize("name", ["MessageAbortedError", "APIError"])
def test_what_ended_a_turn_does_not_end_the_one_after_it(name: str) -> None:
    """Its request was missed, and read; an abort is over when the user writes again."""
    bus = asked("One.").begin().writes("I will").failed(name, "no")
    ended, aborted = bus.turn.finish, bus.seen.aborted
    away = elsewhere(bus)
    bus.read(bus.wait(60).now)
    assert (bus.turn.finish, bus.seen.aborted) == (ended, aborted)  # nobody wrote since
    away.user("Two.").busy().begin().text("On it.")
    bus.messages = away.messages
    bus.now = away.now
    bus.read(bus.now).mirror.statuses({SESSION: {"type": "busy"}}, bus.now)
    assert (bus.turn.request, bus.turn.finish, bus.turn.error) == ("Two.", None, None)
    assert bus.seen.aborted is None


def test_an_abort_that_came_while_the_list_was_on_its_way_stays() -> None:
    bus = asked("One.")
    asked_at = bus.now
    bus.wait(0.1).begin().writes("I").say("session.error", error={"name": "MessageAbortedError"})
    bus.mirror.read(bus.info, json.loads(json.dumps(bus.messages[:1])), bus.now, asked_at)
    assert bus.seen.aborted == bus.newest["id"]


def test_parts_of_a_message_that_was_never_seen_are_a_sign_of_life() -> None:
    bus = elsewhere(asked().begin().tool("bash", "pending")).read()
    for number in range(3):
        part = {"id": f"prt_9{number}", "messageID": "msg_99999999", "type": "text", "text": "Two."}
        bus.wait(60).say("message.part.updated", part=part)
        assert bus.seen.quiet_since == bus.now
    since = bus.seen.quiet_since
    bus.wait(60).say("message.part.updated", part={**part, "messageID": "msg_00000000"})
    assert bus.seen.quiet_since == since  # older than all that is kept: nobody works on it


def test_text_under_way_survives_a_reading_that_cannot_have_it() -> None:
    """The server lists it as empty until it ends (fact 2)."""
    bus = asked().begin().writes("I will ", "read it").read()
    assert bus.turn.reply == "I will read it"
    bus.messages[-1]["parts"][-1]["text"] = "I will read it."
    assert bus.read().turn.reply == "I will read it."


def test_messages_that_are_gone_from_the_server_are_gone() -> None:
    bus = asked("One.").answers("1").user("Two.").answers("2")
    del bus.messages[2:]
    assert bus.read().turn.request == "One."


# Races: an answer that is older than what events said meanwhile.


def test_an_older_list_takes_nothing_back() -> None:
    bus = asked("One.").answers("1")
    listed, began = [*bus.messages], bus.wait(1).now
    bus.wait(0.1).user("Two.").busy().begin().text("2")
    bus.mirror.read(bus.info, json.loads(json.dumps(listed)), bus.now, began)
    assert (bus.turn.request, bus.turn.reply) == ("Two.", "2")
    assert bus.seen.request == bus.messages[2]["info"]["id"]
    bus.mirror.read(bus.info, json.loads(json.dumps(listed)), bus.now)
    assert bus.turn.request == "One."  # the control: without a time, the list is what there is


def test_an_older_list_does_not_empty_a_text_that_has_ended() -> None:
    bus = asked().begin().writes("I am ")
    listed, began = json.loads(json.dumps(bus.messages)), bus.wait(1).now
    bus.wait(0.1).change(text="I am done.", time={"start": 1, "end": 2}).finish().idle()
    bus.mirror.read(bus.info, listed, bus.now, began)
    assert (bus.turn.reply, bus.turn.finish) == ("I am done.", FinishReason.STOP)


def test_a_reading_midway_joins_what_was_before_and_what_came_since() -> None:
    bus = asked().begin().text("First.").text("Second.")
    listed = json.loads(json.dumps(bus.messages))
    other = elsewhere(bus)
    began = other.wait(1).now
    other.say("message.updated", info=bus.newest).part(type="text", text="Third.")
    other.mirror.read(bus.info, listed, other.now, began)
    assert other.turn.reply == "First.\n\nSecond.\n\nThird."


def test_an_older_status_takes_nothing_back() -> None:
    bus = asked().answers()
    began = bus.wait(1).now
    bus.wait(0.1).user("Two.").busy()
    bus.mirror.statuses({}, bus.now, asked=began)
    assert bus.seen.doing is Doing.BUSY
    bus.mirror.statuses({}, bus.now, only={OTHER})
    assert bus.seen.doing is Doing.BUSY
    bus.mirror.statuses({}, bus.now, only={SESSION})
    assert bus.seen.doing is Doing.IDLE


@pytest.mark.parametrize("kind", [HoldKind.PERMISSION, HoldKind.QUESTION])
def test_an_older_list_neither_opens_nor_closes_what_the_user_is_asked(kind: HoldKind) -> None:
    bus = asked()
    item = {"id": "x_1", "sessionID": SESSION, "permission": "bash"}
    began = bus.wait(1).now
    bus.wait(0.1).say(f"{kind}.asked", id="x_1")
    bus.mirror.waiting(kind, [], bus.now, asked=began)
    assert [hold.kind for hold in bus.seen.holds] == [kind]
    began = bus.wait(1).now
    bus.wait(0.1).say(f"{kind}.replied", requestID="x_1")
    bus.mirror.waiting(kind, [item], bus.now, asked=began)
    assert bus.seen.holds == ()
    bus.mirror.waiting(kind, [item], bus.wait(1).now)
    assert [hold.since for hold in bus.seen.holds] == [bus.now]


def test_a_list_says_what_waits_and_leaves_the_other_kind_alone() -> None:
    bus = asked().say("question.asked", id="que_1").say("permission.asked", id="per_1")
    bus.mirror.waiting(HoldKind.PERMISSION, [], bus.now)
    assert [hold.kind for hold in bus.seen.holds] == [HoldKind.QUESTION]
    bus.mirror.waiting(HoldKind.QUESTION, [], bus.now, only={OTHER})
    assert len(bus.seen.holds) == 1
    bus.mirror.waiting(HoldKind.QUESTION, [], bus.now)
    assert bus.seen.holds == ()


def test_what_was_missed_while_nobody_listened_is_read() -> None:
    bus = asked().begin().writes("I ")
    away = Bus(Mirror())  # its events go elsewhere: the connection is down
    away.now, away.messages, away.info, away._number = bus.now, bus.messages, bus.info, bus._number
    away.change(text="I did.", time={"start": 1, "end": 2}).finish().idle()
    bus.now = away.wait(40).now
    bus.read().mirror.statuses({}, bus.now)
    assert (bus.turn.reply, bus.turn.finish) == ("I did.", FinishReason.STOP)
    assert (bus.seen.doing, bus.seen.idle_since) == (Doing.IDLE, bus.now)


# Memory.


def test_turns_before_the_last_two_are_forgotten() -> None:
    bus = asked("First.").answers("1")
    for number in range(20):
        bus.user(f"Request {number}.").answers(f"Answer {number}.")
        assert bus.seen.turn is not None
    assert bus.turn.request == "Request 19."
    state = bus.mirror._states[SESSION]
    assert len(state.messages) == 4
    assert bus.seen.observed


def test_a_long_turn_keeps_its_beginning_whatever_comes_into_it() -> None:
    """Compactions, queued messages and notifications are user messages, and begin no turn."""
    bus = asked("Do all of it.")
    for number in range(8):
        bus.begin().text(f"Step {number}.").finish("tool-calls")
        bus.user({"type": "compaction", "auto": True})
        bus.message(
            "assistant", parentID=bus.newest["id"], summary=True, mode="compaction"
        ).finish()
        go = {"type": "text", "text": "Continue.", "synthetic": True}
        bus.user({**go, "metadata": {"compaction_continue": True}})
        assert bus.turn.request == "Do all of it."
    assert "Step 0." in bus.turn.reply


def test_idle_sessions_rest_and_are_read_again() -> None:
    bus = asked().answers("Done.")
    bus.mirror.rest(bus.now - 1)
    assert bus.seen.observed  # idle since a moment only
    bus.mirror.rest(bus.now + 1)
    assert (bus.seen.turn, bus.seen.observed) == (None, False)
    assert bus.seen.request == bus.messages[0]["info"]["id"]
    assert bus.read().turn.reply == "Done."


def test_sessions_that_work_do_not_rest() -> None:
    bus = asked().begin().writes("I ")
    bus.mirror.rest(bus.now + 1_000)
    assert bus.turn.parts == (Text("I "),)


def test_of_too_many_sessions_those_heard_of_last_stay() -> None:
    mirror = Mirror()
    first = Bus(mirror, "ses_000000").created(parentID=SESSION)
    for number in range(1, SESSIONS + 50):
        Bus(mirror, f"ses_{number:06d}").created(parentID=SESSION)
        if number % 100 == 0:
            first.busy()
    assert len(mirror.sessions()) == SESSIONS
    assert mirror.sessions()[-1] == f"ses_{SESSIONS + 49:06d}"
    assert "ses_000000" in mirror.sessions()
    assert "ses_000001" not in mirror.sessions()
    Bus(mirror).created()
    found = mirror.situation(SESSION, START)
    assert found is not None
    assert len(found.children) == SESSIONS - 1


# Whatever comes.

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "info", "part", "parts", "type", "text", "time", "status", "state", "role"]
            )
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
KINDS = st.sampled_from(
    [
        "message.part.delta",
        "message.part.updated",
        "message.part.removed",
        "message.updated",
        "message.removed",
        "session.status",
        "session.error",
        "session.created",
        "session.updated",
        "session.deleted",
        "todo.updated",
        "permission.asked",
        "question.replied",
    ]
)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            KINDS,
            st.dictionaries(
                st.sampled_from(
                    [
                        "info",
                        "part",
                        "error",
                        "todos",
                        "status",
                        "id",
                        "messageID",
                        "partID",
                        "delta",
                        "requestID",
                    ]
                ),
                JSON,
                max_size=5,
            ),
        ),
        max_size=12,
    )
)
def test_no_event_of_any_shape_raises(events: list[tuple[str, dict[str, Any]]]) -> None:
    bus = asked().begin().writes("I ")
    for kind, said in events:
        bus.say(kind, **said)
        found = bus.mirror.situation(SESSION, bus.now)
        assert found is None or found.session == SESSION
    bus.read()


def story() -> Bus:
    """A session with a bit of everything, and its log."""
    bus = asked("One.").begin().text("a", kind="reasoning").text("I will ls.").tool("bash", c="ls")
    bus.finish("tool-calls").busy().begin().writes("All ").retry().busy().step()
    bus.text("All good.").finish().idle().nudged().busy().begin().tool("read", "pending", "error")
    return bus.finish("tool-calls").busy().begin().text("Now it is done.").finish().idle()


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.data())
def test_events_doubled_dropped_and_out_of_order_end_as_the_server_says(
    chance: random.Random, data: st.DataObject
) -> None:
    """Whatever was lost: once the session is read, the turn is the one that the server has."""
    whole = story()
    mirror = Mirror()
    lost = data.draw(st.sets(st.integers(0, len(whole.log) - 1), max_size=20))
    late = data.draw(st.sampled_from([0, 2, 5]))  # places that an event may come too late
    mixed = sorted(enumerate(whole.log), key=lambda each: each[0] + chance.uniform(0, late))
    for number, event in mixed:
        for _ in range(0 if number in lost else chance.choice([1, 1, 2, 3])):
            mirror.apply(event, START + number)
            mirror.situation(SESSION, START + number)
    mirror.read(whole.info, whole.messages, whole.now)
    mirror.statuses({}, whole.now)
    found = mirror.situation(SESSION, whole.now)
    assert found is not None
    expected = whole.seen
    assert found.turn == expected.turn
    assert (found.doing, found.reply, found.request, found.marks, found.progressed) == (
        expected.doing,
        expected.reply,
        expected.request,
        expected.marks,
        expected.progressed,
    )
    assert (found.orphan, found.aborted, found.holds) == (False, None, ())


def test_events_doubled_give_what_they_give_once() -> None:
    whole = story()
    mirror = Mirror()
    for event in whole.log:
        mirror.apply(event, whole.now)
        assert mirror.apply(event, whole.now) == frozenset()
    found = mirror.situation(SESSION, whole.now)
    assert found is not None
    assert found.turn == whole.seen.turn


# Real recordings: what the events come to is what the transcript says.


class Recorded(NamedTuple):
    """A recording replayed: its main session, and whether all of its events are in it."""

    mirror: Mirror
    session: str
    now: float
    whole: bool


def recorded(path: Path) -> Recorded:
    mirror, cut, now, created = Mirror(), False, START, False
    first: str | None = None
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if "event" not in row:
            cut = True
            continue
        now = START + row["t"]
        created = created or row["event"].get("type") == "session.created"
        for session in sorted(mirror.apply(row["event"], now)):
            first = first or session
            assert mirror.situation(session, now) is not None
    assert first is not None
    return Recorded(mirror, first, now, created and not cut)


@pytest.mark.skipif(not RECORDED, reason=f"no shared recordings at {SHARED}")
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name.split(".")[0])
def test_a_recording_comes_to_what_the_server_lists(path: Path) -> None:
    mirror, session, now, whole = recorded(path)
    final = path.with_name(path.name.replace(".events.jsonl", ".final.json"))
    listed = [turn for turn in _turns(final) if turn.session == session]
    found = mirror.situation(session, now)
    assert found is not None
    assert found.turn is not None
    assert mirror.unread == {}
    assert (found.doing, found.orphan) == (Doing.IDLE, False)
    assert found.observed is whole or "loop" in path.name  # lines cut inside a turn do not show
    if not whole or not listed:  # an unknown model fails without a message
        return
    expected = listed[-1]
    assert (found.turn.id, found.turn.reply) == (expected.id, expected.reply)
    assert found.turn.finish is expected.finish
    assert [type(part) for part in found.turn.parts] == [type(part) for part in expected.parts]


def _turns(path: Path) -> list[Turn]:
    from auditor import assemble  # noqa: PLC0415

    return [turn for turn in assemble.turns(opencode.read(path)) if isinstance(turn, Turn)]
