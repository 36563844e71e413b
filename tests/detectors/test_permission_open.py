"""The harness asks the user for leave."""

from __future__ import annotations

from tests.words import call, pending, result, say, table, turn

test_detector = table(
    "permission_open",
    [
        (
            "a permission for a command",
            turn(
                call("bash", command="ssh a"),
                finish=None,
                pending=(pending("permission", "bash: ssh a"),),
            ),
            True,
        ),
        (
            "a permission beside a background job",
            turn(call("bash", command="x"), pending=(pending("background"), pending("permission"))),
            True,
        ),
        (
            "a permission without a word what for",
            turn(call("edit", path="a"), pending=(pending("permission"),)),
            True,
        ),
        (
            "a plan that waits for approval",
            turn(
                call("ExitPlanMode", plan="1. a"),
                finish=None,
                pending=(pending("permission", "plan"),),
            ),
            True,
        ),
        ("nothing pending", turn(call("bash", command="ls"), result("a")), False),
        (
            "only a question pending",
            turn(call("question", q="?"), pending=(pending("question"),)),
            False,
        ),
        (
            "only a background job pending",
            turn(say("It runs."), pending=(pending("background"),)),
            False,
        ),
        ("only a sub-agent pending", turn(say("It runs."), pending=(pending("subagent"),)), False),
        (
            "a text that speaks of permissions",
            turn(say("I need permission to write there.")),
            False,
        ),
        (
            "a result that speaks of permissions",
            turn(call("bash", command="x"), result("permission denied", failed=True)),
            False,
        ),
    ],
)
