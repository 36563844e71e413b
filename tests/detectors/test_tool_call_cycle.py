from tests.words import call, result, say, table, turn


def step(name, output, *, failed=False, **arguments):
    return [call(name, **arguments), result(output, failed=failed)]


A = step("Read", "1\tclass Loader:\n2\t    pass", path="loader.py")
B = step("Read", "1\tclass Registry:\n2\t    pass", path="registry.py")
STATUS = step("bash", " M web/cart.ts", command="git status --short")
LINT = step(
    "bash", "34:6 warning missing dependency\n1 warning (maximum 0)", command="npm run lint"
)
FORTH = step("edit", "updated", path="d.py", old="day first", new="month first")
BACK = step("edit", "updated", path="d.py", old="month first", new="day first")
RED = step(
    "bash", "FAILED test_dates.py::test_iso\n1 failed in 0.1s", failed=True, command="pytest"
)
RED_US = step(
    "bash", "FAILED test_dates.py::test_us\n1 failed in 0.2s", failed=True, command="pytest"
)
CLICK = step(
    "browser_click", "TimeoutError: another element intercepts the click", failed=True, ref="e9"
)
SHOT = step("browser_snapshot", "- button Sign in [ref=e9]")


def bisecting(count):
    parts = []
    for left in range(count, 0, -1):
        parts += step("bash", "FAIL", command="./repro.sh")
        parts += step("bash", f"Bisecting: {left} revisions left", command="git bisect bad")
    return parts


test_detector = table(
    "tool_call_cycle",
    [
        ("two files read by turns, unchanged", turn(*(A + B) * 4), True),
        ("control: read twice each is a second look", turn(*(A + B) * 2), False),
        ("control: three rounds of two reads are too few", turn(*(A + B) * 3), False),
        ("three commands in a circle", turn(*(STATUS + LINT + A) * 3), True),
        ("edit, test, revert, test", turn(*(FORTH + RED + BACK + RED_US) * 3), True),
        (
            "one round and a half is no circle",
            turn(*(FORTH + RED + BACK + RED_US + FORTH + RED)),
            False,
        ),
        (
            "the edits differ: work against one stubborn test",
            turn(
                *[
                    part
                    for line in range(6)
                    for part in step("edit", "updated", path="d.py", old=f"{line}", new=f"{line}!")
                    + RED
                ]
            ),
            False,
        ),
        ("a bisection: the tree moves under the script", turn(*bisecting(8)), False),
        (
            "push refused, pull conflicts, abort, and round again",
            turn(
                *(
                    step("bash", "! [rejected] (non-fast-forward)", failed=True, command="git push")
                    + step(
                        "bash", "CONFLICT in banner.vue", failed=True, command="git pull --rebase"
                    )
                    + step("bash", "", command="git rebase --abort")
                )
                * 4,
                say("The push was rejected. I'll pull with rebase first."),
            ),
            True,
        ),
        (
            "control: the same circle, and then the user is asked",
            turn(
                *(STATUS + LINT + A) * 4,
                say("The rule and the hook contradict each other. Shall I relax the rule?"),
            ),
            False,
        ),
        ("a covered button clicked between equal snapshots", turn(*(SHOT + CLICK) * 5), True),
        (
            "keys and pictures: equal acknowledgements on a screen",
            turn(
                *(step("press_key", "ok", key="Down") + step("take_screenshot", "[image]")) * 6,
            ),
            False,
        ),
        (
            "sleep and look by turns",
            turn(
                *(
                    step("bash", "", command="sleep 30")
                    + step("bash", "0/1 nodes", command="kubectl top")
                )
                * 5
            ),
            False,
        ),
        (
            "a long circle of five commands",
            turn(*(STATUS + LINT + A + B + RED) * 3),
            True,
        ),
        ("the circle was left: another step came after it", turn(*(A + B) * 5, *LINT), False),
        (
            "on request, over and over",
            turn(*(A + LINT) * 5, request="read and lint, repeat five times"),
            False,
        ),
        ("one call alone is no circle", turn(*LINT * 9), False),
        (
            "the build between new files gives the same answer",
            turn(
                *[
                    part
                    for page in "abcdef"
                    for part in step("write", "created", path=f"{page}.md")
                    + step("bash", "build complete", command="make")
                ]
            ),
            False,
        ),
    ],
)
