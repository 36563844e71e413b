"""The arithmetic of a fit: weights of the evidence, then probabilities that mean what they say.

Owns two steps. First an L2 logistic regression over detectors and facts, blind to proofs, so that
a proof explains no evidence away and residue is judged by what settled turns teach. Then ridged
Platt scaling of its cross-fitted line, with a step for each proof and for what a model answered.
Knows no file and no turn: a matrix, outcomes, weights and groups.
"""

# ruff: noqa: PLC0415 (scikit-learn and SciPy are imported where they are used: a second)

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.statistics.arrays import Array, sigmoid

Matrix = NDArray[np.float64]
Rows = NDArray[np.intp]

FOLDS = 10
"""Of a cross-fit; fewer where there are fewer groups."""

INVERSE_RIDGE = 1.0
"""scikit-learn's C; chosen by cross-fitted log loss among 0.3 and 1 on the labelled records."""

CAP = 20.0
"""The largest weight of one turn in the evidence's fit (decisions.md 4.9)."""

PRIOR = 3.0
"""Weight of a pseudo-turn, as in `benchmarks/fit_ranking.py` (a guess)."""

SLOPE_RIDGE, OFFSET_RIDGE = 2.0, 0.02
"""Pulls of slope to 1 and offset to 0, beside the summed loss (decisions.md 7.4); the first for
what a model answered too (standardised, to 0)."""

PROOF_RIDGE = 0.2
"""Pull of a proof's step to 0. A right to settle is earned at 0.97, often on the very labels of the
fit, where no proof errs; this keeps what is promised near 0.99 (a guess)."""


class Line(NamedTuple):
    """A weighted sum."""

    intercept: float
    weights: Array

    def of(self, x: Matrix) -> Array:
        """Give its value for each row."""
        line: Array = self.intercept + x @ self.weights
        return line


class Scaled(NamedTuple):
    """log odds = offset + slope line + steps · columns."""

    offset: float
    slope: float
    steps: Array

    def of(self, line: Array, columns: Matrix) -> Array:
        """Give the probability of each row."""
        return sigmoid(self.offset + self.slope * line + columns @ self.steps)


def evidence(x: Matrix, y: Array, w: Array, senses: Array, taught: int) -> Line:
    """Fit the weights of the evidence. No weight points against the sense of its column (1, -1).

    The first `taught` columns are detectors: one pseudo-turn each, of its sense, so that a detector
    that no label shows keeps it. A column whose weight comes out against its sense is left out and
    the rest fitted anew.
    """
    from sklearn.linear_model import LogisticRegression

    x = np.vstack([x, np.eye(taught, x.shape[1])])
    y = np.append(y, senses[:taught] > 0)
    w = np.append(np.minimum(w, CAP), np.full(taught, PRIOR))
    used = np.ones(x.shape[1])
    while True:
        found = LogisticRegression(C=INVERSE_RIDGE, solver="newton-cholesky", tol=1e-8)
        found.fit(x * used, y, w)
        weights = found.coef_[0] * used
        against = weights * senses < 0
        if not against.any():
            return Line(float(found.intercept_[0]), weights)
        used[against] = 0.0


def scaled(line: Array, columns: Matrix, y: Array, w: Array, kinds: Array) -> Scaled:
    """Fit slope, offset and steps: ridged Platt scaling with Platt's smoothed targets.

    `kinds` of the columns: 1, -1: a proof, whose step keeps that sign; 0: an answer's reading.
    """
    from scipy.optimize import minimize

    ones = float(y.sum())
    targets = np.where(y == 1, (ones + 1) / (ones + 2), 1 / (len(y) - ones + 2))
    design = np.column_stack([np.ones(len(y)), line, columns])
    share = w / w.mean()
    ridges = np.where(kinds == 0, SLOPE_RIDGE, PROOF_RIDGE)
    ridge = np.concatenate([[OFFSET_RIDGE, SLOPE_RIDGE], ridges])
    middle = np.concatenate([[0.0, 1.0], np.zeros(len(kinds))])

    def loss(at: Array) -> tuple[float, Array]:
        odds, away = design @ at, at - middle
        value = share @ (np.logaddexp(0, odds) - targets * odds) + ridge @ away**2
        return float(value), design.T @ (share * (sigmoid(odds) - targets)) + 2 * ridge * away

    bounds: list[tuple[int | None, int | None]] = [(None, None), (0, None)]
    bounds += [(0 if kind > 0 else None, 0 if kind < 0 else None) for kind in kinds]
    options = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 2_000}
    found = minimize(loss, middle, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return Scaled(float(found[0]), float(found[1]), found[2:])


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep the linear algebra on one thread: seven times faster for matrices as small as these."""
    import scipy.optimize  # noqa: F401 - what is limited has to be loaded first
    import sklearn.linear_model  # noqa: F401
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):
        yield


def folds(groups: Sequence[str]) -> Iterator[tuple[Rows, Rows]]:
    """Split rows into training and test, never parting a group; two groups are needed."""
    from sklearn.model_selection import GroupKFold

    names = np.array(groups)
    parts = GroupKFold(min(FOLDS, len(set(groups))))
    yield from parts.split(np.zeros((len(names), 1)), groups=names)


def crossed(groups: Sequence[str], fit: Callable[[Rows], Callable[[Rows], Array]]) -> Array:
    """For each row what `fit` says of it, fitted on the other groups."""
    found = np.full(len(groups), np.nan)
    for train, test in folds(groups):
        found[test] = fit(train)(test)
    return found


def gained(before: Array, after: Array, w: Array, groups: Sequence[str]) -> tuple[float, float]:
    """Mean loss saved and its standard error, with whole groups as the unit (paired)."""
    saved = before - after
    mean = float(w @ saved / w.sum())
    _, index = np.unique(np.array(groups), return_inverse=True)
    sums = np.bincount(index, w * (saved - mean))
    return mean, float(np.sqrt((sums**2).sum()) / w.sum())


def losses(y: Array, p: Array) -> Array:
    """-log of what was said of the outcome, for each row."""
    held = np.clip(p, 1e-12, 1 - 1e-12)
    lost: Array = -np.where(y == 1, np.log(held), np.log1p(-held))
    return lost
