"""The bars of the sieve, as tests: on our own turns always, on the shared ones where they exist."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from auditor.audit import audit
from auditor.records import Record, records
from tests.harness.structure import SHARED

ROOT = Path(__file__).parents[1]
OWN = [found for found in records(ROOT / "data" / "labelled.jsonl") if isinstance(found, Record)]
RECALL = 0.75
"""Share of our own stalls that the sieve proves; many are hard on purpose (0.76 when written)."""


def test_no_turn_of_ours_that_deserves_silence_would_be_nudged() -> None:
    wrong = [
        f"{found.id}: {audit(found.turn).by}"
        for found in OWN
        if found.label and found.label.nudge == "no" and audit(found.turn).would_nudge
    ]
    assert not wrong


def test_most_of_our_stalls_would_be_nudged() -> None:
    stalls = [found for found in OWN if found.label and found.label.nudge == "yes"]
    found = sum(audit(stall.turn).would_nudge for stall in stalls)
    assert found >= RECALL * len(stalls)


def test_what_would_be_nudged_has_a_remedy_and_a_proof() -> None:
    for found in OWN:
        result = audit(found.turn)
        if result.would_nudge:
            assert result.by is not None
            assert result.signals[result.by].settles
            assert result.remedy is not None


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"no labelled turns at {SHARED}")
def test_the_bars_on_labelled_turns_and_scenarios_are_met() -> None:
    done = subprocess.run(
        [sys.executable, "benchmarks/quality_sieve.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
