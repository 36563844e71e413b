"""The turn ends on a tool result."""

from __future__ import annotations

from auditor.turn import TurnError
from tests.words import call, pending, result, say, table, todo, turn

test_detector = table(
    "tool_result_unanswered",
    [
        (
            "a limit that the user has set, as the harness says",
            turn(
                call("bash", command="ls src"),
                result("a.py"),
                finish="error",
                error=TurnError("LimitsExceeded", "step limit", None, False),
            ),
            False,
        ),
        (
            "a file was read",
            turn(say("I look at it first."), call("Read", path="a"), result("1 x")),
            True,
        ),
        ("a search found nothing", turn(call("Grep", pattern="a"), result("No matches")), True),
        (
            "a search and an empty text",
            turn(call("codebase_search", q="a"), result("a.py"), say("")),
            True,
        ),
        (
            "the tests ran",
            turn(call("bash", command="pytest -q"), result("2 failed", failed=False)),
            True,
        ),
        (
            "a command failed",
            turn(call("bash", command="git push"), result("rejected: fetch first", failed=True)),
            True,
        ),
        (
            "an edit in the middle of the list",
            turn(call("edit", path="a"), result("ok"), todos=(todo("tests"),)),
            True,
        ),
        ("an edit, weakly", turn(call("edit", path="a"), result("ok")), True),
        (
            "a commit, weakly",
            turn(call("bash", command="git commit -m x"), result("1 file changed")),
            True,
        ),
        (
            "a to-do update, weakly",
            turn(say("All is in."), call("todo_write", todos=[]), result("ok")),
            True,
        ),
        (
            "the user's answer to a question",
            turn(call("ask_user", q=1), result("User answered: yes")),
            True,
        ),
        (
            "an overloaded provider after a read",
            turn(
                call("read", p=1),
                result("x"),
                finish="error",
                error=TurnError("APIError", "overloaded", 529),
            ),
            True,
        ),
        (
            "a result and a report",
            turn(call("Read", path="a"), result("x"), say("It is line 1.")),
            False,
        ),
        ("a question nobody answered", turn(call("ask_user", q=1), result("")), False),
        ("the end of the task", turn(call("attempt_completion", result="x"), result("")), False),
        (
            "a submission through the shell",
            turn(call("bash", command="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"), result("")),
            False,
        ),
        (
            "a refused edit",
            turn(
                call("Edit", path="a"),
                result("The user doesn't want to proceed with this tool use.", failed=True),
            ),
            False,
        ),
        (
            "an interrupted command",
            turn(
                call("Bash", command="make"),
                result("[Request interrupted by user for tool use]", failed=True),
            ),
            False,
        ),
        ("an abort", turn(call("Read", path="a"), result("x"), finish="aborted"), False),
        (
            "a pending sub-agent",
            turn(call("Read", path="a"), result("x"), pending=(pending("subagent"),)),
            False,
        ),
        (
            "a wrong key",
            turn(
                call("read", p=1),
                result("x"),
                finish="error",
                error=TurnError("APIError", "invalid key", 401),
            ),
            False,
        ),
        (
            "a full context",
            turn(
                call("read", p=1),
                result("x"),
                finish="error",
                error=TurnError("APIError", "prompt is too long", 400),
            ),
            False,
        ),
        ("a call without a result", turn(call("Read", path="a"), finish=None), False),
        ("only words", turn(say("Yes.")), False),
    ],
)
