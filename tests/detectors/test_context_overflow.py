"""The context is full."""

from __future__ import annotations

from auditor.turn import TurnError
from tests.words import call, result, say, table, turn

test_detector = table(
    "context_overflow",
    [
        (
            "a prompt too long, printed",
            turn(call("read", p=1), result("x"), say("Prompt is too long"), finish="error"),
            True,
        ),
        (
            "a prompt too long with counts",
            turn(
                finish="error",
                error=TurnError(
                    "context_length_exceeded", "prompt is too long: 208113 tokens", 400
                ),
            ),
            True,
        ),
        (
            "OpenAI's words",
            turn(
                finish="error",
                error=TurnError(
                    "BadRequestError", "This model's maximum context length is 128000 tokens"
                ),
            ),
            True,
        ),
        (
            "a request too large",
            turn(finish="error", error=TurnError("APIError", "request too large", 413)),
            True,
        ),
        ("OpenCode's name", turn(finish="error", error=TurnError("ContextOverflowError")), True),
        ("a wrong key", turn(finish="error", error=TurnError("APIError", "bad key", 401)), False),
        (
            "a limit per minute",
            turn(
                finish="error", error=TurnError("APIError", "tokens per minute limit: 40000", 429)
            ),
            False,
        ),
        (
            "a reply too long",
            turn(
                say("API Error: response exceeded the 32000 output token maximum"), finish="error"
            ),
            False,
        ),
        (
            "a text about long prompts",
            turn(say("Your prompt is too long for the small model, so I split it.")),
            False,
        ),
        ("a compaction that went on", turn(say("Done."), compacted=True), False),
    ],
)
