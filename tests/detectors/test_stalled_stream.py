"""The stream fell silent for no reason."""

from __future__ import annotations

from tests.words import call, pending, result, say, table, think, turn

test_detector = table(
    "stalled_stream",
    [
        (
            "silence in a list",
            turn(say("Three things are unsafe:\n\n1. rm without a check.\n2."), finish="stalled"),
            True,
        ),
        ("silence after a result", turn(call("read", p=1), result("x"), finish="stalled"), True),
        ("silence after thoughts", turn(think("I should"), finish="stalled"), True),
        ("silence after nothing", turn(finish="stalled"), True),
        ("silence after a question weakly", turn(say("Shall I go on?"), finish="stalled"), True),
        ("silence while a tool runs", turn(call("bash", command="make"), finish="stalled"), False),
        (
            "silence while a permission is open",
            turn(say("I delete it."), finish="stalled", pending=(pending("permission"),)),
            False,
        ),
        (
            "silence while a job runs",
            turn(say("It builds."), finish="stalled", pending=(pending("background"),)),
            False,
        ),
        (
            "silence while a sub-agent works",
            turn(say("It reads."), finish="stalled", pending=(pending("subagent"),)),
            False,
        ),
        ("a normal end in a list", turn(say("1. one\n2."), finish="stop"), False),
        ("an end nobody recorded", turn(say("1. one\n2."), finish=None), False),
        ("an abort", turn(say("1."), finish="aborted"), False),
    ],
)
