"""Fit the weights of `auditor/ranking.py` on labelled turn records, and say how well they order.

    python benchmarks/fit_ranking.py [RECORDS.jsonl.gz …] [--write]

Logistic regression (scikit-learn, L2) over the strengths of all detectors, weighted by the labels'
sampling weights, which are capped so that no single turn speaks for many. The printed numbers are
cross-fitted: ten folds that never part a repository. `--write` puts the weights into the module.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import numpy as np
from quality_sieve import SHARED, Case, cases
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from auditor.detectors import DETECTORS
from auditor.features import SILENT
from auditor.statistics import ranks

MODULE = Path(__file__).parents[1] / "auditor" / "ranking.py"
NAMES = tuple(detector.name for detector in DETECTORS)
PRIOR = 3.0  # weight of a pseudo-turn: about one and a half plain turns of the sample (a guess)
CAP = 20.0  # the largest weight of one turn; the sampling weights reach 117
STRENGTHS = (0.1, 0.3, 1.0, 3.0)  # inverse regularisation tried, the best cross-fitted one taken


def features(found: list[Case]) -> np.ndarray:
    rows = [
        [c.audit.signals[n].strength if n in c.audit.signals else 0.0 for n in NAMES] for c in found
    ]
    return np.array(rows)


def with_priors(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, ...]:
    """One pseudo-turn for each detector, so that one never seen keeps the sense of its verdict."""
    nudgeable = np.array([name not in SILENT for name in NAMES], dtype=int)
    prior = np.full(len(NAMES), PRIOR)
    return np.vstack([x, np.eye(len(NAMES))]), np.append(y, nudgeable), np.append(w, prior)


def fitted(x: np.ndarray, y: np.ndarray, w: np.ndarray, c: float) -> LogisticRegression:
    x, y, w = with_priors(x, y, np.minimum(w, CAP))
    return LogisticRegression(C=c, max_iter=5000).fit(x, y, w)


def cross_fitted(
    x: np.ndarray, y: np.ndarray, w: np.ndarray, groups: list[str], c: float
) -> np.ndarray:
    logits = np.zeros(len(y))
    for train, test in GroupKFold(10).split(x, y, groups):
        model = LogisticRegression(C=c, max_iter=5000).fit(
            x[train], y[train], np.minimum(w[train], CAP)
        )
        logits[test] = model.decision_function(x[test])
    return logits


def banded(found: list[Case], logits: np.ndarray) -> np.ndarray:
    """The order of `ranking.ranked`: proofs in bands of their own, residue between them."""
    raw = 1 / (1 + np.exp(-logits))
    opinion = np.array(
        [0.0 if c.audit.opinion == "residue" else (1.0 if c.audit.remedy else -1.0) for c in found]
    )
    return raw + 2 * opinion


def residue_table(found: list[Case], raw: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
    """What a threshold on the residue alone would add: raw counts, precision, wrong share."""
    residue = np.array([c.audit.opinion == "residue" for c in found])
    print("\nresidue at or over a raw probability: yes, no, precision (weighted), share of all no")
    for cut in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        over = residue & (raw >= cut)
        good, bad = w[over & (y == 1)].sum(), w[over & (y == 0)].sum()
        right = f"{good / (good + bad):.2f}" if good + bad else "—"
        counts = f"{(over & (y == 1)).sum():3} {(over & (y == 0)).sum():3}"
        print(f"{cut:.1f}: {counts}  {right}  {bad / w[y == 0].sum():.2%}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "records", nargs="*", type=Path, default=[SHARED / "turns/records.jsonl.gz"]
    )
    parser.add_argument(
        "--write", action="store_true", help="put the weights into auditor/ranking.py"
    )
    options = parser.parse_args()
    found = [case for path in options.records for case in cases(path)]
    x, w = features(found), np.array([c.weight for c in found])
    y, groups = np.array([c.deserves for c in found], dtype=int), [c.repository for c in found]
    tried = {c: cross_fitted(x, y, w, groups, c) for c in STRENGTHS}
    best = max(tried, key=lambda c: roc_auc_score(y, banded(found, tried[c]), sample_weight=w))
    logits = tried[best]
    scores = banded(found, logits)
    print(f"n {len(y)}, yes {y.sum()}, repositories {len(set(groups))}, C {best}")
    print(f"cross-fitted AUC {roc_auc_score(y, scores, sample_weight=w):.4f}")
    for wrong in (0.005, 0.01, 0.02, 0.05, 0.1):
        print(f"recall at {wrong:.1%} wrong: {ranks.recall_at(y, scores, w, wrong):.3f}")
    residue_table(found, 1 / (1 + np.exp(-logits)), y, w)
    model = fitted(x, y, w, best)
    weights = dict(zip(NAMES, model.coef_[0], strict=True))
    for name, weight in sorted(weights.items(), key=lambda item: -item[1]):
        print(f"{weight:7.2f}  {name}")
    if options.write:
        write(weights, float(model.intercept_[0]))
    return 0


def write(weights: dict[str, float], intercept: float) -> None:
    lines = "".join(f'    "{name}": {weight:.2f},\n' for name, weight in weights.items())
    text = MODULE.read_text()
    text = re.sub(r"INTERCEPT = \S+", f"INTERCEPT = {intercept:.2f}", text)
    text = re.sub(
        r"WEIGHTS: dict\[str, float\] = \{[^}]*\}",
        lambda _: f"WEIGHTS: dict[str, float] = {{\n{lines}}}",
        text,
    )
    MODULE.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
