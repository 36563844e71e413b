"""Whether turns of today are like those of the fit: distances with the limit of no drift.

Owns the tests of decisions 4.8; each gives what is found and what chance alone would give. Raises
no alarm itself.
"""

# ruff: noqa: PLC0415 (SciPy is imported where it is used: half a second)

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor.statistics.arrays import Array, numbers

BINS = 5
"""More bins only add noise with the few hundred turns there are (decisions 4.8)."""

ALARM = 0.01
"""Chance that a look without any drift goes over the limit (a guess: looks are weekly)."""

SMOOTHING = 0.5
"""Added to each count, or one empty bin would make the distance infinite (Jeffreys)."""


class Psi(NamedTuple):
    """Population stability index, the value it exceeds without drift once in 100 looks, and n.

    None: no turns on one of the sides, or a single bin.
    """

    value: float | None
    limit: float | None
    n: int


def inner_edges(values: ArrayLike, bins: int = BINS) -> list[float]:
    """Edges between bins that hold equally many of these values; fewer where values repeat."""
    array = numbers(values, "values")
    if not len(array):
        return []
    cuts = np.unique(np.quantile(array, np.arange(1, bins) / bins))
    return [float(cut) for cut in cuts if cut > array.min()]


def counted(edges: ArrayLike, values: ArrayLike) -> list[int]:
    """Values in each bin: below the first edge, from it to the next, ..., from the last on."""
    cuts = _rising(edges)
    places = np.searchsorted(cuts, numbers(values, "values"), side="right")
    return [int(count) for count in np.bincount(places, minlength=len(cuts) + 1)]


def psi(edges: ArrayLike, reference: ArrayLike, current: ArrayLike, alarm: float = ALARM) -> Psi:
    """Distance of the probabilities `current` from the bin counts `reference` (see `counted`).

    sum (c - r) ln(c / r) of the shares. Without drift it is (1/n_ref + 1/n_cur) times a chi-square
    of bins - 1 (Yurdakul 2018), whose quantile is the limit; the usual 0.10 and 0.25 are none.
    """
    from scipy.stats import chi2

    before, now = numbers(reference, "reference"), np.array(counted(edges, current), dtype=float)
    if len(before) != len(now):
        raise ValueError(
            f"reference: expected {len(now)} counts, one for each bin, found {len(before)}"
        )
    n = int(now.sum())
    if not n or not before.sum() or len(now) < 2:
        return Psi(None, None, n)
    old, new = _shares(before), _shares(now)
    scale = 1 / before.sum() + 1 / n
    limit = float(scale * chi2.ppf(1 - alarm, len(now) - 1))
    return Psi(float((new - old) @ np.log(new / old)), limit, n)


def _shares(counts: Array) -> Array:
    smoothed = counts + SMOOTHING
    shares: Array = smoothed / smoothed.sum()
    return shares


def _rising(edges: ArrayLike) -> NDArray[np.float64]:
    cuts = numbers(edges, "edges")
    if (np.diff(cuts) <= 0).any():
        raise ValueError("edges: expected rising numbers")
    return cuts


class Ks(NamedTuple):
    """Largest distance of two distributions, and the p of one as large by chance."""

    distance: float
    p: float


def ks(reference: ArrayLike, current: ArrayLike) -> Ks | None:
    """Two-sample Kolmogorov-Smirnov test; warn below p = .001 (4.8). None without values."""
    from scipy.stats import ks_2samp

    before, now = numbers(reference, "reference"), numbers(current, "current")
    if not len(before) or not len(now):
        return None
    found = ks_2samp(before, now)
    return Ks(float(found.statistic), float(found.pvalue))


def two_shares(k: int, n: int, other_k: int, other_n: int) -> float | None:
    """Exact two-sided p that two shares are the same (Fisher 1935); None where an n is 0."""
    from scipy.stats import fisher_exact

    if not 0 <= k <= n or not 0 <= other_k <= other_n:
        raise ValueError("expected counts from 0 to their n")
    if not n or not other_n:
        return None
    return float(fisher_exact([[k, n - k], [other_k, other_n - other_k]]).pvalue)
