"""The logistic line of outcomes on one number, by maximum likelihood, with honest errors.

Owns Newton's steps and the sandwich. Knows no probability: `x` is any number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from auditor.statistics.arrays import Array, sigmoid


class Line(NamedTuple):
    """Log odds = intercept + slope x, and the standard error of each."""

    intercept: float
    slope: float
    intercept_error: float
    slope_error: float


def fit(y: Array, x: Array, w: Array) -> Line | None:
    """The line for checked arrays with both classes in y; weights may have any scale.

    Errors are of the sandwich form (Huber 1967, White 1980), which sampling weights need. None:
    x separates the classes or never varies, so that no slope is best.
    """
    if not _overlap(x[y == 1], x[y == 0]):
        return None
    design, weight = np.column_stack([np.ones_like(x), x]), w / w.mean()
    found = _newton(design, y, weight)
    if found is None:
        return None
    fitted, curvature = found
    error = weight * (y - sigmoid(design @ fitted))
    bread = np.linalg.inv(curvature)
    meat = (design * (error**2)[:, None]).T @ design
    errors = np.sqrt(np.diag(bread @ meat @ bread))
    return Line(float(fitted[0]), float(fitted[1]), float(errors[0]), float(errors[1]))


def _overlap(ones: Array, zeros: Array) -> bool:
    """Whether the classes mix: only then is a slope finite (Albert, Anderson 1984)."""
    return bool(ones.min() < zeros.max() and zeros.min() < ones.max())


def _newton(design: Array, y: Array, w: Array) -> tuple[Array, Array] | None:
    """Coefficients by steps that are halved where they overshoot; and the curvature there."""
    fitted = np.zeros(design.shape[1])
    loss = _loss(design @ fitted, y, w)
    for _ in range(100):
        q = sigmoid(design @ fitted)
        curvature: Array = (design * (w * q * (1 - q))[:, None]).T @ design
        step = np.linalg.solve(curvature, design.T @ (w * (y - q)))
        while (new := _loss(design @ (fitted + step), y, w)) > loss + 1e-12 * abs(loss):
            step = step / 2
        fitted, loss = fitted + step, new
        if np.abs(step).max() < 1e-10:
            return fitted, curvature
    return None


def _loss(x: Array, y: Array, w: Array) -> float:
    return float(w @ (np.logaddexp(0, x) - y * x))
