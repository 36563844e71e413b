"""How well a way to decide does: over all labelled turns, by slices of them, and by detectors.

Owns the tables of an evaluation that are about decisions and their order. What probabilities are
worth is `probabilities`'; the resampling is `estimates`'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from auditor.errors import ConfigError
from auditor.evaluating.estimates import Cohort, Held, exactly
from auditor.evaluating.references import REFERENCES, Reference
from auditor.evaluation import DetectorRow, Estimate, Judge, Slice
from auditor.fitting.labelled import Example
from auditor.statistics import ranks
from auditor.statistics.arrays import Array
from auditor.turn import NUDGEABLE

WRONG = (0.005, 0.01, 0.02, 0.05, 0.10)
"""Shares of the silence-deserving turns that may be nudged, at which recall is told."""

SHOWN = 15
"""Turns from which a slice shows numbers (decisions.md 7.6)."""

POINTS = 200
"""Points of a curve that are kept: more than a screen shows (a guess)."""

PROPERTIES: dict[str, Callable[[Example], str | None]] = {
    "harness": lambda example: example.harness,
    "model": lambda example: example.model,
    "reason": lambda example: example.reason,
    "opinion": lambda example: "residue" if example.residue else "settled",
    "by": lambda example: example.audit.by,
    "request": lambda example: example.audit.request_kind,
}
"""What turns can be sliced by."""

NAMELESS = "not said"
"""The slice of turns that have no value of a property."""


class Decided(Struct, frozen=True, kw_only=True):
    """What one way to decide says of each turn: nudge or not, and the number it ranks by."""

    name: str
    nudge: Held
    order: Array | None

    def among(self, held: Held) -> Decided:
        """Keep some of the turns."""
        order = None if self.order is None else self.order[held]
        return Decided(name=self.name, nudge=self.nudge[held], order=order)


def referred(examples: Sequence[Example]) -> list[Decided]:
    """Let every plain reference decide that can say something about all of these turns."""
    return [_decided(way, examples) for way in REFERENCES if all(map(way.knows, examples))]


def _decided(way: Reference, examples: Sequence[Example]) -> Decided:
    nudge = np.array([way.nudges(example) for example in examples], dtype=bool)
    order = np.array([way.order(example) for example in examples]) if way.order else None
    return Decided(name=way.name, nudge=nudge, order=order)


def judged(cohort: Cohort, decided: Decided) -> Judge:
    """Say how well it decides and, where it ranks turns, how well it does that."""
    deserves, nudge = cohort.y == 1, decided.nudge
    if not nudge.any():  # silent by its nature: no chance has a part in it
        found = Judge(
            name=decided.name,
            recall=exactly(0.0, int(deserves.sum())),
            wrong=exactly(0.0, int((~deserves).sum())),
            right=Estimate(None),
        )
    else:
        found = Judge(
            name=decided.name,
            recall=cohort.mean(nudge, deserves),
            wrong=cohort.mean(nudge, ~deserves),
            right=cohort.mean(deserves, nudge),
        )
    return found if decided.order is None else _ranked(cohort, decided.order, found)


def _ranked(cohort: Cohort, order: Array, found: Judge) -> Judge:
    numbers = cohort.measured(lambda weights: ranking(cohort.y, order, weights))
    return Judge(
        name=found.name,
        recall=found.recall,
        wrong=found.wrong,
        right=found.right,
        ranked=True,
        auc=numbers["auc"],
        average_precision=numbers["average_precision"],
        recall_at={str(wrong): numbers[str(wrong)] for wrong in WRONG},
        curve=_curve(cohort, order),
    )


def ranking(y: Array, order: Array, w: Array) -> Mapping[str, float | None]:
    """Area under the curve, average precision, and recall at each share of `WRONG`."""
    found = ranks.curve(y, order, w)
    if found is None:
        return dict.fromkeys(("auc", "average_precision", *map(str, WRONG)))
    heights = (found.recall[1:] + found.recall[:-1]) / 2
    within = {
        str(wrong): float(found.recall[found.wrong <= wrong + ranks.SLACK].max()) for wrong in WRONG
    }
    return {
        "auc": float(np.diff(found.wrong) @ heights),
        "average_precision": ranks.average_precision(y, order, w),
        **within,
    }


def _curve(cohort: Cohort, order: Array) -> tuple[tuple[float, float], ...]:
    found = ranks.curve(cohort.y, order, cohort.w)
    if found is None:
        return ()
    kept = thinned(len(found.wrong))
    return tuple(
        [(round(float(found.wrong[at]), 6), round(float(found.recall[at]), 6)) for at in kept]
    )


def thinned(length: int) -> list[int]:
    """Places of at most `POINTS` of so many points, the first and the last among them."""
    places = np.unique(np.linspace(0, length - 1, min(length, POINTS)).round().astype(int))
    return [int(place) for place in places]


def sliced(
    cohort: Cohort, decided: Decided, examples: Sequence[Example], by: Sequence[str]
) -> tuple[Slice, ...]:
    """Say how well it does on each value of each property, the commonest first."""
    checked(by)
    found: list[Slice] = []
    for name in by:
        values = np.array([PROPERTIES[name](example) or NAMELESS for example in examples])
        names, counts = np.unique(values, return_counts=True)
        ordered = sorted(zip(names, counts, strict=True), key=lambda pair: (-pair[1], pair[0]))
        found += [
            _slice(cohort, decided, name, str(value), values == value) for value, _ in ordered
        ]
    return tuple(found)


def checked(by: Sequence[str]) -> None:
    """Raise `ConfigError` for a property that turns do not have."""
    if unknown := [name for name in by if name not in PROPERTIES]:
        raise ConfigError(f"--by {', '.join(unknown)}: expected some of {', '.join(PROPERTIES)}")


def _slice(cohort: Cohort, decided: Decided, by: str, name: str, held: Held) -> Slice:
    part, mine = cohort.among(held), decided.among(held)
    n, yes = len(part), int(part.y.sum())
    if n < SHOWN:
        none = Estimate(None, n=n)
        return Slice(by=by, name=name, n=n, yes=yes, recall=none, wrong=none, auc=none)
    order = mine.order
    area = Estimate(None, n=n)
    if order is not None:
        area = part.measured(lambda weights: {"auc": ranks.auc(part.y, order, weights)})["auc"]
    return Slice(
        by=by,
        name=name,
        n=n,
        yes=yes,
        recall=part.mean(mine.nudge, part.y == 1),
        wrong=part.mean(mine.nudge, part.y == 0),
        auc=area,
    )


def detectors(cohort: Cohort, examples: Sequence[Example]) -> tuple[DetectorRow, ...]:
    """Say of each detector that saw something how often what it claims was so, commonest first."""
    names = sorted({name for example in examples for name in example.audit.signals})
    rows = [_detector(cohort, examples, name) for name in names]
    return tuple(sorted(rows, key=lambda row: (-row.fired, row.detector)))


def _detector(cohort: Cohort, examples: Sequence[Example], name: str) -> DetectorRow:
    signals = [example.audit.signals.get(name) for example in examples]
    seen = [signal for signal in signals if signal is not None]
    holds = [
        signal is not None and (signal.points_to in NUDGEABLE) is example.right
        for signal, example in zip(signals, examples, strict=True)
    ]
    fired = np.array([signal is not None for signal in signals], dtype=bool)
    settled = np.array(
        [
            signal is not None and signal.settles and example.audit.verdict is signal.points_to
            for signal, example in zip(signals, examples, strict=True)
        ],
        dtype=bool,
    )
    return DetectorRow(
        detector=name,
        points_to=seen[0].points_to,
        fired=len(seen),
        right=cohort.mean(holds, fired),
        settled=int(settled.sum()),
        settled_right=cohort.mean(holds, settled),
    )
