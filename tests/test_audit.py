"""The pipeline: what an audit says, and the shape of its JSON line."""

from __future__ import annotations

import msgspec
import pytest

from auditor.audit import Audit, audit
from auditor.detectors import DETECTORS
from auditor.ranking import BAND, WEIGHTS, ranked
from auditor.remedies import REMEDIES, Remedy
from auditor.sieve import Settled
from auditor.turn import Verdict
from tests.words import call, result, say, turn

STALLED = turn(call("bash", command="ls"), result("a.py"), say("Now I'll run the tests:"))
DONE = turn(call("bash", command="ls"), result("a.py"), say("There is one file, `a.py`."))

FIELDS = {
    "turn", "session", "harness", "model", "parent", "request_kind", "started", "ended", "verdict",
    "opinion", "by", "probability", "score", "would_nudge", "decision", "reason", "remedy",
    "signals", "calibration", "facts", "answer",
}  # fmt: skip


def test_a_proved_stall_is_logged_while_observing() -> None:
    found = audit(STALLED)
    assert (found.verdict, found.opinion) == (Verdict.UNFINISHED, "settled")
    assert found.would_nudge
    assert (found.decision, found.reason) == ("log", "observing only")
    assert found.remedy is not None
    assert found.by in found.signals
    assert found.probability is None


def test_a_plain_end_is_residue_and_silent() -> None:
    found = audit(DONE)
    assert (found.verdict, found.opinion, found.by) == (None, "residue", None)
    assert not found.would_nudge
    assert (found.decision, found.remedy) == ("silent", None)
    assert found.reason


def test_the_json_line_has_its_documented_fields() -> None:
    for subject in (STALLED, DONE):
        line = msgspec.json.encode(audit(subject))
        decoded = msgspec.json.decode(line)
        assert set(decoded) == FIELDS
        for signal in decoded["signals"].values():
            assert set(signal) == {"strength", "points_to", "evidence", "settles"}
        assert msgspec.json.decode(line, type=Audit) == audit(subject)


def test_a_stall_scores_above_an_end() -> None:
    assert audit(STALLED).score > 0.5 > audit(DONE).score


@pytest.mark.parametrize("verdict", list(Verdict))
def test_proofs_order_before_and_after_all_residue(verdict: Verdict) -> None:
    proved = ranked({}, Settled(verdict, "x"))
    low, high = (1 - BAND, 1.0) if verdict in {"unfinished", "stuck"} else (0.0, BAND)
    assert low <= proved <= high
    assert BAND <= ranked({}, None) <= 1 - BAND


def test_the_ranking_knows_exactly_the_detectors() -> None:
    assert set(WEIGHTS) == {detector.name for detector in DETECTORS}


def test_remedies_name_detectors_and_every_remedy_is_used() -> None:
    assert set(REMEDIES) <= {detector.name for detector in DETECTORS}
    assert set(REMEDIES.values()) == set(Remedy) - {Remedy.CONTINUE}
