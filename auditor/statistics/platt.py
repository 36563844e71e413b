"""Fit the two numbers that turn raw probabilities into calibrated ones: ridged Platt scaling.

Owns the fit of decisions 7.4, q = sigmoid(intercept + slope logit p). Best at 50 to 500 labels
(4.1): temperature cannot move the base rate, isotonic regression fits noise.
"""

# ruff: noqa: PLC0415 (SciPy is imported where it is used: half a second)

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from auditor.statistics.arrays import Array, both, forecasts, logit, numbers, sigmoid

SLOPE_RIDGE, INTERCEPT_RIDGE = 2.0, 0.02
"""Pulls of the slope to 1 and of the intercept to 0, beside the summed loss (decisions 7.4)."""


class Platt(NamedTuple):
    """Two numbers; slope 0: the raw probability says nothing about the labels."""

    intercept: float
    slope: float

    def apply(self, p: ArrayLike) -> Array:
        """Calibrated probabilities; raw ones are kept 1e-4 away from 0 and 1."""
        return sigmoid(self.intercept + self.slope * logit(numbers(p, "probabilities")))


def fit(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> Platt | None:
    """Least sum of w_i NLL(t_i, q_i) + 2 (slope - 1)² + 0.02 intercept², slope not below 0.

    Targets are Platt's smoothed ones, (n1+1)/(n1+2) and 1/(n0+2) (Platt 1999); weights are scaled
    to mean 1, so that the ridges weigh the same. None: a class is empty. How many labels are
    enough is the caller's to say.
    """
    from scipy.optimize import minimize

    outcomes, probability, weight = forecasts(y, p, w)
    if not both(outcomes):
        return None
    x, scaled, targets = logit(probability), weight / weight.mean(), _smoothed(outcomes)

    def loss(ab: Array) -> tuple[float, Array]:
        a, b = ab
        line = a + b * x
        error = scaled * (sigmoid(line) - targets)
        value = scaled @ (np.logaddexp(0, line) - targets * line)
        value += SLOPE_RIDGE * (b - 1) ** 2 + INTERCEPT_RIDGE * a**2
        slope = error @ x + 2 * SLOPE_RIDGE * (b - 1)
        return float(value), np.array([error.sum() + 2 * INTERCEPT_RIDGE * a, slope])

    found = minimize(
        loss,
        np.array([0.0, 1.0]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, None), (0, None)],
        options={"ftol": 1e-14, "gtol": 1e-9},
    )
    return Platt(float(found.x[0]), float(found.x[1]))


def _smoothed(y: Array) -> Array:
    ones = float(y.sum())
    zeros = len(y) - ones
    return np.where(y == 1, (ones + 1) / (ones + 2), 1 / (zeros + 2))
