from tests.words import call, pending, result, say, table, think, turn

SORRY = (
    "That was my mistake, sorry. One more attempt.",
    "Sorry once more; the tables come now.",
    "You're right. Let me try this again.",
)
READY = (
    "**The export is ready!**\n\n- quotes are escaped\n- empty tables work\n\nYou can use it now."
)
STORY = (
    "The queue has two producers.",
    "The first one is the web process.",
    "The second one is the nightly job.",
    "Both push to the same list.",
    "Only one of them sets a deadline.",
    "So the other's jobs never expire.",
    "That is what fills the disk.",
    "A deadline in the client would do.",
    "I have not changed anything yet.",
)


def edits(count):
    return [
        part
        for number in range(count)
        for part in (
            say("Now let me update the next method:"),
            call("edit", path="repo.py", old=f"{number}", new=f"{number}!"),
            result("updated"),
        )
    ]


test_detector = table(
    "spinning_messages",
    [
        (
            "the same message five times in a row",
            turn(*[say("I will now add the switch.")] * 5),
            True,
        ),
        ("control: three times", turn(*[say("I will now add the switch.")] * 3), False),
        ("three apologies in turn, and no call", turn(*map(say, SORRY * 5)), True),
        ("control: each of them twice", turn(*map(say, SORRY * 2)), False),
        (
            "a long summary again and again",
            turn(call("write", path="a"), result("ok"), *[say(READY)] * 4),
            True,
        ),
        (
            "thoughts between the messages change nothing",
            turn(*[think("Hm."), say("Let me start.")] * 5),
            True,
        ),
        ("the same words in front of real edits", turn(*edits(9)), False),
        (
            "control: nine edits, then the same words without any",
            turn(*edits(9), *[say("Now the next one:")] * 5),
            True,
        ),
        ("nine messages that all say something new", turn(*map(say, STORY)), False),
        (
            "the spin ended in a call",
            turn(*[say("Let me start.")] * 6, call("bash", command="ls"), result("a")),
            False,
        ),
        (
            "only a figure changes from message to message",
            turn(*[say(f"Working on part {n}.") for n in range(9)]),
            True,
        ),
        (
            "status lines while a job runs in the background",
            turn(*[say("Still waiting for the build.")] * 6, pending=(pending("background"),)),
            False,
        ),
        ("blank texts", turn(*[say("  \n")] * 9), False),
        (
            "the user asked for the line",
            turn(*[say("Hello there.")] * 5, request="say it 5 times"),
            False,
        ),
        ("thoughts alone are no messages", turn(*[think("Let me see.")] * 9), False),
        ("nothing at all", turn(), False),
    ],
)
