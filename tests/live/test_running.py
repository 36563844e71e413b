"""What is decided about a turn that runs: loops, silence, sub-agents, and patience."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from auditor.live.plan import OBSERVING
from auditor.live.settings import Mode, Settings
from auditor.live.situation import Doing
from auditor.live.spent import of_child
from auditor.turn import Part, ToolCall, ToolResult
from tests.live.cases import (
    NOW,
    PAUSED,
    RULES_ONLY,
    Case,
    but,
    case,
    check,
    child,
    done,
    half_rest,
    runs,
    waits,
)
from tests.words import call, pending, result, say, think

SENTENCE = "I will now check the configuration file for errors and repair it."


def again(times: int, output: str = "same", **named: Any) -> list[Part]:
    """The same call with the same result."""
    return [part for _ in range(times) for part in (call("bash", **named), result(output))]


ID = {ToolCall: "id", ToolResult: "call"}
LOOP = runs(*again(6, command="ls"))
TEXT_LOOP = runs(say("\n\n".join([SENTENCE] * 8)))
SILENT = runs(say("The parser reads"), quiet=200.0)
TASK = waits("tool", 300.0, "task")
BUILD = waits("tool", 300.0, "bash")


def stopped(ago: float, message: str = "msg_0", outcome: str = "done", deed: str = "abort") -> Any:
    return done(deed, ago, message=message, recovery="tool_loop", outcome=outcome)


LOOPS = [
    case("DS-T16 AR-T058 the same call six times", LOOP, "abort", "tool_loop"),
    case(
        "but another call runs beside it",
        but(
            runs(
                structs.replace(call("bash", command="make"), id="c1"),
                *[
                    structs.replace(each, **{ID[type(each)]: "c2"})
                    for each in again(6, command="ls")
                ],
            ),
            holds=waits("tool", what="bash"),
        ),
        "rest",
    ),
    case("but a sub-agent works", but(LOOP, children=(child(),)), "wait"),
    case(
        "it had ended: what runs now is a command of the user's own",
        but(LOOP, own=True, holds=waits("tool", what="bash")),
        "rest",
    ),
    case("nobody knows what its sub-agent does", but(LOOP, children=(child("unknown"),)), "rest"),
    case("its sub-agent has ended", but(LOOP, children=(child("idle"),)), "abort", "tool_loop"),
    case("three times is not yet a loop", runs(*again(3, command="ls")), "wait"),
    case(
        "DS-T17 the same call, another result each time",
        runs(*[p for n in range(8) for p in again(1, str(n), command="ls")]),
        "wait",
    ),
    case(
        "another argument each time",
        runs(*[p for n in range(8) for p in again(1, command=f"sed -n {n}p a.py")]),
        "wait",
    ),
    case(
        "the call that runs is the same again",
        but(runs(*again(6, command="ls"), call("bash", command="ls")), holds=waits("tool")),
        "abort",
        "tool_loop",
    ),
    case(
        "AR-T038 B33 another tool runs in a loop: it may be the way out",
        but(runs(*again(6, command="ls"), call("bash", command="make")), holds=BUILD),
        "rest",
    ),
    case("DS-T15 B77 the same sentence again and again", TEXT_LOOP, "abort", "text_loop"),
    case("the sentence twice", runs(say(f"{SENTENCE}\n\n{SENTENCE}")), "wait"),
    case("a text loop behind which a tool runs", but(TEXT_LOOP, holds=BUILD), "rest"),
    case("a loop while a permission waits", but(LOOP, holds=waits("permission")), "wait"),
    case("a loop while a question waits", but(LOOP, holds=waits("question")), "wait"),
    case("a loop of a sub-agent", but(LOOP, parent="ses_p"), "rest"),
    case("a loop, mode off", LOOP, "rest", mode=Mode.OFF),
    case("a loop, recovery only", LOOP, "abort", mode=Mode.RECOVERY),
    case("a loop, observing", LOOP, "rest", allowed=OBSERVING),
    case("a loop, paused", LOOP, "rest", allowed=PAUSED),
    case("a loop, only rules", LOOP, "abort", allowed=RULES_ONLY),
    case("it was stopped a moment ago", LOOP, "wait", spent=(stopped(5.0, "msg_a"),)),
    case("it was stopped and goes on", LOOP, "tell", spent=(stopped(70.0, "msg_a"),)),
    case(
        "it goes on, and the user knows",
        LOOP,
        "rest",
        spent=(stopped(70.0, "msg_a"), done("tell", 5.0)),
    ),
    case(
        "the stop surely failed a moment ago",
        LOOP,
        "wait",
        spent=(stopped(5.0, "msg_a", "failed"),),
        at=NOW + 56.0,
    ),
    case("B78 it surely failed", LOOP, "abort", spent=(stopped(65.0, "msg_a", "failed"),)),
    case(
        "it surely failed twice",
        LOOP,
        "tell",
        spent=(stopped(165.0, "msg_a", "failed"), stopped(65.0, "msg_a", "failed")),
    ),
    case(
        "AR-T142 stopped twice in ten minutes", LOOP, "tell", spent=(stopped(300.0), stopped(99.0))
    ),
    case(
        "AR-T142 one stop is allowed",
        LOOP,
        "tell",
        spent=(stopped(99.0),),
        settings=Settings(aborts=1),
    ),
    case(
        "AR-T142 two stops that surely failed do not count",
        LOOP,
        "abort",
        spent=(stopped(300.0, outcome="failed"), stopped(99.0, outcome="failed")),
    ),
    case("the stops were long ago", LOOP, "abort", spent=(stopped(900.0), stopped(700.0))),
    case("no nudge could follow", LOOP, "tell", spent=(done(attempt=2),)),
    case(
        "nudged before, and a tool ran since",
        but(LOOP, progressed=True),
        "abort",
        spent=(done(attempt=2),),
    ),
]

SILENCE = [
    case("DS-T32 the stream is silent for long", SILENT, "abort", "silent_stream"),
    case(
        "B35 AR-T046 it is silent for a minute",
        runs(say("The"), quiet=60.0),
        "wait",
        at=NOW + 120.0,
    ),
    case("it moves", runs(say("The"), quiet=1.0), "wait", at=NOW + 179.0),
    case("nothing came since the request", runs(quiet=200.0), "abort", "silent_stream"),
    case("AR-T038 AR-T040 a tool runs for hours", but(SILENT, holds=BUILD), "rest"),
    case("AR-T045 two ran, one ended", but(SILENT, holds=(*BUILD,)), "rest"),
    case("AR-T039 it ended, the silence goes on", but(SILENT, holds=()), "abort"),
    case("AR-T116 B07 a question stands", but(SILENT, holds=waits("question", 186.0)), "wait"),
    case("AR-T115 B06 a permission waits", but(SILENT, holds=waits("permission", 600.0)), "wait"),
    case(
        "AR-T116 nobody answered for an hour",
        but(SILENT, holds=waits("question", 3_600.0)),
        "abort",
    ),
    case("a shell is open", but(SILENT, holds=waits("shell")), "wait"),
    case(
        "AR-T116 a wedged shell is not believed",
        but(SILENT, holds=waits("shell", 1_900.0)),
        "abort",
    ),
    case("B16 the context is compacted", but(SILENT, holds=waits("compaction")), "wait"),
    case("it ends on a question", runs(say("Which of the two?"), quiet=900.0), "rest"),
    case(
        "AR-T116 it ends on a question beside one that is not believed any more",
        runs(say("Which one?"), quiet=900.0, situation={"holds": waits("question", 3_600.0)}),
        "rest",
    ),
    case("a full-width question", runs(say("哪一个？"), quiet=900.0), "rest"),
    case(
        "AR-T163 the completion tool was called",
        runs(call("task_complete"), result("ok"), quiet=900.0),
        "rest",
    ),
    case("only thoughts came", runs(think("so"), quiet=900.0), "abort"),
    case("the harness tries again itself", but(SILENT, doing=Doing.RETRYING), "rest"),
    case("nobody knows what it does", but(SILENT, doing=Doing.UNKNOWN), "rest"),
    case("AR-T154 mode off", SILENT, "rest", mode=Mode.OFF),
    case("it was not seen whole", but(SILENT, observed=False), "rest"),
    case("AR-T051 it was stopped already", SILENT, "wait", spent=(stopped(5.0, "msg_a"),)),
    case("three brought nothing", SILENT, "tell", spent=(done(attempt=3),)),
    case(
        "AR-T161 a tool ran since", but(SILENT, progressed=True), "abort", spent=(done(attempt=3),)
    ),
    case(
        "a background job of the turn runs",
        runs(say("It builds."), quiet=900.0, pending=(pending("background"),)),
        "rest",
    ),
]

IDLE = child("idle", quiet=200.0)
CHILDREN = [
    case(
        "AR-T144 B32 a sub-agent works, the parent is silent",
        but(SILENT, children=(child(),)),
        "wait",
    ),
    case(
        "AR-T141 it is silent for five minutes",
        but(SILENT, children=(child(quiet=300.0),)),
        "wait",
        at=NOW + 1500.0,
    ),
    case(
        "AR-T141 AR-T143 for forty",
        but(SILENT, children=(child(quiet=2_400.0),)),
        "abort_child",
        "stuck_child",
    ),
    case(
        "B31 it failed, and is silent",
        but(SILENT, children=(child(quiet=61.0, failed=True),)),
        "abort_child",
    ),
    case(
        "it failed a moment ago",
        but(SILENT, children=(child(quiet=5.0, failed=True),)),
        "wait",
        at=NOW + 55.0,
    ),
    case(
        "AR-T140 silent, and its tool runs",
        but(SILENT, children=(child(quiet=9_000.0, tools=1),)),
        "rest",
    ),
    case(
        "the harness tries it again",
        but(SILENT, children=(child("retrying", quiet=9_000.0),)),
        "rest",
    ),
    case(
        "AR-T048 AR-T139 the task tool runs, the sub-agent too",
        but(SILENT, holds=TASK, children=(child(),)),
        "wait",
    ),
    case(
        "AR-T138 the last sub-agent has ended, nobody told the parent",
        but(SILENT, holds=TASK, children=(IDLE,)),
        "abort",
        "orphan_parent",
    ),
    case(
        "AR-T138 AR-T140 it has only just ended",
        but(SILENT, holds=TASK, children=(child("idle", quiet=5.0),)),
        "wait",
        at=NOW + 55.0,
    ),
    case("AR-T140 another one works", but(SILENT, holds=TASK, children=(IDLE, child())), "wait"),
    case(
        "two task tools, both ended",
        but(SILENT, holds=(*TASK, *TASK), children=(IDLE, IDLE)),
        "abort",
        "orphan_parent",
    ),
    case(
        "AR-T139 another tool runs too",
        but(SILENT, holds=(*TASK, *BUILD), children=(IDLE,)),
        "rest",
    ),
    case(
        "another task is still being written, its sub-agent has not begun",
        but(SILENT, holds=(*TASK, *waits("tool", 0.0, "task")), children=(IDLE,)),
        "rest",
    ),
    case(
        "the sub-agent is one of before",
        but(SILENT, holds=TASK, children=(child("idle", quiet=900.0, created=NOW - 950.0),)),
        "rest",
    ),
    case("AR-T137 B30 no sub-agent of its own", but(SILENT, holds=TASK), "rest"),
    case(
        "the parent owes the user an answer",
        but(SILENT, holds=(*TASK, *waits("question")), children=(IDLE,)),
        "wait",
    ),
    case(
        "a stuck one, while all is paused",
        but(SILENT, children=(child(quiet=2_400.0),)),
        "rest",
        allowed=PAUSED,
    ),
    case(
        "a stuck one that was stopped a moment ago",
        but(SILENT, children=(child(quiet=2_400.0),)),
        "wait",
        spent=(stopped(5.0, deed="abort_child", message=of_child(SILENT.reply or "", "ses_c")),),
    ),
    case(
        "a stuck one that was stopped, and still runs",
        but(SILENT, children=(child(quiet=2_400.0),)),
        "tell",
        spent=(stopped(99.0, deed="abort_child", message=of_child(SILENT.reply or "", "ses_c")),),
    ),
    case(
        "another one was stopped",
        but(SILENT, children=(child(quiet=2_400.0),)),
        "abort_child",
        spent=(stopped(99.0, deed="abort_child", message=of_child(SILENT.reply or "", "ses_d")),),
    ),
    case(
        "a stuck one, stopped twice already",
        but(SILENT, children=(child(quiet=2_400.0),)),
        "tell",
        spent=(stopped(300.0, deed="abort_child"), stopped(99.0, deed="abort_child")),
    ),
    case(
        "a sub-agent has just ended, the parent thinks",
        but(SILENT, children=(child("idle", quiet=30.0),)),
        "wait",
        at=NOW + 150.0,
    ),
]

TABLE = [*LOOPS, *SILENCE, *CHILDREN]
half_rest(TABLE)


@pytest.mark.parametrize("row", TABLE)
def test_what_is_decided_while_it_runs(row: Case) -> None:
    check(row)
