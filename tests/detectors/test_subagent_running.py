"""Another agent works for this one."""

from __future__ import annotations

from tests.words import call, pending, result, say, table, turn

test_detector = table(
    "subagent_running",
    [
        (
            "two pending sub-agents",
            turn(
                say("Both reviews run."),
                pending=(pending("subagent", "a1"), pending("subagent", "a2")),
            ),
            True,
        ),
        (
            "a pending sub-agent with to-do text",
            turn(call("Task", prompt="x"), result("started"), pending=(pending("subagent"),)),
            True,
        ),
        (
            "a launch without a result",
            turn(say("I look into it."), call("Task", prompt="explore"), finish=None),
            True,
        ),
        (
            "Codex's agent without a result",
            turn(call("spawn_agent", message="x"), finish=None),
            True,
        ),
        ("two launches, one back", turn(call("Task", p=1), call("Task", p=2), finish=None), True),
        (
            "a launch with its report",
            turn(call("Task", prompt="x"), result("The report: nothing found.")),
            False,
        ),
        (
            "a launch with its report and a text",
            turn(call("Agent", prompt="x"), result("done"), say("Nothing found.")),
            False,
        ),
        ("a plain call without a result", turn(call("bash", command="ls"), finish=None), False),
        ("a launch the user aborted", turn(call("Task", prompt="x"), finish="aborted"), False),
        ("an update of the task list", turn(call("TaskUpdate", id="1"), finish=None), False),
        (
            "only a background job pending",
            turn(say("It builds."), pending=(pending("background"),)),
            False,
        ),
        ("a text about agents", turn(say("The agent class is renamed.")), False),
    ],
)
