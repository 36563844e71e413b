"""A provider error that passes by itself."""

from __future__ import annotations

from auditor.turn import TurnError
from tests.words import call, result, say, table, turn

test_detector = table(
    "provider_error_transient",
    [
        (
            "a limit per minute",
            turn(
                say("Three files are done. Next comes the fourth"),
                finish="error",
                error=TurnError("APIError", "Rate limit: 20 requests per minute", 429),
            ),
            True,
        ),
        (
            "a limit of tokens per minute without a status",
            turn(
                call("read", p=1),
                result("x"),
                finish="error",
                error=TurnError("error", "This request would exceed the tokens per minute limit"),
            ),
            True,
        ),
        (
            "overload after a result",
            turn(
                call("write", p=1),
                result("ok"),
                finish="error",
                error=TurnError("ServiceUnavailable", "The model is overloaded", 503),
            ),
            True,
        ),
        (
            "a reset in the middle of a sentence",
            turn(
                say("The lock is taken while the"),
                finish="error",
                error=TurnError("ConnectionError", "read ECONNRESET"),
            ),
            True,
        ),
        (
            "a printed 5xx",
            turn(
                call("read", p=1),
                result("x"),
                say("API Error: 502 status code (no body)"),
                finish="error",
            ),
            True,
        ),
        (
            "a printed 5xx under what was said before it",
            turn(
                call("read", p=1),
                result("x"),
                say("The table lacks a column. Let me add it:\n\nAPI Error: 524 status code"),
                finish="error",
                error=TurnError("api_error"),
            ),
            True,
        ),
        (
            "an error that is quoted at the end of an answer",
            turn(say("This is what it prints:\n\nAPI Error: 524 status code"), finish="stop"),
            False,
        ),
        (
            "a printed timeout",
            turn(call("read", p=1), result("x"), say("Request timed out"), finish=None),
            True,
        ),
        (
            "a broken stream by name only",
            turn(call("read", p=1), result("x"), finish="error", error=TurnError("stream_broken")),
            True,
        ),
        (
            "a wait of seconds",
            turn(
                finish="error",
                error=TurnError("RateLimitError", "Quota exceeded. Please try again in 12s"),
            ),
            True,
        ),
        (
            "a wrong key",
            turn(finish="error", error=TurnError("APIError", "invalid x-api-key", 401)),
            False,
        ),
        (
            "no money",
            turn(
                finish="error",
                error=TurnError("insufficient_quota", "Check the plan and billing details", 429),
            ),
            False,
        ),
        (
            "a full context",
            turn(
                finish="error",
                error=TurnError("APIError", "prompt is too long: 210000 tokens", 400),
            ),
            False,
        ),
        (
            "a limit that resets in the afternoon",
            turn(say("You've hit your limit · resets 4pm"), finish="error"),
            False,
        ),
        (
            "the user's abort",
            turn(
                say("Now"),
                finish="aborted",
                error=TurnError("MessageAbortedError", "connection closed"),
            ),
            False,
        ),
        (
            "an error nobody names",
            turn(say("Done."), finish="error", error=TurnError("error", "")),
            False,
        ),
        ("a normal end", turn(say("The service answers 503 when overloaded.")), False),
        (
            "a text about an API error",
            turn(say("The log shows API Error: 502 at noon; the proxy was down.")),
            False,
        ),
    ],
)
