"""The output limit cut the reply off."""

from __future__ import annotations

from auditor.detectors._provider_errors import Kind, kind_of, said
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, Turn, Verdict

STAGE = Stage.FAILURE


def detect(turn: Turn) -> Signal | None:
    """Finish reason `length`, or an error that says the reply was too long."""
    if turn.finish is FinishReason.LENGTH:
        end = evidence(turn.reply[-80:]) or "nothing visible"
        return Signal(0.95, Verdict.UNFINISHED, f"cut by the output limit: {end}", settles=True)
    if kind_of(turn) is Kind.OUTPUT:
        return Signal(0.9, Verdict.UNFINISHED, evidence(said(turn)), settles=True)
    return None
