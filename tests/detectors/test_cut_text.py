"""Cut in mid-sentence; titles, items and replies without a full stop are whole."""

from __future__ import annotations

from tests.words import say, table, turn

test_detector = table(
    "cut_text",
    [
        ("an article at the end", turn(say("The parser reads the")), True),
        ("a conjunction", turn(say("The parser reads and")), True),
        ("a German conjunction", turn(say("Der Parser liest und")), True),
        ("a Spanish article", turn(say("El analizador lee la primera línea y los")), True),
        (
            "a second sentence cut",
            turn(say("The parser is new. It reads every line of the given file and then writes")),
            True,
        ),
        (
            "a long line without a full stop",
            turn(say("the parser now reads every line of the file that was given")),
            True,
        ),
        ("an opened bracket after code", turn(say("The parser (see `a.py`")), True),
        ("an empty reply", turn(say("")), False),
        ("a full stop", turn(say("The parser reads the file.")), False),
        ("a question", turn(say("Which file do you mean?")), False),
        ("a Chinese full stop", turn(say("解析器读取文件。")), False),
        ("a Hindi danda", turn(say("फ़ाइल ठीक है।")), False),
        ("short, without a full stop", turn(say("All tests pass")), False),
        ("an item", turn(say("- the parser reads the lines of the file that was given")), False),
        ("a bold label", turn(say("**The parser that reads all of the lines**")), False),
        ("a closed fence", turn(say("So:\n\n```\nthe\n```")), False),
        ("a colon", turn(say("The parser reads:")), False),
        ("one word", turn(say("the")), False),
        ("a heading", turn(say("# The parser and the")), False),
    ],
)
