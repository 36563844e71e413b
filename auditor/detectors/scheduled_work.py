"""The agent will be woken at a set time: it waits, nobody has to say continue."""

from __future__ import annotations

from auditor.detectors._last_call import answer, last_call
from auditor.detectors._tool_names import Family, family
from auditor.signals import Signal, Stage, evidence
from auditor.turn import PendingKind, Turn, Verdict

STAGE = Stage.STRUCTURE


def detect(turn: Turn) -> Signal | None:
    """A schedule is pending, or the turn's last call set one."""
    for waited in turn.pending:
        if waited.kind is PendingKind.SCHEDULE:
            said = evidence(f"scheduled: {waited.what}")
            return Signal(1.0, Verdict.WAITING, said, settles=True)
    call = last_call(turn)
    if call is None or family(call.name) is not Family.SCHEDULE:
        return None
    result = answer(turn, call)
    if result is not None and result.failed is not True:
        # It may be for something else: a nightly job is no reason to wait.
        return Signal(0.7, Verdict.WAITING, evidence(f"the last call was {call.name}"))
    return None
