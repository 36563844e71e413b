"""A tool call written into the thoughts, with nothing visible after it.

‹ and › stand for the angle brackets, so that nothing that reads this file takes it for a call.
"""

from __future__ import annotations

from auditor.turn import Reasoning
from tests.words import call, result, say, table, think, turn


def thought(text: str) -> Reasoning:
    return think(text.replace("‹", "<").replace("›", ">"))


CALL = '‹tool_call›\n{"name": "grep", "arguments": {"pattern": "lodash"}}\n‹/tool_call›'
QWEN = "‹function=read›\n‹parameter=path›\na\n‹/parameter›\n‹/function›"

test_detector = table(
    "tool_call_in_reasoning",
    [
        ("the thoughts end on a call", turn(thought(f"I should grep.\n\n{CALL}")), True),
        (
            "a call after a result",
            turn(call("ls"), result("a"), thought(f"Read it.\n{QWEN}")),
            True,
        ),
        ("a cut call", turn(thought('I grep.\n‹tool_call›\n{"name": "gr'), finish="length"), True),
        (
            "a bare object",
            turn(thought('I grep.\n\n{"name": "grep", "arguments": {"p": "x"}}')),
            True,
        ),
        ("a blank text after it", turn(thought(CALL), say(" ")), True),
        ("a Japanese thought", turn(thought(f"検索する。\n{CALL}")), True),
        (
            "the call was made after all",
            turn(thought(CALL), call("grep", p="x"), result("a")),
            False,
        ),
        ("an answer follows", turn(thought(CALL), say("Nothing imports it.")), False),
        ("a plain thought", turn(thought("I should grep for lodash.")), False),
        ("a thought about a tag", turn(thought("The `‹tool_call›` tag leaks.")), False),
        (
            "a fenced example",
            turn(thought(f"It looks so:\n```\n{CALL}\n```\nI explain that.")),
            False,
        ),
        (
            "thoughts go on after the call",
            turn(thought(f"{CALL}\n\nNo, wait, that is wrong.")),
            False,
        ),
        ("the user stopped it", turn(thought(CALL), finish="aborted"), False),
        ("no thought", turn(say("Yes.")), False),
        ("nothing", turn(), False),
    ],
)
