"""How good probabilities are: proper losses, their parts, and how far they can be believed.

Everywhere `y` is 0 or 1 (a nudge would have been right), `p` a probability, `w` a weight for each
turn (1 unless given). None where nothing can be said; ValueError for NaN or unequal lengths.
Follows decisions 4.2 and 7.6.
"""

# ruff: noqa: PLC0415 (SciPy is imported where it is used: half a second)

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor.statistics import logistic
from auditor.statistics.arrays import Array, blocks, both, forecasts, logit, mean, summed

SMALLEST = float(np.finfo(np.float64).eps)
"""Distance from 0 and 1 in the log loss, as scikit-learn has it: a sure error costs 36, not ∞."""

SEED = 20261130
"""Of the redraws: the same data give the same band. Any number would do."""

Z95 = 1.959963984540054
"""Standard errors on each side of a 95 % Wald interval."""


def log_loss(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float | None:
    """Weighted mean of -log of the probability given to what was so, in nats; lower is better."""
    outcomes, probability, weight = forecasts(y, p, w)
    held = np.clip(probability, SMALLEST, 1 - SMALLEST)
    return mean(-np.where(outcomes == 1, np.log(held), np.log1p(-held)), weight)


def brier(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> float | None:
    """Weighted mean of (p - y)² (Brier 1950); lower is better."""
    outcomes, probability, weight = forecasts(y, p, w)
    return mean((probability - outcomes) ** 2, weight)


def base_rate(y: ArrayLike, w: ArrayLike | None = None) -> float | None:
    """Weighted share of y = 1: the constant that every probability has to beat."""
    return mean(y, w)


class Corp(NamedTuple):
    """Parts of the Brier score: it equals mcb - dsc + unc."""

    mcb: float
    """What a monotone recalibration would save."""
    dsc: float
    """What the ranking gains over the base rate."""
    unc: float
    """The score of the base rate."""


def corp(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> Corp | None:
    """CORP decomposition of the Brier score by isotonic refit; no bins to choose.

    Dimitriadis, Gneiting, Jordan, PNAS 2021; in sample, so `mcb` is never below 0 and a calibrated
    p shows a little. A bootstrap of `mcb` and `dsc` runs high: a turn drawn twice looks like a bin.
    """
    outcomes, probability, weight = forecasts(y, p, w)
    total = float(weight.sum())
    if not total:
        return None
    _, mass, ones = (row[::-1] for row in blocks(probability, weight, weight * outcomes))
    refit = _isotonic(ones / mass, mass)
    refitted = float(ones @ (1 - refit) ** 2 + (mass - ones) @ refit**2) / total
    base = float(ones.sum()) / total
    unc = base * (1 - base)
    score = float(weight @ (probability - outcomes) ** 2) / total
    return Corp(score - refitted, unc - refitted, unc)


def _isotonic(rising: Array, mass: Array) -> Array:
    """Pool adjacent violators: the closest values that never fall."""
    from scipy.optimize import isotonic_regression

    fitted: Array = isotonic_regression(rising, weights=mass).x
    return fitted


class Cox(NamedTuple):
    """y on the log odds of p; a calibrated p has intercept 0, slope 1. Intervals: 95 %, Wald."""

    intercept: float
    slope: float
    intercept_interval: tuple[float, float]
    slope_interval: tuple[float, float]


def cox(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> Cox | None:
    """Calibration intercept and slope (Cox 1958), fitted together by maximum likelihood.

    Standard errors are of the sandwich form, which sampling weights need. None: a class is empty,
    all p are equal, or p separates the classes (the slope has no finite estimate then).
    """
    outcomes, probability, weight = forecasts(y, p, w)
    if not both(outcomes):
        return None
    line = logistic.fit(outcomes, logit(probability), weight)
    if line is None:
        return None
    low, high = (
        line.intercept - Z95 * line.intercept_error,
        line.intercept + Z95 * line.intercept_error,
    )
    flat, steep = line.slope - Z95 * line.slope_error, line.slope + Z95 * line.slope_error
    return Cox(line.intercept, line.slope, (low, high), (flat, steep))


def spiegelhalter_z(y: ArrayLike, p: ArrayLike) -> float | None:
    """Standard normal if p is calibrated (Spiegelhalter 1986); None if every p is 0, 1/2 or 1."""
    outcomes, probability, _ = forecasts(y, p, None)
    tilt = 1 - 2 * probability
    variance = float((tilt**2 * probability * (1 - probability)).sum())
    return float(((outcomes - probability) * tilt).sum() / np.sqrt(variance)) if variance else None


def ece(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None, bins: int = 5) -> float | None:
    """Debiased calibration error: root of the squared form, in bins of equal weight.

    sum_b W_b/W [(ȳ_b - p̄_b)² - s²_b/(n_b - 1)], floored at 0, with s²_b the variance of y - p in
    the bin (Kumar, Liang, Ma 2019; decisions 4.2 have ȳ(1 - ȳ) for it, which is too much where the
    p of a bin differ). n_b is the effective number of turns of a bin. Equal p share a bin. A bin
    of one turn cannot be told from noise and adds nothing; None where all bins are such.
    """
    outcomes, probability, weight = forecasts(y, p, w)
    return _error(_binned(probability, weight, bins), outcomes - probability)


def ece_floor(
    p: ArrayLike, w: ArrayLike | None = None, bins: int = 5, draws: int = 500, q: float = 0.95
) -> float | None:
    """Quantile q of the `ece` that perfectly calibrated outcomes of these p show: noise alone."""
    probability, weight = _alone(p, w)
    binned = _binned(probability, weight, bins)
    random = np.random.default_rng(SEED)
    errors = [_error(binned, _redrawn(probability, random) - probability) for _ in range(draws)]
    defined = [error for error in errors if error is not None]
    return float(np.quantile(defined, q)) if defined else None


class _Binned(NamedTuple):
    """For each turn its bin and weight; for each bin its weight and effective n."""

    place: NDArray[np.intp]
    weight: Array
    mass: Array
    n: Array


def _binned(p: Array, w: Array, bins: int) -> _Binned:
    """Bins of equal weight: a turn goes where the middle of its block of equal p falls."""
    if not len(p):
        return _Binned(np.zeros(0, dtype=np.intp), w, p, p)
    values, mass = (row[::-1] for row in blocks(p, w))
    middles = (np.cumsum(mass) - mass / 2) / mass.sum()
    bin_of = np.minimum(bins - 1, (middles * bins).astype(np.intp))
    _, index = np.unique(bin_of[np.searchsorted(values, p)], return_inverse=True)
    total = summed(index, w)
    return _Binned(index, w, total, total**2 / summed(index, w * w))


def _error(binned: _Binned, off: Array) -> float | None:
    """Root of the squared form; `off`: y - p of each turn."""
    several = binned.n > 1 + 1e-9
    if not several.any():
        return None
    mean = summed(binned.place, binned.weight * off) / binned.mass
    apart = (off - mean[binned.place]) ** 2
    noise = summed(binned.place, binned.weight * apart) / binned.mass
    squared = mean[several] ** 2 - noise[several] / (binned.n[several] - 1)
    share = binned.mass[several] / binned.mass.sum()
    return math.sqrt(max(0.0, float(share @ squared)))


class Reliability(NamedTuple):
    """The isotonic curve at each distinct p, and the band it keeps to if p is calibrated."""

    predicted: Array
    observed: Array
    low: Array
    high: Array


def reliability(
    y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None, draws: int = 500
) -> Reliability | None:
    """Reliability curve with its pointwise 5-95 % consistency band from redrawn outcomes.

    A curve inside the band is no evidence of miscalibration (decisions 4.2).
    """
    outcomes, probability, weight = forecasts(y, p, w)
    if not len(probability):
        return None
    predicted, index = np.unique(probability, return_inverse=True)
    mass = summed(index, weight)
    random = np.random.default_rng(SEED)
    curves = [
        _isotonic(summed(index, weight * _redrawn(probability, random)) / mass, mass)
        for _ in range(draws)
    ]
    low, high = np.quantile(curves, [0.05, 0.95], axis=0)
    observed = _isotonic(summed(index, weight * outcomes) / mass, mass)
    return Reliability(predicted, observed, low, high)


def _alone(p: ArrayLike, w: ArrayLike | None) -> tuple[Array, Array]:
    """Probabilities and weights, checked without outcomes."""
    _, probability, weight = forecasts(np.zeros(np.shape(p)), p, w)
    return probability, weight


def _redrawn(p: Array, random: np.random.Generator) -> Array:
    """Outcomes that these probabilities would have, were they right."""
    return (random.random(len(p)) < p).astype(np.float64)
