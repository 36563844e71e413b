"""Items of the agent's own list are open."""

from __future__ import annotations

from tests.words import call, result, say, table, todo, turn

test_detector = table(
    "open_todos",
    [
        (
            "one pending item",
            turn(say("Done so far."), todos=(todo("a", "completed"), todo("b"))),
            True,
        ),
        ("one item in progress", turn(say("Half."), todos=(todo("a", "in_progress"),)), True),
        (
            "a list touched in the turn",
            turn(call("TodoWrite", todos=[]), result("ok"), say("On."), todos=(todo("a"),)),
            True,
        ),
        (
            "four items open at a tool result",
            turn(call("read", p=1), result("x"), todos=tuple([todo(c) for c in "abcd"])),
            True,
        ),
        ("all completed", turn(say("Done."), todos=(todo("a", "completed"),)), False),
        (
            "completed and cancelled",
            turn(say("Done."), todos=(todo("a", "completed"), todo("b", "cancelled"))),
            False,
        ),
        ("an empty list", turn(say("Done."), todos=()), False),
        ("a harness that does not say", turn(say("Done."), todos=None), False),
        ("a list in the text only", turn(say("- [ ] write docs")), False),
        (
            "a to-do call and no list known",
            turn(call("TodoWrite", todos=[{"content": "a", "status": "pending"}]), result("ok")),
            False,
        ),
    ],
)
