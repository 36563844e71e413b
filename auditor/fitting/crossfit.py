"""Numbers out of labelled turns, and what they say of turns they have not seen.

Owns the plan of a fit (which features go where), one fit of it, and the cross-fit that never parts
a repository or session. Which plan is kept is `fit`'s; the arithmetic is `regression`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.detectors import DETECTORS
from auditor.features import ANSWERED, DETECTED, FACTS, PROOFS, SENSES
from auditor.fitting.labelled import Example
from auditor.fitting.regression import (
    Line,
    Matrix,
    Rows,
    Scaled,
    crossed,
    evidence,
    folds,
    scaled,
)
from auditor.signals import Stage
from auditor.statistics.arrays import Array

Mask = NDArray[np.bool_]

EVIDENCE = (*DETECTED, *FACTS)
READINGS = ("agent_logit", "user_logit", "entropy", "end_of_turn_surprise", "spread", "coverage")
"""What is read of an answer, the most telling first: beside our own head's first reading none of
the others lowers the loss."""


BLIND = 0.5
"""Share of a residue turn's weight with which the second step sees it without what detectors read
in words. They were written with labelled turns at hand, where they look surer than on wordings
nobody has seen, and a model's answer would count for too little beside them. Of 0, 0.25, 0.5 and
0.75 on the shared labels the cross-fitted log loss hardly falls beyond 0.5; on 296 turns that no
weight saw AUC rises from 0.946 to 0.955 with a model, and does not move without one."""

_WORDS = frozenset(detector.name for detector in DETECTORS if detector.stage is Stage.TEXT)
_SEEN = np.array([float(name not in _WORDS) for name in EVIDENCE])

CONSTANT = 1e-9
"""Spread below which a reading is the same everywhere: rounding is not to be blown up to 1."""


class Plan(NamedTuple):
    """What is looked at: columns of the line, and of the steps beside it."""

    line: tuple[str, ...]
    steps: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether the line is the ranking's own, which is not fitted here."""
        return self.line == PLATT.line


PLATT = Plan(("score_logit",), ())
LOGISTIC = Plan(EVIDENCE, tuple(PROOFS))


class Fit(NamedTuple):
    """The numbers of one fit; readings of answers are centred on `means` and divided by `units`."""

    line: Line
    scale: Scaled
    means: Array
    units: Array


class Data(NamedTuple):
    """The labelled turns as columns."""

    examples: Sequence[Example]
    y: Array
    w: Array
    groups: list[str]
    residue: Mask

    def columns(self, names: Sequence[str]) -> Matrix:
        """Give the features of that name, a row for each turn."""
        rows = [[found.features.get(name, 0.0) for name in names] for found in self.examples]
        return np.array(rows, dtype=np.float64).reshape(len(self.examples), len(names))

    @property
    def answered(self) -> Mask:
        """Whether the decision model answered, for each turn."""
        return np.array(["answered" in found.features for found in self.examples])

    @property
    def nudged(self) -> Mask:
        """Whether a proof nudges, for each turn."""
        return np.array(["proved_nudge" in found.features for found in self.examples])

    def groups_of(self, on: Mask) -> list[str]:
        """The groups of these turns."""
        return [group for group, taken in zip(self.groups, on, strict=True) if taken]


def data(examples: Sequence[Example]) -> Data:
    """Make columns, in an order that does not depend on the order of the examples."""
    ordered = sorted(examples, key=lambda example: (example.group, example.id))
    return Data(
        ordered,
        np.array([float(example.right) for example in ordered]),
        np.array([example.weight for example in ordered]),
        [example.group for example in ordered],
        np.array([example.residue for example in ordered]),
    )


def fitter(found: Data, plan: Plan) -> Callable[[Rows], Fit]:
    """Make the function that fits the plan on some rows."""
    x, columns = found.columns(plan.line), found.columns(plan.steps)
    answered = found.answered
    kinds = np.array([float(PROOFS.get(name, 0)) for name in plan.steps])
    senses = np.array([float(SENSES[name]) for name in plan.line])

    def lined(rows: Rows) -> Line:
        if plan.plain:
            return Line(0.0, np.ones(1))
        return evidence(x[rows], found.y[rows], found.w[rows], senses, len(DETECTED))

    def fit(rows: Rows) -> Fit:
        groups = [found.groups[row] for row in rows]
        inner = blind = lined(rows).of(x[rows])
        if not plan.plain and len(set(groups)) > 1:
            inner, blind = np.empty(len(rows)), np.empty(len(rows))
            for some, rest in folds(groups):
                line = lined(rows[some])
                inner[rest] = line.of(x[rows[rest]])
                blind[rest] = line.of(x[rows[rest]] * _SEEN)
        means, units = _standard(columns[rows], answered[rows], kinds)
        given = _centred(columns[rows], answered[rows], kinds, means, units)
        # What is proved stays proved, whoever reads its words.
        twice = found.residue[rows] & (not plan.plain)
        share = np.where(twice, 1 - BLIND, 1.0)
        scale = scaled(
            np.concatenate([inner, blind[twice]]),
            np.vstack([given, given[twice]]),
            np.concatenate([found.y[rows], found.y[rows][twice]]),
            np.concatenate([found.w[rows] * share, found.w[rows][twice] * BLIND]),
            kinds,
        )
        return Fit(lined(rows), scale, means, units)

    return fit


def _standard(columns: Matrix, answered: Mask, kinds: Array) -> tuple[Array, Array]:
    """Mean and spread of the readings over the turns that were answered; 0 and 1 for proofs."""
    means, units = np.zeros(len(kinds)), np.ones(len(kinds))
    if answered.any():
        read = kinds == 0
        means[read] = columns[answered][:, read].mean(axis=0)
        spread = columns[answered][:, read].std(axis=0)
        units[read] = np.where(spread > CONSTANT, spread, 1.0)
    return means, units


def _centred(columns: Matrix, answered: Mask, kinds: Array, means: Array, units: Array) -> Matrix:
    """Standardise readings; a turn without an answer stays in the middle."""
    made = (columns - means) / units
    made[np.ix_(~answered, kinds == 0)] = 0.0
    return made


def said(found: Data, plan: Plan, *, blind: bool = False) -> Array:
    """Cross-fitted probabilities: each turn's by numbers fitted on the other groups.

    `blind`: without what detectors read in words, as on wordings that nobody has seen.
    """
    fit = fitter(found, plan)
    x, columns = found.columns(plan.line), found.columns(plan.steps)
    if blind and not plan.plain:
        x = x * _SEEN
    answered = found.answered
    kinds = np.array([float(PROOFS.get(name, 0)) for name in plan.steps])

    def on(train: Rows) -> Callable[[Rows], Array]:
        made = fit(train)
        return lambda rows: made.scale.of(
            made.line.of(x[rows]),
            _centred(columns[rows], answered[rows], kinds, made.means, made.units),
        )

    return crossed(found.groups, on)


class Numbers(NamedTuple):
    """A fit as it is stored: by name, readings no longer standardised."""

    intercept: float
    weights: dict[str, float]
    slope: float
    offset: float
    steps: dict[str, float]


def numbers(plan: Plan, made: Fit) -> Numbers:
    """Give the numbers that are stored; what readings are centred on goes into `answered`."""
    steps = dict(zip(plan.steps, (made.scale.steps / made.units).tolist(), strict=True))
    if any(name in ANSWERED for name in steps):
        steps["answered"] = -float(made.scale.steps @ (made.means / made.units))
    weights = dict(zip(plan.line, made.line.weights.tolist(), strict=True))
    return Numbers(
        made.line.intercept,
        {name: weight for name, weight in weights.items() if weight},
        made.scale.slope,
        made.scale.offset,
        steps,
    )
