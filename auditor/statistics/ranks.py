"""How well a number orders turns: those that deserve a nudge before those that do not.

`y` is 0 or 1 (a nudge would have been right), `s` any number, larger where a nudge seems right,
`w` a weight for each turn. Equal numbers are one threshold: a threshold takes all of them or none.
None where a class is empty. Follows decisions 4.2 and 7.6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from auditor.statistics.arrays import Array, blocks, both, forecasts, sample

SLACK = 1e-12
"""Rounding of a sum of weights must not push a share over its limit."""


def _counted(y: ArrayLike, s: ArrayLike, w: ArrayLike | None) -> tuple[Array, Array] | None:
    """Weight of right and of wrong nudges at each threshold, the strictest first."""
    outcomes, values, weight = sample(y, s, w)
    if not both(outcomes):
        return None
    _, ones, zeros = blocks(values, weight * outcomes, weight * (1 - outcomes))
    return np.cumsum(ones), np.cumsum(zeros)


def auc(y: ArrayLike, s: ArrayLike, w: ArrayLike | None = None) -> float | None:
    """Chance that a turn of class 1 stands above one of class 0; a tie counts half."""
    points = curve(y, s, w)
    if points is None:
        return None
    heights = (points.recall[1:] + points.recall[:-1]) / 2
    return float(np.diff(points.wrong) @ heights)


def average_precision(y: ArrayLike, s: ArrayLike, w: ArrayLike | None = None) -> float | None:
    """Sum of (R_i - R_{i-1}) P_i over thresholds, without interpolation (as scikit-learn)."""
    counted = _counted(y, s, w)
    if counted is None:
        return None
    right, wrong = counted
    gained = np.diff(right, prepend=0.0)
    return float((gained * right / (right + wrong)).sum() / right[-1])


class Curve(NamedTuple):
    """Of all thresholds, from none to all: share of silence nudged, share of nudges found."""

    wrong: Array
    recall: Array


def curve(y: ArrayLike, s: ArrayLike, w: ArrayLike | None = None) -> Curve | None:
    """The receiver operating characteristic, rising from (0, 0) to (1, 1)."""
    counted = _counted(y, s, w)
    if counted is None:
        return None
    right, wrong = counted
    return Curve(np.r_[0.0, wrong / wrong[-1]], np.r_[0.0, right / right[-1]])


def recall_at(
    y: ArrayLike, s: ArrayLike, w: ArrayLike | None = None, wrong: float = 0.01
) -> float | None:
    """The largest recall of a threshold that nudges at most `wrong` of what deserves silence.

    Never between thresholds: 0.0 where even the strictest nudges more than that.
    """
    points = curve(y, s, w)
    if points is None:
        return None
    return float(points.recall[points.wrong <= wrong + SLACK].max())


def precision_at(
    y: ArrayLike, s: ArrayLike, w: ArrayLike | None = None, rate: float = 0.05
) -> float | None:
    """Share of right nudges if `rate` of all turns are nudged, ties at the threshold with them."""
    counted = _counted(y, s, w)
    if counted is None:
        return None
    right, wrong = counted
    total = right + wrong
    last = int(np.searchsorted(total, (rate - SLACK) * total[-1]))
    return float(right[last] / total[last])


def rate_at(
    y: ArrayLike, s: ArrayLike, w: ArrayLike | None = None, risk: float = 0.2
) -> float | None:
    """The largest share of turns that a threshold nudges with at most `risk` of nudges wrong."""
    counted = _counted(y, s, w)
    if counted is None:
        return None
    right, wrong = counted
    total = right + wrong
    within = wrong <= (risk + SLACK) * total
    return float((total / total[-1])[within].max(initial=0.0))


class RiskCoverage(NamedTuple):
    """Share of wrong decisions among the turns decided, by the share decided; its mean."""

    coverage: Array
    risk: Array
    area: float


def risk_coverage(y: ArrayLike, p: ArrayLike, w: ArrayLike | None = None) -> RiskCoverage | None:
    """Decide the surest turns first: nudge where p >= 1/2, silence below (El-Yaniv, Wiener 2010).

    `area` is the mean risk over coverage; turns that are equally sure are decided together. Also
    defined where a class is empty; None without turns.
    """
    outcomes, probability, weight = forecasts(y, p, w)
    if not len(outcomes):
        return None
    lost = weight * ((probability >= 0.5) != (outcomes == 1))
    _, mass, wrong = blocks(np.abs(probability - 0.5), weight, lost)
    decided = np.cumsum(mass)
    risk = np.cumsum(wrong) / decided
    return RiskCoverage(decided / decided[-1], risk, float(risk @ mass / decided[-1]))
