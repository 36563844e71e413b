"""The gate for continuous integration: states and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from auditor.calibration import Calibrations
from auditor.evaluating.demands import Demands, exit_code, gated
from auditor.evaluation import Check, Evaluation
from tests.evaluation_words import calibration, evaluation, examples, plain
from tests.test_compare import better


@pytest.fixture
def found(tmp_path: Path) -> Evaluation:
    by = Calibrations(plain=calibration({"reply_length": -2.0}))
    return evaluation(examples(tmp_path, plain(240)), by)


def states(rows: tuple[Check, ...]) -> dict[str, str]:
    return {row.name: row.state for row in rows}


ROWS = [
    ({"wrong": 0.1}, "wrong nudges", "PASS"),
    ({"recall": 0.3}, "recall", "PASS"),
    ({"recall": 0.833}, "recall", "WARN"),
    ({"recall": 0.95}, "recall", "FAIL"),
    ({"right": 0.5}, "right nudges", "PASS"),
    ({"auc": 0.999}, "AUC", "FAIL"),
    ({"log_loss": 5.0}, "log loss", "PASS"),
    ({"log_loss": 0.001}, "log loss", "FAIL"),
]


@pytest.mark.parametrize(("asked", "name", "state"), ROWS, ids=[str(row[0]) for row in ROWS])
def test_a_demand(found: Evaluation, asked: dict[str, float], name: str, state: str) -> None:
    rows = states(gated(found, Demands(**asked)))
    assert rows == {"labels": "PASS", name: state}


def test_without_demands_the_evaluations_own_checks_decide(found: Evaluation) -> None:
    assert gated(found, Demands()) == found.checks


def test_what_no_calibration_says_is_refused(tmp_path: Path) -> None:
    bare = evaluation(examples(tmp_path, plain(240)))
    assert states(gated(bare, Demands(log_loss=1.0)))["log loss"] == "REFUSED"


def test_a_baseline_must_not_be_lost(found: Evaluation) -> None:
    kept = states(gated(found, Demands(), ("before", found)))
    assert {state for name, state in kept.items() if "baseline" in name} == {"PASS"}
    lost = states(gated(found, Demands(), ("before", better(found, 12))))
    assert lost["recall against the baseline"] == "FAIL"
    gained = states(gated(better(found, 12), Demands(), ("before", found)))
    assert gained["recall against the baseline"] == "PASS"
    little = states(gated(better(found, 0, worse=1), Demands(), ("before", found)))
    assert little["wrong nudges against the baseline"] == "WARN"


def test_what_neither_has_is_no_row_and_what_one_has_is_refused(found: Evaluation) -> None:
    rows = tuple([structs.replace(row, probability=None) for row in found.rows])
    bare = structs.replace(found, rows=rows)
    assert "log loss against the baseline" not in states(gated(bare, Demands(), ("a", bare)))
    refused = states(gated(bare, Demands(), ("a", found)))["log loss against the baseline"]
    assert refused == "REFUSED"


CODES = [
    (["PASS"], False, 0),
    (["PASS", "WARN"], False, 0),
    (["PASS", "WARN"], True, 1),
    (["WARN", "FAIL", "REFUSED"], False, 1),
    (["PASS", "REFUSED"], False, 4),
    ([], False, 0),
]


@pytest.mark.parametrize(("found_states", "strict", "code"), CODES)
def test_exit_codes(found_states: list[str], strict: bool, code: int) -> None:
    rows = [Check(state, "x", "", "") for state in found_states]
    assert exit_code(rows, Demands(strict=strict)) == code
