"""A question or a plan put to the user through a tool has no answer yet.

Either the harness says that a question is pending, or the last call of the turn is one of the
tools that ask, and nothing came back, or only the news that the user waved it away.
"""

from __future__ import annotations

from auditor.detectors._last_call import answer, last_call
from auditor.detectors._refusals import refused
from auditor.detectors._tool_names import Family, family
from auditor.signals import Signal, Stage, evidence
from auditor.turn import PendingKind, Text, Turn, Verdict

STAGE = Stage.USER


def detect(turn: Turn) -> Signal | None:
    """A pending question, or an asking tool as the last call without an answer."""
    for open_ in turn.pending:
        if open_.kind is PendingKind.QUESTION:
            return _signal(f"question open: {open_.what}")
    call = last_call(turn)
    if call is None or family(call.name) is not Family.ASK:
        return None
    result = answer(turn, call)
    if result is None or (not result.output.strip() and result.failed is not True):
        return _signal(f"{call.name} has no answer")
    if type(turn.last) is not Text and refused(result):
        return _signal(f"{call.name} was waved away: {result.output[:80]}")
    return None


def _signal(said: str) -> Signal:
    return Signal(1.0, Verdict.AWAITING_USER, evidence(said), settles=True)
