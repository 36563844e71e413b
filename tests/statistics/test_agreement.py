"""Agreement against scikit-learn and the examples of the papers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from auditor.statistics.agreement import ac1, alpha, kappa
from auditor.statistics.intervals import bootstrap

WORDS = np.array(["yes", "no", "unsure"])


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    first = random.choice(WORDS, 60)
    second = np.where(random.random(60) < 0.6, first, random.choice(WORDS, 60))
    w = random.uniform(0.2, 3, 60)
    expected = cohen_kappa_score(first, second, sample_weight=w)
    assert kappa(list(first), list(second), w) == pytest.approx(expected)


def pairs(**counts):
    """Answers of two raters from counts such as `yes_no=3`."""
    both = [name.split("_") for name, times in counts.items() for _ in range(times)]
    return [one for one, _ in both], [other for _, other in both]


def test_a_rare_answer_ruins_kappa_and_not_ac1():
    """118, 5, 2, 0 of 125: by hand, chance is .9454 for kappa and .0544 for AC1 (Gwet 2008)."""
    a, b = pairs(yes_yes=118, yes_no=5, no_yes=2)
    chance = (123 * 120 + 2 * 5) / 125**2
    assert kappa(a, b) == pytest.approx((118 / 125 - chance) / (1 - chance))
    assert kappa(a, b) < 0
    chance = 2 * (243 / 250) * (7 / 250)
    assert ac1(a, b) == pytest.approx((118 / 125 - chance) / (1 - chance))
    assert ac1(a, b) == pytest.approx(0.941, abs=0.001)


def test_alpha_of_two_raters_as_published():
    """Krippendorff 2011, example A: ten units, two observers, .095."""
    a, b = (0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (1, 1, 1, 0, 0, 1, 0, 0, 0, 0)
    assert alpha(list(zip(a, b, strict=True))) == pytest.approx(0.095, abs=0.001)


def test_alpha_of_four_raters_with_gaps_as_published():
    """Krippendorff 2011, example C: twelve units, four observers, missing answers, .743."""
    rows = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    ratings = [[None if one == "." else one for one in unit] for unit in zip(*rows, strict=True)]
    assert alpha(ratings) == pytest.approx(0.743, abs=0.001)


def test_alpha_repeats_a_turn_by_its_weight():
    ratings = [["yes", "no"], ["no", "no", "yes"], ["yes", "yes"], ["no", None], ["no", "no"]]
    times = [2, 1, 3, 4, 0]
    repeated = [turn for turn, count in zip(ratings, times, strict=True) for _ in range(count)]
    assert alpha(ratings, times) == pytest.approx(alpha(repeated))


@pytest.mark.parametrize("measure", [kappa, ac1])
def test_perfect_and_opposite_answers(measure):
    assert measure(["yes", "no"], ["yes", "no"]) == 1
    assert measure(["yes", "no"], ["no", "yes"]) == -1


def test_a_draw_of_one_answer_leaves_the_scale_as_it_is():
    """Both answers exist, though only one was drawn: AC1 sees full agreement, kappa only chance."""
    drawn = [1, 0, 1]
    assert ac1(["yes", "no", "yes"], ["yes", "yes", "yes"], drawn) == 1
    assert kappa(["yes", "no", "yes"], ["yes", "yes", "yes"], drawn) is None


def test_one_answer_for_all_says_nothing():
    same = ["no"] * 5
    assert kappa(same, same) is None
    assert ac1(same, same) is None
    assert alpha([["no", "no"]] * 5) is None


@pytest.mark.parametrize("measure", [kappa, ac1])
def test_no_answers_are_undefined(measure):
    assert measure([], []) is None
    assert measure(["yes"], ["no"], [0]) is None


def test_turns_of_one_rater_are_undefined():
    assert alpha([]) is None
    assert alpha([["yes"], ["no"]]) is None


def test_an_interval_comes_from_drawing_sessions():
    random = np.random.default_rng(3)
    first = random.choice(WORDS[:2], 80)
    second = np.where(random.random(80) < 0.8, first, random.choice(WORDS[:2], 80))
    sessions = [turn // 2 for turn in range(80)]
    a, b = list(first), list(second)
    for measure in (kappa, ac1):
        low, high = bootstrap(sessions, lambda m, of=measure: of(a, b, m), draws=300)
        assert low < measure(a, b) < high
        assert 0.1 < high - low < 0.7
    ratings = list(zip(a, b, strict=True))
    low, high = bootstrap(sessions, lambda m: alpha(ratings, m), draws=300)
    assert low < alpha(ratings) < high
