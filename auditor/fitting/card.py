"""The card of a calibration: what it was fitted on and how good it is, as Markdown. Generated.

Owns the wording and the tables. Computes nothing; every number is the calibration's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from auditor.calibration import Bin, Calibration, Point
from auditor.evaluation import Estimate

MEASURES = {
    "auc": "AUC",
    "average_precision": "average precision",
    "log_loss": "log loss",
    "log_loss_base": "log loss of the base rate alone",
    "brier": "Brier score",
    "brier_base": "Brier score of the base rate alone",
    "calibration_error": "calibration error (debiased, 5 bins)",
}

LIMITS = """\
- Cross-fitted means: each turn is judged by numbers fitted on other groups. The detectors
  themselves were written and their right to settle was measured on labelled turns; where those are
  the turns of this card, the numbers of settled turns are better than on turns nobody has seen.
- Intervals are 95 % percentile intervals of a bootstrap that draws whole groups, 2,000 times.
- Shares count a turn as often as its sampling weight says. In the fit of the evidence no turn
  counts more than 20 times; the scaling after it uses the whole weights.
- A threshold's rates are those of the labels it was read off; on other turns expect worse."""


def card(made: Calibration) -> str:
    """Write the card."""
    return "\n\n".join(_blocks(made)) + "\n"


def _blocks(made: Calibration) -> Iterator[str]:
    counts = made.counts
    yield f"# Calibration `{made.id}`"
    if made.provisional:
        yield "**Provisional: fewer than 100 labels.**"
    yield made.description
    kinds = {
        "platt": "Ridged Platt scaling of the logit of the score.",
        "logistic": "L2 logistic regression over detectors and facts, then ridged Platt scaling.",
    }
    yield f"{kinds[made.kind]} Fitted {made.created}. Generated; do not edit."
    yield "## Fitted on"
    labels = f"{counts.labels:,} labels: {counts.yes:,} yes, {counts.no:,} no"
    left = f"({counts.unsure:,} unsure ones left out)"
    residue = f"{counts.residue:,}, of which {counts.residue_yes:,} yes"
    yield _list(
        [
            f"{labels} {left}, worth {counts.effective:,.0f} of equal weight",
            f"{counts.groups:,} groups, each a {counts.grouped_by}",
            f"residue (no proof settles it): {residue}",
            *([f"answered by the decision model: {counts.answered:,}"] if made.model else []),
        ]
    )
    yield "## What was tried"
    yield _list(made.notes or ("Nothing but the scaling: too few labels for more.",))
    if made.without:
        yield (
            "Left out of what the model says: "
            + ", ".join(f"`{name}`" for name in made.without)
            + "."
            + ("" if _reads(made) else " So no answer changes a probability of this calibration.")
        )
    yield "## How good"
    yield _measures(made.metrics, made.residue_metrics)
    yield "## Operating points, all turns"
    yield _points(made.points)
    if made.residue_points:
        yield "## Operating points, residue alone"
        yield _points(made.residue_points)
    yield "## Threshold"
    yield f"`{made.threshold:g}`. {made.chosen}"
    yield "## Reliability"
    yield _bins(made.reliability)
    yield "## How to read this"
    yield LIMITS
    yield "## Fingerprint"
    yield _table(("what", "value"), sorted(made.fingerprint.items()))
    yield f"Labels: sha256 `{made.labels}`."


def _reads(made: Calibration) -> bool:
    return any(name not in {"proved_nudge", "proved_silence"} for name in made.steps)


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _measures(all_turns: Mapping[str, Estimate], residue: Mapping[str, Estimate]) -> str:
    rows = [
        (said, _estimate(all_turns.get(name)), _estimate(residue.get(name)))
        for name, said in MEASURES.items()
    ]
    return _table(("cross-fitted", "all turns", "residue"), rows)


def _points(points: Sequence[Point]) -> str:
    rows = [
        (
            f"{point.wrong:.1%}",
            "—" if point.threshold is None else f"{point.threshold:.4f}",
            _estimate(point.recall),
            _estimate(point.right),
        )
        for point in points
    ]
    return _table(("wrong, at most", "threshold", "recall", "nudges that are right"), rows)


def _bins(bins: Sequence[Bin]) -> str:
    rows = [
        (f"{b.low:g} to {b.high:g}", f"{b.n:,}", f"{b.said:.3f}", _estimate(b.observed))
        for b in bins
    ]
    return _table(("probability", "turns", "said, on average", "share that was right"), rows)


def _estimate(found: Estimate | None) -> str:
    if found is None or found.value is None:
        return "—"
    between = "" if found.low is None else f" ({found.low:.3f} to {found.high:.3f})"
    return f"{found.value:.3f}{between}"
