"""A limit that the clock lifts."""

from __future__ import annotations

from auditor.turn import TurnError
from tests.words import call, result, say, table, todo, turn

test_detector = table(
    "usage_limit",
    [
        (
            "a limit in the middle of the list",
            turn(
                call("Read", p=1),
                result("x"),
                say("You've hit your limit · resets 4pm (Europe/Paris)"),
                finish="error",
                todos=(todo("b"),),
            ),
            True,
        ),
        (
            "a limit before anything was done",
            turn(say("You've hit your limit · resets 2am"), finish="error"),
            True,
        ),
        (
            "out of extra usage",
            turn(say("You're out of extra usage · resets 3am"), finish="error"),
            True,
        ),
        (
            "a daily limit as an error",
            turn(finish="error", error=TurnError("usage_limit", "Daily limit reached")),
            True,
        ),
        (
            "a limit after a written file",
            turn(
                call("Write", p=1),
                result("ok"),
                say("You've hit your limit · resets 7pm"),
                finish="error",
            ),
            True,
        ),
        (
            "a limit per minute",
            turn(finish="error", error=TurnError("APIError", "50 requests per minute", 429)),
            False,
        ),
        (
            "no money",
            turn(finish="error", error=TurnError("insufficient_quota", "check billing", 429)),
            False,
        ),
        (
            "a text about limits",
            turn(say("The plan's usage limit is 500 a day; the counter resets at midnight.")),
            False,
        ),
        ("a normal end", turn(say("Done.")), False),
        (
            "a server error",
            turn(finish="error", error=TurnError("APIError", "bad gateway", 502)),
            False,
        ),
        ("an abort", turn(say("You've hit your limit · resets 4pm"), finish="aborted"), False),
    ],
)
