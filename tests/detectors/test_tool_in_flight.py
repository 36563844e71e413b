"""Silence while a tool runs."""

from __future__ import annotations

from tests.words import call, result, say, table, turn

test_detector = table(
    "tool_in_flight",
    [
        (
            "silence after a build was started",
            turn(call("bash", command="make all"), finish="stalled"),
            True,
        ),
        (
            "silence after the second of two calls",
            turn(
                call("read", path="a"),
                result("x"),
                call("bash", command="pytest"),
                finish="stalled",
            ),
            True,
        ),
        (
            "silence after words and a call",
            turn(say("I run the tests."), call("exec_command", cmd="pytest"), finish="stalled"),
            True,
        ),
        (
            "a call without a result at a normal end",
            turn(call("bash", command="make"), finish="stop"),
            False,
        ),
        (
            "a call without a result, end not recorded",
            turn(call("bash", command="make"), finish=None),
            False,
        ),
        (
            "silence after a result",
            turn(call("bash", command="make"), result("ok"), finish="stalled"),
            False,
        ),
        ("silence in a text", turn(say("The three causes are: 1."), finish="stalled"), False),
        ("silence without a part", turn(finish="stalled"), False),
        ("an abort in a call", turn(call("bash", command="make"), finish="aborted"), False),
        ("an error in a call", turn(call("bash", command="make"), finish="error"), False),
    ],
)
