"""What is decided about a turn that is over. Ids name scenarios of the field notes."""

from __future__ import annotations

import pytest
from msgspec import structs

from auditor.live.guards import ALWAYS, AT_REST
from auditor.live.plan import OBSERVING, Do
from auditor.live.planning import asked_for, plan
from auditor.live.settings import DEFAULTS, Mode, Settings
from auditor.live.situation import Doing, Situation
from auditor.live.spent import NOTHING_SPENT, Spent
from auditor.turn import RequestKind, Verdict
from tests.live.cases import (
    EVERYTHING,
    NOW,
    PAUSED,
    RULES_ONLY,
    Case,
    audited,
    but,
    case,
    check,
    child,
    decided,
    done,
    ended,
    failed,
    half_rest,
    mark,
    waits,
)
from tests.words import call, pending, result, say, think, todo

WORK = (call("edit", filePath="a.py"), result("ok"))
ANNOUNCED = ended(*WORK, say("Next I will update the parser."))
DANGLING = ended(*WORK, say("Let me now fix the parser:"))
OPEN = (todo("write the tests"), todo("fix the parser", "completed"))
CLOSED = (todo("write the tests", "completed"), todo("old idea", "cancelled"))
CLAIM = ended(*WORK, say("All done."), todos=OPEN)
TEXT = ended(*WORK, say("The parser reads both forms now."))
RAW = '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'
PERMISSION = "The user rejected permission to use this specific tool call."
LONG_AGO = {"created": NOW - 9_000.0}


def stopped(outcome: str = "done", ago: float = 12.0, **more: object) -> tuple[object, ...]:
    """A silent stream that we stopped."""
    return (done("abort", ago, message="msg_a", recovery="silent_stream", outcome=outcome, **more),)


LONG_CLAIM = (
    "Everything that was asked for is finished now. Each of the places was gone through, and each"
    " of them is in order. The work is complete, and all is well with it from the first to the"
    " last of its parts."
)
ABORTED = ended(*WORK, say("half a"), finish="aborted", situation={"aborted": "msg_a"})

WILL = [
    case("AR-T021 the user stopped it", ABORTED, "rest", reason="the user stopped it"),
    case("AR-T022 AR-T023 stopped, after a nudge of ours", ABORTED, "rest", spent=(done(),)),
    case("DS-T02 the user aborted before a word came", but(ABORTED, reply=None), "rest"),
    case("DS-T37 stopped in the autonomous loop", ABORTED, "rest", mode=Mode.LOOP),
    case("AR-T025 AR-T068 stopped, to-dos open", but(CLAIM, aborted="msg_a"), "rest", judged=True),
    case(
        "our abort ended it, its nudge follows",
        ABORTED,
        "nudge",
        "silent_stream",
        spent=stopped(),
    ),
    case("our abort, the pause after it", ABORTED, "wait", spent=stopped(), now=NOW - 9.0),
    case("our abort, and its nudge went out", ABORTED, "rest", spent=(*stopped(), done(ago=5.0))),
    case("our abort surely failed, so the user did it", ABORTED, "rest", spent=stopped("failed")),
    case(
        "our abort, its nudge surely failed a moment ago",
        ABORTED,
        "wait",
        spent=(*stopped(), done(ago=5.0, message="msg_a", outcome="failed")),
        at=NOW + 56.0,
    ),
    case(
        "our abort, its nudge surely failed a while ago",
        ABORTED,
        "nudge",
        spent=(*stopped(), done(ago=5.0, message="msg_a", outcome="failed")),
        now=NOW + 57.0,
    ),
    case(
        "our abort a second ago, no pause to settle",
        but(ABORTED, idle_since=NOW - 0.9),
        "wait",
        spent=stopped(ago=1.0),
        settings=Settings(settle=0.0),
        at=NOW + 1.0,
    ),
    case(
        "our abort was not answered, and it ended at once",
        ABORTED,
        "nudge",
        spent=stopped("unknown"),
    ),
    case("our abort was long before it ended", ABORTED, "rest", spent=stopped(ago=60.0)),
    case(
        "our abort was before the user wrote, who then stopped it",
        but(ABORTED, request="msg_u2", aborted="msg_b", reply="msg_b"),
        "rest",
        spent=stopped(),
    ),
    case(
        "our abort, and a shell still runs",
        but(ABORTED, holds=waits("shell")),
        "wait",
        spent=stopped(),
    ),
    case(
        "a permission waits",
        but(ANNOUNCED, holds=waits("permission")),
        "wait",
        at=NOW - 5.0 + 1800.0,
    ),
    case(
        "a permission nobody answered for an hour",
        but(ANNOUNCED, holds=waits("permission", 3600.0)),
        "nudge",
    ),
    case("a question waits", but(ANNOUNCED, holds=waits("question")), "wait"),
    case("the user took messages back", but(ANNOUNCED, reverted=True), "rest"),
    case(
        "fact 9: a permission was refused",
        ended(call("bash", command="rm x"), result(PERMISSION, failed=True), finish="unknown"),
        "rest",
    ),
    case(
        "the refusal came as an error: nobody is told",
        failed("UnknownError", PERMISSION),
        "rest",
        reason="the user refused",
    ),
    case(
        "AR-T109 a question to the user ends it",
        ended(*WORK, say("Done. Should I push it?")),
        "rest",
    ),
    case("a question in Chinese", ended(*WORK, say("要继续哪个方向？")), "rest"),
    case("an offer ends it", ended(*WORK, say("I can apply it whenever you want.")), "rest"),
    case("the user wrote, and nobody answered yet", but(ANNOUNCED, reply=None), "rest"),
    case(
        "AR-T125 B15 the user wrote in the pause",
        but(ANNOUNCED, reply=None, message="msg_u2", request="msg_u2"),
        "rest",
        now=NOW + 60.0,
    ),
    case(
        "AR-T110 the user wrote 30 s ago, asked to be left alone for ten minutes",
        but(ANNOUNCED, request_at=NOW - 30.0),
        "wait",
        settings=Settings(active_user=600.0),
        at=NOW + 570.0,
    ),
    case(
        "AR-T110 the user wrote an hour ago",
        but(ANNOUNCED, request_at=NOW - 3600.0),
        "nudge",
        settings=Settings(active_user=600.0),
    ),
    case(
        "AR-T072 a stop pattern at the end",
        ended(*WORK, say("I see:\nSTOP: BLOCKED")),
        "rest",
        settings=Settings(stop_patterns=("^STOP:",)),
    ),
    case(
        "AR-T072 the pattern stands in the middle",
        ended(say("STOP: no\na\nb\nc\nNext I will fix it.")),
        "nudge",
        settings=Settings(stop_patterns=("^STOP:",)),
    ),
    case(
        "AR-T072 a broken pattern beside a good one",
        ended(say("Next I will fix it.\nNEEDS_DECISION")),
        "rest",
        settings=Settings(stop_patterns=("(", "needs_decision$")),
    ),
    case(
        "AR-T072 no pattern is set",
        ended(*WORK, say("STOP: BLOCKED\nNext I will fix it.")),
        "nudge",
    ),
    case("TG-T20 the same message again", ANNOUNCED, "rest", spent=(done(message="msg_a"),)),
    case("DS-T26 switched off meanwhile", ANNOUNCED, "rest", mode=Mode.OFF),
    case("DS-T46 the loop was switched off meanwhile", TEXT, "rest", mode=Mode.RECOVERY),
]

STRUCTURE = [
    case("a sub-agent's turn", but(ANNOUNCED, parent="ses_p"), "rest"),
    case("AR-T164 a sub-agent's bare claim", but(CLAIM, parent="ses_p"), "rest", judged=True),
    case("TG-T22 a sub-agent's dangling end", but(DANGLING, parent="ses_p"), "rest"),
    case("AR-T008 AR-T061 a sub-agent works", but(CLAIM, children=(child(),)), "wait", judged=True),
    case(
        "AR-T013 and still, later",
        but(CLAIM, children=(child(),)),
        "wait",
        judged=True,
        now=NOW + 60.0,
    ),
    case(
        "AR-T009 the sub-agent is idle too",
        but(CLAIM, children=(child("idle"),)),
        "nudge",
        "open_todos",
        judged=True,
    ),
    case(
        "a sub-agent's tool runs for hours",
        but(ANNOUNCED, children=(child(quiet=9_000.0, tools=1),)),
        "rest",
    ),
    case(
        "a sub-agent silent for longer than is believed",
        but(ANNOUNCED, children=(child(quiet=1_900.0),)),
        "nudge",
    ),
    case("AR-T117 a shell is open", but(ANNOUNCED, holds=waits("shell")), "wait"),
    case("AR-T117 two were open, one still is", but(ANNOUNCED, holds=waits("shell", 60.0)), "wait"),
    case("AR-T117 it exited", ANNOUNCED, "nudge", "announced_action"),
    case(
        "B09 a shell is not believed for ever",
        but(ANNOUNCED, holds=waits("shell", 1_801.0)),
        "nudge",
    ),
    case("B16 the context is compacted", but(ANNOUNCED, holds=waits("compaction")), "wait"),
    case("AR-T019 the harness tries again itself", but(ANNOUNCED, doing=Doing.RETRYING), "rest"),
    case("AR-T020 nobody knows what it does", but(ANNOUNCED, doing=Doing.UNKNOWN), "rest"),
    case("nothing is known of its turn", but(ANNOUNCED, turn=None), "rest"),
    case("DS-T30 joined midway", but(ended(think("so")), observed=False), "rest"),
    case(
        "a background task of the turn runs",
        ended(*WORK, say("Next I will wait."), pending=(pending("background", "build"),)),
        "rest",
    ),
    case(
        "AR-T043 a tool that the last crash left running holds nothing",
        but(ANNOUNCED, holds=waits("tool")),
        "nudge",
    ),
    case(
        "AR-T162 it says that it stops here, all is closed",
        ended(*WORK, say("No action needed, stopping here."), todos=CLOSED),
        "rest",
    ),
    case(
        "AR-T162 it says so over an open list: it said whose move it is",
        ended(*WORK, say("No action needed, stopping here."), todos=OPEN),
        "rest",
    ),
    case("AR-T150 what is on the list is not known", ended(*WORK, say("All done.")), "rest"),
    case(
        "AR-T030 the completion tool was called", ended(call("task_complete"), result("ok")), "rest"
    ),
    case(
        "it said that it stops here", ended(*WORK, say("No action needed, stopping here.")), "rest"
    ),
]

ENDS = [
    case("a finished turn", TEXT, "rest"),
    case("AR-T002 all to-dos are closed", ended(*WORK, say("All done."), todos=CLOSED), "rest"),
    case("AR-T004 the list is empty", ended(*WORK, say("All done."), todos=()), "rest"),
    case(
        "AR-T001 AR-T060 done, it says, with open to-dos", CLAIM, "nudge", "open_todos", judged=True
    ),
    case("the same, and no model says that it is likely", CLAIM, "rest"),
    case(
        "AR-T005 AR-T108 a celebration over open to-dos",
        ended(*WORK, say("It works 🎉"), todos=OPEN),
        "nudge",
        "open_todos",
        judged=True,
    ),
    case(
        "AR-T106 a celebration, all closed", ended(*WORK, say("It works 🎉"), todos=CLOSED), "rest"
    ),
    case(
        "AR-T007 a celebration in the middle is none",
        ended(*WORK, say("🎉 It works. Next I will fix it.")),
        "nudge",
    ),
    case(
        "AR-T107 a new turn is judged afresh",
        ended(say("Next I will fix it."), todos=CLOSED),
        "nudge",
    ),
    case(
        "AR-T103 a claim that names what was changed",
        ended(*WORK, say("Done. Changed `a.py`; 12 tests pass.")),
        "rest",
    ),
    case(
        "AR-T006 a celebration and a full stop",
        ended(*WORK, say("It works 🎉."), todos=CLOSED),
        "rest",
    ),
    case(
        "AR-T006 a celebration and blanks",
        ended(*WORK, say("It works 🎉 \n"), todos=CLOSED),
        "rest",
    ),
    case(
        "AR-T015 a celebration in the moment of the end",
        but(ended(*WORK, say("It works 🎉"), todos=CLOSED), idle_since=NOW),
        "wait",
    ),
    case(
        "AR-T036 AR-T102 a bare claim that the model doubts",
        ended(say("Done.")),
        "nudge",
        judged=True,
    ),
    case(
        "AR-T102 a long claim without a report, and no model",
        ended(say(LONG_CLAIM)),
        "rest",
    ),
    case(
        "DS-T48 a session that says little of itself",
        but(ANNOUNCED, created=None, request_at=None, directory="", title=""),
        "nudge",
    ),
    case("TG-T13 blank", ended(say("  \n ")), "nudge", "empty_reply"),
    case(
        "TG-T13 TG-T16 an open code mark is left to the model",
        ended(*WORK, say("I changed `a` and `")),
        "rest",
    ),
    case(
        "TG-T13 TG-T16 an open code mark that the model doubts",
        ended(*WORK, say("I changed `")),
        "nudge",
        judged=True,
    ),
    case("TG-T13 closed marks", ended(*WORK, say("I changed `a` and `b`.")), "rest"),
    case(
        "TG-T13 an odd mark, not at the end",
        ended(*WORK, say("The ` key now opens the console.")),
        "rest",
    ),
    case("TG-T15 should I", ended(*WORK, say("Should I apply the change?")), "rest"),
    case(
        "TG-T15 whenever you want it",
        ended(*WORK, say("It is there whenever you want it.")),
        "rest",
    ),
    case("TG-T15 say the word", ended(*WORK, say("Say the word and I apply it.")), "rest"),
    case("TG-T15 the state of play:", ended(*WORK, say("This is the state of play:")), "nudge"),
    case(
        "TG-T15 a list of files ends it",
        ended(*WORK, say("Changed files:\n\n- a.py\n- b.py")),
        "rest",
    ),
    case(
        "TG-T15 a list of phrases",
        ended(*WORK, say("Two ways are fast:\n\n- the first path\n- the second path")),
        "rest",
    ),
    case(
        "TG-T17 two tools ran before the last words",
        ended(*WORK, *WORK, say("Both forms are read now.")),
        "rest",
    ),
    case("AR-T063 it ends with a colon", DANGLING, "nudge", "announced_action"),
    case(
        "AR-T063 a session that has just begun",
        but(DANGLING, created=NOW - 12.0),
        "wait",
        at=NOW + 3.0,
    ),
    case(
        "TG-T14 it breaks off inside code",
        ended(*WORK, say("```py\ndef read():\n    return")),
        "nudge",
        "clipped_ending",
    ),
    case(
        "TG-T14 the same with an error of the user's account",
        failed(message="Unauthorized", status=401),
        "tell",
    ),
    case(
        "AR-T055 a tool call printed as text",
        ended(say(f"I run it.\n{RAW}")),
        "nudge",
        "raw_tool_text",
    ),
    case(
        "AR-T056 the same inside a fence",
        ended(say(f"Write it so:\n```\n{RAW}\n```\nThat is the form.")),
        "rest",
    ),
    case(
        "AR-T057 AR-T131 the same in its thoughts",
        ended(think(RAW)),
        "nudge",
        "tool_text_in_reasoning",
    ),
    case("AR-T131 in both", ended(think(RAW), say(RAW)), "nudge", "raw_tool_text"),
    case(
        "DS-T23 AR-T127 only thoughts", ended(think("I should read it.")), "nudge", "reasoning_only"
    ),
    case(
        "a loop that ended by itself, in a session that has just begun",
        but(
            ended(*[p for _ in range(6) for p in (call("bash", command="ls"), result("x"))]),
            created=NOW - 12.0,
        ),
        "nudge",
        "tool_loop",
    ),
    case("DS-T33 nothing came at all", ended(), "nudge", "empty_reply"),
    case(
        "DS-T24 AR-T128 it wrote something",
        ended(think("so"), say("The file holds 3 lines.")),
        "rest",
    ),
    case(
        "AR-T129 only thoughts, and it works again",
        but(ended(think("so")), doing=Doing.BUSY),
        "wait",
    ),
    case(
        "DS-T09 the length limit",
        ended(say("The parser reads the"), finish="length"),
        "nudge",
        "length_limit",
    ),
    case(
        "a result, and no word about it",
        ended(call("read", filePath="a"), result("x")),
        "nudge",
        "unanswered_result",
    ),
    case(
        "success claimed over a failure",
        ended(
            call("bash", command="pytest"),
            result("3 failed\nexit code 1", failed=True),
            say("All tests pass now."),
        ),
        "nudge",
        "false_claim",
    ),
    case(
        "B25 work put off on purpose",
        ended(say("It is blocked until the cron job ran; it is in the backlog.")),
        "rest",
    ),
    case(
        "AR-T114 a tool failed, and it announces",
        ended(
            call("bash", command="x"),
            result("no such file", failed=True),
            say("Next I will create the file."),
        ),
        "nudge",
    ),
    case(
        "AR-T120 AR-T068 it has only just ended",
        but(ANNOUNCED, idle_since=NOW - 1.0),
        "wait",
        at=NOW + 2.0,
    ),
    case(
        "AR-T120 no pause is wanted",
        but(ANNOUNCED, idle_since=NOW),
        "nudge",
        settings=Settings(settle=0.0),
    ),
    case(
        "AR-T120 300 ms are over",
        but(ANNOUNCED, idle_since=NOW - 0.4),
        "nudge",
        settings=Settings(settle=0.3),
    ),
    case(
        "AR-T122 AR-T068 a turn began in the pause",
        but(ANNOUNCED, doing=Doing.BUSY, idle_since=None),
        "wait",
    ),
    case(
        "AR-T123 a second idle does not delay it",
        but(ANNOUNCED, idle_since=NOW - 10.0),
        "nudge",
        at=NOW - 7.0,
    ),
    case(
        "AR-T059 ready to go on, all closed, a question",
        ended(*WORK, say("Ready to continue with the next task?"), todos=CLOSED),
        "rest",
    ),
]

FAILURES = [
    case(
        "DS-T01 AR-T067 the server failed",
        failed(message="Internal server error", status=500),
        "nudge",
        "stream_failure",
    ),
    case(
        "AR-T027 the connection was reset",
        failed(message="connection reset by peer"),
        "nudge",
        "stream_failure",
    ),
    case(
        "a 502 whatever its words say",
        failed(message="author service: invalid api key", status=502),
        "nudge",
        "stream_failure",
    ),
    case("DS-T06 the key is wrong", failed(message="Unauthorized", status=401), "tell"),
    case("the bill is not paid", failed(message="insufficient quota, check billing"), "tell"),
    case(
        "unknown model",
        failed("UnknownError", "Model not found: a/b", situation={"reply": None}),
        "tell",
    ),
    case(
        "AR-T070 the context is full", failed("ContextOverflowError", "prompt is too long"), "tell"
    ),
    case(
        "AR-T070 the user was told",
        failed("ContextOverflowError", "prompt is too long"),
        "rest",
        spent=(done("tell"),),
    ),
    case(
        "told about the request before",
        failed(message="Unauthorized", status=401),
        "tell",
        spent=(done("tell", request="msg_0"),),
    ),
    case(
        "a permanent error that the user wants tried again",
        failed(message="invalid request: slot busy", status=400),
        "nudge",
        "stream_failure",
        settings=Settings(retryable=("SLOT BUSY",)),
    ),
    case(
        "their text stands in another error",
        failed(message="invalid request", status=400),
        "tell",
        settings=Settings(retryable=("slot busy",)),
    ),
    case("the content was refused", ended(finish="content_filter"), "tell"),
    case(
        "context deadline exceeded is no full context",
        failed(message="context deadline exceeded"),
        "rest",
    ),
    case(
        "a call without a name",
        failed("UnknownError", "Expected 'function.name' to be a string."),
        "nudge",
        "malformed_call",
    ),
    case(
        "AR-T166 a rate limit: fifteen minutes",
        failed(message="Too many requests", status=429),
        "wait",
        "rate_limit",
        at=NOW - 10.0 + 3.0 + 900.0,
    ),
    case(
        "AR-T166 a rate limit in words alone",
        failed(message="Rate limit exceeded"),
        "wait",
        "rate_limit",
    ),
    case(
        "AR-T166 they are over",
        failed(message="Too many requests", status=429),
        "nudge",
        "rate_limit",
        now=NOW + 900.0,
    ),
    case(
        "AR-T166 a usage limit",
        failed(message="usage limit reached, resets at 5pm"),
        "wait",
        "rate_limit",
    ),
    case(
        "AR-T166 it climbs",
        failed(message="Too many requests", status=429),
        "wait",
        at=NOW - 7.0 + 3600.0,
        spent=(done(ago=910.0, attempt=2),),
    ),
    case(
        "AR-T166 a tool ran since: from the beginning",
        failed(message="Too many requests", status=429, situation={"progressed": True}),
        "wait",
        at=NOW - 7.0 + 900.0,
        spent=(done(ago=910.0, attempt=2),),
    ),
    case(
        "AR-T166 after eight it ends",
        failed(message="Too many requests", status=429),
        "tell",
        spent=(done(ago=910.0, attempt=8),),
    ),
    case(
        "AR-T166 a new request: from the beginning",
        failed(message="Too many requests", status=429),
        "wait",
        at=NOW - 7.0 + 900.0,
        spent=(done(ago=910.0, attempt=8, request="msg_0"),),
    ),
    case(
        "a 500 that speaks of a rate limit",
        failed(message="rate limit service down", status=500),
        "nudge",
        "stream_failure",
    ),
    case(
        "DS-T05 the harness died in it",
        ended(*WORK, finish=None, situation={"orphan": True}),
        "nudge",
        "orphaned_message",
        now=NOW + 300.0,
    ),
    case(
        "another process may still work on what looks dead here",
        ended(*WORK, finish=None, situation={"orphan": True}),
        "wait",
    ),
    case(
        "nobody here heard it, so another process may be at it",
        ended(*WORK, finish=None, situation={"orphan": True, "unheard": True}),
        "wait",
        now=NOW + 300.0,
    ),
    case(
        "nobody is at it for that long without a trace",
        ended(*WORK, finish=None, situation={"orphan": True, "unheard": True}),
        "nudge",
        "orphaned_message",
        now=NOW + 700.0,
    ),
    case(
        "it died in it an hour ago",
        ended(*WORK, finish=None, ago=5.0, situation={"orphan": True}),
        "rest",
        now=NOW + 3600.0,
    ),
    case(
        "it died while a question stood",
        ended(finish=None, pending=(pending("question"),), situation={"orphan": True}),
        "rest",
    ),
    case(
        "it died, and the user stopped it",
        ended(*WORK, finish=None, situation={"orphan": True, "aborted": "msg_a"}),
        "rest",
    ),
    case(
        "AR-T012 a nudge that nobody answered is not sent twice",
        but(TEXT, reply=None, message="msg_n", marks=(mark(209.0),), idle_since=NOW - 200.0),
        "rest",
        spent=(done(ago=210.0),),
        now=NOW + 180.0,
    ),
    case(
        "the same of an answer that holds nothing yet",
        ended(*WORK, finish=None, situation={"orphan": True, "blank": True}),
        "rest",
        now=NOW + 700.0,
    ),
]

ALLOWED = [
    case(
        "nothing is sent while observing",
        ANNOUNCED,
        "rest",
        allowed=OBSERVING,
        reason="observing only",
    ),
    case("DS-T08 DS-T39 all is paused", DANGLING, "rest", allowed=PAUSED, reason="paused until"),
    case("by words alone, and only structure counts", ANNOUNCED, "rest", allowed=RULES_ONLY),
    case("a colon is structure", DANGLING, "nudge", allowed=RULES_ONLY),
    case(
        "nor where the shape says half of it",
        ended(*WORK, say("Could you paste the log here:")),
        "rest",
        "clipped_ending",
        judged=True,
        allowed=RULES_ONLY,
    ),
    case("what the model judged is not", CLAIM, "rest", judged=True, allowed=RULES_ONLY),
    case("an empty reply is", ended(), "nudge", allowed=RULES_ONLY),
    case("nobody is told while observing", failed(status=401), "rest", allowed=OBSERVING),
    case("nor while paused", failed(status=401), "rest", allowed=PAUSED),
    case("our abort, paused since", ABORTED, "rest", spent=stopped(), allowed=PAUSED),
]

LOOP = [
    case("DS-T34 the loop is off", TEXT, "rest"),
    case("DS-T34 DS-T38 the loop is on", TEXT, "nudge", "autonomous_loop", mode=Mode.LOOP),
    case(
        "DS-T35 and on, it wrote",
        TEXT,
        "nudge",
        mode=Mode.LOOP,
        spent=(done(ago=60.0, recovery="autonomous_loop", attempt=3),),
    ),
    case(
        "DS-T36 DS-T40 DS-T41 the loop, then failures up to the cap",
        failed(status=500),
        "tell",
        mode=Mode.LOOP,
        settings=Settings(most=1),
        spent=(done(),),
    ),
    case(
        "DS-T42 DS-T43 a silent turn in the loop",
        ended(think("so")),
        "nudge",
        "reasoning_only",
        mode=Mode.LOOP,
    ),
    case(
        "DS-T43 six silent turns, cap 1",
        ended(think("so")),
        "tell",
        mode=Mode.LOOP,
        settings=Settings(most=1),
        spent=(done(),),
    ),
    case("nobody answered in the loop", but(TEXT, reply=None), "rest", mode=Mode.LOOP),
    case("it was not seen whole, in the loop", but(TEXT, observed=False), "rest", mode=Mode.LOOP),
    case("it asks in the loop", ended(say("Which one do you want?")), "rest", mode=Mode.LOOP),
    case(
        "it ended its task",
        ended(call("task_complete"), result("ok"), say("The task is complete.")),
        "rest",
        mode=Mode.LOOP,
    ),
    case(
        "twelve are enough",
        TEXT,
        "tell",
        mode=Mode.LOOP,
        spent=tuple(done(ago=3600.0 - 60.0 * n) for n in range(12)),
    ),
    case("a failure in the loop that nobody lifts", failed(status=401), "tell", mode=Mode.LOOP),
]

TABLE = [*WILL, *STRUCTURE, *ENDS, *FAILURES, *ALLOWED, *LOOP]
half_rest(TABLE)


@pytest.mark.parametrize("row", TABLE)
def test_what_is_decided(row: Case) -> None:
    check(row)


@pytest.mark.parametrize(("verdict", "do"), [(Verdict.FINISHED, Do.REST), (None, Do.NUDGE)])
def test_a_nudge_answered_with_done_ends_the_loop(verdict: Verdict | None, do: Do) -> None:
    quiet = ended(say("There is nothing left."), request_kind=RequestKind.NUDGE)
    found = audited(quiet, NOW)
    assert found is not None
    made = plan(
        quiet,
        structs.replace(found, verdict=verdict, would_nudge=False),
        NOTHING_SPENT,
        settings=DEFAULTS,
        mode=Mode.LOOP,
        allowed=EVERYTHING,
        now=NOW,
    )
    assert made.do is do


ASKED_FOR = [
    ("DS-T51 an ended turn", TEXT, Do.NUDGE),
    ("one that the user stopped", ABORTED, Do.NUDGE),
    ("a session in its first seconds", but(TEXT, created=NOW - 1.0), Do.NUDGE),
    ("a shell is open", but(TEXT, holds=waits("shell")), Do.NUDGE),
    ("a turn that runs", but(TEXT, doing=Doing.BUSY), Do.REST),
    ("a permission waits", but(TEXT, holds=waits("permission")), Do.REST),
    ("a question waits", but(TEXT, holds=waits("question")), Do.REST),
    ("the context is compacted", but(TEXT, holds=waits("compaction")), Do.REST),
    ("a sub-agent's session", but(TEXT, parent="ses_p"), Do.REST),
    ("a sub-agent works", but(TEXT, children=(child(),)), Do.REST),
    ("the user took messages back", but(TEXT, reverted=True), Do.REST),
    ("the harness tries again itself", but(TEXT, doing=Doing.RETRYING), Do.REST),
    ("nobody knows what it does", but(TEXT, doing=Doing.UNKNOWN), Do.REST),
    ("nothing is known of it", but(TEXT, turn=None), Do.REST),
]


@pytest.mark.parametrize(
    ("situation", "do"), [pytest.param(s, d, id=name) for name, s, d in ASKED_FOR]
)
def test_a_nudge_that_a_person_asks_for(situation: Situation, do: Do) -> None:
    spent = Spent(tuple(done(ago=60.0 * n, attempt=3) for n in range(20)))
    made = asked_for(situation, spent, settings=DEFAULTS, now=NOW)
    assert made.do is do
    assert made.recovery == ("resume_now" if do is Do.NUDGE else None)


def test_the_nudge_after_our_abort_is_about_the_message_that_was_stopped() -> None:
    spent = (done("abort", 12.0, message="msg_first", recovery="tool_loop"),)
    made = decided(Case(situation=ABORTED, do=Do.NUDGE, spent=spent))
    assert (made.do, made.recovery, made.message) == (Do.NUDGE, "tool_loop", "msg_first")


def test_every_guard_is_in_a_row() -> None:
    named = {decided(row.values[0]).reason for row in TABLE}
    missing = {*ALWAYS, *AT_REST} - named
    assert not missing
