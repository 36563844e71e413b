"""Numbers on their way in: one shape, one sentence for each thing that cannot be computed with.

Owns the checks that all measures share, and weighted sums. Knows no measure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
"""One dimension; a number for each turn."""

CLIP = 1e-4
"""Distance that a probability keeps from 0 and 1 before its logit is taken (decisions 4.1)."""


def numbers(values: ArrayLike, name: str) -> Array:
    """Floats of one dimension. ValueError: another shape, NaN, infinite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected a list of numbers, found {array.ndim} dimensions")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: a number is NaN or infinite; expected finite numbers")
    return array


def weights(w: ArrayLike | None, n: int) -> Array:
    """Weights of n turns, 1 each unless given. ValueError: negative, NaN, another number."""
    if w is None:
        return np.ones(n)
    array = numbers(w, "weights")
    if len(array) != n:
        raise ValueError(f"weights: expected {n}, one for each turn, found {len(array)}")
    if (array < 0).any():
        raise ValueError("weights: a weight is negative; expected none below 0")
    return array


def sample(y: ArrayLike, values: ArrayLike, w: ArrayLike | None) -> tuple[Array, Array, Array]:
    """Outcomes (0 or 1), values and weights of the turns that have any weight.

    ValueError: lengths differ, an outcome is neither 0 nor 1, NaN, a negative weight.
    """
    outcomes, array = numbers(y, "outcomes"), numbers(values, "values")
    if len(outcomes) != len(array):
        raise ValueError(
            f"expected as many values as outcomes, found {len(array)}, {len(outcomes)}"
        )
    if not ((outcomes == 0) | (outcomes == 1)).all():
        raise ValueError("outcomes: expected only 0 and 1")
    weight = weights(w, len(array))
    held = weight > 0
    return outcomes[held], array[held], weight[held]


def forecasts(y: ArrayLike, p: ArrayLike, w: ArrayLike | None) -> tuple[Array, Array, Array]:
    """As `sample`, of probabilities. ValueError also: one is outside 0 to 1."""
    outcomes, array, weight = sample(y, p, w)
    if ((array < 0) | (array > 1)).any():
        raise ValueError("probabilities: expected numbers from 0 to 1")
    return outcomes, array, weight


def mean(values: ArrayLike, w: ArrayLike | None = None) -> float | None:
    """Weighted mean, sum(w z) / sum(w) (Hájek; decisions 4.9); None without any weight."""
    array = numbers(values, "values")
    weight = weights(w, len(array))
    total = weight.sum()
    return float(array @ weight / total) if total > 0 else None


def effective(w: ArrayLike) -> float | None:
    """Turns of equal weight that would know as much: (sum w)² / sum w² (Kish); None without any."""
    weight = weights(w, len(numbers(w, "weights")))
    squares = float(weight @ weight)
    return float(weight.sum() ** 2 / squares) if squares > 0 else None


def logit(p: Array) -> Array:
    """Log odds of probabilities, kept `CLIP` away from 0 and 1."""
    held = np.clip(p, CLIP, 1 - CLIP)
    odds: Array = np.log(held / (1 - held))
    return odds


def sigmoid(x: Array) -> Array:
    """Probability of log odds; never overflows."""
    smaller = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + smaller), smaller / (1 + smaller))


def blocks(values: Array, *rows: Array) -> tuple[Array, ...]:
    """Turns of equal value as one: the distinct values, falling, and the sums of each row."""
    order = np.argsort(-values, kind="stable")
    ordered = values[order]
    if not len(ordered):
        return (ordered, *[ordered for _ in rows])
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    return (ordered[starts], *[np.add.reduceat(row[order], starts) for row in rows])


def summed(index: NDArray[np.intp], row: Array) -> Array:
    """Sum of a row for each index from 0 on."""
    return np.bincount(index, row).astype(np.float64)


def both(y: Array) -> bool:
    """Whether both classes occur."""
    return bool(len(y)) and bool(y.any()) and not bool(y.all())
