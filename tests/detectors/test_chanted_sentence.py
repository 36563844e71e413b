from tests.words import call, result, say, table, think, turn

CHANT = "The pause is doubled after every failure. "
OPENING = (
    "The decorator calls the function a few times. Between two calls it waits, and it gives up at"
    " the end with the last exception. "
)
SLUG = "def slug(text):\n    text = text.strip().lower()\n    return PATTERN.sub('-', text)\n\n\n"
EDGES = "\n".join(
    f"{n}. Pick a day in the past and look at the message{' again' * (n % 2)}" for n in range(1, 40)
)
HOSTS = "\n".join(f"{n}. Log in to `web{n}`, copy the unit file, enable it" for n in range(1, 40))
SAME_ROWS = "| path | limit |\n|---|---|\n" + "| any other path | 100 a minute |\n" * 20
NOTES = "\n".join(f"## 4.{n}.0\n\n- Corrections and faster start\n" for n in range(14))

test_detector = table(
    "chanted_sentence",
    [
        ("one sentence fifty times", turn(say(OPENING + CHANT * 50)), True),
        ("control: the same sentence four times", turn(say(OPENING + CHANT * 4)), False),
        ("one word until the limit", turn(say(OPENING + "order " * 300), finish="length"), True),
        (
            "a clause without an end",
            turn(say(OPENING + "and it is not logged, and it is not bounded, " * 30)),
            True,
        ),
        (
            "a sentence in Chinese",
            turn(say("我先看一下代码。" + "现在我来修改登录接口的错误码。" * 30)),
            True,
        ),
        ("in the thinking, and nothing follows", turn(think(OPENING + CHANT * 50)), True),
        (
            "control: in the thinking, and a sound reply follows",
            turn(
                think(OPENING + CHANT * 50),
                say("The pause doubles each time; the docstring says so now."),
            ),
            False,
        ),
        (
            "control: then the work went on",
            turn(
                say(CHANT * 50),
                call("edit", path="retry.py"),
                result("updated"),
                say("Docstring fixed."),
            ),
            False,
        ),
        ("a list that counts up with one content", turn(say("The edge cases:\n\n" + EDGES)), True),
        ("control: the same list about 39 hosts", turn(say("By hand:\n\n" + HOSTS)), False),
        (
            "the same function again and again in an open code block",
            turn(say("Here it is:\n\n```python\n" + SLUG * 30), finish="length"),
            True,
        ),
        (
            "control: equal short lines in code still being written",
            turn(
                say("The matrix:\n\n```python\nm = [\n" + "    [0, 0, 0, 0],\n" * 40), finish=None
            ),
            False,
        ),
        ("equal rows of a table", turn(say(SAME_ROWS)), False),
        (
            "equal lines in a closed code block",
            turn(say("```\n" + "PASSED case\n" * 60 + "```")),
            False,
        ),
        ("rules of signs", turn(say("Sources\n" + "═" * 60 + "\n" + "-" * 400)), False),
        ("the same note under every version", turn(say(NOTES)), False),
        ("lines the user asked for", turn(say(CHANT * 50), request="print it 50 times"), False),
        ("quoted lines", turn(say("It printed:\n\n" + "> waiting for the lock\n" * 30)), False),
        (
            "a long reply that says something new in every sentence",
            turn(
                say(
                    " ".join(
                        f"Stage {n} of the import took {n * n} seconds in total." for n in range(60)
                    )
                )
            ),
            False,
        ),
        (
            "the numbers are what the lines have to say",
            turn(
                say(
                    "\n".join(
                        f"- Line {n * n}: the public function has no docstring"
                        for n in range(1, 40)
                    )
                )
            ),
            False,
        ),
        ("a short reply", turn(say("Done. Done. Done.")), False),
        (
            "bullets with a common beginning",
            turn(
                say(
                    "\n".join(
                        f"- The flag `f{n}` is on for everybody and can go" for n in range(40)
                    )
                )
            ),
            False,
        ),
    ],
)
