"""How right the probabilities are, on labelled turn records, cross-fitted by repository.

    python benchmarks/quality.py [RECORDS.jsonl.gz …] [--model NAME] [--json FILE]

Fits the shipped calibrations anew (nothing is written) and prints the numbers of their cards and of
the README, on all turns and on the residue, with and without the decision model (`--model none`
asks none; its answers are kept, so that a second run takes seconds): what the model adds, paired;
wrong nudges by harness; Chinese turns beside the others; our own turns, which no weight saw.
Compares them with the cards and the bars. Exits 1 when a number of a card is not reproduced or a
bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from auditor import artefacts, calibrations
from auditor.asking import Asker
from auditor.calibration import Calibration, Point
from auditor.evaluating.estimates import Cohort
from auditor.evaluation import Estimate
from auditor.fitting import fit, labelled
from auditor.live.words import ZH, language_of
from auditor.models import registry
from auditor.statistics import ranks
from auditor.statistics.arrays import Array

SHARED = Path(os.environ.get("AUDITOR_SHARED", Path(__file__).parents[2] / "shared"))
REFERENCE = {"auc": 0.92, 0.02: 0.58, 0.05: 0.78, 0.1: 0.82}
LIFT, WRONG, FEW = 0.08, 0.04, 20
"""What the model is to add to the AUC of the residue; wrong nudges in a harness; and of how many
turns such a share is one."""

CHINESE, OTHERS = "Chinese", "not Chinese"

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


class Judged(NamedTuple):
    """Labelled turns, their cross-fitted probabilities, and the calibration of all of them."""

    examples: list[labelled.Example]
    p: list[float]
    made: Calibration


def fitted(paths: list[Path], model: str | None) -> Judged:
    """Fit as `auditor fit` does."""
    found, digest = asked(paths, model)
    described = None
    if model and digest:
        described = {"digest": digest, "model_name": model} | calibrations.runtime(digest)
    made = fit.fitted(
        found.examples,
        name=model or calibrations.PLAIN,
        created="",
        description="",
        model=described,
        unsure=found.unsure,
        grouped_by=found.grouped_by,
    )
    return Judged(
        found.examples, fit.cross_fitted(found.examples, model=described is not None), made
    )


def asked(paths: list[Path], model: str | None) -> tuple[labelled.Examples, str | None]:
    with Asker(model, questions=None, offline=False) as asker:
        found = labelled.from_records(paths, judge=asker if model else None)
        if asker.done.problem:
            raise SystemExit(asker.done.problem)
        return found, asker.digest


def lifted(plain: Judged, by_model: Judged) -> Estimate:
    """What the model adds to the AUC of the residue: the paired difference."""
    before = dict(zip([each.id for each in plain.examples], plain.p, strict=True))
    pairs = zip(by_model.examples, by_model.p, strict=True)
    rest = [(each, before[each.id], after) for each, after in pairs if each.residue]
    y = [each.right for each, _, _ in rest]
    old, new = ([row[place] for row in rest] for place in (1, 2))
    cohort = Cohort(y, [each.weight for each, _, _ in rest], [each.group for each, _, _ in rest])

    def difference(w: Array) -> dict[str, float | None]:
        a, b = ranks.auc(y, old, w), ranks.auc(y, new, w)
        return {"lift": None if a is None or b is None else b - a}

    return cohort.measured(difference)["lift"]


def sliced(found: Judged, threshold: float) -> list[tuple[str, Estimate, Estimate]]:
    """Recall and wrong nudges at a threshold, by harness and by script."""
    examples = found.examples
    cohort = Cohort(
        [each.right for each in examples],
        [each.weight for each in examples],
        [each.group for each in examples],
    )
    nudged = np.array(found.p) >= threshold
    y = cohort.y.astype(bool)
    parts = {each.harness: each.harness for each in examples}
    held = {name: np.array([each.harness == name for each in examples]) for name in sorted(parts)}
    chinese = np.array([written_in_han(each) for each in examples])
    held |= {CHINESE: chinese, OTHERS: ~chinese}
    return [(n, cohort.mean(nudged, h & y), cohort.mean(nudged, h & ~y)) for n, h in held.items()]


def written_in_han(example: labelled.Example) -> bool:
    return language_of(example.request or "") == ZH or language_of(example.reply or "") == ZH


def own(made: Calibration, model: str | None) -> str:
    """AUC on our own turns, all and residue: no weight and no threshold ever saw them."""
    found, _ = asked([artefacts.folder("data") / "labelled.jsonl"], model)
    p = [made.apply(each.features) for each in found.examples]
    y = [each.right for each in found.examples]
    rest = [place for place, each in enumerate(found.examples) if each.residue]
    every = Estimate(ranks.auc(y, p), n=len(y))
    left = Estimate(ranks.auc([y[i] for i in rest], [p[i] for i in rest]), n=len(rest))
    return f"AUC {shown(every)} (n {len(y)}), residue {shown(left)} (n {len(rest)})"


def missed_bars(found: Judged, lift: Estimate | None) -> list[str]:
    """Which bars are missed; 0.02 wrong is the point at which slices are judged."""
    made = found.made
    recall = {point.wrong: point for point in made.points}
    loose = recall[0.02].threshold or 1.0
    wanted = [
        ("AUC", made.metrics["auc"].value, 0.97),
        ("recall at 2 % wrong", recall[0.02].recall.value, 0.85),
        ("recall at 1 % wrong", recall[0.01].recall.value, 0.70),
    ]
    if lift is not None:
        wanted += [("what the model adds on the residue", lift.value, LIFT)]
    missed = [f"{made.id}: {name} {has} < {bar}" for name, has, bar in wanted if (has or 0.0) < bar]
    rows = {name: (recall, wrong) for name, recall, wrong in sliced(found, loose)}
    (_, chinese), (_, others) = rows.pop(CHINESE), rows.pop(OTHERS)
    missed += [
        f"{made.id}: {name}: {wrong.value:.3f} wrong > {WRONG}"
        for name, (_, wrong) in rows.items()
        if (wrong.value or 0.0) > WRONG and wrong.n >= FEW
    ]
    if (chinese.low or 0.0) > (others.high or 1.0):
        missed.append(f"{made.id}: Chinese turns are nudged wrongly more often than others")
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "records", nargs="*", type=Path, default=[SHARED / "turns/records.jsonl.gz"]
    )
    parser.add_argument("--model", default=registry.default().name, help="NAME, or none")
    parser.add_argument("--json", type=Path, help="write the numbers here too")
    options = parser.parse_args()
    if missing := [path for path in options.records if not path.exists()]:
        print(f"{missing[0]}: no such file; name files of labelled turn records")
        return 2
    model = None if options.model == "none" else options.model
    plain = fitted(options.records, None)
    found = [plain, fitted(options.records, model)] if model else [plain]
    lift = lifted(*found) if model else None
    for each in found:
        printed(each.made)
        print(f"our own turns: {own(each.made, model if each is not plain else None)}")
        print(f"at the threshold of 2 % wrong:\n{'':24}{'recall':26}{'wrong':26}turns")
        loose = next(p.threshold for p in each.made.points if p.wrong == 0.02) or 1.0
        for name, recall, wrong in sliced(each, loose):
            print(f"{name:24}{shown(recall):26}{shown(wrong):26}{recall.n} + {wrong.n}")
    if lift is not None:
        print(f"\nthe model adds to the AUC of the residue: {shown(lift)}")
    if options.json:
        made = [msgspec.to_builtins(each.made) for each in found]
        options.json.write_text(json.dumps(made, indent=1))
    missed = [line for each in found for line in misses(each.made)]
    missed += missed_bars(found[-1], lift)
    print("\nbars:", "; ".join(missed) if missed else "all met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
