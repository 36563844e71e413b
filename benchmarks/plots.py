"""The plots and the table of docs/calibration.md, out of an evaluation.

    auditor evaluate RECORDS.jsonl.gz --model none --calibration no-model --json --out e.json
    python benchmarks/plots.py e.json

Writes docs/img/*.svg and what stands between the marks `numbers` of the page. The same evaluation
gives the same files; nothing else of the page is touched.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import msgspec

from auditor.evaluation import Evaluation
from auditor.reporting import charts, tables

DOCS = Path(__file__).parents[1] / "docs"
START, END = "<!-- numbers: benchmarks/plots.py -->\n", "<!-- /numbers -->"


def plots(found: Evaluation) -> dict[str, str]:
    every, rest = found.scores, found.residue_scores
    curve = every.reliability if every else None
    drawn = {
        "recall": charts.recall_against_wrong(
            "recall", "Recall against wrong nudges, all turns", found.judges
        ),
        "recall-residue": charts.recall_against_wrong(
            "recall-residue", "Recall against wrong nudges, residue", found.residue_judges
        ),
        "reliability": charts.reliability("reliability", "Reliability, all turns", curve, found.n),
        "reliability-residue": charts.reliability(
            "reliability-residue",
            "Reliability, residue",
            rest.reliability if rest else None,
            found.residue,
        ),
        "risk-coverage": charts.risk_coverage(
            "risk-coverage", "Risk by coverage, all turns", found.risk_coverage, found.n
        ),
    }
    return {name: charts.standalone(chart) for name, chart in drawn.items()}


def numbers(found: Evaluation) -> str:
    """The table of the page, as Markdown."""
    ours = "cross-fitted" if found.cross_fitted else "not cross-fitted"
    head = (
        f"Calibration `{found.calibration}`, {ours}, {found.created[:10]}: {found.n:,} labelled"
        f" turns of {found.groups:,} groups (each a {found.grouped_by}), {found.yes:,} of which"
        f" deserve a nudge; {found.residue:,} are residue."
    )
    made = [
        tables.judges("As set, all turns", found.judges),
        tables.recalls("Recall within a limit, all turns", found.judges),
        tables.judges("As set, residue", found.residue_judges),
        tables.recalls("Recall within a limit, residue", found.residue_judges),
    ]
    told = [
        f"Reliability, {title}: {charts.band(scores.reliability)}"
        for title, scores in (("all turns", found.scores), ("residue", found.residue_scores))
        if scores and scores.reliability
    ]
    return "\n\n".join([head, *map(markdown, made), *told]) + "\n"


def markdown(made: tables.Table) -> str:
    return "\n".join(lines(made))


def lines(made: tables.Table) -> Iterator[str]:
    yield f"**{made.title}**\n"
    yield f"| {' | '.join(made.head)} |"
    yield f"|{'---|' * len(made.head)}"
    for row in made.rows:
        cells = [f"{cell.text} {cell.small}".strip() for cell in row]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("evaluation", type=Path, help="what `auditor evaluate --json` wrote")
    parser.add_argument("--docs", type=Path, default=DOCS)
    wanted = parser.parse_args()
    found = msgspec.json.decode(wanted.evaluation.read_bytes(), type=Evaluation)
    page = wanted.docs / "calibration.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{page}: expected a part between {START.strip()} and {END}")
    (wanted.docs / "img").mkdir(exist_ok=True)
    for name, chart in plots(found).items():
        (wanted.docs / "img" / f"{name}.svg").write_text(chart, encoding="utf-8")
    page.write_text(f"{before}{START}{numbers(found)}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
