"""What of the evidence the head needs: heads fitted anew on less of it, into `ablations.json`.

    python models/recipe/ablate.py SHARED/turns [--cache DIR] [--jobs N] [--only WAY ...]

About an hour and a half on two cores; not needed to make the head.
"""

# ruff: noqa: INP001, T201 (a script; it is not imported by the product)

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from build import BASE, BUDGET, ROOT, SEED, STRENGTH, Reading
from measure import How, crossed, logits, taught
from rows import licences, permissive, read

from auditor.backends.head import Arithmetic
from auditor.evidence import Evidence, evidence
from auditor.fitting.labelled import Example as Labelled
from auditor.fitting.labelled import from_records
from auditor.fitting.regression import one_thread
from auditor.models.registry import resolve
from auditor.statistics.ranks import auc
from auditor.tuning.examples import Example, free
from auditor.tuning.heads import Matrix

LEARNED = 800
"""Made turns that each head learns from; the learning curve is nearly flat from there."""

WAYS: dict[str, tuple[int, Callable[[Evidence], Evidence]]] = {
    "all of it": (BUDGET, lambda shown: shown),
    "without the request": (BUDGET, lambda shown: Evidence("", shown.facts, shown.reply)),
    "without any sentence of activity": (
        BUDGET,
        lambda shown: Evidence(shown.request, (), shown.reply),
    ),
    "without to-dos": (
        BUDGET,
        lambda shown: Evidence(
            shown.request, tuple([fact for fact in shown.facts if "to-do" not in fact]), shown.reply
        ),
    ),
    "the reply alone": (BUDGET, lambda shown: Evidence("", (), shown.reply)),
    "all of it, 128 tokens": (128, lambda shown: shown),
    "all of it, 256 tokens": (256, lambda shown: shown),
}
"""Budget of tokens and what is shown, by name."""


def main() -> None:
    """Fit and judge each way."""
    asked = argparse.ArgumentParser(description="Measure what of the evidence the head needs.")
    asked.add_argument("shared", type=Path, help="folder with records, rows and index")
    asked.add_argument("--cache", type=Path, default=ROOT / "build" / "states")
    asked.add_argument("--jobs", type=int, default=2, help="processes that read, a thread each")
    asked.add_argument("--only", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY")
    given = asked.parse_args()
    usable = permissive(read(given.shared), licences(given.shared))
    learned = sorted(free(usable, seed=SEED), key=_by_chance)[:LEARNED]
    judged = [
        found
        for found in from_records([given.shared / "records.jsonl.gz"]).examples
        if found.residue
    ]
    own = from_records([ROOT / "data" / "labelled.jsonl"]).examples
    place = Path(__file__).with_name("ablations.json")
    found = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    for what in given.only:
        budget, way = WAYS[what]
        reading = Reading(resolve(BASE), given.cache, given.jobs, budget)
        known = reading.of([way(example.evidence) for example in learned])
        shown, ours = (
            reading.of([way(evidence(one.turn)) for one in turns if one.turn])
            for turns in (judged, own)
        )
        with one_thread():
            found[what] = judge(learned, known, (judged, shown), (own, ours), budget)
        print(f"\n{what}: {found[what]}")
    found = {what: found[what] for what in WAYS if what in found}
    place.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def judge(
    learned: Sequence[Example],
    known: Matrix,
    judged: tuple[Sequence[Labelled], Matrix],
    own: tuple[Sequence[Labelled], Matrix],
    budget: int,
) -> dict[str, float | None]:
    """Give the AUC on the labelled residue, on our own turns, and on their residue."""
    groups = [found.group for found in judged[0]]
    how = How(STRENGTH, budget, resolve(BASE).digest)
    theirs = logits(crossed(learned, known, groups, judged[1], how))
    head = taught(learned, known, range(len(learned)), how)
    ours = logits(Arithmetic(head).logprobs(own[1]))
    residue = np.array([found.residue for found in own[0]])
    right = np.array([float(found.right) for found in own[0]])
    found = {
        "labelled residue": auc(
            [float(one.right) for one in judged[0]], theirs, [one.weight for one in judged[0]]
        ),
        "our own turns": auc(right, ours),
        "our own residue": auc(right[residue], ours[residue]),
    }
    return {name: None if value is None else round(value, 4) for name, value in found.items()}


def _by_chance(example: Example) -> str:
    return hashlib.sha256(example.id.encode()).hexdigest()


if __name__ == "__main__":
    main()
