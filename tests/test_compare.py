"""Comparisons: paired by turn, counted exactly, and refused where they would compare nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from auditor.calibration import Calibrations
from auditor.errors import ConfigError, NotEnough
from auditor.evaluating.compare import Difference, OtherLabels, compared
from auditor.evaluation import Estimate, Evaluation, Row
from auditor.statistics import intervals
from tests.evaluation_words import calibration, evaluation, examples, plain


@pytest.fixture
def first(tmp_path: Path) -> Evaluation:
    by = Calibrations(plain=calibration({"reply_length": -2.0}))
    return evaluation(examples(tmp_path, plain()), by)


def changed(found: Evaluation, **changes: Row) -> Evaluation:
    rows = [changes.get(row.turn, row) for row in found.rows]
    return structs.replace(found, rows=tuple(rows))


def better(found: Evaluation, so_many: int, *, worse: int = 0) -> Evaluation:
    """Nudge some of the stops that it missed, and some turns that deserve silence."""
    missed = [row for row in found.rows if row.right and not row.nudge][:so_many]
    silent = [row for row in found.rows if not row.right and not row.nudge][:worse]
    turned = {row.turn: structs.replace(row, nudge=True) for row in (*missed, *silent)}
    return changed(found, **turned)


def by_name(found: tuple[Difference, ...]) -> dict[str, Difference]:
    return {each.name: each for each in found}


def test_the_same_does_not_differ(first: Evaluation) -> None:
    (found,) = compared([("a", first), ("b", first)], draws=20)
    assert (found.n, found.groups, found.left) == (80, 11, 0)
    assert (found.only_first, found.only_second, found.p) == (0, 0, 1.0)
    assert {each.says for each in found.differences} == {"no clear difference"}
    assert {each.difference.value for each in found.differences} == {0.0}
    assert found.says.startswith("No clear difference in decisions")


def test_turns_are_counted_by_who_is_right(first: Evaluation) -> None:
    (found,) = compared([("a", first), ("b", better(first, 3, worse=1))], draws=20)
    counts = (found.both_right, found.only_first, found.only_second, found.neither)
    missed = sum(row.right and not row.nudge for row in first.rows)
    assert counts == (80 - missed - 1, 1, 3, missed - 3)
    assert found.p == pytest.approx(intervals.mcnemar(1, 3))


def test_a_clear_difference_is_said_and_the_other_way_round_it_is_worse(
    tmp_path: Path,
) -> None:
    large = evaluation(examples(tmp_path, plain(200)))
    other = better(large, 8)
    (found,) = compared([("a", large), ("b", other)], draws=100)
    recall = by_name(found.differences)["recall"]
    assert recall.says == "better"
    yes = sum(row.right for row in large.rows)
    assert recall.difference.value == pytest.approx(8 / yes, abs=1e-6)
    assert found.says.startswith("b decides better: b decides 8 turns rightly that a does not")
    (back,) = compared([("b", other), ("a", large)], draws=100)
    assert by_name(back.differences)["recall"].says == "worse"
    assert back.says.startswith("b decides better")


def test_fewer_wrong_nudges_are_better(first: Evaluation) -> None:
    (found,) = compared([("a", better(first, 0, worse=30)), ("b", first)], draws=50)
    wrong = by_name(found.differences)["wrong nudges"]
    assert (wrong.says, (wrong.difference.value or 0) < 0) == ("better", True)


def test_several_comparisons_adjust_each_p(first: Evaluation) -> None:
    one, other = better(first, 4), better(first, 2)
    found = compared([("a", first), ("b", one), ("c", other)], draws=20)
    assert [each.adjusted for each in found] == intervals.holm([each.p for each in found])
    assert found[0].adjusted > found[0].p


def test_only_the_turns_of_both_count(first: Evaluation) -> None:
    part = structs.replace(first, rows=first.rows[:50])
    (found,) = compared([("a", first), ("b", part)], draws=20)
    assert (found.n, found.left) == (50, 30)


def test_log_loss_needs_a_probability_of_every_turn(first: Evaluation) -> None:
    row = structs.replace(first.rows[0], probability=None)
    (found,) = compared([("a", first), ("b", changed(first, **{row.turn: row}))], draws=20)
    assert by_name(found.differences)["log loss"].difference == Estimate(None, n=80)


def other_label(found: Evaluation) -> Evaluation:
    row = found.rows[0]
    return changed(found, **{row.turn: structs.replace(row, right=not row.right)})


REFUSED = [
    (lambda e: structs.replace(e, rows=()), ConfigError, "b: the evaluation has no rows"),
    (other_label, OtherLabels, "label 1 turns differently"),
    (
        lambda e: structs.replace(e, rows=tuple([structs.replace(r, turn="x") for r in e.rows])),
        NotEnough,
        "no turn in common",
    ),
    (
        lambda e: structs.replace(e, rows=tuple([r for r in e.rows if r.right])),
        NotEnough,
        "all labelled alike",
    ),
]


@pytest.mark.parametrize(
    ("make", "error", "said"), REFUSED, ids=["no rows", "other labels", "other turns", "one class"]
)
def test_what_cannot_be_compared_is_refused(first: Evaluation, make, error, said) -> None:
    with pytest.raises(error, match=said):
        compared([("a", first), ("b", make(first))], draws=5)


def test_other_labels_are_an_identity_mismatch() -> None:
    assert OtherLabels.exit_code == 3
