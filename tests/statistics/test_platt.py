"""Ridged Platt scaling: the least of its sum, its bounds, and that it beats what it replaces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

from auditor.fitting import regression
from auditor.statistics.arrays import logit, sigmoid
from tests.statistics.worlds import calibrated, excess, over_confident


class Platt(NamedTuple):
    intercept: float
    slope: float

    def apply(self, p):
        return sigmoid(self.intercept + self.slope * logit(np.array(p, dtype=float)))


def fit(y, p, w=None):
    """The scaling of a calibration, without proofs and answers."""
    outcomes = np.array(y, dtype=float)
    weights = np.ones(len(outcomes)) if w is None else w
    nothing = np.zeros((len(outcomes), 0))
    line = logit(np.array(p, dtype=float))
    found = regression.scaled(line, nothing, outcomes, weights, np.zeros(0))
    return Platt(found.offset, found.slope)


def objective(y, p, w):
    """The sum of decisions 7.4, turn by turn."""
    ones = sum(y)
    zeros = len(y) - ones

    def value(ab):
        a, b = ab
        total = 2 * (b - 1) ** 2 + 0.02 * a**2
        for outcome, raw, weight in zip(y, np.clip(p, 1e-4, 1 - 1e-4), w / w.mean(), strict=True):
            q = 1 / (1 + np.exp(-(a + b * np.log(raw / (1 - raw)))))
            target = (ones + 1) / (ones + 2) if outcome else 1 / (zeros + 2)
            total -= weight * (target * np.log(q) + (1 - target) * np.log(1 - q))
        return total

    return value


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_least_of_the_sum(seed):
    y, p, w = calibrated(seed, 50)
    found = fit(y, p, w)
    slow = minimize(
        objective(y, p, w), [0, 1], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10}
    )
    assert found == pytest.approx(tuple(slow.x), abs=1e-5)


def test_a_probability_that_points_the_wrong_way_has_no_say():
    y, p, w = calibrated(3, 400)
    found = fit(1 - y, p, w)
    assert found.slope == 0
    assert found.apply([0.1]) == pytest.approx(found.apply([0.9]))
    assert fit(y, p, w).slope > 0.7


def test_all_equal_probabilities_learn_the_base_rate():
    found = fit([1] * 30 + [0] * 70, [0.5] * 100)
    assert found.apply([0.5]) == pytest.approx([0.3], abs=0.02)


def test_few_labels_stay_near_the_raw_probability():
    found = fit([0, 1], [0.3, 0.8])
    assert found.slope == pytest.approx(1, abs=0.2)


def test_weights_count():
    y, p, _ = calibrated(4, 200)
    heavy = np.where(y == 1, 9.0, 1.0)
    assert fit(y, p, heavy).intercept > fit(y, p).intercept + 1


def test_at_100_labels_it_beats_the_raw_probability_and_isotonic_regression():
    """Excess log loss over the truth, mean of 40 draws, as in the table of decisions 4.1."""
    losses = {"raw": [], "platt": [], "isotonic": []}
    for seed in range(40):
        random = np.random.default_rng(seed)
        y, _, raw = over_confident(random, 100)
        _, truth, later = over_confident(random, 4000)
        isotonic = IsotonicRegression(out_of_bounds="clip").fit(raw, y)
        losses["raw"].append(excess(truth, later))
        losses["platt"].append(excess(truth, fit(y, raw).apply(later)))
        losses["isotonic"].append(excess(truth, isotonic.predict(later)))
    mean = {name: np.mean(values) for name, values in losses.items()}
    assert mean["platt"] < 0.02
    assert mean["platt"] < mean["raw"] / 3
    assert mean["platt"] < mean["isotonic"] / 3
