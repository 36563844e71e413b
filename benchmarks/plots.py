"""The plots and the table of docs/calibration.md and the table of the README, out of evaluations.

    auditor evaluate RECORDS.jsonl.gz --model none --calibration no-model --json --out e.json
    auditor evaluate RECORDS.jsonl.gz --json --out m.json
    python benchmarks/plots.py e.json --model m.json

Writes docs/img/*.svg and what stands between the marks `numbers` of the page and of the README. The
same evaluations give the same files; nothing else of them is touched. Without the evaluation with a
decision model the README tells only what is so without one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from auditor.evaluation import Estimate, Evaluation, Judge
from auditor.reporting import charts, tables

ROOT = Path(__file__).parents[1]
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


LIMITS = ("0.01", "0.02", "0.05")
"""Shares of wrong nudges that the README tells recall at."""


def readme(plain: Evaluation, asked: Evaluation | None) -> str:
    """The table of the README, as Markdown."""
    rule = next(judge for judge in plain.judges if judge.name == "dangling rule")
    found = [("without a model", plain)] + ([(f"with {asked.model}", asked)] if asked else [])
    rows = [
        ("plain rules (ends on a tool, an error, a colon, “let me”)", told(rule)),
        ("**what detectors prove, as it is nudged**", told(plain.judges[0])),
    ]
    for how, each in found:
        rows += [
            (f"the probability, {how}", ranked(each.judges[0])),
            (
                f"the same, on the {each.residue:,} turns that nothing proves",
                ranked(each.residue_judges[0]),
            ),
        ]
    head = (
        "",
        "stalls found",
        "wrongly nudged",
        "AUC",
        *[f"stalls found at {float(x):.0%} wrong" for x in LIMITS],
    )
    table = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    table += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows]
    return "\n".join([*table, "", about(plain)]) + "\n"


def about(found: Evaluation) -> str:
    return (
        f"{found.n:,} labelled turns of {found.groups:,} public repositories,"
        f" {found.yes:,} of which deserved a nudge. Shares are weighted to the population of turns;"
        " intervals (95 %) draw repositories; no repository is judged by numbers fitted on it."
    )


def told(judge: Judge) -> list[str]:
    return [share(judge.recall), share(judge.wrong, 1), *["—"] * (1 + len(LIMITS))]


def ranked(judge: Judge) -> list[str]:
    at = [share(judge.recall_at.get(limit)) for limit in LIMITS]
    return ["—", "—", number(judge.auc), *at]


def share(found: Estimate | None, digits: int = 0) -> str:
    return written(found, lambda value: f"{100 * value:.{digits}f}", " %")


def number(found: Estimate | None) -> str:
    return written(found, lambda value: f"{value:.3f}", "")


def written(found: Estimate | None, by: Callable[[float], str], unit: str) -> str:
    if found is None or found.value is None:
        return "—"
    if found.low is None or found.high is None:
        return by(found.value) + unit
    return f"{by(found.value)}{unit} [{by(found.low)}, {by(found.high)}]"


def replaced(path: Path, made: str) -> None:
    """Write `made` between the marks of a file."""
    before, _, rest = path.read_text(encoding="utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{path}: expected a part between {START.strip()} and {END}")
    path.write_text(f"{before}{START}{made}{END}{after}", encoding="utf-8")


def read(path: Path) -> Evaluation:
    return msgspec.json.decode(path.read_bytes(), type=Evaluation)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("evaluation", type=Path, help="what `auditor evaluate --json` wrote")
    parser.add_argument("--model", type=Path, help="the same with the decision model asked")
    parser.add_argument("--root", type=Path, default=ROOT, help="where README.md and docs/ are")
    wanted = parser.parse_args()
    found = read(wanted.evaluation)
    asked = read(wanted.model) if wanted.model else None
    docs = wanted.root / "docs"
    made = plots(found)  # first: an evaluation without numbers has nothing to write anywhere
    replaced(docs / "calibration.md", numbers(found))
    replaced(wanted.root / "README.md", readme(found, asked))
    (docs / "img").mkdir(exist_ok=True)
    for name, chart in made.items():
        (docs / "img" / f"{name}.svg").write_text(chart, encoding="utf-8")


if __name__ == "__main__":
    main()
