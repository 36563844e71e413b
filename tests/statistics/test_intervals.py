"""Intervals and tests against scipy, hand counts, exact coverage and simulated sessions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from auditor.statistics import intervals
from auditor.statistics.arrays import mean
from auditor.statistics.ranks import auc
from tests.statistics.worlds import calibrated

COUNTS = [(0, 1), (1, 1), (0, 20), (3, 20), (20, 20), (7, 133), (60, 61)]


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("k, n", COUNTS)
def test_shares_have_the_intervals_of_scipy(k, n, level):
    for ours, method in [(intervals.wilson, "wilson"), (intervals.clopper_pearson, "exact")]:
        theirs = binomtest(k, n).proportion_ci(level, method)
        assert ours(k, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(
    "measure",
    [intervals.wilson, intervals.clopper_pearson, lambda k, n: intervals.upper(k, n, 0.1)],
)
def test_a_share_of_nothing_is_undefined_and_a_false_count_is_said(measure):
    assert measure(0, 0) is None
    for k, n in [(3, 2), (-1, 4), (float("nan"), 4)]:
        with pytest.raises(ValueError, match="expected a count from 0"):
            measure(k, n)


def coverage(interval, n, p):
    """Exact chance that the interval of k of n holds p."""
    holds = [low <= p <= high for low, high in (interval(k, n) for k in range(n + 1))]
    return float(binom.pmf(np.arange(n + 1), n, p) @ holds)


@pytest.mark.parametrize("p", [0.03, 0.1, 0.37, 0.5, 0.8])
@pytest.mark.parametrize("n", [15, 60])
def test_exact_coverage(n, p):
    """Clopper-Pearson never covers less than it says; Wilson does so about, between 91 and 99 %."""
    assert coverage(intervals.clopper_pearson, n, p) >= 0.95
    assert 0.91 < coverage(intervals.wilson, n, p) < 0.99
    assert coverage(lambda k, n: (0, intervals.upper(k, n, 0.1)), n, p) >= 0.9


ONE_LOOK = """
    .05 .05  59  93 124 153 208 286
    .05 .10  29  46  61  76 103 142
    .05 .20  14  22  30  37  50  69
    .10 .05  45  77 105 132 184 258
    .10 .10  22  38  52  65  91 128
    .10 .20  11  18  25  32  45  63
    .10 .30   7  12  16  21  29  41
"""
"""Smallest n for 0, 1, 2, 3, 5, 8 wrong nudges: risk, tolerated share, then each n."""


@pytest.mark.parametrize(
    "delta, alpha, k, n",
    [
        (float(delta), float(alpha), k, int(n))
        for delta, alpha, *row in map(str.split, ONE_LOOK.strip().splitlines())
        for k, n in zip((0, 1, 2, 3, 5, 8), row, strict=True)
    ],
)
def test_labels_that_one_look_needs(delta, alpha, k, n):
    assert intervals.upper(k, n, delta) <= alpha < intervals.upper(k, n - 1, delta)


def test_strata_share_the_risk():
    """Half the turns with 0 of 30 wrong, half with 2 of 40: each bound at half the risk."""
    strata = [(0.5, 0, 30), (0.5, 2, 40)]
    expected = (intervals.upper(0, 30, 0.05) + intervals.upper(2, 40, 0.05)) / 2
    assert intervals.upper_of_strata(strata, 0.1) == pytest.approx(expected)
    assert intervals.upper_of_strata([(1.0, 1, 22)], 0.1) == intervals.upper(1, 22, 0.1)
    assert intervals.upper_of_strata([*strata, (0.1, 0, 0)], 0.1) is None
    assert intervals.upper_of_strata([], 0.1) is None


def test_a_draw_takes_whole_groups():
    groups = ["a", "a", "b", "c", "c", "c"]
    draws = list(intervals.bootstrap_weights(groups, 200, 1))
    assert len(draws) == 200
    for draw in draws:
        assert draw[0] == draw[1]
        assert draw[3] == draw[4] == draw[5]
        assert draw[0] + draw[2] + draw[3] == 3
    assert np.mean(draws, axis=0) == pytest.approx(1, abs=0.2)


def test_groups_are_any_names():
    named = list(intervals.bootstrap_weights([("a", 1), ("b", 2), ("a", 1)], 20, 1))
    numbered = list(intervals.bootstrap_weights([4, 7, 4], 20, 1))
    assert np.array_equal(named, numbered)


def test_the_same_data_give_the_same_interval_and_touch_no_other_randomness():
    y, p, w = calibrated(1, 60)
    groups = [turn // 3 for turn in range(60)]
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - the global state is what is watched

    def interval(seed):
        return intervals.bootstrap(groups, lambda m: auc(y, p, w * m), 100, seed)

    assert interval(4) == interval(4) != interval(5)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_a_bootstrap_of_a_mean_is_as_wide_as_its_standard_error():
    x = np.random.default_rng(1).normal(size=400)
    low, high = intervals.bootstrap(range(400), lambda m: mean(x, m), draws=1000)
    assert (low + high) / 2 == pytest.approx(x.mean(), abs=0.02)
    assert high - low == pytest.approx(2 * 1.96 * x.std() / 20, rel=0.1)


@pytest.mark.parametrize(
    "groups, measure",
    [
        ([], lambda _: 1.0),
        (["one"] * 5, lambda _: 1.0),
        (["a", "b"], lambda _: None),
        (["a", "b"], lambda m: 1.0 if m[0] == 1 else None),
    ],
    ids=["no turns", "one group", "never defined", "defined in half of the draws"],
)
def test_no_interval_without_news(groups, measure):
    assert intervals.bootstrap(groups, measure, draws=200) is None


def test_a_measure_may_be_undefined_now_and_then():
    """With 5 of 40 groups of class 1, a draw without any has a chance of about 0.5 %."""
    y = np.array([1.0] * 5 + [0.0] * 35)
    s = np.random.default_rng(1).random(40) + y / 2
    found = [auc(y, s, m) for m in intervals.bootstrap_weights(range(40), 2000, 3)]
    assert 0 < sum(value is None for value in found) < 40
    assert intervals.bootstrap(range(40), lambda m: auc(y, s, m), 2000, 3) is not None


def test_a_measure_that_is_no_number_is_said():
    with pytest.raises(ValueError, match="measure: a number is NaN"):
        intervals.bootstrap(["a", "b"], lambda _: float("nan"), draws=10)


def sessions(seed, count=40, size=8):
    """Outcomes that sessions share: a hard session is hard in all its turns."""
    random = np.random.default_rng(seed)
    chance = random.beta(1, 2, count)
    return (random.random((count, size)) < chance[:, None]).astype(float).ravel()


def test_sessions_must_be_drawn_whole():
    """The truth is 1/3: drawing sessions covers it, drawing turns pretends to know more."""
    groups = np.repeat(np.arange(40), 8).tolist()
    whole = single = 0
    for seed in range(200):
        y = sessions(seed)
        low, high = intervals.bootstrap(groups, lambda m, y=y: float(y @ m / m.sum()), 200, seed)
        whole += low <= 1 / 3 <= high
        low, high = intervals.bootstrap(range(320), lambda m, y=y: float(y @ m / 320), 200, seed)
        single += low <= 1 / 3 <= high
    assert whole / 200 == pytest.approx(0.93, abs=0.04)
    assert single / 200 < 0.85


def test_a_pair_on_the_same_turns_differs_by_less_than_each_alone():
    y, p, _ = calibrated(2, 300)
    worse = p + np.random.default_rng(22).normal(0, 0.15, 300)
    groups = [turn // 3 for turn in range(300)]

    def first(m):
        return auc(y, p, m)

    def second(m):
        return auc(y, worse, m)

    low, high = intervals.paired_bootstrap(groups, first, second, draws=400)
    assert low < first(None) - second(None) < high
    alone = intervals.bootstrap(groups, first, draws=400)
    assert high - low < alone[1] - alone[0]
    assert intervals.paired_bootstrap(groups, first, first, draws=50) == (0, 0)
    assert intervals.paired_bootstrap(groups, first, lambda _: None, draws=50) is None


def test_a_quantile_lies_between_two_of_the_numbers():
    """Of 100 numbers, fewer than 40 below the median: chance 1.8 %; fewer than 41: 2.8 %."""
    assert intervals.quantile_interval(np.arange(1, 101), 0.5) == (40, 61)
    below = binom(100, 0.5)
    assert below.cdf(39) <= 0.025 < below.cdf(40)


def test_a_high_quantile_needs_many_numbers():
    assert intervals.quantile_interval(range(71), 0.95) is None
    assert intervals.quantile_interval(range(72), 0.95)[1] == 71
    assert intervals.quantile_interval([], 0.5) is None


def test_quantile_intervals_cover():
    random = np.random.default_rng(1)
    truth = 1.6448536
    held = []
    for _ in range(800):
        low, high = intervals.quantile_interval(random.normal(size=150), 0.95)
        held.append(low <= truth <= high)
    assert 0.94 < np.mean(held) < 0.99


@pytest.mark.parametrize(
    "b, c, p", [(0, 0, 1), (1, 9, 22 / 1024), (9, 1, 22 / 1024), (5, 5, 1), (0, 6, 2 / 64)]
)
def test_mcnemar_by_hand(b, c, p):
    assert intervals.mcnemar(b, c) == pytest.approx(p)


def test_holm_by_hand():
    """Sorted: .005·4, .01·3, .03·2, .04·1, none below the one before."""
    assert intervals.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert intervals.holm([0.7, 0.6]) == [1, 1]
    assert intervals.holm([]) == []
    with pytest.raises(ValueError, match="NaN"):
        intervals.holm([float("nan"), 0.1])
