"""The user pressed stop, or refused the call the turn ends on."""

from __future__ import annotations

from auditor.turn import TurnError
from tests.words import call, result, say, table, turn

test_detector = table(
    "user_stopped",
    [
        (
            "an abort after an announcement",
            turn(say("Next I change the parser:"), finish="aborted"),
            True,
        ),
        (
            "an abort after a finished report",
            turn(say("All 12 tests pass."), finish="aborted"),
            True,
        ),
        (
            "an abort error under another finish",
            turn(say("Now"), finish="error", error=TurnError("MessageAbortedError")),
            True,
        ),
        (
            "an interrupt written into the result",
            turn(
                call("Bash", command="make"),
                result("[Request interrupted by user for tool use]", failed=True),
                finish=None,
            ),
            True,
        ),
        (
            "a refused edit at the end",
            turn(
                call("Edit", path="a"),
                result(
                    "The user doesn't want to proceed with this tool use. It was rejected.",
                    failed=True,
                ),
            ),
            True,
        ),
        (
            "a rejected permission at the end",
            turn(
                call("bash", command="rm x"),
                result("The user rejected permission to use this specific tool call.", failed=True),
                finish=None,
            ),
            True,
        ),
        ("a normal end", turn(say("All 12 tests pass.")), False),
        (
            "a refused call, then the agent goes on in words",
            turn(
                call("Edit", path="a"),
                result("The user doesn't want to proceed with this tool use.", failed=True),
                say("Fine, I leave it."),
            ),
            False,
        ),
        (
            "a refused call, then another that ran",
            turn(
                call("Edit", path="a"),
                result("The user rejected this", failed=True),
                call("Read", path="a"),
                result("text"),
            ),
            False,
        ),
        (
            "a tool's own permission denied",
            turn(
                call("bash", command="cat /root/x"), result("cat: permission denied", failed=True)
            ),
            False,
        ),
        (
            "a log that speaks of a cancelled request",
            turn(
                call("bash", command="cat log"),
                result("12:01 request cancelled by user 7", failed=False),
            ),
            False,
        ),
        (
            "an error of the provider",
            turn(say("Now"), finish="error", error=TurnError("APIError", "overloaded", 529)),
            False,
        ),
        ("silence", turn(say("Now"), finish="stalled"), False),
    ],
)
