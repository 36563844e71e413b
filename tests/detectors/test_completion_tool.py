"""The tool that ends the task was called."""

from __future__ import annotations

from tests.words import call, result, say, table, todo, turn

test_detector = table(
    "completion_tool",
    [
        (
            "Cline's completion with an empty result",
            turn(call("attempt_completion", result="Fonts are local now."), result("")),
            True,
        ),
        ("a completion without a result", turn(call("task_complete"), finish=None), True),
        (
            "SWE-agent submits",
            turn(call("edit", f="a"), result("ok"), call("submit"), result("diff --git a b")),
            True,
        ),
        (
            "mini-swe-agent echoes the end",
            turn(
                call("bash", command="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt")
            ),
            True,
        ),
        (
            "OpenHands finishes with a message",
            turn(call("finish", message="done"), result("")),
            True,
        ),
        (
            "a completion with to-dos open",
            turn(call("complete_task"), result("ok"), todos=(todo("docs"),)),
            True,
        ),
        (
            "a completion by a server's tool",
            turn(call("mcp__loop__task_complete"), result("ok")),
            True,
        ),
        (
            "a checker that says wrong",
            turn(call("submit", answer="42"), result("Wrong answer")),
            False,
        ),
        (
            "a completion the tool refused",
            turn(call("task_complete"), result("2 to-dos are open", failed=True)),
            False,
        ),
        (
            "a completion the user sent back",
            turn(
                call("attempt_completion", result="x"),
                result("The user rejected the result", failed=None),
            ),
            False,
        ),
        (
            "a completion, then more work",
            turn(call("attempt_completion"), result("no"), call("edit", f="a"), result("ok")),
            False,
        ),
        ("a plain command", turn(call("bash", command="echo done"), result("done")), False),
        ("a claim in words", turn(say("Task complete.")), False),
        (
            "a task list update",
            turn(call("TaskUpdate", id="1", status="completed"), result("ok")),
            False,
        ),
        ("no call at all", turn(say("Yes.")), False),
    ],
)
