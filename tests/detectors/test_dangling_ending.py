"""The last character promises more; list items, rules and closed fences do not."""

from __future__ import annotations

from tests.words import call, say, table, turn

test_detector = table(
    "dangling_ending",
    [
        ("a colon", turn(say("Here is the fix:")), True),
        ("a full-width colon", turn(say("修改如下：")), True),
        ("a comma", turn(say("The file has two parts,")), True),
        ("a dash", turn(say("The cause —")), True),
        ("an opening bracket", turn(say("The value (")), True),
        ("a heading", turn(say("All of it.\n\n## Results")), True),
        ("an open fence", turn(say("The fix:\n\n```python\nx = 1")), True),
        ("a bare odd fence", turn(say("It prints\n\n```")), True),
        ("an ellipsis", turn(say("Looking at it…")), True),
        ("three dots", turn(say("Looking at it...")), True),
        ("a semicolon", turn(say("First this;")), True),
        ("a colon under emphasis", turn(say("**The fix:**")), True),
        ("an empty reply", turn(say("")), False),
        ("a full stop", turn(say("The fix is in.")), False),
        ("a closed fence", turn(say("The fix:\n\n```python\nx = 1\n```")), False),
        ("a rule", turn(say("All done.\n\n---")), False),
        ("a question mark", turn(say("Which one?")), False),
        ("an item", turn(say("Done:\n\n- the parser\n- the tests")), False),
        ("a table", turn(say("| a | b |\n|---|---|\n| 1 | 2 |")), False),
        ("a bold end", turn(say("**Done.**")), False),
        ("no full stop", turn(say("All tests pass")), False),
        ("inline code", turn(say("The flag is `--all`")), False),
        ("a closing bracket", turn(say("Done (twice)")), False),
        ("an emoji", turn(say("Done ✅")), False),
        ("a number", turn(say("Port 8080")), False),
        ("blank text", turn(say("  \n ")), False),
        ("a call after the colon", turn(say("Here:"), call("bash", command="ls")), False),
    ],
)
