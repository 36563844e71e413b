"""States and options -> a head: L2 multinomial logistic regression on standardised states.

Owns the fit, the choice of how strongly it is held back, and what a head says of turns whose group
it has not seen. scikit-learn fits; the arithmetic and the file of a head are `backends.head`'s.
"""

# ruff: noqa: PLC0415 (scikit-learn is imported where it is used: a second)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.backends.head import EVIDENCE, OPTIONS, Arithmetic, Head, encoded
from auditor.errors import NotEnough
from auditor.statistics.arrays import Array

__all__ = ["Taught", "chosen", "crossed", "encoded", "enough", "fitted"]

Matrix = NDArray[np.float64]

STRENGTHS = (0.0003, 0.001, 0.003, 0.01)
"""scikit-learn's C that are tried: around what did best on the shared turns, 0.001."""

FOLDS = 5
"""Of a cross-fit; fewer where there are fewer groups."""

DIGITS = 6
"""Significant digits of a head: a state, in float32, has no more."""

EPSILON = 1e-6
"""Least unit of a number of the state, where it is the same everywhere."""

LEAST = 8
"""Examples of an option below which nothing is fitted, as of a class in a calibration."""


class Taught(NamedTuple):
    """What a head learns from: a row of `states` for each option (its number), weight, group."""

    states: Matrix
    options: NDArray[np.intp]
    weights: Array
    groups: Sequence[str]

    def of(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Taught:
        """Give some of them."""
        some = np.arange(len(self.options))[rows]
        groups = [self.groups[row] for row in some]
        return Taught(self.states[some], self.options[some], self.weights[some], groups)


class Chosen(NamedTuple):
    """How strongly a head is held back, what that costs on unseen groups, and its readings there.

    `losses`: mean cross-entropy by strength; `base`: that of saying the shares of the options.
    """

    strength: float
    logprobs: Matrix
    losses: dict[float, float]
    base: float


def enough(options: NDArray[np.intp], groups: Sequence[str]) -> None:
    """Raise `NotEnough` for fewer examples than a head needs, or all of one group."""
    counts = np.bincount(options, minlength=len(OPTIONS))
    if counts.min() < LEAST:
        said = ", ".join(f"{name} {n}" for name, n in zip(OPTIONS, counts, strict=True))
        raise NotEnough(
            f"too few examples of some answer to whose move is next ({said}); expected {LEAST} of"
            " each"
        )
    if len(set(groups)) < 2:
        raise NotEnough(
            "all examples are of one repository or session; expected two or more, so that what is"
            " learned can be tried on turns it was not learned from"
        )


def fitted(
    taught: Taught, strength: float, *, budget: int, base: str, adapter: str | None = None
) -> Head:
    """Fit. `base` and `adapter`: sha256 of the files whose states these are."""
    from sklearn.linear_model import LogisticRegression

    states, weights = taught.states, taught.weights
    mean = np.average(states, axis=0, weights=weights)
    scale = np.sqrt(np.average((states - mean) ** 2, axis=0, weights=weights)) + EPSILON
    line = LogisticRegression(C=strength, max_iter=2_000, tol=1e-6)
    line.fit((states - mean) / scale, taught.options, weights)
    rows, bias = np.full((len(OPTIONS), len(mean)), 0.0), np.full(len(OPTIONS), -99.0)
    rows[line.classes_], bias[line.classes_] = _three(line.coef_), _three(line.intercept_)
    return Head(
        options=OPTIONS,
        mean=_short(mean),
        scale=_short(scale),
        weights=tuple([_short(row) for row in rows]),
        bias=_short(bias),
        evidence=EVIDENCE,
        budget=budget,
        base=base,
        adapter=adapter,
    )


def crossed(taught: Taught, strength: float) -> Matrix:
    """Log-probabilities of each row by a head that has not seen its group."""
    found = np.full((len(taught.options), len(OPTIONS)), np.nan)
    for train, test in _folds(taught.groups):
        head = fitted(taught.of(train), strength, budget=16, base="0" * 64)
        found[test] = Arithmetic(head).logprobs(taught.states[test])
    return found


def chosen(taught: Taught) -> Chosen:
    """Choose the strength by the loss on unseen groups. Raises `NotEnough`."""
    enough(taught.options, taught.groups)
    tried = {strength: crossed(taught, strength) for strength in STRENGTHS}
    losses = {strength: loss(taught, said) for strength, said in tried.items()}
    best = min(losses, key=losses.__getitem__)
    shares = np.bincount(taught.options, taught.weights, len(OPTIONS)) / taught.weights.sum()
    base = loss(taught, np.tile(np.log(np.maximum(shares, 1e-12)), (len(taught.options), 1)))
    return Chosen(best, tried[best], losses, base)


def losses(taught: Taught, logprobs: Matrix) -> Array:
    """Cross-entropy of each row, in nats."""
    found: Array = -logprobs[np.arange(len(taught.options)), taught.options]
    return found


def loss(taught: Taught, logprobs: Matrix) -> float:
    """Weighted mean cross-entropy, in nats."""
    return float(taught.weights @ losses(taught, logprobs) / taught.weights.sum())


def _folds(groups: Sequence[str]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    from sklearn.model_selection import GroupKFold

    parts = GroupKFold(min(FOLDS, len(set(groups))))
    yield from parts.split(np.zeros((len(groups), 1)), groups=np.array(groups))


def _three(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give a row for each class: of two, scikit-learn gives one for the second."""
    return np.concatenate([-found / 2, found / 2]) if len(found) == 1 else found


def _short(numbers: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple([float(f"{number:.{DIGITS}g}") for number in numbers])
