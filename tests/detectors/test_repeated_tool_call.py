from tests.words import call, pending, result, say, table, turn


def again(times, name, output, *, failed=False, **arguments):
    return [
        part
        for _ in range(times)
        for part in (call(name, **arguments), result(output, failed=failed))
    ]


CHECK = "src/cart.ts(14,3): error TS2554: Expected 2 arguments, but got 1.\nFound 1 error."
TIMED = "FAILED tests/test_tax.py::test_net\n1 failed in 0.{}s"
GLOBBED = "web/a.ts\nweb/b.ts"


def timed(figures):
    return [
        part
        for figure in figures
        for part in (call("bash", command="pytest -q"), result(TIMED.format(figure)))
    ]


test_detector = table(
    "repeated_tool_call",
    [
        (
            "the same failing check five times, nothing else between",
            turn(*again(5, "bash", CHECK, failed=True, command="npx tsc --noEmit")),
            True,
        ),
        (
            "control: three times is still a fumble",
            turn(*again(3, "bash", CHECK, failed=True, command="npx tsc --noEmit")),
            False,
        ),
        ("only the wall time differs", turn(*timed([11, 9, 42, 105, 33])), True),
        (
            "control: the count of failures falls",
            turn(
                *[
                    part
                    for left in (9, 7, 4, 2, 1)
                    for part in (call("bash", command="pytest -q"), result(f"{left} failed in 2s"))
                ]
            ),
            False,
        ),
        (
            "a bare duration is a measurement",
            turn(
                *[
                    part
                    for figure in (118, 121, 119, 240, 117)
                    for part in (call("bash", command="./time.sh"), result(f"{figure} ms"))
                ]
            ),
            False,
        ),
        (
            "other words in front of every lap do not hide it",
            turn(
                *[
                    part
                    for words in (
                        "Perhaps stale.",
                        "A race, maybe.",
                        "Once more.",
                        "Now it must.",
                        "So.",
                    )
                    for part in (
                        say(words),
                        call("bash", command="make up"),
                        result("make: *** [up] Error 2", failed=True),
                    )
                ]
            ),
            True,
        ),
        (
            "the to-do list written five times without a change",
            turn(*again(5, "TodoWrite", "Todos have been modified.", todos=[{"content": "a"}])),
            True,
        ),
        (
            "an edit between the equal checks is progress",
            turn(
                *[
                    part
                    for line in range(5)
                    for part in (
                        *again(
                            1, "edit", "Edit applied.", path="a.py", old=f"{line}", new=f"{line}x"
                        ),
                        *again(1, "bash", CHECK, failed=True, command="npx tsc"),
                    )
                ]
            ),
            False,
        ),
        (
            "sleep and look: the answer is the same until it is not",
            turn(*again(7, "bash", "starting", command="sleep 20; docker inspect db")),
            False,
        ),
        (
            "an output reader that has nothing new yet",
            turn(*again(9, "BashOutput", "<status>running</status>", bash_id="b1")),
            False,
        ),
        (
            "a fetch that says it is still queued",
            turn(
                *again(6, "webfetch", '{"build": 7, "state": "queued"}', url="https://ci.example/7")
            ),
            False,
        ),
        (
            "probes of a server that nobody started",
            turn(
                *again(
                    9,
                    "bash",
                    "curl: (7) Failed to connect to 127.0.0.1 port 99: Connection refused",
                    command="sleep 2 && curl -s 127.0.0.1:99/up",
                ),
                request="show me what /up answers",
            ),
            True,
        ),
        (
            "control: the same probes after something was started",
            turn(
                *again(1, "bash", "started", command="npm run serve &"),
                *again(
                    9, "bash", "curl: (7) Connection refused", command="sleep 2 && curl -s :99/up"
                ),
            ),
            False,
        ),
        (
            "the user asked for ten runs",
            turn(
                *again(10, "bash", "1 passed in 0.2s", command="pytest -q -k lease"),
                request="run the lease test 10 times and count the failures",
            ),
            False,
        ),
        (
            "equal calls made at once are one step",
            turn(
                *[call("bash", command="dd if=/dev/zero bs=1M count=1")] * 6,
                *[result("1048576 bytes copied to /dev/null")] * 6,
            ),
            False,
        ),
        (
            "the retry succeeded and the work is done",
            turn(
                *again(
                    5,
                    "bash",
                    "error: lock is held by another process",
                    failed=True,
                    command="apt up",
                ),
                *again(1, "bash", "0 upgraded", command="apt up --lock-timeout=60"),
                say("The packages are up to date."),
            ),
            False,
        ),
        (
            "a broken network is retried",
            turn(*again(5, "bash", "npm error code ECONNRESET\nnetwork aborted", command="npm ci")),
            False,
        ),
        (
            "it ended with a report, not with another lap",
            turn(
                *again(6, "bash", "14 passed in 1.2s", command="pytest -q"),
                say("All 14 tests pass, also in six runs in a row."),
            ),
            False,
        ),
        (
            "it ended with an honest question",
            turn(
                *again(6, "bash", CHECK, failed=True, command="npx tsc"),
                say("The check fails on every run. Which signature do you want to keep?"),
            ),
            False,
        ),
        (
            "control: it ended with the announcement of another lap",
            turn(
                *again(6, "bash", CHECK, failed=True, command="npx tsc"),
                say("It still fails. Let me run it again."),
            ),
            True,
        ),
        (
            "the user interrupted the last of many laps",
            turn(
                *again(5, "bash", CHECK, failed=True, command="npx tsc"),
                *again(
                    1,
                    "bash",
                    "[Request interrupted by user for tool use]",
                    failed=True,
                    command="npx tsc",
                ),
                finish="aborted",
            ),
            True,
        ),
        (
            "a scheduled check is pending",
            turn(
                *again(6, "bash", "198.51.100.7", command="getent hosts docs.example"),
                pending=(pending("schedule"),),
            ),
            False,
        ),
        (
            "scrolling: the same acknowledgement for another part of the page",
            turn(*again(8, "browser_scroll", "scrolled", direction="down")),
            False,
        ),
        (
            "a harness that kept neither arguments nor results",
            turn(
                *[
                    part
                    for _ in range(6)
                    for part in (call("read_file", ""), result("", failed=None))
                ]
            ),
            False,
        ),
        (
            "answers to the user's own question tool",
            turn(*again(5, "ask_user", "yes", text="ok?")),
            False,
        ),
    ],
)
