"""Measures of turns, and what one probability has more than another, each with its interval.

Owns which measures there are. Intervals draw whole repositories.
"""

# ruff: noqa: INP001 (a script; it is not imported by the product)

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from card import Number
from numpy.typing import NDArray

from auditor.fitting.crossfit import Data
from auditor.statistics import intervals, ranks, scores
from auditor.tuning.heads import Matrix


class Judged(NamedTuple):
    """Turns as columns: right or not, weight, group, residue."""

    y: Matrix
    w: Matrix
    groups: list[str]
    residue: NDArray[np.bool_]


def columns(found: Data) -> Judged:
    """Leave the features out."""
    return Judged(found.y, found.w, found.groups, found.residue)


def some(turns: Judged, on: NDArray[np.bool_]) -> Judged:
    """Give some of the turns."""
    groups = [group for group, taken in zip(turns.groups, on, strict=True) if taken]
    return Judged(turns.y[on], turns.w[on], groups, turns.residue[on])


def _recall(wrong: float) -> Callable[[Matrix, Matrix, Matrix], float | None]:
    return lambda y, s, w: ranks.recall_at(y, s, w, wrong)


MEASURES: dict[str, Callable[[Matrix, Matrix, Matrix], float | None]] = {
    "AUC": ranks.auc,
    "recall at 1 % wrong": _recall(0.01),
    "recall at 2 % wrong": _recall(0.02),
    "recall at 5 % wrong": _recall(0.05),
}


def measured(turns: Judged, s: Matrix) -> dict[str, Number]:
    """All measures, and AUC on the residue."""
    every = np.ones(len(s), dtype=bool)
    found = {name: _number(turns, s, measure, every) for name, measure in MEASURES.items()}
    found["residue AUC"] = _number(turns, s, ranks.auc, turns.residue)
    return found


def lift(turns: Judged, before: Matrix, after: Matrix) -> dict[str, Number]:
    """What `after` has more, on the same draws: paired intervals."""
    every = np.ones(len(before), dtype=bool)
    found = {
        "AUC": _more(turns, before, after, ranks.auc, every),
        "residue AUC": _more(turns, before, after, ranks.auc, turns.residue),
    }
    for name, on in (("log loss", every), ("residue log loss", turns.residue)):
        found[name] = _more(turns, before, after, scores.log_loss, on)
    return found


def _number(
    turns: Judged, s: Matrix, measure: Callable[..., float | None], on: NDArray[np.bool_]
) -> Number:
    y, w = turns.y[on], turns.w[on]
    value = measure(y, s[on], w)
    return _with(turns, on, value, lambda times: measure(y, s[on], w * times))


def _more(
    turns: Judged,
    before: Matrix,
    after: Matrix,
    measure: Callable[..., float | None],
    on: NDArray[np.bool_],
) -> Number:
    y, w = turns.y[on], turns.w[on]

    def more(times: Matrix) -> float | None:
        old, new = (measure(y, s[on], w * times) for s in (before, after))
        return None if old is None or new is None else new - old

    return _with(turns, on, more(np.ones(len(y))), more)


def _with(
    turns: Judged,
    on: NDArray[np.bool_],
    value: float | None,
    measure: Callable[[Matrix], float | None],
) -> Number:
    if value is None:
        return Number(None)
    groups = [group for group, taken in zip(turns.groups, on, strict=True) if taken]
    low, high = intervals.bootstrap(groups, measure) or (None, None)
    return Number(float(value), low, high)
