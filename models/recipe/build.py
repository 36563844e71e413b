"""Make the head of our decision model, and its card, from the shared records: one command.

    python models/recipe/build.py SHARED/turns [--cache DIR] [--jobs N]

Seeded; what was computed before is not computed again. See README.md beside this file.
"""

# ruff: noqa: INP001, T201 (a script; it is not imported by the product)

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from card import Made, card
from measure import How, tables, taught
from rows import licences, permissive, read
from states import cost, states

from auditor.backends.head import encoded
from auditor.evidence import Evidence, evidence
from auditor.fitting.labelled import from_records
from auditor.fitting.regression import one_thread
from auditor.models.registry import Located, resolve
from auditor.records import Record
from auditor.tuning.examples import Example, free, group
from auditor.tuning.heads import Matrix

ROOT = Path(__file__).parents[2]
NAME = "whose-move-135m"
BASE = "smollm2-135m-instruct"

SEED = 5
"""Any number; the first that was tried."""

DEFAULT = True
"""Whether it is used when nobody names a model; one row of the registry is."""

BUDGET = 176
"""Tokens of evidence: 600 ms of CPU at the median turn, built for any x86-64 CPU (see the card)."""

STRENGTH = 0.001
"""scikit-learn's C; of 0.0003, 0.001, 0.003 and 0.01 by AUC on the labelled turns."""


ROW = f"""# Made by models/recipe/build.py, as is its head; its card is {NAME}.md.
name = "{NAME}"
title = "Whose move is next, read out of SmolLM2 135M"
base = "{BASE}"
head = {{{{ file = "{NAME}.head.json", sha256 = "{{digest}}" }}}}
licence = "Apache-2.0"
question = "whose-move"
default = {str(DEFAULT).lower()}
"""
"""The row of the registry, but for the digest of the head."""


class Reading:
    """The base model, its cache, and how far it is."""

    def __init__(self, base: Located, cache: Path, jobs: int, budget: int = BUDGET) -> None:
        self._base, self._cache, self._jobs, self._budget = base, cache, jobs, budget
        self._began = time.monotonic()

    def of(self, shown: Sequence[Evidence]) -> Matrix:
        """Give the state of each evidence."""
        base, budget = self._base, self._budget
        found = states(
            shown, base.path, base.digest, budget, self._cache, jobs=self._jobs, told=self._told
        )
        return found.astype(np.float64)

    def _told(self, done: int, chunks: int) -> None:
        seconds = time.monotonic() - self._began
        print(f"\rread {done} of {chunks} chunks, {seconds:.0f} s", end="", flush=True)


def main() -> None:
    """Read, extract, fit, measure, write."""
    given = _arguments()
    base, rows, licence = resolve(BASE), read(given.shared), licences(given.shared)
    usable = permissive(rows, licence)
    learned = free(usable, seed=SEED)
    judged = from_records([given.shared / "records.jsonl.gz"]).examples
    own = from_records([ROOT / "data" / "labelled.jsonl"]).examples
    turns = [[evidence(one.turn) for one in found if one.turn] for found in (judged, own)]
    reading = Reading(base, given.cache, given.jobs)
    known = reading.of([example.evidence for example in learned])
    shown, ours = reading.of(turns[0]), reading.of(turns[1])
    with one_thread():
        how = How(STRENGTH, BUDGET, base.digest)
        head = taught(learned, known, range(len(learned)), how)
        found = tables(learned, known, (judged, shown), (own, ours), head, how)
    place = given.out / f"{NAME}.head.json"
    text = encoded(head)
    place.write_bytes(text)
    digest = hashlib.sha256(text).hexdigest()
    said = card(
        Made(
            name=NAME,
            base=BASE,
            base_digest=base.digest,
            digest=digest,
            size=len(text),
            seed=SEED,
            budget=BUDGET,
            strength=STRENGTH,
            evidence=head.evidence,
            groups=_groups(learned, usable, licence),
            kinds=_kinds(learned),
            tables=found,
            ablations=_ablations(),
            milliseconds=cost(turns[0], base.path, base.digest, BUDGET),
        )
    )
    (given.out / f"{NAME}.md").write_text(said, encoding="utf-8")
    (given.out / f"{NAME}.toml").write_text(ROW.format(digest=digest), encoding="utf-8")
    print(f"\n{place}: {len(text):,} bytes, sha256 {digest}")


def _arguments() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description="Make the head of the decision model.")
    asked.add_argument("shared", type=Path, help="folder with records, rows and index")
    asked.add_argument("--cache", type=Path, default=ROOT / "build" / "states")
    asked.add_argument("--jobs", type=int, default=2, help="processes that read, a thread each")
    asked.add_argument("--out", type=Path, default=ROOT / "models")
    return asked.parse_args()


def _groups(
    learned: Sequence[Example], usable: Sequence[Record], licence: dict[str, str]
) -> dict[str, tuple[str, int]]:
    """Say of each repository its licence, and how many examples are from it."""
    of_group = {group(row): licence[row.id] for row in usable}
    counts = Counter(example.group for example in learned)
    return {name: (of_group[name], n) for name, n in counts.items()}


def _kinds(learned: Sequence[Example]) -> dict[str, tuple[str, int]]:
    """Say of each kind whose move it is, and how many there are."""
    options: dict[str, set[str]] = {}
    for example in learned:
        options.setdefault(example.kind, set()).add(example.option)
    counts = Counter(example.kind for example in learned)
    return {kind: (" or ".join(sorted(options[kind])), n) for kind, n in counts.items()}


def _ablations() -> dict[str, dict[str, float | None]]:
    place = Path(__file__).with_name("ablations.json")
    return json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}


if __name__ == "__main__":
    main()
