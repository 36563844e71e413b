"""Intervals: the same as the plain bootstrap gives one by one, and none where nothing is known."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.evaluating.estimates import Cohort, exactly, share, within
from auditor.evaluation import Estimate
from auditor.statistics import intervals, ranks

RANDOM = np.random.default_rng(7)
N = 120
GROUPS = sorted(f"g{n % 12:02}" for n in range(N))
Y = (RANDOM.random(N) < 0.3).astype(float)
W = RANDOM.choice([1.0, 3.0, 9.0], N)
S = RANDOM.random(N) + 0.3 * Y
DRAWS = 200


@pytest.fixture(scope="module")
def cohort() -> Cohort:
    return Cohort(Y, W, GROUPS, draws=DRAWS)


def same(found: Estimate, value: float, between: tuple[float, float] | None) -> bool:
    numbers = [found.value, found.low, found.high]
    return numbers == pytest.approx([value, *(between or (None, None))], abs=2e-6)


def test_a_mean_and_its_interval_are_those_of_the_plain_bootstrap(cohort: Cohort) -> None:
    held = Y == 0
    found = cohort.mean(S > 0.5, held)
    slow = intervals.bootstrap(GROUPS, lambda m: share(S > 0.5, W * m, held), DRAWS)
    assert same(found, share(S > 0.5, W, held) or 0.0, slow)
    assert found.n == int(held.sum())


def test_what_takes_an_order_is_too(cohort: Cohort) -> None:
    found = cohort.measured(lambda w: {"auc": ranks.auc(Y, S, w)})["auc"]
    slow = intervals.bootstrap(GROUPS, lambda m: ranks.auc(Y, S, W * m), DRAWS)
    assert same(found, ranks.auc(Y, S, W) or 0.0, slow)


def test_a_difference_is_that_of_the_paired_bootstrap(cohort: Cohort) -> None:
    other = 1.0 - S
    found = cohort.difference(
        lambda w: {"auc": ranks.auc(Y, S, w)}, lambda w: {"auc": ranks.auc(Y, other, w)}
    )["auc"]
    slow = intervals.paired_bootstrap(
        GROUPS,
        lambda m: ranks.auc(Y, S, W * m),
        lambda m: ranks.auc(Y, other, W * m),
        DRAWS,
    )
    assert same(found, (ranks.auc(Y, S, W) or 0) - (ranks.auc(Y, other, W) or 0), slow)


def test_some_of_the_turns_keep_the_draws_of_all(cohort: Cohort) -> None:
    held = S > 0.4
    part = cohort.among(held)
    assert len(part) == int(held.sum())
    assert part.mean(part.y) == cohort.mean(Y, held)


def test_the_order_of_turns_changes_nothing() -> None:
    shuffled = np.random.default_rng(1).permutation(N)
    again = Cohort(Y[shuffled], W[shuffled], [GROUPS[at] for at in shuffled], draws=DRAWS)
    assert again.mean(S[shuffled] > 0.5) == Cohort(Y, W, GROUPS, draws=DRAWS).mean(S > 0.5)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_share_without_spread_has_wilsons_interval_on_the_effective_n(
    cohort: Cohort, value: float
) -> None:
    found = cohort.mean(np.full(N, value))
    size = cohort.effective
    assert same(found, value, intervals.wilson(value * size, size))
    assert found.low != found.high


def test_weights_that_do_not_add_up_exactly_still_make_a_whole() -> None:
    found = Cohort([1.0] * 30, [0.1] * 30, ["a", "b", "c"] * 10, draws=10).mean([1.0] * 30)
    assert found.value == 1.0
    assert found.low is not None
    assert found.low < 1.0


@pytest.mark.parametrize(
    ("groups", "draws"),
    [(["one"] * 4, 50), (["a", "b", "c", "d"], 0)],
    ids=["one group", "no draws"],
)
def test_what_cannot_be_drawn_has_no_interval(groups: list[str], draws: int) -> None:
    found = Cohort([0.0, 1.0, 1.0, 0.0], [1.0] * 4, groups, draws=draws)
    assert found.mean(found.y) == Estimate(0.5, None, None, 4)
    assert found.measured(lambda w: {"auc": ranks.auc(found.y, w, w)})["auc"].low is None


def test_nothing_held_is_no_number(cohort: Cohort) -> None:
    assert cohort.mean(Y, np.zeros(N, dtype=bool)) == Estimate(None, n=0)


def test_a_measure_that_few_draws_define_has_a_value_and_no_interval() -> None:
    found = Cohort([1.0, 0.0, 0.0], [1.0] * 3, ["a", "b", "c"], draws=100)
    area = found.measured(lambda w: {"auc": ranks.auc(found.y, [3.0, 2.0, 1.0], w)})["auc"]
    assert area == Estimate(1.0, None, None, 3)


def test_numbers_found_elsewhere_are_taken_over() -> None:
    assert exactly(0.0, 7) == Estimate(0.0, 0.0, 0.0, 7)
    assert within(1.25, (1.0, 1.5), 7) == Estimate(1.25, 1.0, 1.5, 7)
    assert within(None, None, 7) == Estimate(None, n=7)
