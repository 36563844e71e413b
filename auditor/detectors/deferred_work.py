"""The reply ends by putting the rest off: the next session, a later phase, when a job is done."""

from __future__ import annotations

from auditor.detectors import _handoff
from auditor.detectors._endings import handed_over
from auditor.signals import Signal, Stage
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT


def detect(turn: Turn) -> Signal | None:
    return handed_over(turn, _handoff.deferred, Verdict.WAITING)
