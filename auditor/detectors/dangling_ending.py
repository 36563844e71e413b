"""The reply breaks off on what promises more: a colon, a dash, a heading, an open fence."""

from __future__ import annotations

from auditor.detectors import _handoff
from auditor.detectors._breaks import SURE
from auditor.detectors._endings import ending
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT


ASKS_BACK = 0.5  # "paste the lines here:" ends so, and it is the user's move


def detect(turn: Turn) -> Signal | None:
    if not turn.reply:
        return None
    end = ending(turn)
    strength = end.broken
    if not strength:
        return None
    if strength >= SURE and turn.tail and _handoff.asks_back.find(end.closing, end.near):
        strength = ASKS_BACK
    return Signal(strength, Verdict.UNFINISHED, evidence(turn.reply), settles=strength >= SURE)
