"""Ranking measures against scikit-learn and against slow, obvious ones."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from auditor.statistics import ranks
from tests.statistics.worlds import calibrated

SEEDS = pytest.mark.parametrize("seed", range(8))


def world(seed):
    return calibrated(seed, 120, ties=seed % 2 == 0)


@SEEDS
def test_areas_are_those_of_scikit_learn(seed):
    y, p, w = world(seed)
    assert ranks.auc(y, p, w) == pytest.approx(roc_auc_score(y, p, sample_weight=w), rel=1e-12)
    assert ranks.average_precision(y, p, w) == pytest.approx(
        average_precision_score(y, p, sample_weight=w), rel=1e-12
    )


@SEEDS
def test_curve_is_that_of_scikit_learn(seed):
    y, p, w = world(seed)
    wrong, recall, _ = roc_curve(y, p, sample_weight=w, drop_intermediate=False)
    found = ranks.curve(y, p, w)
    assert found.wrong == pytest.approx(wrong, abs=1e-12)
    assert found.recall == pytest.approx(recall, abs=1e-12)


def test_auc_of_pairs_by_hand():
    """Pairs (1 above 0): 0.9 beats both, 0.4 beats one and ties none, ties count half."""
    assert ranks.auc([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1]) == 0.75
    assert ranks.auc([1, 0], [0.5, 0.5]) == 0.5


def thresholds(y, s, w):
    """For every threshold, slowly: right, wrong, all right, all wrong."""
    for cut in sorted(set(s), reverse=True):
        nudged = s >= cut
        yield (
            (w * y * nudged).sum(),
            (w * (1 - y) * nudged).sum(),
            (w * y).sum(),
            (w * (1 - y)).sum(),
        )


@SEEDS
@pytest.mark.parametrize("limit", [0.005, 0.02, 0.1, 0.5, 1.0])
def test_recall_and_rate_are_the_best_of_all_thresholds(seed, limit):
    y, p, w = world(seed)
    rows = list(thresholds(y, p, w))
    recall = max([0.0, *(r / rs for r, f, rs, fs in rows if f / fs <= limit)])
    rate = max([0.0, *((r + f) / (rs + fs) for r, f, rs, fs in rows if f / (r + f) <= limit)])
    assert ranks.recall_at(y, p, w, limit) == pytest.approx(recall)
    assert ranks.rate_at(y, p, w, limit) == pytest.approx(rate)


def test_recall_never_lies_between_thresholds():
    """The best turn is wrong: no threshold has 10 % wrong, so nothing is found, honestly."""
    assert ranks.recall_at([0, 1, 1, 0], [0.9, 0.8, 0.7, 0.1], None, 0.1) == 0.0
    assert ranks.recall_at([0, 1, 1, 0], [0.9, 0.8, 0.7, 0.1], None, 0.5) == 1.0


@pytest.mark.parametrize(
    "rate, precision", [(0.2, 1.0), (0.4, 0.5), (0.5, 2 / 3), (0.6, 2 / 3), (0.8, 0.6), (1.0, 0.6)]
)
def test_precision_at_a_rate_takes_ties_with_it(rate, precision):
    y, s = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.3, 0.3]
    assert ranks.precision_at(y, s, None, rate) == pytest.approx(precision)


def test_risk_coverage_by_hand():
    """Surest first: 0.95 right, 0.1 wrong, 0.6 right, 0.5 wrong."""
    found = ranks.risk_coverage([1, 1, 1, 0], [0.95, 0.1, 0.6, 0.5])
    assert list(found.coverage) == [0.25, 0.5, 0.75, 1.0]
    assert found.risk == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert found.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)


def test_risk_at_full_coverage_is_the_share_of_wrong_decisions():
    y, p, w = world(1)
    wrong = np.average((p >= 0.5) != (y == 1), weights=w)
    assert ranks.risk_coverage(y, p, w).risk[-1] == pytest.approx(wrong)
