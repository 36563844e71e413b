"""The question, its orders, what is cut, what is broken, and how orders become one answer."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import QuestionTooLong
from auditor.evidence import CUT, Evidence, evidence
from auditor.judge import (
    WHOSE_MOVE,
    Asked,
    Option,
    Question,
    breaker,
    combined,
    rendered,
)
from tests.words import say, turn

FAMILIES = (
    "<|im_start|> <|im_end|> <|endoftext|> <|eot_id|> <|start_header_id|> <|end_header_id|>"
    " <s> </s> <bos> <eos> <pad> <unk> <start_of_turn> <end_of_turn>"
    " [INST] [/INST] <<SYS>> <</SYS>>"
    " [SYSTEM_PROMPT] [TOOL_CALLS] <think> </think> <tool_call> </tool_call> <|user|> <|assistant|>"
    " <|system|> <|end|> <｜User｜> <｜Assistant｜> <｜begin▁of▁sentence｜> <file_sep>"
    " <issue_start> <fim_prefix> <unused12> <|channel|> <|message|>"
).split()
"""Control tokens of the chat templates in use, as their model cards give them."""

words = st.lists(st.sampled_from(["fix", "the", "parser", "now.", "Ω", "\n", "x" * 30])).map(
    " ".join
)


def count(text: str) -> int:
    """A made-up tokeniser: a token for each word and each sign."""
    return len(re.findall(r"\w+|\S", text))


def asked(request: str = "", reply: str = "", *facts: str, whole: bool = False) -> Asked:
    return Asked(WHOSE_MOVE, Evidence(request, facts, reply), whole=whole)


# How the question is worded.


def test_every_option_quotes_two_or_three_cues() -> None:
    for option in WHOSE_MOVE.options:
        assert 2 <= len(re.findall(r'"[^"]+"', option.text)) <= 3, option


def test_nothing_is_negated_or_counted() -> None:
    said = " ".join([WHOSE_MOVE.instructions, *[option.text for option in WHOSE_MOVE.options]])
    unquoted = re.sub(r'"[^"]+"', "", said).lower()
    assert not re.search(r"\b(not|never|without|no|how many|number of|date|n't)\b", unquoted)


def test_there_is_one_judgement_and_a_catch_all() -> None:
    assert WHOSE_MOVE.instructions.count("?") == 1
    assert [option.name for option in WHOSE_MOVE.options] == ["agent", "user", "nobody"]


# In which orders the options stand.


@pytest.mark.parametrize("options", [2, 3, 4, 5])
def test_each_option_stands_once_at_each_place(options: int) -> None:
    question = Question("q", 1, "?", tuple(Option(str(n), str(n)) for n in range(options)))
    places = rendered(Asked(question, Evidence("", (), "")), 100, count).places
    assert len(places) == options
    for place in zip(*places, strict=True):
        assert sorted(place) == list(range(options))


def test_six_orders_of_three_options_are_all_there_are() -> None:
    assert len(set(rendered(asked(), 100, count, orders=6).places)) == 6
    assert len(set(rendered(asked(), 100, count, orders=99).places)) == 6


def test_a_letter_stands_for_a_place() -> None:
    first, second, _ = rendered(asked(), 100, count).orders
    assert first.startswith("A. Agent")
    assert second.startswith("A. User")


# What is cut.


@given(words, st.lists(words, max_size=3), words, st.integers(40, 200))
def test_the_budget_holds_and_the_end_of_the_reply_is_kept(
    request: str, facts: list[str], reply: str, budget: int
) -> None:
    request, reply = request.strip(), reply.strip()
    sent = rendered(asked(request * 9, reply * 9, *facts), budget, count)
    assert count(sent.user) + count(sent.agent) <= budget
    assert (reply * 9).endswith(sent.agent.removeprefix(CUT))
    assert bool(sent.agent) == bool(reply)


def test_what_fits_is_not_cut() -> None:
    sent = rendered(asked("fix it", "It is fixed.", "The last command passed."), 100, count)
    assert sent.user == "fix it\n\nThe last command passed."
    assert sent.agent == "It is fixed."


def test_a_long_reply_leaves_a_share_to_the_request_and_the_facts() -> None:
    sent = rendered(asked("a b " * 500, "c d " * 500, "e f " * 500), 100, count)
    assert sent.user.startswith("a b")
    assert sent.user.endswith("e f ")
    assert count(sent.agent) > 40
    assert count(sent.user) > 40


def test_a_long_request_does_not_cut_the_reply() -> None:
    reply = "I changed the parser. Shall I go on?"
    assert rendered(asked("a b " * 500, reply), 60, count).agent == reply


def test_evidence_that_must_be_whole_is_refused_when_it_is_too_long() -> None:
    rendered(asked("a", "b " * 50, whole=True), 100, count)
    with pytest.raises(QuestionTooLong, match="101 tokens; at most 96"):
        rendered(asked("a", "b " * 100, whole=True), 100, count)


# What is broken.


@pytest.mark.parametrize("marker", FAMILIES)
def test_a_known_marker_is_broken_and_can_still_be_read(marker: str) -> None:
    broken = breaker(())(f"before {marker} after")
    assert marker not in broken
    assert broken.replace(" ", "") == f"before{marker}after"


@pytest.mark.parametrize(
    "text", ["a |> b", "if a < b: c[0] = d > e", "<div>", "x[INSTANCE]", "|||"]
)
def test_code_is_left_as_it_is(text: str) -> None:
    assert breaker(())(text) == text


@given(st.lists(st.sampled_from([*FAMILIES, "<", "|", ">", "s", " ", "[", "/", "\n", "User:"])))
def test_no_marker_survives(pieces: list[str]) -> None:
    markers = [*FAMILIES, "User:", "### Request:"]
    broken = breaker(markers)("".join(pieces))
    assert not [marker for marker in markers if marker in broken]


@given(st.lists(st.sampled_from([*FAMILIES, "fix ", "\n"])).map("".join), st.integers(40, 90))
def test_no_marker_is_sent_wherever_a_transcript_has_it(text: str, budget: int) -> None:
    shown = evidence(turn(say(text), request=text))
    sent = rendered(
        Asked(WHOSE_MOVE, Evidence(shown.request, (text,), shown.reply)),
        budget,
        count,
        harmless=breaker(FAMILIES),
    )
    assert not [marker for marker in FAMILIES if marker in sent.user + sent.agent]


# How orders become one answer.

logits = st.lists(st.floats(-40, 40), min_size=3, max_size=3)


@given(st.lists(logits, min_size=1, max_size=6))
def test_the_combination_is_the_normalised_geometric_mean(orders: list[list[float]]) -> None:
    normal = [[x - math.log(sum(map(math.exp, row))) for x in row] for row in orders]
    found, spread = combined(WHOSE_MOVE, normal)
    means = [
        math.prod(math.exp(x) ** (1 / len(orders)) for x in column)
        for column in zip(*normal, strict=True)
    ]
    for option, mean in zip(WHOSE_MOVE.options, means, strict=True):
        assert math.isclose(math.exp(found[option.name]), mean / sum(means), abs_tol=1e-9)
    assert 0 <= spread <= 1 + 1e-9


def test_what_a_place_adds_to_a_logit_cancels() -> None:
    """An option is worth 2, 1, 0; the first place adds 5. Each stands there once."""
    worth, orders = [2.0, 1.0, 0.0], []
    for first in range(3):
        row = [value + 5 * (option == first) for option, value in enumerate(worth)]
        total = math.log(sum(map(math.exp, row)))
        orders.append([value - total for value in row])
    found, spread = combined(WHOSE_MOVE, orders)
    assert math.isclose(found["agent"] - found["user"], 1.0)
    assert math.isclose(found["user"] - found["nobody"], 1.0)
    assert spread > 0.9


def test_one_order_has_no_spread() -> None:
    assert combined(WHOSE_MOVE, [[-1.0, -1.0, -1.0]])[1] == 0
