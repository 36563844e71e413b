"""Only thoughts, no word and no call."""

from __future__ import annotations

from tests.words import call, pending, result, say, table, think, turn

test_detector = table(
    "reasoning_only_reply",
    [
        (
            "a thought after a result",
            turn(call("read", p=1), result("x"), think("I need a flag. I will edit it.")),
            True,
        ),
        ("a thought and nothing else", turn(think("The answer is 4.")), True),
        ("a thought and a blank text", turn(think("The answer is 4."), say(" ")), True),
        (
            "a thought, the end not recorded",
            turn(call("read", p=1), result("x"), think("Now the test."), finish=None),
            True,
        ),
        ("a thought and an answer", turn(think("4"), say("It is 4.")), False),
        ("a thought and a call", turn(think("I read it."), call("read", p=1)), False),
        (
            "a thought before the last result",
            turn(think("I read it."), call("read", p=1), result("x")),
            False,
        ),
        (
            "a thought after the end of the task",
            turn(call("attempt_completion", result="x"), result(""), think("Done.")),
            False,
        ),
        ("a thought after a question tool", turn(call("ask_user", q=1), think("I wait.")), False),
        ("a thought cut by the limit", turn(think("So first"), finish="length"), False),
        ("a thought the user stopped", turn(think("So first"), finish="aborted"), False),
        (
            "a thought while a job is pending",
            turn(think("I wait."), pending=(pending("background"),)),
            False,
        ),
        ("nothing", turn(), False),
    ],
)
