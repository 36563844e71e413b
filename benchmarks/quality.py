"""How right the probabilities are, on labelled turn records, cross-fitted by repository.

    python benchmarks/quality.py [RECORDS.jsonl.gz …] [--model NAME] [--json FILE]

Fits the shipped calibrations anew (nothing is written), prints the numbers of their cards, on all
turns and on the residue, and compares them with the cards and with the reference: hand features,
tf-idf of the tail and logistic regression, trained on the same labels and tested on other
repositories. `--model` asks the decision model too (minutes, unless its answers are kept). Exits 1
when a number of a card is not reproduced or does not reach the reference.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import msgspec

from auditor import artefacts, calibrations
from auditor.asking import Asker
from auditor.calibration import Calibration, Point
from auditor.evaluation import Estimate
from auditor.fitting import fit, labelled

SHARED = Path(os.environ.get("AUDITOR_SHARED", Path(__file__).parents[2] / "shared"))
REFERENCE = {"auc": 0.92, 0.02: 0.58, 0.05: 0.78, 0.1: 0.82}
CLOSE = 0.002
"""Numbers are rounded to four digits, and another library may change the third."""


def shown(found: Estimate) -> str:
    if found.value is None:
        return "—"
    between = "" if found.low is None else f" ({found.low:.3f} to {found.high:.3f})"
    return f"{found.value:.3f}{between}"


def printed(made: Calibration) -> None:
    print(f"\n{made.id}: {made.counts.labels} labels, {made.counts.yes} yes")
    for note in made.notes:
        print(f"  {note}")
    print(f"{'':24}{'all turns':26}{'residue':26}")
    for name, estimate in made.metrics.items():
        print(f"{name:24}{shown(estimate):26}{shown(made.residue_metrics[name]):26}")
    for point, residue in zip(made.points, made.residue_points, strict=True):
        name = f"recall at {point.wrong:.1%} wrong"
        print(f"{name:24}{shown(point.recall):26}{shown(residue.recall):26}")


def values(made: Calibration) -> dict[str, float | None]:
    def recalls(where: str, points: tuple[Point, ...]) -> dict[str, float | None]:
        return {f"{where} recall at {p.wrong:.1%} wrong": p.recall.value for p in points}

    return (
        {f"all {name}": e.value for name, e in made.metrics.items()}
        | {f"residue {name}": e.value for name, e in made.residue_metrics.items()}
        | recalls("all", made.points)
        | recalls("residue", made.residue_points)
    )


def misses(made: Calibration) -> list[str]:
    """What of the shipped card is not reproduced, and what is below the reference."""
    found = []
    shipped = calibrations.read(artefacts.folder("calibration") / f"{made.id}.json")
    if shipped.labels == made.labels:
        card = values(shipped)
        found += [
            f"{made.id}: {name} {value}, the card says {card.get(name)}"
            for name, value in values(made).items()
            if abs((value or 0.0) - (card.get(name) or 0.0)) > CLOSE
        ]
    else:
        print(f"{made.id}: other labels than the card's; its numbers are not compared")
    reached = {"auc": made.metrics["auc"].value} | {p.wrong: p.recall.value for p in made.points}
    return found + [
        f"{made.id}: {name} {reached[name]}, the reference has {bar}"
        for name, bar in REFERENCE.items()
        if (reached[name] or 0.0) < bar
    ]


def fitted(paths: list[Path], model: str | None) -> Calibration:
    """Fit as `auditor fit` does."""
    with Asker(model, questions=None, offline=False) as asker:
        found = labelled.from_records(paths, judge=asker if model else None)
        if asker.done.problem:
            raise SystemExit(asker.done.problem)
        digest = asker.digest
    described = None
    if model and digest:
        described = {"digest": digest, "model_name": model} | calibrations.runtime(digest)
    return fit.fitted(
        found.examples,
        name=model or calibrations.PLAIN,
        created="",
        description="",
        model=described,
        unsure=found.unsure,
        grouped_by=found.grouped_by,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "records", nargs="*", type=Path, default=[SHARED / "turns/records.jsonl.gz"]
    )
    parser.add_argument("--model", help="also with this decision model's answers")
    parser.add_argument("--json", type=Path, help="write the numbers here too")
    options = parser.parse_args()
    if missing := [path for path in options.records if not path.exists()]:
        print(f"{missing[0]}: no such file; name files of labelled turn records")
        return 2
    made = [fitted(options.records, None)]
    if options.model:
        made.append(fitted(options.records, options.model))
    for one in made:
        printed(one)
    if options.json:
        options.json.write_text(json.dumps([msgspec.to_builtins(one) for one in made], indent=1))
    missed = [line for one in made for line in misses(one)]
    print("\nbars:", "; ".join(missed) if missed else "all met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
