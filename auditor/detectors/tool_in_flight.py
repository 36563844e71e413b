"""The stream is silent because a tool runs: the last thing seen is a call without a result.

Only for turns that silence ended (`STALLED`); a turn that ended in another way runs nothing.
A long build looks exactly so, and an abort would kill it.
"""

from __future__ import annotations

from auditor.detectors._last_call import dangling
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, Turn, Verdict

STAGE = Stage.STRUCTURE


def detect(turn: Turn) -> Signal | None:
    """Silence after a call that has no result."""
    if turn.finish is not FinishReason.STALLED:
        return None
    call = dangling(turn)
    if call is None:
        return None
    return Signal(0.9, Verdict.WAITING, evidence(f"{call.name} is still running"), settles=True)
