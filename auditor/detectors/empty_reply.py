"""The model answered with nothing at all: no word, no thought, no call.

A turn without parts whose end nobody recorded may just be one that has begun.
"""

from __future__ import annotations

from auditor.signals import Signal, Stage
from auditor.turn import FinishReason, Reasoning, Turn, Verdict

STAGE = Stage.FAILURE

_ENDED = (FinishReason.STOP, FinishReason.UNKNOWN)


def detect(turn: Turn) -> Signal | None:
    """Nothing visible in a turn that is over."""
    if turn.last is not None or turn.finish not in _ENDED:
        return None
    if any(type(part) is Reasoning and part.text.strip() for part in turn.parts):
        return None  # thought without a word: `reasoning_only_reply`
    settles = turn.finish is FinishReason.STOP and not turn.pending
    return Signal(0.9, Verdict.UNFINISHED, "an empty reply", settles=settles)
