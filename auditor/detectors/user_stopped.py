"""The user stopped the agent: an abort, an interrupt, or a refused call as the last thing.

Whatever else the turn shows, the next move is the user's.
"""

from __future__ import annotations

from auditor.detectors._refusals import last_refusal
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, Turn, Verdict

STAGE = Stage.USER


def detect(turn: Turn) -> Signal | None:
    """An abort, or a turn that ends on a call the user refused."""
    if turn.finish is FinishReason.ABORTED:
        return Signal(1.0, Verdict.AWAITING_USER, "the user stopped the turn", settles=True)
    error = turn.error
    if error is not None and "abort" in error.name.lower():
        return Signal(1.0, Verdict.AWAITING_USER, evidence(f"ended by {error.name}"), settles=True)
    refusal = last_refusal(turn)
    if refusal is not None:
        said = evidence(refusal.output[:120])
        return Signal(1.0, Verdict.AWAITING_USER, f"the user refused: {said}", settles=True)
    return None
