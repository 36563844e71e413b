"""The reply ends by waiting for the user: a confirmation, a choice, a go-ahead."""

from __future__ import annotations

from auditor.detectors import _handoff
from auditor.detectors._endings import handed_over
from auditor.signals import Signal, Stage
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT


def detect(turn: Turn) -> Signal | None:
    return handed_over(turn, _handoff.approval, Verdict.AWAITING_USER)
