"""The provider refused for good: key, login, bill, model, request or content.

A nudge would fail in the same way; only the user can mend it.
"""

from __future__ import annotations

from auditor.detectors._provider_errors import Kind, kind_of, said
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.FAILURE


def detect(turn: Turn) -> Signal | None:
    """A provider error that only the user can lift."""
    if kind_of(turn) is not Kind.REFUSED:
        return None
    line = evidence(said(turn) or "content filter")
    return Signal(1.0, Verdict.AWAITING_USER, line, settles=True)
