"""The stream fell silent and nothing explains it: no tool, no job, no question.

A text that had come to a question may only have lost its end mark, so it proves nothing.
"""

from __future__ import annotations

from auditor.detectors._last_call import dangling
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, Turn, Verdict

STAGE = Stage.FAILURE

_QUESTIONS = ("?", "？", "؟")


def detect(turn: Turn) -> Signal | None:
    """Silence with nothing pending and no call in flight."""
    if turn.finish is not FinishReason.STALLED or turn.pending or dangling(turn) is not None:
        return None
    end = turn.reply
    said = evidence(end) or "silent after a tool result"
    return Signal(0.9, Verdict.UNFINISHED, said, settles=not end.endswith(_QUESTIONS))
