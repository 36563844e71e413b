"""The model answered with nothing."""

from __future__ import annotations

from tests.words import call, pending, result, say, table, think, turn

test_detector = table(
    "empty_reply",
    [
        ("no part at all", turn(finish="stop"), True),
        ("a blank text", turn(say("  \n"), finish="stop"), True),
        ("a blank thought", turn(think(" "), finish="stop"), True),
        ("no part, the end unknown", turn(finish="unknown"), True),
        (
            "nothing while something is pending, weakly",
            turn(finish="stop", pending=(pending("background"),)),
            True,
        ),
        ("a word", turn(say("Yes.")), False),
        ("only a thought", turn(think("The user wants the count.")), False),
        ("a call", turn(call("bash", command="ls")), False),
        ("a call and a blank text", turn(call("bash", command="ls"), result("a"), say("")), False),
        ("a turn that has just begun", turn(finish=None), False),
        ("an abort before the first word", turn(finish="aborted"), False),
        ("an error before the first word", turn(finish="error"), False),
    ],
)
