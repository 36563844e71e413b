"""What a watcher knows of a session from its bus events alone: rules, each with its control."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.harness._opencode_mirror import SESSIONS, Mirror
from auditor.live.situation import Doing, HoldKind, Mark, ReplyAs
from auditor.turn import FinishReason, PendingKind, RequestKind, Text
from tests.harness.opencode_bus import SESSION, START, Bus, asked

OTHER = "ses_2222222222222222"
SHELL = "The following tool was executed by the user"


def holds(bus: Bus) -> list[HoldKind]:
    return [hold.kind for hold in bus.seen.holds]


# Which events are taken, and whose they are.


def test_a_turn_from_its_request_to_its_end() -> None:
    bus = asked("Add a retry option.").begin().text("I added it.").finish().idle()
    seen = bus.seen
    assert (seen.doing, seen.observed, seen.turn is not None) == (Doing.IDLE, True, True)
    assert bus.turn.request == "Add a retry option."
    assert bus.turn.parts == (Text("I added it."),)
    assert bus.turn.finish is FinishReason.STOP
    assert seen.message == seen.reply == bus.newest["id"]
    assert seen.request == bus.messages[0]["info"]["id"]
    assert seen.request_at == pytest.approx(START, abs=1)
    assert not seen.orphan
    assert seen.aborted is None
    assert bus.mirror.unread == {}


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({"type": "session.idle", "properties": {}}, id="AR-T037 without a session"),
        pytest.param(
            {"type": "session.idle", "properties": {"sessionID": "shell_1"}},
            id="AR-T037 an id of another family",
        ),
        pytest.param(
            {"type": "session.idle", "properties": {"sessionID": 7}}, id="AR-T037 no text for an id"
        ),
        pytest.param({"type": "session.idle"}, id="without properties"),
        pytest.param({"type": 3, "properties": {}}, id="a type that is no text"),
        pytest.param([], id="no object"),
        pytest.param(None, id="not even JSON"),
        pytest.param("session.idle", id="a bare text"),
        pytest.param(
            {"type": "future.thing", "properties": {"sessionID": SESSION}}, id="unheard of"
        ),
        pytest.param({"payload": {"payload": {}}}, id="wrapped in itself"),
    ],
)
def test_what_nobody_understands_is_counted_and_costs_nothing(event: Any) -> None:
    mirror = Mirror()
    assert mirror.apply(event, START) == frozenset()
    assert mirror.unread.total() == 1
    assert mirror.sessions() == ()


def test_kinds_of_unread_events_do_not_grow_without_end() -> None:
    mirror = Mirror()
    for number in range(1_000):
        mirror.apply({"type": f"made.up.{number}", "properties": {}}, START)
    assert mirror.unread.total() == 1_000
    assert len(mirror.unread) < 300


@pytest.mark.parametrize("kind", ["plugin.added", "file.edited", "server.heartbeat", "pty.exited"])
def test_what_is_no_session_s_doing_is_passed_over(kind: str) -> None:
    mirror = Mirror()
    assert mirror.apply({"type": kind, "properties": {}}, START) == frozenset()
    assert mirror.unread == {}


def test_command_executed_changes_no_session() -> None:
    """AR-T028 AR-T041 AR-T042: slash commands are prompts here; the status alone says busy."""
    bus = asked().begin().tool("bash", "pending", "running")
    before = bus.seen
    bus.say("command.executed", name="init", arguments="", messageID="msg_1")
    assert bus.looked == frozenset()
    assert bus.seen == before


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"sessionID": OTHER}, id="said at the top"),
        pytest.param({"info": {"id": OTHER}}, id="said in the info"),
    ],
)
def test_a_session_is_registered_by_what_says_so(said: Any) -> None:
    """AR-T016."""
    mirror = Mirror()
    mirror.apply({"type": "session.created", "properties": said}, START)
    mirror.apply({"type": "session.updated", "properties": said}, START)
    assert mirror.sessions() == (OTHER,)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("message.updated", {"info": {"sessionID": OTHER, "id": "msg_1", "role": "user"}}),
        ("message.part.updated", {"part": {"sessionID": OTHER, "messageID": "msg_1"}}),
    ],
)
def test_a_session_is_found_where_older_releases_say_it(kind: str, said: Any) -> None:
    mirror = Mirror()
    mirror.apply({"type": kind, "properties": said}, START)
    assert mirror.sessions() == (OTHER,)


def test_events_of_all_directories_count_once() -> None:
    """`/global/event` wraps them, and sends what is stored a second time."""
    mirror = Mirror()
    inner = {"id": "evt_1", "type": "session.created", "properties": {"info": {"id": OTHER}}}
    stored = {"type": "sync", "syncEvent": {"type": "session.created.1", "seq": 1, "data": {}}}
    assert mirror.apply({"directory": "/d", "payload": stored}, START) == frozenset()
    mirror.apply({"directory": "/d", "payload": inner}, START)
    assert (mirror.sessions(), mirror.unread) == ((OTHER,), {})


def test_an_event_that_comes_twice_counts_once() -> None:
    bus = asked().begin().writes("one ")
    bus.again().again().delta("two").again()
    assert bus.turn.reply == "one two"


def test_events_without_ids_all_count() -> None:
    bus = asked().begin().writes("na ")
    event = {key: value for key, value in bus.log[-1].items() if key != "id"}
    bus.mirror.apply(event, bus.now)
    bus.mirror.apply(event, bus.now)
    assert bus.mirror.streaming(SESSION) == "na na na "


# What a session does.


@pytest.mark.parametrize(
    ("status", "doing"),
    [
        pytest.param("busy", Doing.BUSY, id="AR-T017 busy as a string"),
        pytest.param({"type": "busy"}, Doing.BUSY, id="AR-T017 busy as an object"),
        pytest.param("idle", Doing.IDLE, id="AR-T018 idle as a string"),
        pytest.param({"type": "idle"}, Doing.IDLE, id="idle as an object"),
        pytest.param({"type": "retry", "next": 1.8e12}, Doing.RETRYING, id="AR-T019 retry"),
        pytest.param("pondering", Doing.UNKNOWN, id="AR-T020 unknown"),
        pytest.param({"type": 4}, Doing.UNKNOWN, id="AR-T020 no kind at all"),
        pytest.param(None, Doing.UNKNOWN, id="AR-T020 nothing"),
    ],
)
def test_a_status_is_read_as_string_and_as_object(status: Any, doing: Doing) -> None:
    assert Bus().created().say("session.status", status=status).seen.doing is doing


def test_a_retry_says_when_the_harness_tries_again() -> None:
    bus = asked().retry(9)
    assert bus.seen.retry_at == pytest.approx(bus.now + 9)
    assert bus.busy().seen.retry_at is None


def test_idle_is_worth_one_look_however_often_it_is_said() -> None:
    """An abort sends it twice (fact 3)."""
    bus = asked().begin().text("Done.").finish().idle()
    assert bus.looked == {SESSION}
    since = bus.seen.idle_since
    assert bus.wait(1).idle().looked == frozenset()
    assert bus.seen.idle_since == since


def test_what_follows_idle_is_no_activity() -> None:
    bus = asked().answers()
    quiet = bus.seen.quiet_since
    bus.wait(5).updated(title="A title").say("session.diff", diff=[])
    request = {**bus.messages[0]["info"], "summary": {"diffs": []}}
    bus.say("message.updated", info=request)
    assert bus.looked == frozenset()
    assert (bus.seen.quiet_since, bus.seen.doing) == (quiet, Doing.IDLE)


@pytest.mark.parametrize("how", ["session.status", "session.interrupted"])
def test_an_interruption_is_an_abort_and_stays_one_when_it_idles(how: str) -> None:
    """AR-T021, AR-T022: other releases say an abort so."""
    bus = asked().begin().writes("I will")
    bus.say(how, status="interrupted")
    assert bus.looked == {SESSION}
    assert (bus.seen.doing, bus.seen.aborted) == (Doing.IDLE, bus.newest["id"])
    assert bus.idle().seen.aborted == bus.newest["id"]


# Progress, and silence.

PROGRESS = [
    pytest.param(lambda bus: bus.delta("more"), True, id="a delta"),
    pytest.param(lambda bus: bus.delta(""), False, id="B84 an empty delta"),
    pytest.param(lambda bus: bus.delta('{"a', field="input"), True, id="B83 a delta of a call"),
    pytest.param(lambda bus: bus.busy(), False, id="B84 busy once more"),
    pytest.param(lambda bus: bus.change(), False, id="B84 a part that did not change"),
    pytest.param(lambda bus: bus.change(text="I will"), True, id="a text that grew without deltas"),
    pytest.param(
        lambda bus: bus.say("message.updated", info=bus.newest),
        False,
        id="B84 an unchanged message",
    ),
    pytest.param(lambda bus: bus.tool("bash", "pending"), True, id="a call begins"),
    pytest.param(lambda bus: bus.part(type="step-finish", reason="stop"), True, id="a step ends"),
    pytest.param(lambda bus: bus.updated(title="T"), False, id="the session's title"),
    pytest.param(lambda bus: bus.say("session.diff", diff=[]), False, id="a diff"),
    pytest.param(lambda bus: bus.say("server.heartbeat"), False, id="a heartbeat"),
    pytest.param(lambda bus: bus.retry(), True, id="the harness tries again"),
]


@pytest.mark.parametrize(("event", "moves"), PROGRESS)
def test_only_progress_moves_the_clock_of_silence(event: Any, *, moves: bool) -> None:
    bus = asked().begin().writes("I ")
    since = bus.seen.quiet_since
    event(bus.wait(60))
    assert (bus.seen.quiet_since > since) is moves


def test_a_call_s_input_that_grows_is_progress() -> None:
    """B83: a large file is written for minutes; where the harness shows it, it counts."""
    bus = asked().begin().tool("write", "pending")
    raw = bus.messages[-1]["parts"][-1]["state"]
    since = bus.seen.quiet_since
    bus.wait(60).change(state={**raw, "raw": '{"content": "def'})
    assert bus.seen.quiet_since > since
    assert bus.looked == frozenset()


def test_a_stream_is_looked_at_now_and_then() -> None:
    bus = asked().begin().writes()
    looks = 0
    for _ in range(1_000):
        bus.delta("word ")
        if bus.looked:
            looks += 1
            assert bus.seen.turn is not None
    assert looks == 10


# Text under way (facts 2 and 6 to 7 of a turn's events).


def test_text_under_way_is_what_the_deltas_add_up_to() -> None:
    bus = asked().begin().writes("I will ", "read it")
    assert bus.turn.reply == bus.mirror.streaming(SESSION) == "I will read it"
    assert bus.turn.finish is None
    bus.change(text="I will read it.", time={"start": 1, "end": 2})
    assert (bus.turn.reply, bus.mirror.streaming(SESSION)) == ("I will read it.", "")


def test_reasoning_under_way_is_reasoning() -> None:
    """DS-T23, DS-T25."""
    bus = asked().begin().writes("Let me think", kind="reasoning")
    assert (bus.turn.reply, len(bus.turn.parts)) == ("", 1)


def test_of_a_stream_without_end_only_the_end_is_kept() -> None:
    bus = asked().begin().writes(*["x" * 50_000] * 5, "the end")
    assert len(bus.mirror.streaming(SESSION)) == 200_000
    assert bus.turn.reply.endswith("xthe end")


@pytest.mark.parametrize(
    "late",
    [
        pytest.param(lambda bus: bus.text("Done.").delta("one."), id="a piece after the end"),
        pytest.param(
            lambda bus: bus.writes("Done.").say(
                "message.part.removed",
                messageID=bus.newest["id"],
                partID=bus.messages[-1]["parts"][-1]["id"],
            ),
            id="its part was removed",
        ),
    ],
)
def test_text_that_is_not_under_way_any_more_streams_no_more(late: Any) -> None:
    bus = asked().begin().writes("Done")
    assert bus.mirror.streaming(SESSION) == "Done"
    assert late(asked().begin()).mirror.streaming(SESSION) == ""


def test_what_a_failed_attempt_had_written_is_gone_with_the_next() -> None:
    """Each attempt writes the same again; added up, they would look like a loop."""
    bus = asked().begin().writes("I will start")
    for _ in range(3):
        bus.retry().wait(4).busy().step().writes("I will start")
    assert bus.turn.reply == "I will start"
    bus.failed("APIError", "Connection reset by server", isRetryable=True)
    assert bus.turn.reply == "I will start"
    assert (bus.turn.finish, bus.turn.error.retryable) == (FinishReason.ERROR, True)


def test_text_that_lands_after_idle_is_seen() -> None:
    """AR-T121."""
    bus = asked().begin().writes("Let me ").say("session.status", status="idle")
    bus.wait(0.3).change(text="Let me check.", time={"start": 1, "end": 2})
    assert bus.looked == {SESSION}
    assert bus.turn.reply == "Let me check."


def test_a_step_without_output_is_an_empty_turn() -> None:
    """DS-T22, DS-T32."""
    bus = asked().begin().finish().idle()
    assert (bus.turn.reply, bus.turn.parts, bus.turn.finish) == ("", (), FinishReason.STOP)


def test_a_picture_is_no_text() -> None:
    """DS-T24: the part is understood, and the turn is over as the harness says."""
    bus = asked().begin().part(type="file", mime="image/png", url="data:,").finish().idle()
    assert bus.turn.finish is FinishReason.STOP


# Steps (facts 1, 5, 6, 7).


@pytest.mark.parametrize("reason", ["tool-calls", "unknown"])
def test_a_step_that_goes_on_ends_no_turn(reason: str) -> None:
    bus = asked().begin().tool("bash", command="ls").finish(reason).busy()
    assert bus.seen.doing is Doing.BUSY
    bus.begin().text("All done.").finish().idle()
    assert (bus.turn.finish, bus.turn.reply) == (FinishReason.STOP, "All done.")
    assert bus.seen.reply == bus.newest["id"]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("length", FinishReason.LENGTH), ("content-filter", FinishReason.CONTENT_FILTER)],
)
def test_a_turn_ends_as_its_last_step_says(reason: str, finish: FinishReason) -> None:
    assert asked().begin().text("I").finish(reason).idle().turn.finish is finish


def test_a_call_that_cannot_be_read_is_a_failed_call_and_no_progress() -> None:
    """Unknown tools and broken arguments become a completed call of `invalid` (fact 5)."""
    bus = asked().nudged().begin().tool("invalid", tool="nope", error="no such tool")
    assert bus.turn.parts[-1].failed is True
    assert not bus.seen.progressed


# Errors, aborts, and a server that died (facts 3, 8, 9, 11).


def test_an_abort_is_named_by_the_message_it_ended() -> None:
    """AR-T025."""
    bus = asked().begin().writes("I will").failed()
    assert (bus.seen.doing, bus.seen.aborted) == (Doing.IDLE, bus.newest["id"])
    assert (bus.turn.finish, bus.turn.error) == (FinishReason.ABORTED, None)


def test_an_abort_is_known_before_the_message_says_it() -> None:
    bus = asked().begin().writes("I will")
    bus.say("session.error", error={"name": "MessageAbortedError", "data": {}})
    assert bus.seen.aborted == bus.newest["id"]


def test_an_abort_stays_whatever_status_comes_late() -> None:
    """B19."""
    bus = asked().begin().writes("I will").failed().busy().idle()
    assert bus.seen.aborted == bus.newest["id"]


def test_an_abort_is_over_when_the_user_writes_again() -> None:
    """AR-T024, B64."""
    bus = asked().begin().writes("I will").failed().wait(30).user("Go on.").busy()
    assert bus.seen.aborted is None
    assert bus.seen.request == bus.newest["id"]


def test_a_message_that_comes_late_undoes_no_abort() -> None:
    bus = asked().begin().writes("I will").failed()
    aborted = bus.seen.aborted
    early = {"id": "msg_00000000", "sessionID": SESSION, "role": "user", "time": {"created": 1}}
    bus.say("message.updated", info=early)
    assert bus.seen.aborted == aborted


def test_an_abort_during_a_tool_leaves_its_result() -> None:
    bus = asked().begin().tool("bash", "pending", "running", command="make")
    bus.change(state={"status": "completed", "input": {}, "output": "half", "metadata": {}})
    bus.failed()
    assert bus.turn.finish is FinishReason.ABORTED
    assert bus.turn.parts[-1].output == "half"
    assert holds(bus) == []


def test_an_abort_while_it_waits_to_retry_is_an_abort() -> None:
    """The message is completed without a finish, and no error is sent (fact 8)."""
    bus = asked().begin().retry().idle()
    bus.newest["time"]["completed"] = bus.now * 1000
    bus.say("message.updated", info=bus.newest)
    assert (bus.turn.finish, bus.seen.aborted) == (FinishReason.ABORTED, bus.newest["id"])
    assert not bus.seen.orphan


def test_a_message_that_nobody_ended_is_an_orphan() -> None:
    """The server died (fact 8): what ran then does not run any more."""
    bus = asked().begin().tool("bash", "pending", "running", command="make").read()
    bus.mirror.statuses({}, bus.now)
    assert bus.seen.orphan
    assert holds(bus) == []
    assert bus.turn.finish is None


@pytest.mark.parametrize("heard", [True, False])
def test_an_orphan_that_nobody_heard_may_be_at_work_elsewhere(heard: bool) -> None:
    """Another process tells its own events, and both read the same messages."""
    bus = asked().begin().tool("bash", "pending", "running", command="make")
    if not heard:
        bus.mirror = Mirror()
        bus.mirror.known(bus.info)
    bus.read().read().mirror.statuses({}, bus.now)
    assert bus.seen.orphan
    assert bus.seen.unheard is not heard


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(lambda bus: bus.writes("I am"), id="text came"),
        pytest.param(lambda bus: bus.tool("bash", "pending", "running"), id="a call came"),
    ],
)
def test_a_message_read_first_and_then_heard_is_heard(event: Any) -> None:
    bus = asked().begin()
    bus.mirror = Mirror()
    bus.read().mirror.statuses({}, bus.now)
    assert bus.seen.unheard
    event(bus.busy()).idle()
    assert (bus.seen.orphan, bus.seen.unheard) == (True, False)
    assert not bus.read().seen.unheard


@pytest.mark.parametrize(
    "bus",
    [
        pytest.param(asked().begin().writes("I"), id="it works"),
        pytest.param(asked().begin().text("Done.").finish().idle(), id="it ended"),
        pytest.param(asked().begin().failed("APIError", "no"), id="it failed"),
        pytest.param(asked().idle(), id="the user is not answered"),
        pytest.param(
            asked().begin().writes("I").say("session.error", error={"name": "APIError"}).idle(),
            id="the session failed, and its message does not say so yet",
        ),
        pytest.param(
            asked()
            .answers()
            .user({"type": "text", "text": SHELL, "synthetic": True})
            .busy()
            .message("assistant")
            .tool("bash", "pending", "running", command="make")
            .idle(),
            id="the user's own command was killed, the turn before it had ended",
        ),
        pytest.param(
            asked()
            .answers()
            .user({"type": "compaction", "auto": False})
            .busy()
            .message("assistant", summary=True)
            .writes("So far")
            .idle(),
            id="the user's own compaction was killed, the turn before it had ended",
        ),
        pytest.param(asked().answers().message("notice"), id="a message of a kind nobody knows"),
    ],
)
def test_no_orphan(bus: Bus) -> None:
    assert not bus.seen.orphan


def test_a_permission_refused_ends_the_turn_by_the_user_s_will() -> None:
    """No error is sent; the call's error says it (fact 9)."""
    bus = asked().begin().tool("bash", "pending", "running", command="rm x")
    no = "The user rejected permission to use this specific tool call."
    bus.change(state={"status": "error", "input": {}, "error": no}).finish("tool-calls").idle()
    assert (bus.turn.finish, bus.seen.aborted) == (FinishReason.ABORTED, bus.newest["id"])


def test_an_error_without_any_answer_is_the_turn_s() -> None:
    """An unknown model: a session error, and no message of the agent."""
    bus = asked().failed("UnknownError", "Model not found: fictive/two.")
    assert bus.turn.error.message == "Model not found: fictive/two."
    assert (bus.seen.reply, bus.seen.message) == (None, bus.newest["id"])


def test_an_error_after_a_normal_end_is_no_end() -> None:
    """AR-T026, B29."""
    bus = asked().answers().say("session.error", error={"name": "UnknownError", "data": {}})
    assert (bus.turn.finish, bus.turn.error) == (FinishReason.STOP, None)


@pytest.mark.parametrize("time", [10**400, -(10**400), True, "soon", None, [], 1e300])
def test_a_time_that_is_none_is_not_known(time: Any) -> None:
    bus = asked().say("session.status", status={"type": "retry", "next": time})
    assert bus.seen.retry_at is None
    bus.begin(time={"created": time, "completed": time}).user("Next.", time={"created": time})
    assert (bus.seen.request_at, bus.turn.started) == (None, None)
    bus.read().mirror.statuses({}, bus.now)
    assert bus.seen.request == bus.newest["id"]


@pytest.mark.parametrize("error", [None, "broken", [], 3, {}, {"name": 3}, {"data": []}])
def test_an_error_of_any_shape_is_taken(error: Any) -> None:
    bus = asked().begin().writes("I").say("session.error", error=error).idle()
    assert bus.seen.aborted is None


def test_a_message_of_a_kind_nobody_knows_is_no_answer() -> None:
    bus = asked().message("notice").part(type="text", text="Maintenance at noon.")
    assert bus.seen.reply is None
    bus.idle()
    assert (bus.seen.reply, bus.seen.orphan) == (None, False)


# What makes a session legitimately silent (facts 8, 10, 12).


@pytest.mark.parametrize("kind", ["permission", "question"])
@pytest.mark.parametrize("end", ["replied", "rejected"])
def test_what_is_asked_holds_until_it_is_answered(kind: str, end: str) -> None:
    """AR-T115, B06: going idle does not answer it."""
    if (kind, end) == ("permission", "rejected"):
        end = "replied"
    bus = asked().begin().tool("bash", "pending").say(f"{kind}.asked", id="x_1", permission="bash")
    since = bus.now
    assert bus.looked == {SESSION}
    bus.wait(90)
    assert (bus.seen.holds[0].kind, bus.seen.holds[0].since) == (HoldKind(kind), since)
    assert [pending.kind for pending in bus.turn.pending] == [PendingKind(kind)]
    assert HoldKind(kind) in holds(bus.idle())
    bus.wait(1).say(f"{kind}.{end}", requestID="x_1")
    assert (bus.looked, HoldKind(kind) in holds(bus)) == ({SESSION}, False)
    assert bus.seen.quiet_since == bus.now


def test_an_answer_to_something_else_answers_nothing() -> None:
    bus = asked().say("permission.asked", id="per_1", permission="bash")
    quiet = bus.seen.quiet_since
    bus.wait(9).say("permission.replied", requestID="per_2").say("permission.replied")
    assert (holds(bus), bus.seen.quiet_since) == ([HoldKind.PERMISSION], quiet)


def test_the_older_names_of_a_permission_are_understood() -> None:
    bus = asked().say("permission.updated", id="per_1", type="bash")
    assert holds(bus) == [HoldKind.PERMISSION]
    assert holds(bus.say("permission.replied", permissionID="per_1")) == []


@pytest.mark.parametrize(
    ("tools", "running"),
    [
        pytest.param([("bash", "pending", "running")], ["bash"], id="AR-T038 AR-T047 one runs"),
        pytest.param([("write", "pending")], ["write"], id="its input is being written"),
        pytest.param(
            [("bash", "pending", "running"), ("grep", "pending", "running", "completed")],
            ["bash"],
            id="AR-T045 two, one ended",
        ),
        pytest.param([("bash", "running", "error")], [], id="AR-T114 it failed"),
        pytest.param([("bash", "running", "completed")], [], id="AR-T039 it ended"),
        pytest.param([("task", "pending", "running")], ["task"], id="AR-T040 a sub-agent"),
    ],
)
def test_a_tool_that_runs_holds(tools: list[tuple[str, ...]], running: list[str]) -> None:
    """AR-T044: by its part, whether its call has an id or not."""
    bus = asked().begin()
    for name, *statuses in tools:
        bus.tool(name, *statuses)
    assert [hold.what for hold in bus.seen.holds if hold.kind is HoldKind.TOOL] == running


def test_a_tool_runs_on_behind_a_message_the_user_sent_meanwhile() -> None:
    """B33: it is queued, and must not hide the build it waits for."""
    bus = asked().begin().tool("bash", "pending", "running", command="make").wait(200)
    bus.user("And run the tests.")
    assert holds(bus) == [HoldKind.TOOL]
    assert bus.seen.reply is None


def test_a_tool_of_a_message_before_the_last_does_not_run() -> None:
    """A crash leaves such parts behind for ever."""
    bus = asked().begin().tool("bash", "pending", "running").user("Continue.").busy().begin()
    assert holds(bus) == []


@pytest.mark.parametrize(
    ("status", "waits"),
    [("pending", True), ("running", True), ("error", False), ("completed", False)],
)
def test_the_question_tool_waits_until_it_is_answered(status: str, *, waits: bool) -> None:
    """AR-T112, AR-T113, B05."""
    bus = asked().begin().tool("question", status)
    assert (PendingKind.QUESTION in [pending.kind for pending in bus.turn.pending]) is waits


def test_a_compaction_holds_from_its_request_to_its_end() -> None:
    bus = asked("Add it.").begin().text("Reading.").finish("tool-calls")
    bus.user({"type": "compaction", "auto": True})
    assert holds(bus) == [HoldKind.COMPACTION]
    bus.message("assistant", parentID=bus.newest["id"], summary=True, mode="compaction")
    assert holds(bus) == [HoldKind.COMPACTION]
    bus.text("What happened so far.").finish().say("session.compacted")
    assert holds(bus) == []
    assert bus.looked == {SESSION}
    go = {"type": "text", "text": "Continue.", "synthetic": True}
    bus.user({**go, "metadata": {"compaction_continue": True}})
    bus.begin().text("It is added.").finish().idle()
    assert (bus.turn.request, bus.turn.compacted) == ("Add it.", True)
    assert bus.turn.reply == "Reading.\n\nIt is added."
    assert bus.seen.request == bus.messages[0]["info"]["id"]


def test_a_request_sent_again_after_a_compaction_is_no_new_one() -> None:
    """Budgets begin anew with a person's message, and this is none."""
    bus = asked("Add it.").begin().finish("tool-calls").user({"type": "compaction", "auto": True})
    bus.message("assistant", parentID=bus.newest["id"], summary=True).text("So far.").finish()
    bus.user("Add it.")
    assert bus.seen.request == bus.messages[0]["info"]["id"]
    bus.begin().text("Done.").finish().idle().user("Add it.")
    assert bus.seen.request == bus.newest["id"]


# What a user does beside asking.


def own_command(bus: Bus) -> None:
    bus.user({"type": "text", "text": SHELL, "synthetic": True}).busy()
    bus.message("assistant", parentID=bus.newest["id"]).tool("bash", command="ls").idle()


def own_compaction(bus: Bus) -> None:
    bus.user({"type": "compaction", "auto": False}).busy()
    bus.message("assistant", parentID=bus.newest["id"], summary=True, mode="compaction")
    bus.text("What happened so far.").finish().idle()


BESIDE = [own_command, own_compaction]


@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize("then", [lambda bus: bus.user("Go on."), lambda bus: bus.nudged()])
@pytest.mark.parametrize("beside", BESIDE)
def test_a_stop_between_two_steps_stands_until_something_is_asked(
    beside: Callable[[Bus], None], then: Callable[[Bus], Bus], read: bool
) -> None:
    """B19: nothing else lifts it."""
    bus = asked().begin().tool("bash", command="make").finish("tool-calls")
    bus.say("session.error", error={"name": "MessageAbortedError", "data": {}}).idle()
    assert bus.seen.aborted
    beside(bus)
    if read:
        bus.read()
    assert bus.seen.aborted
    then(bus.wait(1)).busy()
    if read:
        bus.read()
    assert bus.seen.aborted is None


EARLY = [
    pytest.param(asked(), id="the model was not asked yet"),
    pytest.param(asked().message("assistant", parentID="msg_00000002"), id="its message is empty"),
    pytest.param(asked().answers().nudged().busy(), id="it was a nudge"),
]


@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize("bus", EARLY)
def test_an_answer_that_broke_off_before_its_first_word_is_blank(bus: Bus, read: bool) -> None:
    bus = copy.deepcopy(bus).idle()
    if read:
        bus.read().mirror.statuses({}, bus.now)
    assert bus.seen.blank
    bus.busy().begin()
    assert not bus.seen.blank


@pytest.mark.parametrize("reason", ["stop", "length", "tool-calls"])
def test_an_answer_that_ended_holds_something(reason: str) -> None:
    bus = asked().message("assistant", parentID="msg_00000002")
    bus.say("message.updated", info={**bus.newest, "finish": reason})
    assert not bus.seen.blank


def test_a_stop_before_anything_was_read_is_of_what_was_there() -> None:
    bus = asked().begin().tool("bash", command="make").finish("tool-calls")
    bus.mirror = Mirror()
    bus.say("session.error", error={"name": "MessageAbortedError", "data": {}}).idle().read()
    assert bus.seen.aborted
    bus.user("Go on.").busy()
    assert bus.seen.aborted is None


def test_a_compaction_of_their_own_that_they_stopped_is_a_stop_after_a_restart_too() -> None:
    bus = asked().begin().text("I see").finish("length").idle()
    bus.user({"type": "compaction", "auto": False}).busy()
    bus.message("assistant", parentID=bus.newest["id"], summary=True, mode="compaction").failed()
    bus.mirror = Mirror()
    bus.mirror.known(bus.info)
    bus.read().mirror.statuses({}, bus.now)
    assert bus.seen.aborted == bus.newest["id"]


@pytest.mark.parametrize(
    ("parts", "own"),
    [
        ([{"type": "text", "text": SHELL, "synthetic": True}], True),
        ([{"type": "compaction", "auto": False}], True),
        ([{"type": "compaction", "auto": True}], False),
        (["Go on."], False),
    ],
)
def test_what_runs_is_the_user_s_own_by_the_message_it_answers(parts: list[Any], own: bool) -> None:
    """Whatever the turn before was left as, and however its session failed beside it."""
    bus = asked().begin().tool("bash", command="ls").finish("tool-calls")
    bus.user(*parts).busy()
    assert bus.seen.own is own
    bus.message("assistant", parentID=bus.newest["id"]).say("session.error", error={"name": "E"})
    assert bus.seen.own is own


@pytest.mark.parametrize(("reason", "own"), [("stop", True), ("tool-calls", False)])
def test_what_works_after_an_end_is_no_turn(reason: str, own: bool) -> None:
    """A `!` command makes the session busy a moment before its message comes."""
    bus = asked().begin().text("So far.").finish(reason)
    if own:
        bus.idle().busy()
    assert bus.seen.own is own


def test_after_a_clock_was_set_back_what_is_read_counts() -> None:
    bus = asked().begin().writes("I").wait(-3600)
    bus.mirror.resumed(bus.now, woke=True)
    bus.messages[-1]["info"] |= {"finish": "stop"}
    bus.wait(10).read(asked=bus.now - 1).mirror.statuses({}, bus.now, asked=bus.now - 1)
    assert bus.seen.doing is Doing.IDLE
    assert bus.turn.finish is FinishReason.STOP


def test_the_same_words_after_a_compaction_of_their_own_are_a_request() -> None:
    bus = asked("Go on.").begin().failed()
    own_compaction(bus)
    bus.user("Go on.").busy()
    assert bus.seen.request == bus.newest["id"]
    assert bus.seen.aborted is None


def test_a_command_of_the_user_is_no_progress_of_the_agent() -> None:
    bus = asked().begin().text("I see").finish("length").idle().nudged().busy()
    bus.begin().text("I see").finish("length").idle()
    own_command(bus)
    assert not bus.seen.progressed
    assert not bus.read().seen.progressed
    bus.nudged().busy().begin().tool("bash", command="make")
    assert bus.seen.progressed


def test_an_approved_plan_is_gone_on_with_as_the_agent_that_does_it() -> None:
    """The harness says so, by a message that it puts in."""
    model = {"providerID": "fictive", "modelID": "one", "variant": "high"}
    bus = Bus().created().user("Plan it.", model=model, agent="plan").busy()
    bus.begin().tool("plan_exit").finish("tool-calls")
    text = {"type": "text", "text": "The plan is approved.", "synthetic": True}
    bus.user(text, model=model, agent="build").begin().text("I see").finish("length").idle()
    assert bus.seen.reply_as == ReplyAs("build", "fictive", "one", "high")


@pytest.mark.parametrize("beside", BESIDE)
def test_what_is_no_request_does_not_say_how_to_answer(beside: Callable[[Bus], None]) -> None:
    model = {"providerID": "fictive", "modelID": "one", "variant": "high"}
    bus = Bus().created().user("Add it.", model=model, agent="plan").busy()
    bus.begin().text("I see").finish("length").idle()
    beside(bus)
    assert bus.seen.reply_as == ReplyAs("plan", "fictive", "one", "high")


# Who wrote a message.


def test_our_own_message_is_a_mark_and_no_request_of_a_person() -> None:
    """AR-T165, B21, B36: by its mark, never by its words."""
    bus = asked().answers("I will now").nudged("clipped_ending")
    assert bus.seen.request == bus.messages[0]["info"]["id"]
    assert bus.seen.marks == (Mark(bus.newest["id"], "clipped_ending", bus.seen.marks[0].at),)
    assert bus.turn.request_kind is RequestKind.NUDGE
    same = bus.answers().user("Please go on.")
    assert (same.seen.request, len(same.seen.marks)) == (same.newest["id"], 1)


def test_a_hidden_nudge_is_a_mark_too() -> None:
    bus = asked().answers("I will now").nudged("length_limit", synthetic=True)
    assert [mark.recovery for mark in bus.seen.marks] == ["length_limit"]
    assert bus.turn.request_kind is RequestKind.NUDGE


def test_what_the_harness_puts_in_is_no_person_s() -> None:
    bus = asked().answers()
    bus.user({"type": "text", "text": "<task> is over", "synthetic": True})
    bus.user({"type": "text", "text": "shown, never sent", "ignored": True})
    bus.user({"type": "compaction", "auto": True})
    assert bus.seen.request == bus.messages[0]["info"]["id"]


@pytest.mark.parametrize("kind", ["file", "agent"])
def test_an_attachment_alone_is_a_person_s(kind: str) -> None:
    bus = asked().answers().user({"type": kind})
    assert bus.seen.request == bus.newest["id"]


def test_busy_by_our_own_message_resets_nothing() -> None:
    """AR-T069, B38, B39: marks and request outlive busy and idle."""
    bus = asked().answers("I will now").nudged().answers("I will now")
    bus.nudged().answers("I will now")
    assert len(bus.seen.marks) == 2
    assert bus.seen.request == bus.messages[0]["info"]["id"]


@pytest.mark.parametrize(
    ("after", "progressed"),
    [
        pytest.param(lambda bus: bus.answers("I will."), False, id="AR-T160 words alone"),
        pytest.param(lambda bus: bus.begin().tool("bash", "running"), False, id="a call that runs"),
        pytest.param(lambda bus: bus.begin().tool("bash", "error"), False, id="a call that failed"),
        pytest.param(
            lambda bus: bus.begin().tool("bash", command="ls"), True, id="AR-T160 a result"
        ),
        pytest.param(
            lambda bus: bus.begin().tool("bash", command="ls").finish().idle().nudged(),
            False,
            id="AR-T161 a result, and nudged again",
        ),
    ],
)
def test_progress_is_a_tool_that_ran_after_the_last_mark(after: Any, *, progressed: bool) -> None:
    bus = after(asked().begin().tool("bash", command="ls").finish().idle().nudged().busy())
    assert bus.seen.progressed is progressed
    assert bus.read().seen.progressed is progressed


def test_an_answer_is_asked_for_as_the_last_one_was() -> None:
    """AR-T049: agent, model and variant of the last user message."""
    model = {"providerID": "fictive", "modelID": "two", "variant": "high"}
    bus = asked().answers().user("Plan it.", agent="plan", model=model)
    assert bus.seen.reply_as == ReplyAs("plan", "fictive", "two", "high")


def test_a_late_summary_of_an_older_request_changes_nothing_of_that() -> None:
    bus = asked().answers().user("Plan it.", agent="plan")
    bus.say("message.updated", info={**bus.messages[0]["info"], "summary": {"diffs": []}})
    assert bus.seen.reply_as.agent == "plan"


def test_our_message_does_not_change_how_the_user_wants_to_be_answered() -> None:
    bus = asked().answers().nudged()
    bus.say("message.updated", info={**bus.newest, "agent": "other"})
    assert bus.seen.reply_as.agent == "build"


def test_without_an_agent_in_the_history_none_is_named() -> None:
    """AR-T050."""
    bus = Bus().created().user("Hello", agent=None, model=None)
    assert bus.seen.reply_as == ReplyAs()


# Rewinds.


@pytest.mark.parametrize(
    ("steps", "reverted"),
    [
        pytest.param([{"revert": {"messageID": "msg_1"}}], True, id="AR-T071 set"),
        pytest.param(
            [{"revert": {"messageID": "msg_1", "partID": "p"}}], True, id="AR-T071 partial"
        ),
        pytest.param([{"revert": {}}], True, id="AR-T071 set, and empty"),
        pytest.param(
            [{"revert": {"messageID": "m"}}, {"revert": None}], False, id="AR-T071 cleared"
        ),
        pytest.param([{"title": "T"}], False, id="AR-T071 never set"),
        pytest.param([{"revert": "msg_1"}], False, id="AR-T071 not an object"),
    ],
)
def test_messages_taken_back(steps: list[dict[str, Any]], *, reverted: bool) -> None:
    bus = asked().answers()
    for step in steps:
        before = bus.info.get("revert")
        bus.updated(**step)
        assert bool(bus.looked) is (bus.info.get("revert") != before)
    assert bus.seen.reverted is reverted


def test_messages_removed_are_gone() -> None:
    """AR-T071 the nested id: what was answered counts again."""
    bus = asked("First.").answers("One.").user("Second.").answers("Two.")
    for each in [each["info"]["id"] for each in bus.messages[2:]]:
        bus.say("message.removed", messageID=each)
    assert (bus.turn.request, bus.turn.reply) == ("First.", "One.")
    assert bus.looked == {SESSION}


def test_a_part_removed_is_gone() -> None:
    bus = asked().begin().text("One.").text("Two.")
    part = bus.messages[-1]["parts"][-1]
    bus.say("message.part.removed", messageID=bus.newest["id"], partID=part["id"])
    bus.say("message.part.removed", messageID="msg_x", partID="prt_x").say("message.removed")
    assert bus.turn.reply == "One."


# To-dos.


@pytest.mark.parametrize(
    ("todos", "open_"),
    [
        pytest.param([{"content": "Test it", "status": "pending"}], 1, id="AR-T001 one open"),
        pytest.param([{"content": "Test it", "status": "completed"}], 0, id="AR-T002 all closed"),
        pytest.param([], None, id="AR-T004 an empty list"),
        pytest.param(None, None, id="AR-T150 null: not known"),
        pytest.param("broken", None, id="AR-T150 no list: not known"),
    ],
)
def test_to_dos_are_known_or_not(todos: Any, open_: int | None) -> None:
    bus = asked().say("todo.updated", todos=todos).answers()
    found = bus.turn.todos
    assert (None if found is None else sum(todo.open for todo in found)) == open_


def test_without_a_to_do_event_nothing_is_known_of_to_dos() -> None:
    """AR-T003."""
    assert asked().answers().turn.todos is None


# Sub-agents (fact 4).


def family() -> tuple[Bus, Bus]:
    """A parent that runs its task tool, and the sub-agent's session."""
    bus = asked().begin().tool("task", "pending", "running", description="look")
    child = Bus(bus.mirror, OTHER)
    child.now = bus.now
    child.created(parentID=SESSION).user("Look.").busy().begin().writes("I")
    return bus, child


def test_a_sub_agent_s_events_are_worth_a_look_at_its_parent() -> None:
    bus, child = family()
    assert child.idle().looked == {OTHER, SESSION}
    assert bus.mirror.situation(OTHER, child.now).parent == SESSION  # type: ignore[union-attr]
    assert bus.seen.parent is None


def test_a_parent_knows_what_its_sub_agents_do() -> None:
    """AR-T008, AR-T009, AR-T013."""
    bus, child = family()
    (found,) = bus.seen.children
    assert (found.session, found.doing, found.failed, found.tools) == (OTHER, Doing.BUSY, False, 0)
    since = found.quiet_since
    child.wait(60).tool("bash", "pending", "running")
    assert bus.seen.children[0].tools == 1
    assert bus.seen.children[0].quiet_since > since
    child.failed("APIError", "no", isRetryable=True)
    assert (bus.seen.children[0].doing, bus.seen.children[0].failed) == (Doing.IDLE, True)


def test_a_sub_agent_that_asks_the_user_is_not_silent() -> None:
    bus, child = family()
    child.say("permission.asked", id="per_1", permission="bash")
    assert bus.seen.children[0].tools == 1


def test_only_a_parent_link_makes_a_family() -> None:
    """B30, AR-T137."""
    bus, _ = family()
    Bus(bus.mirror, "ses_3333").created().user("Other.").busy()
    assert [child.session for child in bus.seen.children] == [OTHER]


def test_a_sub_agent_never_changes_its_parent_whatever_is_said() -> None:
    bus, child = family()
    child.updated(parentID="ses_3333333333333333")
    assert [each.session for each in bus.seen.children] == [OTHER]
    child.say("session.deleted", info=child.info)
    assert bus.seen.children == ()
    assert bus.mirror.situation("ses_3333333333333333", bus.now) is None


def test_what_is_kept_of_sub_agents_does_not_grow() -> None:
    mirror = Mirror()
    for number in range(2 * SESSIONS):
        for session, more in (
            (f"ses_p{number:08d}", {}),
            (f"ses_c{number:08d}", {"parentID": f"ses_p{number:08d}"}),
        ):
            mirror.known({"id": session, **more})
    assert len(mirror.sessions()) == SESSIONS
    assert len(mirror._children) <= SESSIONS


def test_a_sub_agent_stays_one_when_it_is_told_of_without_its_parent() -> None:
    bus, child = family()
    child.say("session.updated", info={"id": OTHER})
    assert [each.session for each in bus.seen.children] == [OTHER]
    found = bus.mirror.situation(OTHER, child.now)
    assert found is not None
    assert found.parent == SESSION


def test_what_a_sub_agent_runs_is_not_known_before_it_was_read() -> None:
    """Nobody is sure that nothing runs in it: it counts as work, never as silence."""
    bus, child = family()
    child.finish("tool-calls").begin()
    bus.mirror.forget(OTHER)
    bus.mirror.known(child.info)
    child.busy().begin()
    assert bus.seen.children[0].tools == 1
    assert (child.read(), bus.seen.children[0].tools) == (child, 0)


NAMES = st.sampled_from([f"ses_{number}" for number in range(4)])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["created", "updated", "deleted", "status", "known", "forget"]),
            NAMES,
            st.none() | NAMES,
        ),
        max_size=25,
    )
)
def test_no_births_moves_and_deaths_break_a_family(steps: list[tuple[str, str, Any]]) -> None:
    """Parents nobody knows, another one each time, itself, circles."""
    mirror = Mirror()
    for step, session, parent in steps:
        info = {"id": session} if parent is None else {"id": session, "parentID": parent}
        match step:
            case "known":
                mirror.known(info)
            case "forget":
                mirror.forget(session)
            case "status":
                said = {"sessionID": session, "status": {"type": "busy"}}
                mirror.apply({"type": "session.status", "properties": said}, START)
            case _:
                said = {"sessionID": session, "info": info}
                mirror.apply({"type": f"session.{step}", "properties": said}, START)
        for each in mirror.sessions():
            found = mirror.situation(each, START)
            assert found is not None
            for child in found.children:
                theirs = mirror.situation(child.session, START)
                assert theirs is not None
                assert theirs.parent == each
    for each in mirror.sessions():
        mirror.forget(each)
    assert mirror._children == {}


def test_a_session_that_is_deleted_is_gone_and_worth_a_look() -> None:
    bus, child = family()
    child.say("session.deleted", info={"id": OTHER})
    assert child.looked == {OTHER, SESSION}
    assert bus.mirror.situation(OTHER, bus.now) is None
    assert bus.seen.children == ()
    assert child.say("session.deleted", info={"id": OTHER}).looked == frozenset()
    assert bus.mirror.sessions() == (SESSION,)
