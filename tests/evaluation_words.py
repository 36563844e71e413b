"""Words for tests of evaluations: labelled turns whose decisions are known."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from auditor.calibration import Calibration, Counts
from auditor.evaluating.evaluate import Wanted, evaluated
from auditor.evaluation import Evaluation
from auditor.features import VERSION, fingerprint
from auditor.fitting.labelled import Examples, from_records
from auditor.records import written
from tests.words import say, turn

PROVED = "Now let me run the tests:"
"""A text whose turn is proved unfinished: a nudge."""

ASKED = "The parser is done. Shall I go on with the second part?"
"""A text whose turn is proved to wait for the user: silence."""

OPEN = "The parser has {} states."
"""A text that nothing settles."""


def line(number: int, nudge: str | None, text: str, *, repo: str | None = None, **more: Any) -> str:
    """One labelled turn record; there are eleven repositories unless one is said."""
    made = structs.replace(
        turn(say(text.format(number))), id=f"t{number}", session=f"s{number % 20}"
    )
    label = None if nudge is None else {"nudge": nudge, "weight": 1.0} | more
    meta = {"repo": repo or f"r{number % 11}"}
    return written(made, label=label, meta=meta).decode()


def plain(n: int = 80, weight: float = 1.0) -> list[str]:
    """A quarter proved nudges, a quarter proved silence, half residue; one in ten is otherwise."""
    kinds = (("yes", PROVED), ("no", ASKED), ("no", OPEN), ("no", OPEN))
    found = []
    for number in range(n):
        nudge, text = kinds[number % 4]
        otherwise = number % 10 == 2  # the third: residue that deserves a nudge
        found.append(line(number, "yes" if otherwise else nudge, text, weight=weight))
    return found


def write(folder: Path, lines: Iterable[str], name: str = "labelled.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(one + "\n" for one in lines))
    return path


def examples(folder: Path, lines: Iterable[str]) -> Examples:
    return from_records([write(folder, lines)])


def calibration(
    weights: dict[str, float] | None = None, *, threshold: float = 0.5, **more: Any
) -> Calibration:
    """A calibration by hand: nothing but what is given has weight, proofs decide clearly."""
    made = Calibration(
        id="by-hand",
        created="2026-12-01",
        description="",
        kind="logistic",
        features=VERSION,
        intercept=-1.0,
        weights=weights or {},
        slope=1.0,
        offset=0.0,
        steps={"proved_nudge": 4.0, "proved_silence": -3.0},
        threshold=threshold,
        chosen="",
        points=(),
        counts=Counts(
            labels=100,
            yes=50,
            no=50,
            unsure=0,
            residue=50,
            residue_yes=10,
            answered=0,
            groups=10,
            grouped_by="repository",
            effective=100.0,
        ),
        metrics={},
        reliability=(),
        fingerprint=fingerprint(),
        labels="of other turns",
        provisional=False,
        reference=(),
    )
    return structs.replace(made, **more)


def evaluation(found: Examples, *by: Any, **more: Any) -> Evaluation:
    """Evaluate with few draws."""
    return evaluated(found, Wanted(**({"created": "now", "draws": 50} | more)), *by)


def document(found: Evaluation) -> dict[str, Any]:
    """All numbers, without the two that depend on the clock."""
    made: dict[str, Any] = json.loads(msgspec.json.encode(found))
    return {key: value for key, value in made.items() if key not in {"created", "timings"}}
