"""The reply is cut off in mid-sentence or mid-word, without a mark that shows it."""

from __future__ import annotations

from auditor import text as texts
from auditor.detectors._breaks import SURE
from auditor.detectors._endings import ending
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT


def detect(turn: Turn) -> Signal | None:
    if not turn.reply or not (strength := ending(turn).cut):
        return None
    last = texts.last_line(turn.reply)
    return Signal(strength, Verdict.UNFINISHED, evidence(last), settles=strength >= SURE)
