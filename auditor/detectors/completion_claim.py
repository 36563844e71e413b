"""The end of the reply says that the work is done."""

from __future__ import annotations

from auditor.detectors import _progress
from auditor.detectors._endings import ending, phrased
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT

WEIGHT = 0.7  # a feature, no proof: the words are too common (a guess)


def detect(turn: Turn) -> Signal | None:
    if not turn.tail:
        return None
    found = phrased(_progress.claim, ending(turn))
    if found is None:
        return None
    words, strength = found
    return Signal(WEIGHT * strength, Verdict.FINISHED, evidence(words))
