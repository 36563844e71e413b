"""Agreement: which labels make a pair, and that the numbers are those of the statistics."""

from __future__ import annotations

import io

import pytest

from auditor.labelling import show as show_labels
from auditor.labelling.agreeing import Agreement, agreements
from auditor.labels import Label, Nudge, Source
from auditor.show import console

REPEAT = 9


def label(rater: str, turn: int, nudge: str, at: float = 1.0, **more: object) -> Label:
    fields = {"source": Source.HUMAN, **more}
    return Label(turn=f"{turn:064x}", nudge=Nudge(nudge), at=at, rater=rater, **fields)  # type: ignore[arg-type]


def session(turn: str) -> str:
    return turn[-1]


def of(labels: list[Label], rater: str, other: str | None) -> Agreement:
    pairs = agreements(labels, [REPEAT], session).pairs
    return next(found for found in pairs if (found.rater, found.other) == (rater, other))


def test_a_rater_is_paired_with_what_they_said_before_their_repeat() -> None:
    labels = [label("ada", turn, "yes" if turn % 2 else "no") for turn in range(20)]
    labels += [
        label("ada", turn, "yes" if turn % 2 or turn == 0 else "no", at=9.0, sample=REPEAT)
        for turn in range(20)
    ]
    found = of(labels, "ada", None)
    assert found.pairs == 20
    assert found.raw is not None
    assert found.raw.value == pytest.approx(0.95)
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(0.9)
    assert found.kappa.low is not None
    assert found.kappa.high is not None
    assert found.kappa.low <= 0.9 <= found.kappa.high


def test_undone_answers_do_not_count_and_a_repeat_is_no_first_reading() -> None:
    labels = [label("ada", turn, "no") for turn in range(20)]
    labels += [label("ada", turn, "yes" if turn % 2 else "no", at=2.0) for turn in range(20)]
    labels += [label("bob", turn, "yes" if turn % 2 else "no") for turn in range(20)]
    labels += [label("ada", turn, "unsure", at=3.0, sample=REPEAT) for turn in range(20)]
    found = of(labels, "ada", "bob")
    assert found.raw is not None
    assert found.raw.value == 1.0
    again = of(labels, "ada", None)
    assert again.raw is not None
    assert again.raw.value == 0.0


def test_nineteen_pairs_are_not_enough_and_twenty_are() -> None:
    for count, enough in ((19, False), (20, True)):
        labels = [label(rater, turn, "no") for rater in ("ada", "bob") for turn in range(count)]
        found = agreements(labels, [], session)
        assert found.enough is enough
        assert (found.alpha is not None) is enough
        assert of(labels, "ada", "bob").pairs == count


def test_where_all_say_the_same_chance_explains_all() -> None:
    labels = [label(rater, turn, "no") for rater in ("ada", "bob") for turn in range(30)]
    found = of(labels, "ada", "bob")
    assert found.raw is not None
    assert found.kappa is not None
    assert (found.raw.value, found.kappa.value) == (1.0, None)
    out = io.StringIO()
    show_labels.agreements(console(out), agreements(labels, [], session))
    assert "Cohen's kappa         —" in out.getvalue()


def test_implied_and_adjudicated_labels_are_nobodys() -> None:
    sources = (Source.IMPLICIT, Source.HINDSIGHT, Source.ADJUDICATED)
    labels = [label("ada", turn, "no", source=source) for source in sources for turn in range(30)]
    assert agreements(labels, [], session).pairs == []


def test_alpha_over_three_raters_counts_turns_that_two_labelled() -> None:
    labels = [label("ada", turn, "yes" if turn % 3 else "no") for turn in range(30)]
    labels += [label("bob", turn, "yes" if turn % 3 else "no") for turn in range(15)]
    labels += [label("eve", turn, "yes" if turn % 3 else "no") for turn in range(15, 25)]
    found = agreements(labels, [], session)
    assert found.turns == 25
    assert found.alpha is not None
    assert found.alpha.value == pytest.approx(1.0)


def test_a_rare_answer_is_pointed_out() -> None:
    labels = [
        label(rater, turn, "yes" if turn < 2 else "no")
        for rater in ("a", "b")
        for turn in range(40)
    ]
    out = io.StringIO()
    show_labels.agreements(console(out), agreements(labels, [], session))
    assert "one answer is rare (5%): AC1 says more than kappa" in out.getvalue()
