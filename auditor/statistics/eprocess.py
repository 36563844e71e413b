"""Evidence about a share that may be looked at after every label: certificates and demotions.

Owns the e-processes of decisions 4.4 (c) and 4.8. E starts at 1 and, while the hypothesis against
it holds, ever reaches 1/delta with a chance of at most delta (Ville 1939). Counts are of labelled
would-be nudges: n of them, k wrong. Knows no policy and no state.
"""

# ruff: noqa: PLC0415 (SciPy is imported where it is used: half a second)

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from auditor.statistics.arrays import Array

ALARM = 20.0
"""E at which nudging is taken back: a false alarm in at most 5 % of all times (decisions 4.8)."""

MOST = 5_000
"""Labels beyond which none are promised: more than anybody gives (a guess)."""

Counts = NDArray[np.int64]


def log_certificate(n: int, k: int, alpha: float) -> float:
    """Logarithm of `certificate`; compare this with log(1/delta)."""
    _check(alpha, "alpha")
    if not 0 <= k <= n:
        raise ValueError(f"expected from 0 to {n} wrong nudges, found {k}")
    return float(_logs(np.array([n]), np.array([k]), alpha)[0])


def certificate(n: int, k: int, alpha: float) -> float:
    """Evidence that the share of wrong nudges is below alpha; certified at 1/delta.

    E(n, k) = B(1+k, 1+n-k) I_alpha(1+k, 1+n-k) / (alpha alpha^k (1-alpha)^(n-k)): a uniform mixture
    over the shares below alpha, against alpha (Robbins 1970). 1.0 without labels.
    """
    return _exp(log_certificate(n, k, alpha))


def demotion(n: int, k: int, p0: float) -> float:
    """Evidence that the share of wrong nudges is above p0; an alarm at `ALARM`.

    E = B(1+k, 1+n-k) (1 - I_p0(1+k, 1+n-k)) / ((1-p0) p0^k (1-p0)^(n-k)), which is the certificate
    that the share of right ones is below 1 - p0.
    """
    return certificate(n, n - k, 1 - p0)


def _exp(log: float) -> float:
    return math.exp(log) if log < 700 else math.inf


def _logs(n: Counts, k: Counts, alpha: float) -> Array:
    """Logarithm of E for each pair of counts."""
    from scipy.special import betainc, betaln

    below = betainc(1 + k, 1 + n - k, alpha)
    against = (k + 1) * math.log(alpha) + (n - k) * math.log1p(-alpha)
    with np.errstate(divide="ignore"):
        logs: Array = betaln(1 + k, 1 + n - k) + np.log(below) - against
    for place in np.flatnonzero(below < 1e-250):
        logs[place] = _log_series(int(n[place]), int(k[place]), alpha)
    return logs


def _log_series(n: int, k: int, alpha: float) -> float:
    """The same where I_alpha is too small to write down (far too many wrong), by its series.

    E = (1-alpha)/(1+k) sum_j alpha^j (n+2)_j / (k+2)_j (DLMF 8.17.8); terms fall from the start.
    """
    total = term = 1.0
    j = 0
    while term > 1e-17 * total:
        term *= alpha * (n + 2 + j) / (k + 2 + j)
        total += term
        j += 1
    return math.log1p(-alpha) - math.log1p(k) + math.log(total)


def peak(wrong: Sequence[bool], alpha: float) -> float:
    """The largest E at any time so far.

    `wrong` says of each labelled nudge, in order of arrival, whether it was wrong. 1.0
    without labels.
    """
    return _exp(_log_peak(wrong, alpha))


def passed(wrong: Sequence[bool], alpha: float, delta: float) -> bool:
    """Whether E reached 1/delta at any time: then the share of wrong nudges is below alpha.

    `wrong` as in `peak`. The chance of a yes for a share of alpha or more is at most delta, however
    often one looks.
    """
    _check(delta, "delta")
    return _log_peak(wrong, alpha) >= -math.log(delta)


def _log_peak(wrong: Sequence[bool], alpha: float) -> float:
    _check(alpha, "alpha")
    k = np.cumsum(np.asarray(wrong, dtype=np.int64))
    if not len(k):
        return 0.0
    return max(0.0, float(_logs(np.arange(1, len(k) + 1), k, alpha).max()))


def loosest(candidates: Sequence[Sequence[bool]], alpha: float, delta: float) -> int | None:
    """Index of the loosest candidate threshold certified without a gap; None: not even the first.

    For each candidate, strictest first, the `wrong` of the labels at or above it. Stops at the
    first that has not passed: none may be skipped (fixed sequence, decisions 4.4).
    """
    found = None
    for number, wrong in enumerate(candidates):
        if not passed(wrong, alpha, delta):
            break
        found = number
    return found


def alarmed(wrong: Sequence[bool], p0: float, limit: float = ALARM) -> bool:
    """Whether the demotion evidence of outcomes, in order, reached the limit at any time."""
    right = [not outcome for outcome in wrong]
    return _log_peak(right, 1 - p0) >= math.log(limit)


def delta_of(attempt: int, delta: float) -> float:
    """Risk left for the a-th attempt, delta / (a (a+1)): over all attempts it sums to delta."""
    if attempt < 1:
        raise ValueError(f"expected an attempt from 1 on, found {attempt}")
    return delta / (attempt * (attempt + 1))


def most_wrong(n: int, alpha: float, delta: float) -> int | None:
    """Wrong nudges among n labels that a certificate still bears; None: not even 0."""
    k = np.arange(n + 1)
    _check(alpha, "alpha")
    _check(delta, "delta")
    enough = _logs(np.full(n + 1, n), k, alpha) >= -math.log(delta)
    return int(np.flatnonzero(enough).max()) if enough.any() else None


def labels_needed(
    share: float,
    alpha: float,
    delta: float,
    quantile: float = 0.5,
    held: tuple[int, int] = (0, 0),
) -> int | None:
    """Further labels after which `quantile` of all runs are certified, if `share` are wrong.

    `held`: labels (n, k) that there are already. Exact: the chance of every count of wrong nudges,
    label by label, without the runs that are certified by then. None: more than `MOST`, or never,
    because share is not below alpha.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share: expected from 0 to 1, found {share}")
    n, k = held
    goal, borne = -math.log(delta), most_wrong(n, alpha, delta)
    bound = -1 if borne is None else borne
    if log_certificate(n, k, alpha) >= goal:
        return 0
    if share >= alpha:
        return None
    waiting = np.zeros(k + MOST + 1)
    waiting[k] = 1.0
    for more in range(1, MOST + 1):
        waiting[1:] = waiting[1:] * (1 - share) + waiting[:-1] * share
        waiting[0] *= 1 - share
        # One more label bears at most one more wrong one.
        bound += log_certificate(n + more, bound + 1, alpha) >= goal
        waiting[: bound + 1] = 0.0
        if waiting.sum() <= 1 - quantile:
            return more
    return None


def _check(share: float, name: str) -> None:
    if not 0 < share < 1:
        raise ValueError(f"{name}: expected a share between 0 and 1, found {share}")
