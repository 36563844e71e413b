"""A question put through a tool has no answer yet."""

from __future__ import annotations

from tests.words import call, pending, result, say, table, turn

test_detector = table(
    "question_open",
    [
        (
            "a pending question",
            turn(
                call("question", q="which?"), finish=None, pending=(pending("question", "which?"),)
            ),
            True,
        ),
        (
            "an asking tool without a result",
            turn(call("AskUserQuestion", questions=[]), finish=None),
            True,
        ),
        (
            "a plan handed over",
            turn(say("Here is my plan."), call("ExitPlanMode", plan="1. a"), finish=None),
            True,
        ),
        (
            "Cline's follow-up question with an empty result",
            turn(call("ask_followup_question", question="a?"), result("")),
            True,
        ),
        ("Codex asks for input", turn(call("request_user_input", questions=[]), finish=None), True),
        (
            "a question waved away",
            turn(call("ask_user", q="?"), result("User dismissed the dialog", failed=True)),
            True,
        ),
        (
            "a plan refused",
            turn(
                call("ExitPlanMode", plan="x"),
                result("The user doesn't want to proceed with this tool use.", failed=True),
            ),
            True,
        ),
        (
            "a question tool of a server",
            turn(call("mcp__forms__ask_user", q="?"), finish=None),
            True,
        ),
        (
            "an answered question, then silence",
            turn(call("AskUserQuestion", q=1), result("User has answered your questions: a=b")),
            False,
        ),
        (
            "an answered question, then work",
            turn(call("AskUserQuestion", q=1), result("a=b"), call("Edit", path="x"), result("ok")),
            False,
        ),
        (
            "a question waved away, then a text",
            turn(
                call("ask_user", q=1),
                result("User dismissed it", failed=True),
                say("Then I take the first."),
            ),
            False,
        ),
        (
            "a question tool that failed on its arguments",
            turn(call("ask_user", q=1), result("'options' must have at most 4 items", failed=True)),
            False,
        ),
        ("a plain call without a result", turn(call("bash", command="ls"), finish=None), False),
        ("a question in the text only", turn(say("Which one do you want?")), False),
        (
            "a pending permission only",
            turn(call("bash", command="x"), pending=(pending("permission"),)),
            False,
        ),
        (
            "a tool with a similar name",
            turn(call("question_bank_import", f="a"), finish=None),
            False,
        ),
    ],
)
