"""How right the sieve is: on labelled turn records (by repository) and on the scenario families.

    python benchmarks/quality_sieve.py [RECORDS.jsonl.gz] [--scenarios FOLDER] [--json FILE]

A would-be nudge is right on a turn labelled `yes`, wrong on one labelled `no`; `unsure` turns are
left out. Shares are weighted by the labels' sampling weight; intervals are 95 % percentile
intervals of a bootstrap that draws whole repositories. Exits 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from auditor.audit import Audit, audit
from auditor.evaluating.references import dangling
from auditor.records import Record, records
from auditor.statistics import ranks
from auditor.turn import NUDGEABLE

SHARED = Path(os.environ.get("AUDITOR_SHARED", Path(__file__).parents[2] / "shared"))
DRAWS = 2000  # bootstrap draws: percentile ends move by less than 0.3 points between runs
WRONG_BAR = 0.01
SETTLE_BAR = 0.97
FAMILY_BAR = 0.95


@dataclass(frozen=True)
class Case:
    """One labelled turn and its audit."""

    record: Record
    audit: Audit

    @property
    def deserves(self) -> bool:
        return self.record.label is not None and self.record.label.nudge == "yes"

    @property
    def weight(self) -> float:
        return self.record.label.weight if self.record.label else 1.0

    @property
    def repository(self) -> str:
        return str((self.record.meta or {}).get("repo", self.record.session))


def cases(path: Path) -> list[Case]:
    return [
        Case(found, audit(found.turn))
        for found in records(path)
        if isinstance(found, Record) and found.label and found.label.nudge in {"yes", "no"}
    ]


def share(part: Iterable[Case], whole: Iterable[Case]) -> float | None:
    total = sum(case.weight for case in whole)
    return sum(case.weight for case in part) / total if total else None


def bootstrap(
    found: list[Case], measure: Callable[[list[Case]], float | None], draws: int = DRAWS
) -> tuple[float, float] | None:
    groups = defaultdict(list)
    for case in found:
        groups[case.repository].append(case)
    names = sorted(groups)
    random = np.random.default_rng(20261130)
    values = []
    for _ in range(draws):
        drawn = [
            case for i in random.integers(len(names), size=len(names)) for case in groups[names[i]]
        ]
        if (value := measure(drawn)) is not None:
            values.append(value)
    if not values:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def recall(found: list[Case]) -> float | None:
    yes = [case for case in found if case.deserves]
    return share([case for case in yes if case.audit.would_nudge], yes)


def wrong(found: list[Case]) -> float | None:
    no = [case for case in found if not case.deserves]
    return share([case for case in no if case.audit.would_nudge], no)


def referred(found: list[Case]) -> tuple[float | None, float | None]:
    """Recall and wrong share of the plain rules."""
    yes, no = [c for c in found if c.deserves], [c for c in found if not c.deserves]
    return share([c for c in yes if dangling(c.record.turn)], yes), share(
        [c for c in no if dangling(c.record.turn)], no
    )


def columns(found: list[Case]) -> tuple[np.ndarray, ...]:
    """Whether a nudge is deserved, the score, the weight."""
    rows = [(c.deserves, c.audit.score, c.weight) for c in found]
    return tuple(np.array(rows, dtype=float).reshape(-1, 3).T)


def auc(found: list[Case]) -> float | None:
    return ranks.auc(*columns(found))


def recall_at(found: list[Case], limit: float) -> float | None:
    return ranks.recall_at(*columns(found), limit)


def detector_rows(found: list[Case]) -> list[dict[str, object]]:
    """Per detector: how often it fired and settled, and how often what it claims is so."""
    names = sorted({name for case in found for name in case.audit.signals})
    rows = []
    for name in names:
        fired = [case for case in found if name in case.audit.signals]
        proofs = [case for case in fired if decides(case, name)]
        rows.append(
            {
                "detector": name,
                "points to": str(fired[0].audit.signals[name].points_to),
                "fired": len(fired),
                "right": share([c for c in fired if holds(c, name)], fired),
                "settled": len(proofs),
                "settled wrong": sum(not holds(c, name) for c in proofs),
                "settled right": share([c for c in proofs if holds(c, name)], proofs),
                "repositories": len({c.repository for c in fired}),
                "of yes": recall_of(found, fired),
            }
        )
    return rows


def holds(case: Case, name: str) -> bool:
    """Whether the label bears out what the signal claims about a nudge."""
    return (case.audit.signals[name].points_to in NUDGEABLE) is case.deserves


def decides(case: Case, name: str) -> bool:
    """Whether the signal is a proof that took part in settling the turn."""
    signal = case.audit.signals[name]
    return signal.settles and case.audit.verdict is signal.points_to


def recall_of(found: list[Case], fired: list[Case]) -> float | None:
    return share([c for c in fired if c.deserves], [c for c in found if c.deserves])


def percent(value: object) -> str:
    return "—" if value is None else f"{100 * float(str(value)):.1f}"


def table(rows: list[dict[str, object]]) -> str:
    shown = [
        {k: percent(v) if isinstance(v, float) or v is None else str(v) for k, v in row.items()}
        for row in rows
    ]
    widths = {k: max(len(k), *(len(row[k]) for row in shown)) for k in shown[0]}
    lines = ["  ".join(k.ljust(w) for k, w in widths.items())]
    lines += ["  ".join(row[k].ljust(w) for k, w in widths.items()) for row in shown]
    return "\n".join(lines)


def families(folder: Path) -> list[dict[str, object]]:
    rows = []
    for path in sorted(folder.glob("*.jsonl")):
        found = cases(path)
        quiet = [c for c in found if not c.deserves]
        missed = [c for c in found if c.audit.would_nudge is not c.deserves]
        alarms = [c for c in quiet if c.audit.would_nudge]
        rows.append(
            {
                "family": path.stem,
                "n": len(found),
                "right": 1 - len(missed) / len(found),
                "legitimate": len(quiet),
                "false alarms": len(alarms),
                "wrong on": " ".join(str((c.record.meta or {}).get("scenario")) for c in missed),
            }
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", nargs="?", type=Path, default=SHARED / "turns/records.jsonl.gz")
    parser.add_argument("--scenarios", type=Path, default=SHARED / "scenarios")
    parser.add_argument("--json", type=Path, help="write the numbers here too")
    options = parser.parse_args()
    if not options.records.exists():
        print(f"{options.records}: no such file; name a file of labelled turn records")
        return 2
    found = cases(options.records)
    yes = [c for c in found if c.deserves]
    rows = detector_rows(found)
    numbers = {
        "n": len(found),
        "yes": len(yes),
        "repositories": len({c.repository for c in found}),
        "recall": recall(found),
        "recall interval": bootstrap(found, recall),
        "wrong": wrong(found),
        "wrong interval": bootstrap(found, wrong),
        "raw": [
            sum(c.audit.would_nudge for c in yes),
            sum(c.audit.would_nudge for c in found if not c.deserves),
        ],
        "auc": auc(found),
        "auc interval": bootstrap(found, auc, 200),
        "recall at": {
            str(limit): recall_at(found, limit) for limit in (0.005, 0.01, 0.02, 0.05, 0.1)
        },
        "plain rules (recall, wrong)": referred(found),
        "settled": sum(c.audit.opinion == "settled" for c in found) / len(found),
    }
    print(table(rows), end="\n\n")
    for key, value in numbers.items():
        print(f"{key}: {value}")
    scenario_rows = families(options.scenarios) if options.scenarios.is_dir() else []
    if scenario_rows:
        print("\n" + table(scenario_rows))
    if options.json:
        options.json.write_text(
            json.dumps({"records": numbers, "detectors": rows, "families": scenario_rows}, indent=1)
        )
    return verdict(numbers, rows, scenario_rows)


def verdict(
    numbers: dict[str, object], rows: list[dict[str, object]], scenarios: list[dict[str, object]]
) -> int:
    misses = []
    if float(str(numbers["wrong"])) > WRONG_BAR:
        misses.append(f"more than {WRONG_BAR:.0%} wrong")
    misses += [
        f"{row['detector']} settles at {percent(row['settled right'])} %"
        for row in rows
        if row["settled right"] is not None and float(str(row["settled right"])) < SETTLE_BAR
    ]
    misses += [
        f"family {row['family']}"
        for row in scenarios
        if float(str(row["right"])) < FAMILY_BAR or row["false alarms"]
    ]
    print("\nbars:", "; ".join(misses) if misses else "all met")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
