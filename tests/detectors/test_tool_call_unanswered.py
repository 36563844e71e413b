"""The turn ends on a call without a result."""

from __future__ import annotations

from auditor.turn import TurnError
from tests.words import call, pending, result, say, table, turn

test_detector = table(
    "tool_call_unanswered",
    [
        (
            "a command",
            turn(say("I look at the state."), call("Bash", command="git log"), finish=None),
            True,
        ),
        ("an edit", turn(call("Edit", path="a"), finish="unknown"), True),
        ("a server's tool", turn(call("mcp__tracker__save_comment", body="x"), finish=None), True),
        (
            "the second of two parallel calls",
            turn(call("Read", p=1), result("x"), call("Grep", p=2), finish=None),
            True,
        ),
        (
            "a call and a broken stream",
            turn(call("Read", p=1), finish="error", error=TurnError("stream_broken")),
            True,
        ),
        (
            "a to-do update, weakly",
            turn(say("It is all in."), call("TodoWrite", todos=[]), finish=None),
            True,
        ),
        (
            "a call with its result",
            turn(call("Bash", command="ls"), result("a"), finish=None),
            False,
        ),
        ("a question tool", turn(call("AskUserQuestion", q=1), finish=None), False),
        ("a plan", turn(call("ExitPlanMode", plan="x"), finish=None), False),
        ("a sub-agent", turn(call("Task", prompt="x"), finish=None), False),
        ("the end of the task", turn(call("submit"), finish=None), False),
        ("a call the user stopped", turn(call("Bash", command="make"), finish="aborted"), False),
        ("a call that still runs", turn(call("Bash", command="make"), finish="stalled"), False),
        (
            "a call that waits for leave",
            turn(call("Bash", command="rm x"), finish=None, pending=(pending("permission"),)),
            False,
        ),
        (
            "a call and a wrong key",
            turn(
                call("Bash", command="ls"),
                finish="error",
                error=TurnError("APIError", "bad key", 401),
            ),
            False,
        ),
        ("a call and a text", turn(call("Bash", command="ls"), say("Nothing there.")), False),
    ],
)
