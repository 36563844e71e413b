"""Drift: distances by hand, limits by simulation, and that real drift is seen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from auditor.statistics.drift import counted, inner_edges, ks, psi, two_shares


def test_psi_by_hand():
    """Half a turn is added to each bin: (10.5, 30.5) of 41 and (5.5, 5.5) of 11."""
    found = psi([0.5], [10, 30], [0.1] * 5 + [0.5] * 5)
    old, new = np.array([10.5, 30.5]) / 41, np.array([0.5, 0.5])
    assert found.value == pytest.approx(float(((new - old) * np.log(new / old)).sum()))
    assert found.limit == pytest.approx((1 / 40 + 1 / 10) * chi2.ppf(0.99, 1))
    assert found.n == 10


def test_equal_shares_have_no_distance():
    assert psi([0.5], [20, 20], [0.1] * 20 + [0.9] * 20).value == 0


@pytest.mark.parametrize(
    "edges, reference, current",
    [([0.5], [3, 3], []), ([0.5], [0, 0], [0.1]), ([], [4], [0.1])],
    ids=["nothing now", "nothing then", "one bin"],
)
def test_psi_of_nothing_is_undefined(edges, reference, current):
    assert psi(edges, reference, current) == (None, None, len(current))


@pytest.mark.parametrize(
    "edges, reference, current, says",
    [
        ([0.5], [3, 3], [0.1, float("nan")], "values: a number is NaN"),
        ([0.5], [3, float("nan")], [0.1], "reference: a number is NaN"),
        ([0.5, 0.5], [3, 3, 3], [0.1], "edges: expected rising"),
        ([0.5], [3, 3, 3], [0.1], "expected 2 counts"),
    ],
)
def test_psi_says_what_it_cannot_take(edges, reference, current, says):
    with pytest.raises(ValueError, match=says):
        psi(edges, reference, current)


def test_edges_hold_equal_counts_and_fewer_where_values_repeat():
    values = np.arange(100) / 100
    edges = inner_edges(values)
    assert edges == pytest.approx([0.198, 0.396, 0.594, 0.792])
    assert counted(edges, values) == [20] * 5
    assert inner_edges([0.3] * 90 + [0.7] * 10) == []
    assert inner_edges([0.3] * 30 + [0.7] * 70) == [0.7]
    assert counted([0.7], [0.3, 0.7, 0.9]) == [1, 2]
    assert inner_edges([]) == []


def test_the_limit_is_exceeded_as_often_as_it_says_and_the_folklore_far_more():
    """200 turns then, 100 now, no drift: 1 % over our limit; 0.10 alarms in about 14 % (4.8)."""
    random = np.random.default_rng(1)
    over = folklore = 0
    for _ in range(2000):
        before, now = random.beta(1, 3, 200), random.beta(1, 3, 100)
        edges = inner_edges(before)
        found = psi(edges, counted(edges, before), now)
        over += found.value > found.limit
        folklore += found.value > 0.10
    assert 0.003 < over / 2000 < 0.02
    assert folklore / 2000 == pytest.approx(0.14, abs=0.04)


def test_a_shift_is_seen():
    random = np.random.default_rng(2)
    before, now = random.beta(1, 3, 200), random.beta(2, 3, 100)
    edges = inner_edges(before)
    found = psi(edges, counted(edges, before), now)
    assert found.value > found.limit
    assert ks(before, now).p < 0.001
    assert ks(before, random.beta(1, 3, 100)).p > 0.001


def test_ks_by_hand():
    """Nothing in common: distance 1; of 20 ways to mix three and three, two are as far apart."""
    assert ks([1, 2, 3], [4, 5, 6]) == pytest.approx((1.0, 0.1))
    assert ks([], [1]) is None
    with pytest.raises(ValueError, match="NaN"):
        ks([1.0], [float("nan")])


def test_two_shares_by_hand():
    """0 of 3 against 3 of 3: 2 of the 20 tables with these margins are as extreme."""
    assert two_shares(0, 3, 3, 3) == pytest.approx(0.1)
    assert two_shares(5, 10, 50, 100) == pytest.approx(1)
    assert two_shares(0, 0, 1, 2) is None
    with pytest.raises(ValueError, match="counts from 0"):
        two_shares(4, 3, 1, 2)
