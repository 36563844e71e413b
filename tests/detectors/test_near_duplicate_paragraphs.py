from tests.words import call, result, say, table, think, turn

BATCH = (
    "Crate {} of 30 is next: its labels are looked up, each is given the new number, and I then"
    " write the file into the new folder, then I go on."
)
LOOKED = (
    "I went through `src/{}.py`: a failed payment is noted with its number and handed upwards"
    " again, so that nothing is swallowed and no change is needed."
)
NAMES = ["orders", "users", "billing", "refunds", "carts", "search", "uploads", "hooks"]
ONE = (
    "The tooltip flickers because the pointer leaves the bar as soon as the tooltip appears under"
    " it, so it must not take pointer events."
)
OTHER = (
    "On the other hand it already takes no pointer events, so the flicker comes from somewhere else"
    " and I have to look at the hover state again."
)
PLAN = [
    "## Plan",
    "First I look at how jobs are pushed today.",
    "### Step 1\nI replace the push in `producer.py`.",
    "### Step 2\nI write a group reader in `consumer.py`.",
    "Let me start with the plan.",
]
PLAN_AGAIN = [
    PLAN[0],
    "To begin, I look at how jobs are pushed now.",
    "### Step 1\nI replace that push in `producer.py`.",
    *PLAN[3:],
]
FUNCTION = """function showNAME() {
  const season = pick('season');
  if (!season) {
    return;
  }
  load('NAME', season);
}"""
CHORUS = "*Chorus*\nRoll it out, let the green lights shine,\nroll it out, we ship on time."


def reads(names):
    return [
        part
        for name in names
        for part in (call("read", path=f"src/{name}.py"), result(f"def {name}(): ..."))
    ]


def paragraphs(*texts):
    return say("\n\n".join(texts))


test_detector = table(
    "near_duplicate_paragraphs",
    [
        (
            "only a number counts up",
            turn(paragraphs(*[BATCH.format(n) for n in range(1, 15)])),
            True,
        ),
        ("control: two of them", turn(paragraphs(*[BATCH.format(n) for n in range(1, 3)])), False),
        (
            "one claim for every path, nothing looked at",
            turn(paragraphs(*map(LOOKED.format, NAMES))),
            True,
        ),
        (
            "control: each of the files was read before",
            turn(*reads(NAMES), paragraphs(*map(LOOKED.format, NAMES))),
            False,
        ),
        (
            "control: a paragraph for each was asked for",
            turn(
                paragraphs(*map(LOOKED.format, NAMES)),
                request="one paragraph for each of the handlers in the diff above",
            ),
            False,
        ),
        ("two paragraphs by turns", turn(paragraphs(*[ONE, OTHER] * 6)), True),
        (
            "two paragraphs by turns in the thinking",
            turn(think("\n\n".join([ONE, OTHER] * 6))),
            True,
        ),
        (
            "control: the thinking comes to an answer",
            turn(
                think("\n\n".join([ONE, OTHER] * 6)),
                say("The hover state lives in the wrong component."),
            ),
            False,
        ),
        (
            "a plan written out again and again",
            turn(paragraphs(*(PLAN + PLAN_AGAIN) * 2, *PLAN)),
            True,
        ),
        (
            "a sound report before the repeats does not hide them",
            turn(
                paragraphs("The branch adds uploads in chunks.", "It has tests.", *[ONE, OTHER] * 6)
            ),
            True,
        ),
        (
            "a repeat in the middle, and then something new",
            turn(
                paragraphs(
                    *[ONE] * 5,
                    "None of this holds: the hover state is reset when the chart is resized.",
                    "I moved it into the parent, where it survives that, and added a test.",
                    "The tooltip stays now in all three browsers, also with a trackpad.",
                )
            ),
            False,
        ),
        (
            "verses of a song with a chorus after each",
            turn(
                paragraphs(
                    *[
                        part
                        for line in (
                            "The linter woke at seven",
                            "Unit tests came marching",
                            "Staging hummed",
                            "Midnight fell",
                        )
                        for part in (
                            f"{line} with a frown upon its face,\nand put each comma in its place.",
                            CHORUS,
                        )
                    ]
                )
            ),
            False,
        ),
        (
            "the same verdict under the name of every file",
            turn(
                paragraphs(
                    *[
                        part
                        for name in NAMES
                        for part in (
                            f"**{name}.py**",
                            "No change is needed here, it already uses the new client.",
                        )
                    ]
                )
            ),
            False,
        ),
        (
            "parallel summaries that all say something else",
            turn(
                paragraphs(
                    *[
                        f"**`{name}.py`** {does}. Its tests are in `tests/test_{name}.py`."
                        for name, does in (
                            ("reader", "opens a source and yields raw records, one at a time"),
                            ("decode", "turns bytes into dictionaries with string keys"),
                            ("schema", "rejects what does not keep the contract and says why"),
                            ("clean", "normalises dates, figures and blanks"),
                            ("sink", "writes batches to the warehouse and counts them"),
                        )
                    ]
                )
            ),
            False,
        ),
        (
            "numbered steps set apart by blank lines",
            turn(
                paragraphs(
                    *[
                        f"{n}. Log in to `web{n}`, copy the unit file, enable it, check it."
                        for n in range(1, 9)
                    ]
                )
            ),
            False,
        ),
        (
            "the same header shown in one code block per file",
            turn(
                paragraphs(
                    *[
                        part
                        for name in NAMES
                        for part in (
                            f"`{name}.go`",
                            "```go\n// Copyright 2026 Harbour\n// MIT licence\n\npackage main\n```",
                        )
                    ]
                )
            ),
            False,
        ),
        (
            "functions of one shape in code that is still being written",
            turn(
                say("```js\n" + "\n\n".join(FUNCTION.replace("NAME", name) for name in NAMES)),
                finish="length",
            ),
            False,
        ),
        (
            "one text in four languages, key by key",
            turn(
                paragraphs(
                    *[
                        f"**consent.{key}**\n- en: {en}\n- nl: {nl}\n- de: {de}"
                        for key, en, nl, de in (
                            (
                                "title",
                                "We use cookies",
                                "Wij gebruiken cookies",
                                "Wir verwenden Cookies",
                            ),
                            (
                                "accept",
                                "Accept all cookies",
                                "Alle cookies accepteren",
                                "Alle Cookies annehmen",
                            ),
                            (
                                "reject",
                                "Reject all cookies",
                                "Alle cookies weigeren",
                                "Alle Cookies ablehnen",
                            ),
                            ("choose", "Choose cookies", "Cookies kiezen", "Cookies wählen"),
                            ("more", "More on cookies", "Meer over cookies", "Mehr über Cookies"),
                        )
                    ]
                )
            ),
            False,
        ),
        (
            "a table in pieces",
            turn(paragraphs(*[f"| `/v2/{name}` | GET | token |" for name in NAMES * 3])),
            False,
        ),
    ],
)
