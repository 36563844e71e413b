"""The context is full: the next request fails like the last one until somebody compacts it.

Kept apart from other refusals because readers disagree on it: some harnesses compact by
themselves and go on, so it proves nothing here.
"""

from __future__ import annotations

from auditor.detectors._provider_errors import Kind, kind_of, said
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.FAILURE


def detect(turn: Turn) -> Signal | None:
    """A provider error that says the context is too long."""
    if kind_of(turn) is not Kind.OVERFLOW:
        return None
    return Signal(0.9, Verdict.AWAITING_USER, evidence(said(turn)))
