"""Two evaluations of the same turns, paired: which is better, and by how much.

Owns the pairing by turn, and when two evaluations may be compared at all. Decisions are held
against each other by an exact McNemar test, everything else by a bootstrap that draws whole groups
for both (decisions.md 4.2); of several comparisons each p is adjusted by Holm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct, structs

from auditor.errors import AuditorError, ConfigError, NotEnough
from auditor.evaluating.estimates import Cohort, Held, share
from auditor.evaluation import Estimate, Evaluation, Row
from auditor.statistics import intervals, ranks, scores
from auditor.statistics.arrays import Array

CLEAR = 0.05
"""Adjusted p below which decisions differ by more than chance (a convention)."""


class OtherLabels(AuditorError):
    """Two evaluations that hold other labels against the same turns."""

    exit_code = 3


class Difference(Struct, frozen=True, kw_only=True):
    """One number of both, and second - first. `better`: +1 where a larger one is, else -1."""

    name: str
    better: int
    first: float | None
    second: float | None
    difference: Estimate

    @property
    def says(self) -> str:
        """What the interval says of the second: better, worse, or no clear difference."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None or low <= 0.0 <= high:
            return "no clear difference"
        return "better" if (low > 0.0) is (self.better > 0) else "worse"


class Comparison(Struct, frozen=True, kw_only=True):
    """What two evaluations say of the turns that both have, `n` of them.

    `only_first`, `only_second`: turns that only one decided rightly. `p`: exact McNemar, two-sided;
    `adjusted`: for as many comparisons as there are. `left`: turns that only one of them has.
    """

    schema: str = "comparison/1"
    first: str
    second: str
    n: int
    groups: int
    left: int
    both_right: int
    only_first: int
    only_second: int
    neither: int
    p: float
    adjusted: float
    differences: tuple[Difference, ...]
    says: str


class _Side(NamedTuple):
    """What one evaluation says of the turns, as columns; `p` None: some turn has no probability."""

    right: Held
    nudge: Array
    order: Array
    p: Array | None


def _side(rows: Sequence[Row]) -> _Side:
    said = [row.probability for row in rows if row.probability is not None]
    p = np.array(said) if len(said) == len(rows) else None
    order = np.array([row.score for row in rows]) if p is None else p
    nudge = np.array([row.nudge for row in rows], dtype=np.float64)
    return _Side(np.array([row.nudge is row.right for row in rows]), nudge, order, p)


Measure = Callable[[Array, _Side, Array], float | None]
"""Takes outcomes, what was said, and weights."""

MEASURES: dict[str, tuple[int, Measure]] = {
    "recall": (1, lambda y, said, w: share(said.nudge, w, y == 1)),
    "wrong nudges": (-1, lambda y, said, w: share(said.nudge, w, y == 0)),
    "right nudges": (1, lambda y, said, w: share(y, w * said.nudge)),
    "log loss": (-1, lambda y, said, w: None if said.p is None else scores.log_loss(y, said.p, w)),
    "AUC": (1, lambda y, said, w: ranks.auc(y, said.order, w)),
    "recall at 2 % wrong": (1, lambda y, said, w: ranks.recall_at(y, said.order, w, 0.02)),
}
"""What is compared, and which way is better."""


def compared(
    named: Sequence[tuple[str, Evaluation]], *, draws: int = intervals.DRAWS
) -> tuple[Comparison, ...]:
    """Compare the first with each of the others.

    Raises `ConfigError` for an evaluation without rows, `OtherLabels` where labels differ, and
    `NotEnough` where no turn is in both or a class is empty.
    """
    (first, ours), *others = named
    found = [_compared((first, ours), other, draws) for other in others]
    adjusted = intervals.holm([each.p for each in found])
    return tuple(
        [
            structs.replace(each, adjusted=p, says=_sentence(each, p))
            for each, p in zip(found, adjusted, strict=True)
        ]
    )


def _compared(
    first: tuple[str, Evaluation], second: tuple[str, Evaluation], draws: int
) -> Comparison:
    rows, theirs = _paired(first, second)
    y = np.array([float(row.right) for row in rows])
    cohort = Cohort(y, [row.weight for row in rows], [row.group for row in rows], draws=draws)
    one, other = _side(rows), _side(theirs)
    ones, others = one.right, other.right
    only_first, only_second = int((ones & ~others).sum()), int((others & ~ones).sum())
    p = intervals.mcnemar(only_first, only_second)
    return Comparison(
        first=first[0],
        second=second[0],
        n=len(y),
        groups=cohort.groups,
        left=len(first[1].rows) + len(second[1].rows) - 2 * len(y),
        both_right=int((ones & others).sum()),
        only_first=only_first,
        only_second=only_second,
        neither=int((~ones & ~others).sum()),
        p=p,
        adjusted=p,
        differences=_differences(one, other, cohort),
        says="",
    )


def _paired(
    first: tuple[str, Evaluation], second: tuple[str, Evaluation]
) -> tuple[list[Row], list[Row]]:
    """Give the rows of both about the same turns, in the order of the first."""
    for name, found in (first, second):
        if not found.rows:
            raise ConfigError(
                f"{name}: the evaluation has no rows of turns; expected one that auditor evaluate"
                " --json wrote"
            )
    theirs = {row.turn: row for row in second[1].rows}
    pairs = [(row, theirs[row.turn]) for row in first[1].rows if row.turn in theirs]
    if not pairs:
        raise NotEnough(f"{first[0]} and {second[0]} have no turn in common; expected some")
    if differing := [one.turn for one, other in pairs if one.right is not other.right]:
        raise OtherLabels(
            f"{first[0]} and {second[0]} label {len(differing):,} turns differently, among them"
            f" {differing[0]!r}; expected evaluations by the same labels"
        )
    if len({one.right for one, _ in pairs}) < 2:
        raise NotEnough(
            f"the {len(pairs):,} turns that {first[0]} and {second[0]} have in common are all"
            " labelled alike; expected both kinds"
        )
    return [one for one, _ in pairs], [other for _, other in pairs]


def _differences(one: _Side, other: _Side, cohort: Cohort) -> tuple[Difference, ...]:
    def of(said: _Side) -> Callable[[Array], Mapping[str, float | None]]:
        return lambda w: {
            name: measure(cohort.y, said, w) for name, (_, measure) in MEASURES.items()
        }

    once, again = of(one)(cohort.w), of(other)(cohort.w)
    between = cohort.difference(of(other), of(one))
    return tuple(
        [
            Difference(
                name=name,
                better=better,
                first=_short(once[name]),
                second=_short(again[name]),
                difference=between[name],
            )
            for name, (better, _) in MEASURES.items()
        ]
    )


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _sentence(found: Comparison, p: float) -> str:
    """Say which decides better, as far as these turns can tell."""
    told = (
        f"{found.second} decides {found.only_second:,} turns rightly that {found.first} does not,"
        f" and {found.only_first:,} the other way (exact McNemar p = {p:.3g})"
    )
    if p >= CLEAR:
        return f"No clear difference in decisions: {told}."
    better = found.second if found.only_second > found.only_first else found.first
    return f"{better} decides better: {told}."
