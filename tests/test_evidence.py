"""What of a turn a decision model is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.evidence import OUTPUT, REPLY, REQUEST, evidence
from auditor.turn import Turn, TurnError
from tests.words import call, pending, result, say, think, todo, turn

SAYS = [
    ("a tool is named and counted", turn(call("bash"), result()), "called tools: bash (1)."),
    (
        "a call is told with what came of it",
        turn(call("bash", command="ls"), result("a b")),
        'It called bash {"command":"ls"}, which returned: a b',
    ),
    ("a failure is told", turn(call("bash"), result("no", failed=True)), "which failed: no"),
    ("the last command failed", turn(call("x"), result(failed=True)), "The last command failed."),
    ("the last command passed", turn(call("x"), result()), "The last command passed."),
    ("open to-dos are named", turn(todos=(todo("a"), todo("b", "completed"))), "1 of 2 to-dos"),
    ("a finished list", turn(todos=(todo("b", "completed"),)), "Every to-do is done."),
    ("background work", turn(pending=(pending("background", "build"),)), "running: build."),
    ("later work", turn(pending=(pending("schedule"),)), "Later work is scheduled."),
    ("the length limit", turn(say("so"), finish="length"), "cut off by the length limit"),
    ("an error", turn(error=TurnError(message="overloaded")), "with an error: overloaded"),
    ("the turn ends on a call", turn(say("a"), call("x")), "ends on a tool call."),
    ("the turn ends on a result", turn(call("x"), result()), "ends on the result of a tool."),
]

IS_SILENT = [
    ("no tools, no lists", turn(say("Hello.")), "."),
    ("a result that does not say", turn(call("x"), result(failed=None)), "The last command"),
    ("a harness without lists", turn(say("a"), todos=None), "to-do"),
    ("an empty list", turn(say("a"), todos=()), "to-do"),
    ("an ordinary end", turn(say("a")), "The turn ends"),
    ("reasoning is not shown", turn(think("secret"), say("a")), "secret"),
]


@pytest.mark.parametrize(("of", "words"), [pytest.param(t, w, id=s) for s, t, w in SAYS])
def test_a_fact_is_said(of: Turn, words: str) -> None:
    assert words in "\n".join(evidence(of).facts)


@pytest.mark.parametrize(("of", "words"), [pytest.param(t, w, id=s) for s, t, w in IS_SILENT])
def test_nothing_is_said_that_is_not_known(of: Turn, words: str) -> None:
    assert words not in "\n".join(evidence(of).facts)


def test_the_head_of_the_request_and_the_tail_of_the_reply_are_kept() -> None:
    shown = evidence(turn(say("x" * 2 * REPLY + "END"), request="BEGIN" + "y" * 2 * REQUEST))
    assert shown.request.startswith("BEGIN")
    assert len(shown.request) == REQUEST
    assert shown.reply.endswith("END")
    assert len(shown.reply) == REPLY


def test_only_the_reply_is_shown_and_not_what_was_said_before_a_tool() -> None:
    assert evidence(turn(say("before"), call("x"), result(), say("after"))).reply == "after"


def test_the_end_of_a_long_result_is_kept() -> None:
    (_, told, *_) = evidence(turn(call("x"), result("a " * 500 + "3 failed"))).facts
    assert told.endswith("3 failed")
    assert len(told) < 2 * OUTPUT


@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_encoded(text: str) -> None:
    shown = evidence(turn(call("x", text), result(text), say(text), request=text))
    for each in (shown.request, shown.reply, *shown.facts):
        assert "\0" not in each
        each.encode()


@pytest.mark.parametrize(
    "under",
    [
        "\n\n[tokens used: 12,483]",
        "\n\n⏱ 12.4s",
        "\n\nTook 3.2 s",
        "\n<system-reminder>The list is\nempty.</system-reminder>",
        "\n\nCost: $0.03\n\n<system-reminder>x</system-reminder>\n",
    ],
)
def test_what_a_harness_prints_under_the_reply_is_no_part_of_it(under: str) -> None:
    assert evidence(turn(say(f"I will run it now.{under}"))).reply == "I will run it now."


@pytest.mark.parametrize(
    "reply",
    [
        "It now takes 12.4s",
        "The build took 3 minutes before, and 20 s now.",
        "Tokens are read from the header, see line 12.\n\nShall I go on?",
        "[tokens used: 12]",
    ],
)
def test_what_the_agent_says_of_times_and_tokens_stays(reply: str) -> None:
    assert evidence(turn(say(reply))).reply == reply
