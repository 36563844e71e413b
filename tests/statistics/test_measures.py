"""What holds of every measure: undefined is None, nonsense is a sentence, a weight is a repeat."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.statistics import agreement, arrays, ranks, scores
from tests.statistics.worlds import calibrated

NAN = float("nan")

OF_BOTH_CLASSES = {
    "auc": ranks.auc,
    "average precision": ranks.average_precision,
    "curve": ranks.curve,
    "recall at 10 % wrong": lambda y, p, w: ranks.recall_at(y, p, w, 0.1),
    "precision at 10 %": lambda y, p, w: ranks.precision_at(y, p, w, 0.1),
    "rate at risk 30 %": lambda y, p, w: ranks.rate_at(y, p, w, 0.3),
    "cox": scores.cox,
}
OF_ANY_TURN = {
    "log loss": scores.log_loss,
    "brier": scores.brier,
    "base rate": lambda y, _, w: scores.base_rate(y, w),
    "corp": scores.corp,
    "ece": scores.ece,
    "reliability": lambda y, p, w: scores.reliability(y, p, w, draws=20),
    "risk coverage": ranks.risk_coverage,
}
ALL = OF_BOTH_CLASSES | OF_ANY_TURN
REPEATS = {
    name: measure
    for name, measure in ALL.items()
    # Each of these takes a heavy turn for one turn, not for several that agree.
    if name not in {"ece", "reliability", "cox"}
}


def each(measures):
    return pytest.mark.parametrize("measure", measures.values(), ids=measures)


@each(ALL)
def test_no_turns_and_no_weight_are_undefined(measure):
    assert measure([], [], None) is None
    assert measure([0, 1, 1], [0.2, 0.3, 0.9], [0, 0, 0]) is None


@each(OF_BOTH_CLASSES)
@pytest.mark.parametrize("only", [0, 1])
def test_an_empty_class_is_undefined(measure, only):
    assert measure([only] * 4, [0.1, 0.4, 0.4, 0.9], None) is None
    assert measure([only, 1 - only, only], [0.1, 0.4, 0.5], [1, 0, 1]) is None


@each(OF_ANY_TURN)
def test_one_class_is_enough_for_a_loss(measure):
    assert measure([0, 0, 0, 0], [0.1, 0.4, 0.4, 0.4], None) is not None


@each({name: measure for name, measure in ALL.items() if name != "base rate"})
@pytest.mark.parametrize(
    "y, p, w, says",
    [
        ([0, 1], [0.2, NAN], None, "values: a number is NaN"),
        ([0, NAN], [0.2, 0.3], None, "outcomes: a number is NaN"),
        ([0, 1], [0.2, 0.3], [1, NAN], "weights: a number is NaN"),
        ([0, 1], [0.2, 0.3], [1, -1], "a weight is negative"),
        ([0, 1], [0.2, 0.3], [1], "expected 2, one for each turn, found 1"),
        ([0, 1, 1], [0.2, 0.3], None, "as many values as outcomes"),
        ([0, 2], [0.2, 0.3], None, "expected only 0 and 1"),
        ([[0], [1]], [0.2, 0.3], None, "expected a list of numbers"),
        ([0, 1], [0.2, float("inf")], None, "infinite"),
    ],
)
def test_what_cannot_be_computed_with_is_said(measure, y, p, w, says):
    with pytest.raises(ValueError, match=says):
        measure(y, p, w)


@each({name: ALL[name] for name in ("log loss", "brier", "corp", "ece", "cox")})
def test_a_probability_is_from_0_to_1(measure):
    with pytest.raises(ValueError, match="from 0 to 1"):
        measure([0, 1], [0.2, 1.2], None)


def flat(found):
    return np.concatenate(
        [np.atleast_1d(part) for part in found] if isinstance(found, tuple) else [[found]]
    )


@each(REPEATS)
@pytest.mark.parametrize("ties", [False, True], ids=["no ties", "ties"])
def test_a_whole_weight_is_that_many_turns(measure, ties):
    y, p, _ = calibrated(5, 80, ties)
    times = np.random.default_rng(5).integers(0, 4, 80)
    repeated = flat(measure(np.repeat(y, times), np.repeat(p, times), None))
    assert flat(measure(y, p, times)) == pytest.approx(repeated, abs=1e-12)


@each(ALL)
def test_neither_order_nor_scale_of_weights_matters(measure):
    y, p, w = calibrated(6, 90, ties=True)
    order = np.random.default_rng(6).permutation(90)
    first, again = measure(y, p, w), measure(y[order], p[order], w[order] * 7)
    if measure is ALL["reliability"]:  # its band is redrawn turn by turn, in their order
        first, again = first[:2], again[:2]
    assert flat(again) == pytest.approx(flat(first), abs=1e-6)


def test_mean_is_weighted():
    assert arrays.mean([0, 1, 1], [2, 1, 1]) == 0.5
    assert arrays.mean([]) is None


@pytest.mark.parametrize(
    "w, effective", [([1, 1, 1, 1], 4), ([3, 0, 0], 1), ([1, 3], 1.6), ([], None), ([0, 0], None)]
)
def test_effective_turns(w, effective):
    assert arrays.effective(w) == (effective if effective is None else pytest.approx(effective))


def test_agreement_says_what_it_cannot_take():
    with pytest.raises(ValueError, match="as many answers of both raters"):
        agreement.kappa(["yes"], ["yes", "no"])
    for measure in (agreement.kappa, agreement.ac1):
        with pytest.raises(ValueError, match="missing"):
            measure(["yes", None], ["yes", "no"])
        with pytest.raises(ValueError, match="missing"):
            measure([1.0, NAN], [1.0, 2.0])
    with pytest.raises(ValueError, match="missing"):
        agreement.alpha([[1.0, NAN]])
