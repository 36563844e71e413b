"""A provider error that only the user can lift."""

from __future__ import annotations

from auditor.turn import TurnError
from tests.words import call, result, say, table, turn

test_detector = table(
    "provider_error_permanent",
    [
        (
            "a wrong key",
            turn(
                call("read", p=1),
                result("x"),
                finish="error",
                error=TurnError("APIError", "invalid x-api-key", 401),
            ),
            True,
        ),
        (
            "no money",
            turn(
                finish="error",
                error=TurnError("insufficient_quota", "Check your plan and billing", 429),
            ),
            True,
        ),
        (
            "a printed login line",
            turn(say("API Error: 401 Invalid credentials · Please run /login"), finish="error"),
            True,
        ),
        (
            "an unknown model",
            turn(
                finish="error", error=TurnError("NotFoundError", "model gpt-x does not exist", 404)
            ),
            True,
        ),
        ("the content filter", turn(say("I can"), finish="content_filter"), True),
        (
            "a malformed request",
            turn(
                finish="error",
                error=TurnError("BadRequest", "messages.3: tool_use without result", 400),
            ),
            True,
        ),
        ("no credit", turn(say("Credit balance is too low"), finish="error"), True),
        (
            "a limit per minute",
            turn(finish="error", error=TurnError("APIError", "5 requests per minute", 429)),
            False,
        ),
        (
            "a server error",
            turn(finish="error", error=TurnError("APIError", "internal server error", 500)),
            False,
        ),
        (
            "a full context",
            turn(finish="error", error=TurnError("APIError", "prompt is too long", 400)),
            False,
        ),
        (
            "a usage limit that resets",
            turn(say("You've hit your limit · resets 4pm"), finish="error"),
            False,
        ),
        ("an abort", turn(finish="aborted", error=TurnError("AbortError", "unauthorized")), False),
        (
            "a text about a 401",
            turn(say("The endpoint now answers 401 for a wrong API key.")),
            False,
        ),
        (
            "a tool that met a 401",
            turn(call("bash", command="curl x"), result("401 unauthorized", failed=True)),
            False,
        ),
        ("an error nobody names", turn(finish="error", error=TurnError("error")), False),
    ],
)
