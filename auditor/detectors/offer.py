"""The reply ends by offering more: "let me know", "if you want, I can …"."""

from __future__ import annotations

from auditor.detectors import _handoff
from auditor.detectors._endings import handed_over
from auditor.signals import Signal, Stage
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT


def detect(turn: Turn) -> Signal | None:
    return handed_over(turn, _handoff.offer, Verdict.FINISHED)
