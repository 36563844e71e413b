"""Numbers over labelled turns, each with its interval, all from one set of bootstrap draws.

Owns the columns (outcome, weight, group) and how they are resampled: whole groups, with
replacement. Shares and means are sums over groups, so that two thousand draws of them are one
product of matrices; what needs an order is measured draw by draw. Knows no turn and no judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auditor.evaluation import Estimate
from auditor.statistics.arrays import Array, effective
from auditor.statistics.intervals import DEFINED, DRAWS, SEED, bootstrap_weights, wilson

Held = NDArray[np.bool_]
"""Which turns are meant; one for each turn."""

Measures = Callable[[Array], Mapping[str, float | None]]
"""Takes a weight for each turn, gives numbers by name; None where one is not defined."""

LEVEL = (0.025, 0.975)
"""Ends of a 95 % interval."""

_DIGITS = 6
"""Kept of every number: far more than the labels carry, and the same on every machine."""


class Cohort:
    """Labelled turns as columns: `y` whether a nudge is right, `w` sampling weights."""

    def __init__(
        self,
        y: ArrayLike,
        w: ArrayLike,
        groups: Sequence[str],
        *,
        draws: int = DRAWS,
        seed: int = SEED,
    ) -> None:
        """`groups` names the repository or session of each turn; turns of one are no news."""
        self.y = np.asarray(y, dtype=np.float64)
        self.w = np.asarray(w, dtype=np.float64)
        names = sorted(set(groups))  # the same draws, however the turns are ordered
        numbered = {name: number for number, name in enumerate(names)}
        self._of = np.array([numbered[group] for group in groups], dtype=np.intp)
        enough = len(names) > 1 and draws > 0
        self._times = np.array(list(bootstrap_weights(names, draws, seed)) if enough else [])

    def among(self, held: Held) -> Cohort:
        """Give some of the turns, under the same draws."""
        part = object.__new__(Cohort)
        part.y, part.w, part._of = self.y[held], self.w[held], self._of[held]
        part._times = self._times
        return part

    def __len__(self) -> int:
        return len(self.y)

    @property
    def groups(self) -> int:
        """How many groups there are among these turns."""
        return len(set(self._of.tolist()))

    @property
    def effective(self) -> float:
        """Turns of equal weight that would know as much (Kish)."""
        return effective(self.w) or 0.0

    def mean(self, values: ArrayLike, held: Held | None = None) -> Estimate:
        """Give the weighted mean of values among `held`, or among all; None where nothing is.

        A share of 0 or 1 has no spread to draw from: then Wilson's interval on the effective n.
        """
        found = np.asarray(values, dtype=np.float64)
        weight = self.w if held is None else self.w * held
        n = len(found) if held is None else int(held.sum())
        if not weight.sum() > 0:
            return Estimate(None, n=n)
        value = float(weight @ found / weight.sum())
        if found[weight > 0].min() == found[weight > 0].max() in {0.0, 1.0}:
            value, size = round(value), effective(weight) or 0.0
            return _estimate(value, wilson(value * size, size), n)
        drawn = self._summed(weight * found), self._summed(weight)
        return _estimate(value, _between(_quotients(*drawn)), n)

    def _summed(self, row: Array) -> Array:
        """Sum of a row in each draw."""
        if not len(self._times):
            return np.zeros(0)
        sums = np.bincount(self._of, row, minlength=self._times.shape[1])
        found: Array = self._times @ sums
        return found

    def measured(self, measures: Measures) -> dict[str, Estimate]:
        """Give numbers that take more than a sum, each with its interval."""
        once = measures(self.w)
        drawn = [measures(self.w * times[self._of]) for times in self._times]
        return {
            name: _estimate(value, _between([draw.get(name) for draw in drawn]), len(self))
            if value is not None
            else Estimate(None, n=len(self))
            for name, value in once.items()
        }

    def difference(self, first: Measures, second: Measures) -> dict[str, Estimate]:
        """Give first - second of each number, on the same draws (paired)."""

        def both(weights: Array) -> dict[str, float | None]:
            one, other = first(weights), second(weights)
            return {name: _less(value, other.get(name)) for name, value in one.items()}

        return self.measured(both)


def share(values: ArrayLike, w: Array, held: Held | None = None) -> float | None:
    """Give the weighted mean of values among `held`; None without any weight."""
    weight = w if held is None else w * held
    total = float(weight.sum())
    return float(weight @ np.asarray(values, dtype=np.float64)) / total if total > 0 else None


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _quotients(top: Array, bottom: Array) -> list[float | None]:
    return [float(t / b) if b > 0 else None for t, b in zip(top, bottom, strict=True)]


def _between(drawn: Sequence[float | None]) -> tuple[float, float] | None:
    """Percentile interval; None where too few draws have a value (`intervals.bootstrap`)."""
    defined = [value for value in drawn if value is not None]
    if not defined or len(defined) < DEFINED * len(drawn):
        return None
    low, high = np.quantile(defined, LEVEL)
    return float(low), float(high)


def _estimate(value: float, between: tuple[float, float] | None, n: int) -> Estimate:
    low, high = between or (None, None)
    return Estimate(_short(value), _short(low), _short(high), n)


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def exactly(value: float | None, n: int) -> Estimate:
    """Give a number that is so by definition: its interval is itself."""
    return Estimate(value, value, value, n)


def within(value: float | None, between: tuple[float, float] | None, n: int) -> Estimate:
    """Give a number with an interval that was found elsewhere."""
    return Estimate(None, n=n) if value is None else _estimate(value, between, n)
