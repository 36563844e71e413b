"""Certificates and demotions: the formula, its tables, and what peeking does to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from auditor.statistics import eprocess
from auditor.statistics.intervals import upper

DELTA = 0.1


def integrated(n, k, low, high, alpha):
    """Mean likelihood ratio over shares from low to high, against alpha, by quadrature."""

    def ratio(share):
        return (share / alpha) ** k * ((1 - share) / (1 - alpha)) ** (n - k)

    return quad(ratio, low, high, epsabs=0, epsrel=1e-10, limit=200)[0] / (high - low)


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("n, k", [(0, 0), (1, 0), (1, 1), (16, 0), (40, 3), (60, 25), (120, 12)])
def test_evidence_is_a_mean_over_shares(n, k, alpha):
    assert eprocess.certificate(n, k, alpha) == pytest.approx(
        integrated(n, k, 0, alpha, alpha), rel=1e-8
    )
    assert eprocess.demotion(n, k, alpha) == pytest.approx(
        integrated(n, k, alpha, 1, alpha), rel=1e-8
    )


@pytest.mark.parametrize("evidence", [eprocess.certificate, eprocess.demotion])
@pytest.mark.parametrize("n, k", [(0, 0), (10, 4), (150, 20), (900, 500)])
@pytest.mark.parametrize("alpha", [0.1, 0.2])
def test_evidence_is_a_fair_game_at_the_limit(evidence, n, k, alpha):
    """A label that is wrong with chance alpha leaves the mean of E as it was; 1 at the start."""
    after = alpha * evidence(n + 1, k + 1, alpha) + (1 - alpha) * evidence(n + 1, k, alpha)
    assert after == pytest.approx(evidence(n, k, alpha), rel=1e-9)
    assert evidence(0, 0, alpha) == pytest.approx(1)


def test_far_too_many_wrong_is_small_and_not_nothing():
    """I_alpha is below the smallest float here; its series is not."""
    found = eprocess.certificate(3000, 2500, 0.1)
    assert 0 < found < 1e-3
    assert found == pytest.approx(0.9 / 2501 / (1 - 0.1 * 3002 / 2502), rel=1e-3)


def test_much_evidence_is_infinite_and_its_logarithm_is_not():
    assert eprocess.certificate(20_000, 0, 0.2) == math.inf
    assert eprocess.log_certificate(20_000, 0, 0.2) == pytest.approx(
        -math.log(20_001 * 0.2) - 20_000 * math.log(0.8), rel=1e-9
    )


MOST_WRONG = [
    (alpha, n, k)
    for alpha, row in [
        (0.2, (0, 0, 1, 2, 3, 4, 7, 10, 17, 25)),
        (0.1, (None, None, None, 0, 0, 1, 2, 3, 6, 10)),
    ]
    for n, k in zip((20, 25, 30, 40, 50, 60, 80, 100, 150, 200), row, strict=True)
]


@pytest.mark.parametrize("alpha, n, k", MOST_WRONG)
def test_wrong_nudges_that_a_certificate_bears(alpha, n, k):
    assert eprocess.most_wrong(n, alpha, DELTA) == k


@pytest.mark.parametrize("alpha, earliest", [(0.2, 16), (0.1, 34)])
def test_the_earliest_certificate(alpha, earliest):
    assert not eprocess.passed([False] * (earliest - 1), alpha, DELTA)
    assert eprocess.passed([False] * earliest, alpha, DELTA)
    assert eprocess.most_wrong(earliest - 1, alpha, DELTA) is None
    assert eprocess.labels_needed(0, alpha, DELTA) == earliest


def test_a_certificate_once_reached_stays():
    assert eprocess.passed([False] * 16 + [True] * 30, 0.2, DELTA)
    assert not eprocess.passed([True] * 30 + [False] * 16, 0.2, DELTA)
    assert eprocess.certificate(46, 30, 0.2) < 1
    assert eprocess.peak([False] * 16 + [True] * 30, 0.2) == pytest.approx(
        eprocess.certificate(16, 0, 0.2)
    )


def test_nothing_is_certified_by_nothing():
    assert not eprocess.passed([], 0.2, DELTA)
    assert eprocess.peak([], 0.2) == 1
    assert eprocess.peak([True] * 5, 0.2) == 1
    assert not eprocess.alarmed([], 0.2)
    assert eprocess.loosest([], 0.2, DELTA) is None


NEEDED = [
    (0.2, 0.02, 16), (0.2, 0.05, 27), (0.2, 0.08, 36), (0.2, 0.10, 61), (0.2, 0.12, 97),
    (0.2, 0.15, 270), (0.1, 0.02, 34), (0.1, 0.05, 125),
]  # fmt: skip


@pytest.mark.parametrize("alpha, share, median", NEEDED)
def test_labels_needed(alpha, share, median):
    assert eprocess.labels_needed(share, alpha, DELTA) == median


def test_labels_needed_are_those_of_simulated_runs():
    """With 10 labels already there, 2 of them wrong, and for 80 % of all runs."""
    random = np.random.default_rng(1)
    needed = eprocess.labels_needed(0.08, 0.2, DELTA, 0.8, held=(10, 2))
    bounds = [eprocess.most_wrong(10 + more, 0.2, DELTA) for more in range(needed + 1)]
    borne = np.array([-1 if bound is None else bound for bound in bounds])
    wrong = 2 + np.cumsum(random.random((4000, needed)) < 0.08, axis=1)
    reached = wrong <= borne[1:]
    assert reached[:, :-1].any(axis=1).mean() < 0.82
    assert reached.any(axis=1).mean() > 0.78


@pytest.mark.parametrize(
    "share, held, needed",
    [(0.02, (16, 0), 0), (0.02, (15, 0), 1), (0.2, (0, 0), None), (0.9, (0, 0), None),
     (0.199, (0, 0), None)],
)  # fmt: skip
def test_labels_needed_at_the_ends(share, held, needed):
    assert eprocess.labels_needed(share, 0.2, DELTA, held=held) == needed


def test_attempts_share_the_risk():
    assert [eprocess.delta_of(attempt, 0.1) for attempt in (1, 2, 3)] == pytest.approx(
        [0.05, 0.1 / 6, 0.1 / 12]
    )
    assert sum(eprocess.delta_of(attempt, 0.1) for attempt in range(1, 10_000)) <= 0.1


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: eprocess.certificate(3, 4, 0.2), "expected from 0 to 3 wrong"),
        (lambda: eprocess.certificate(3, -1, 0.2), "expected from 0 to 3 wrong"),
        (lambda: eprocess.certificate(3, 1, 1.0), "alpha: expected a share between 0 and 1"),
        (lambda: eprocess.certificate(3, 1, float("nan")), "alpha"),
        (lambda: eprocess.passed([True], 0.2, 0.0), "delta"),
        (lambda: eprocess.passed([True], float("nan"), 0.1), "alpha"),
        (lambda: eprocess.most_wrong(3, 0.2, 2.0), "delta"),
        (lambda: eprocess.labels_needed(1.5, 0.2, 0.1), "share: expected from 0 to 1"),
        (lambda: eprocess.labels_needed(float("nan"), 0.2, 0.1), "share"),
        (lambda: eprocess.delta_of(0, 0.1), "an attempt from 1 on"),
    ],
)
def test_what_is_no_share_is_said(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def runs(seed, share, length, count):
    return np.random.default_rng(seed).random((count, length)) < share


@pytest.mark.parametrize("alpha", [0.1, 0.2])
def test_false_certificates_stay_rare_with_a_look_after_every_label(alpha):
    """Measured 6-7 % after 300 looks; at most 10 %. One-look bounds, peeked at, fail far more."""
    outcomes = runs(2, alpha, 300, 3000)
    false = np.mean([eprocess.passed(run, alpha, DELTA) for run in outcomes])
    assert 0.04 < false <= 0.085
    looks = range(15, 201, 5)
    wrong = np.cumsum(outcomes, axis=1)
    bearable = {n: [upper(k, n, DELTA) <= alpha for k in range(n + 1)] for n in looks}
    peeked = np.any([np.array(bearable[n])[wrong[:, n - 1]] for n in looks], axis=0)
    assert peeked.mean() > 0.22


@pytest.mark.parametrize(
    "shares", [(0.2, 0.2, 0.2), (0.05, 0.4, 0.5), (0.1, 0.1, 0.5), (0.3, 0.05, 0.05)]
)
def test_false_certificates_of_a_sequence_of_thresholds_stay_rare(shares):
    """Labels fall evenly into three bands, each with its own share of wrong nudges; the candidates
    are the first band, the first two, all three. False: any whose true share is not below 20 %."""
    random = np.random.default_rng(3)
    false = 0
    for _ in range(1000):
        band = random.integers(0, 3, 240)
        wrong = random.random(240) < np.array(shares)[band]
        found = eprocess.loosest([wrong[band <= last].tolist() for last in range(3)], 0.2, DELTA)
        false += found is not None and any(
            np.mean(shares[: last + 1]) >= 0.2 - 1e-12 for last in range(found + 1)
        )
    assert false / 1000 <= 0.1


def test_no_candidate_is_skipped():
    good, few = [False] * 40, [False] * 5
    assert eprocess.loosest([good, good, few], 0.2, DELTA) == 1
    assert eprocess.loosest([few, good, good], 0.2, DELTA) is None
    assert eprocess.loosest([good, few, good], 0.2, DELTA) == 0


@pytest.mark.parametrize("p0", [0.1, 0.2])
def test_false_alarms_stay_rare(p0):
    """Measured about 3 % over 400 nudges; at most 5 %."""
    false = np.mean([eprocess.alarmed(run, p0) for run in runs(4, p0, 400, 2000)])
    assert 0.01 < false <= 0.05


@pytest.mark.parametrize(
    "p0, share, median",
    [(0.2, 0.45, 20), (0.2, 0.35, 55), (0.2, 0.60, 9), (0.1, 0.35, 14), (0.1, 0.25, 38)],
)
def test_drift_is_noticed_soon(p0, share, median):
    """Half of all runs have alarmed by the median of decisions 4.8, give or take 15 %."""
    outcomes = runs(5, share, int(median * 1.2) + 1, 800)
    late, early = int(median * 1.15) + 1, int(median * 0.85) - 1
    assert np.mean([eprocess.alarmed(run[:late], p0) for run in outcomes]) > 0.5
    assert np.mean([eprocess.alarmed(run[:early], p0) for run in outcomes]) < 0.5
