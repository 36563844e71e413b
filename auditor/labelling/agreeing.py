"""How well raters agree, with one another and each with what they said days before.

Owns which labels make a pair. The statistics are `statistics.agreement`'s. Knows no screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct

from auditor.evaluation import Estimate
from auditor.labels import Label, Source

if TYPE_CHECKING:
    from auditor.statistics.arrays import Array

LEAST = 20
"""Pairs under which nothing is said about agreement (decisions.md 5.2)."""

RARE = 0.15
"""Share of an answer under which chance-corrected kappa misleads, and AC1 is read instead
(decisions.md 5.2)."""

PEOPLE = (Source.HUMAN, Source.IMPORT)
"""Labels of single raters; an adjudicated one is of several."""


class Pair(Struct, frozen=True):
    """Two answers about one turn. `group`: its session, whose turns are never parted."""

    turn: str
    group: str
    one: str
    other: str


class Agreement(Struct, frozen=True, kw_only=True):
    """Of two raters, or of one with themselves (`other` None); each None under `LEAST` pairs.

    `rarest`: share of the rarest answer that was given.
    """

    rater: str
    other: str | None
    pairs: int
    rarest: float | None = None
    raw: Estimate | None = None
    kappa: Estimate | None = None
    alpha: Estimate | None = None
    ac1: Estimate | None = None


class Agreements(Struct, frozen=True):
    """All of them, and Krippendorff's alpha over all raters (None: under `LEAST` turns of two)."""

    pairs: list[Agreement]
    turns: int
    alpha: Estimate | None

    @property
    def enough(self) -> bool:
        """Whether anything can be said."""
        return any(found.raw is not None for found in self.pairs)


def agreements(
    labels: Iterable[Label], repeats: Iterable[int], session: Callable[[str], str | None]
) -> Agreements:
    """Compare. `repeats`: drawings of the repeat queue; `session`: of a turn, by its address.

    The first reading of a turn is the latest label before its repeat: undone ones do not count.
    """
    again, first = _readings(labels, set(repeats))
    raters = sorted(first)
    found = [
        _agreement(rater, None, _pairs(first[rater], again.get(rater, {}), session))
        for rater in raters
    ]
    found += [
        _agreement(one, other, _pairs(first[one], first[other], session))
        for one, other in combinations(raters, 2)
    ]
    turns = sorted({turn for said in first.values() for turn in said})
    rows = [[said.get(turn) for said in first.values()] for turn in turns]
    held = [place for place, row in enumerate(rows) if sum(one is not None for one in row) > 1]
    together = [rows[place] for place in held]
    groups = [session(turns[place]) or turns[place] for place in held]
    return Agreements(found, len(together), _alpha(together, groups))


Said = dict[str, dict[str, str]]
"""Rater -> turn -> answer."""


def _readings(labels: Iterable[Label], repeats: set[int]) -> tuple[Said, Said]:
    again: Said = {}
    first: Said = {}
    for label in sorted(labels, key=lambda label: label.at):
        if label.source in PEOPLE:
            into = again if label.sample in repeats else first
            rater = label.rater or f"({label.source})"
            into.setdefault(rater, {})[label.turn] = label.nudge.value
    return again, first


def _pairs(
    one: dict[str, str], other: dict[str, str], session: Callable[[str], str | None]
) -> list[Pair]:
    return [
        Pair(turn, session(turn) or turn, one[turn], other[turn])
        for turn in sorted(one.keys() & other.keys())
    ]


def _agreement(rater: str, other: str | None, pairs: Sequence[Pair]) -> Agreement:
    if len(pairs) < LEAST:
        return Agreement(rater=rater, other=other, pairs=len(pairs))
    from auditor.statistics import agreement  # noqa: PLC0415 - numpy

    a, b = [pair.one for pair in pairs], [pair.other for pair in pairs]
    both = list(zip(a, b, strict=True))
    groups = [pair.group for pair in pairs]
    answers = [*a, *b]
    return Agreement(
        rater=rater,
        other=other,
        pairs=len(pairs),
        rarest=min(answers.count(answer) for answer in set(answers)) / len(answers),
        raw=_estimate(lambda w: _raw(a, b, w), groups),
        kappa=_estimate(lambda w: agreement.kappa(a, b, w), groups),
        alpha=_estimate(lambda w: agreement.alpha(both, w), groups),
        ac1=_estimate(lambda w: agreement.ac1(a, b, w), groups),
    )


def _alpha(rows: Sequence[Sequence[str | None]], groups: Sequence[str]) -> Estimate | None:
    if len(rows) < LEAST:
        return None
    from auditor.statistics import agreement  # noqa: PLC0415 - numpy

    return _estimate(lambda w: agreement.alpha(rows, w), groups)


def _raw(a: Sequence[str], b: Sequence[str], w: Array) -> float | None:
    """Give the weighted share of equal answers."""
    total = float(w.sum())
    equal = sum(float(v) for one, other, v in zip(a, b, w, strict=True) if one == other)
    return equal / total if total else None


def _estimate(measure: Callable[[Array], float | None], groups: Sequence[str]) -> Estimate:
    """Measure, with the interval of a bootstrap of sessions."""
    from auditor.statistics import arrays, intervals  # noqa: PLC0415 - numpy

    value = measure(arrays.weights(None, len(groups)))
    interval = intervals.bootstrap(groups, measure) if value is not None else None
    low, high = interval or (None, None)
    return Estimate(value, low, high, len(groups))
