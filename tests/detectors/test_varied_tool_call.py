from tests.words import call, result, say, table, turn

FILE = "1\tpackage scheduler\n2\t\n3\ttype Job struct {}"
ASK = "why is the first job of the day skipped?"


def steps(pairs, name="read", *, failed=False):
    return [
        part
        for arguments, output in pairs
        for part in (call(name, arguments), result(output, failed=failed))
    ]


def reads(paths, output=FILE):
    return steps([({"path": path}, output) for path in paths])


def greps(patterns, output="No files found"):
    return steps([({"pattern": pattern, "path": "src"}, output) for pattern in patterns], "Grep")


WORDS = [
    "throttle",
    "limit",
    "rate",
    "window",
    "bucket",
    "leaky",
    "quota",
    "delay",
    "burst",
    "cool",
]

test_detector = table(
    "varied_tool_call",
    [
        (
            "one file by five spellings of its path",
            turn(
                *reads(
                    [
                        "job/next.go",
                        "./job/next.go",
                        "job//next.go",
                        "/w/cron/job/next.go",
                        "job/next.go ",
                    ]
                )
            ),
            True,
        ),
        (
            "control: five files, five contents",
            turn(
                *steps(
                    [
                        ({"path": f"job/{name}.go"}, f"1\tpackage job // {name}")
                        for name in WORDS[:5]
                    ]
                )
            ),
            False,
        ),
        (
            "control: two spellings are a correction",
            turn(*reads(["job/next.go", "./job/next.go"])),
            False,
        ),
        (
            "quotes, blanks and a useless pipe",
            turn(
                *steps(
                    [
                        ({"cmd": cmd}, '[redis]\nurl = "cache-prod"')
                        for cmd in (
                            "cat a/b.toml",
                            "cat  a/b.toml",
                            "cat 'a/b.toml'",
                            "cat a/b.toml | cat",
                            'cat "a/b.toml"',
                        )
                    ],
                    "exec_command",
                )
            ),
            True,
        ),
        (
            "only the description of the command changes",
            turn(
                *steps(
                    [
                        (
                            {"command": "make lint", "description": words},
                            "lint: 3 warnings in cart.ts",
                        )
                        for words in ("Lint", "Lint again", "Run linter", "Check", "Once more")
                    ],
                    "bash",
                )
            ),
            True,
        ),
        (
            "paging: the offset grows and so does what is known",
            turn(
                *steps(
                    [
                        ({"path": "b.log", "offset": 200 * n}, f"{200 * n}\tCXX obj_{n}.o")
                        for n in range(6)
                    ]
                )
            ),
            False,
        ),
        (
            "a too large file is read in ever smaller pieces",
            turn(
                *steps(
                    [
                        ({"path": "a.md", "limit": n}, "Error: content exceeds the maximum")
                        for n in (800, 500, 300, 200, 100)
                    ],
                    failed=True,
                )
            ),
            False,
        ),
        (
            "one script over many tenants, all answers alike",
            turn(
                *steps(
                    [
                        ({"command": f"./rotate.py --tenant {name}"}, "rotated 2 keys\nOK")
                        for name in WORDS
                    ],
                    "bash",
                )
            ),
            False,
        ),
        (
            "the same edit in ten files",
            turn(
                *steps(
                    [
                        ({"path": f"{name}.py", "old": "clock", "new": "timekit"}, "updated")
                        for name in WORDS
                    ],
                    "edit",
                )
            ),
            False,
        ),
        ("ten searches, none finds anything", turn(*greps(WORDS), request=ASK), True),
        ("control: six searches are a try", turn(*greps(WORDS[:6]), request=ASK), False),
        (
            "control: the last of many searches finds it",
            turn(*greps(WORDS), *greps(["cooloff"], "src/hooks.ts:3: cooloff"), request=ASK),
            False,
        ),
        (
            "empty folders one after the other",
            turn(
                *steps(
                    [({"path": name}, f"Directory /w/{name} is empty.") for name in WORDS],
                    "list_directory",
                ),
                request="how large are the pictures of the thumbnail tests",
            ),
            True,
        ),
        (
            "that nothing is left is what the user wants to know",
            turn(*greps(WORDS), request="make sure none of the old names remains"),
            False,
        ),
        (
            "after an edit the empty searches are the proof",
            turn(
                *steps([({"path": "a.py", "old": "x", "new": "y"}, "updated")], "edit"),
                *greps(WORDS),
                request=ASK,
            ),
            False,
        ),
        (
            "the searches made at once are one step",
            turn(
                *[call("Grep", pattern=word) for word in WORDS],
                *[result("No files found")] * 10,
                request=ASK,
            ),
            False,
        ),
        (
            "the empty searches ended in an answer",
            turn(*greps(WORDS), say("There is no throttling in this service."), request=ASK),
            False,
        ),
        (
            "a harness that keeps no results of its searches",
            turn(
                *[
                    part
                    for word in WORDS
                    for part in (call("grep", q=word), result("", failed=None))
                ],
                request=ASK,
            ),
            False,
        ),
    ],
)
