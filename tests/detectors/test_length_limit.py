"""The output limit cut the reply."""

from __future__ import annotations

from tests.words import call, result, say, table, think, turn

test_detector = table(
    "length_limit",
    [
        (
            "a guide cut in a sentence",
            turn(say("A job needs a class, and its arguments have to be"), finish="length"),
            True,
        ),
        ("nothing but thoughts before the limit", turn(think("Let me see"), finish="length"), True),
        ("cut inside a printed file", turn(say("```py\nimport os\ndef a("), finish="length"), True),
        (
            "a printed error of the harness",
            turn(
                call("Read", p=1),
                result("x"),
                say("API Error: the response exceeded the 32000 output token maximum"),
                finish="error",
            ),
            True,
        ),
        (
            "a text that stops in a sentence at a normal end",
            turn(say("A job needs a class, and its arguments have to be")),
            False,
        ),
        ("a long finished text", turn(say("word " * 4000 + "end.")), False),
        ("a full context", turn(say("Prompt is too long"), finish="error"), False),
        ("a silent stream", turn(say("A job needs"), finish="stalled"), False),
        ("an abort", turn(say("A job needs"), finish="aborted"), False),
        ("a text about token limits", turn(say("The output token limit is set to 4096.")), False),
    ],
)
