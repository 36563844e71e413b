"""Losses, their parts and the calibration errors, against scikit-learn and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

from auditor.statistics import scores
from tests.statistics.worlds import calibrated, logistic

SEEDS = pytest.mark.parametrize("seed", range(6))


@SEEDS
def test_losses_are_those_of_scikit_learn(seed):
    y, p, w = calibrated(seed, 150, ties=seed % 2 == 0)
    assert scores.log_loss(y, p, w) == pytest.approx(
        log_loss(y, p, sample_weight=w, labels=[0, 1]), rel=1e-12
    )
    assert scores.brier(y, p, w) == pytest.approx(
        brier_score_loss(y, p, sample_weight=w), rel=1e-12
    )


def test_a_sure_error_costs_much_and_not_infinitely():
    assert scores.log_loss([1], [0.0]) == pytest.approx(36.04, abs=0.01)
    assert scores.log_loss([1, 0], [1.0, 0.0]) == pytest.approx(0, abs=1e-15)


@SEEDS
def test_corp_is_the_isotonic_refit_of_scikit_learn(seed):
    y, p, w = calibrated(seed, 150, ties=seed % 2 == 0)
    refit = IsotonicRegression(y_min=0, y_max=1).fit(p, y, w).predict(p)
    score, recalibrated = (brier_score_loss(y, q, sample_weight=w) for q in (p, refit))
    base = np.average(y, weights=w)
    found = scores.corp(y, p, w)
    assert found.unc == pytest.approx(base * (1 - base), rel=1e-12)
    assert found.mcb == pytest.approx(score - recalibrated, abs=1e-9)
    assert found.dsc == pytest.approx(found.unc - recalibrated, abs=1e-9)
    assert found.mcb - found.dsc + found.unc == pytest.approx(scores.brier(y, p, w), rel=1e-12)


def test_corp_of_a_constant_has_no_discrimination():
    found = scores.corp([0, 1, 1, 1], [0.5] * 4)
    assert found == pytest.approx((0.0625, 0.0, 0.1875))


@SEEDS
def test_cox_is_a_logistic_regression(seed):
    y, p, w = calibrated(seed, 300)
    x = np.log(p / (1 - p))[:, None]
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(x, y, w)
    found = scores.cox(y, p, w)
    assert found.slope == pytest.approx(model.coef_[0, 0], abs=1e-4)
    assert found.intercept == pytest.approx(model.intercept_[0], abs=1e-4)


def test_cox_of_two_probabilities_is_closed():
    """Two distinct p are two shares: log odds of each, and the delta method for their errors."""
    y = [1] * 30 + [0] * 70 + [1] * 60 + [0] * 20
    p = [0.2] * 100 + [0.6] * 80
    low, high = np.log(30 / 70), np.log(60 / 20)
    run = np.log(0.6 / 0.4) - np.log(0.2 / 0.8)
    found = scores.cox(y, p)
    assert found.slope == pytest.approx((high - low) / run)
    error = np.sqrt(1 / 30 + 1 / 70 + 1 / 60 + 1 / 20) / run
    half = (found.slope_interval[1] - found.slope_interval[0]) / 2
    assert half == pytest.approx(1.959964 * error, rel=1e-6)


def test_cox_intervals_cover_the_truth():
    covered = np.zeros(2)
    for seed in range(300):
        y, p, w = calibrated(1000 + seed, 300)
        found = scores.cox(y, p, w)
        for place, (truth, interval) in enumerate(
            [(0, found.intercept_interval), (1, found.slope_interval)]
        ):
            covered[place] += interval[0] <= truth <= interval[1]
    assert (covered / 300 > 0.91).all()
    assert (covered / 300 < 0.985).all()


@pytest.mark.parametrize(
    "y, p",
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.6, 0.7]),
        ([1, 1, 0, 0], [0.1, 0.2, 0.6, 0.7]),
        ([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.7]),
        ([0, 1, 1, 0], [0.3, 0.3, 0.3, 0.3]),
    ],
    ids=["separated", "separated the other way", "touching", "all equal"],
)
def test_cox_has_no_slope_where_none_is_best(y, p):
    assert scores.cox(y, p) is None


def test_spiegelhalter_by_hand():
    """(0.8·0.6 + -0.3·0.4) / sqrt(0.36·0.16 + 0.16·0.21)."""
    found = scores.spiegelhalter_z([1, 0], [0.2, 0.3])
    assert found == pytest.approx(0.36 / np.sqrt(0.0912))


@pytest.mark.parametrize("p", [[], [0.5, 0.5], [0.0, 1.0]], ids=["none", "halves", "sure"])
def test_spiegelhalter_is_undefined_without_variance(p):
    assert scores.spiegelhalter_z([0, 1][: len(p)], p) is None


def test_spiegelhalter_is_standard_normal_if_calibrated_and_large_if_not():
    zs = [scores.spiegelhalter_z(*calibrated(seed, 200)[:2]) for seed in range(1000)]
    assert np.mean(zs) == pytest.approx(0, abs=0.12)
    assert np.std(zs) == pytest.approx(1, abs=0.1)
    y, p, _ = calibrated(3, 400)
    assert abs(scores.spiegelhalter_z(y, p**3 / (p**3 + (1 - p) ** 3))) > 2.6


def test_ece_by_hand():
    """Two bins of ten: 0.2 predicted and 4 of 10 seen, 0.7 predicted and 7 of 10 seen."""
    y = [1] * 4 + [0] * 6 + [1] * 7 + [0] * 3
    p = [0.2] * 10 + [0.7] * 10
    squared = 0.5 * (0.04 - 0.24 / 9) + 0.5 * (0 - 0.21 / 9)
    assert squared < 0
    assert scores.ece(y, p, bins=2) == 0.0
    assert scores.ece(y, [0.1] * 10 + [0.7] * 10, bins=2) == pytest.approx(
        np.sqrt(0.5 * (0.09 - 0.24 / 9) + 0.5 * (0 - 0.21 / 9))
    )


def test_ece_of_equal_probabilities_has_one_bin():
    assert scores.ece([1] * 8 + [0] * 2, [0.5] * 10) == pytest.approx(np.sqrt(0.3**2 - 0.16 / 9))


def test_ece_of_single_turns_is_undefined():
    assert scores.ece([0, 1, 1], [0.1, 0.5, 0.9]) is None
    assert scores.ece_floor([0.1, 0.5, 0.9]) is None
    assert scores.ece_floor([]) is None


def test_debiased_error_is_near_0_if_calibrated_where_the_plain_one_is_not():
    """Squared, unfloored, its mean would be 0; floored, half of the draws show 0 exactly."""
    found, plain = [], []
    for seed in range(300):
        y, p, _ = calibrated(seed, 200)
        found.append(scores.ece(y, p))
        bins = np.array_split(np.argsort(p), 5)
        plain.append(np.mean([abs(y[turns].mean() - p[turns].mean()) for turns in bins]))
    assert np.median(found) < 0.02
    assert np.mean(np.array(found) == 0) > 0.4
    assert np.mean(plain) == pytest.approx(0.048, abs=0.008)


def test_debiased_error_finds_the_true_one():
    """Logits doubled: the true error is the root mean square of (right - said) over bins."""
    found, truth = [], []
    for seed in range(100):
        random = np.random.default_rng(seed)
        x = random.normal(-1, 1.5, 500)
        right, said = logistic(x), logistic(2 * x)
        found.append(scores.ece((random.random(500) < right).astype(float), said))
        bins = np.array_split(np.argsort(x), 5)
        truth.append(np.sqrt(np.mean([(right[b].mean() - said[b].mean()) ** 2 for b in bins])))
    assert np.mean(truth) > 0.08
    assert np.mean(found) == pytest.approx(np.mean(truth), abs=0.006)


def test_the_floor_is_what_calibrated_outcomes_exceed_once_in_20():
    _, p, w = calibrated(1, 150)
    floor = scores.ece_floor(p, w)
    random = np.random.default_rng(99)
    above = [scores.ece((random.random(150) < p).astype(float), p, w) > floor for _ in range(600)]
    assert np.mean(above) == pytest.approx(0.05, abs=0.03)
    assert floor == scores.ece_floor(p, w)
    assert scores.ece_floor(np.repeat(p, 10)) < scores.ece_floor(p)


def test_reliability_is_the_isotonic_curve():
    y, p, w = calibrated(2, 200, ties=True)
    found = scores.reliability(y, p, w, draws=50)
    assert list(found.predicted) == sorted(set(p))
    model = IsotonicRegression(y_min=0, y_max=1).fit(p, y, w)
    assert found.observed == pytest.approx(model.predict(found.predicted), abs=1e-9)
    assert (found.low <= found.high).all()


def test_a_calibrated_curve_keeps_to_its_band_and_another_leaves_it():
    inside, outside = [], []
    for seed in range(40):
        y, p, _ = calibrated(seed, 200, ties=True)
        found = scores.reliability(y, p, draws=100)
        inside.append(np.mean((found.observed >= found.low) & (found.observed <= found.high)))
        found = scores.reliability(y, np.sqrt(p), draws=100)
        outside.append(np.mean((found.observed >= found.low) & (found.observed <= found.high)))
    assert np.mean(inside) > 0.87
    assert np.mean(outside) < 0.6
