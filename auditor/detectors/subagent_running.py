"""Another agent works for this one, and this one waits for its report.

A pending sub-agent is a fact. A call that started one and shows no result is only likely to be
still running: where a transcript ends there, the session may just as well have been killed.
"""

from __future__ import annotations

from auditor.detectors._last_call import dangling
from auditor.detectors._tool_names import Family, family
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, PendingKind, Turn, Verdict

STAGE = Stage.STRUCTURE


def detect(turn: Turn) -> Signal | None:
    """A pending sub-agent, or a turn that ends on the call that started one."""
    for waited in turn.pending:
        if waited.kind is PendingKind.SUBAGENT:
            said = evidence(f"sub-agent at work: {waited.what}")
            return Signal(1.0, Verdict.WAITING, said, settles=True)
    call = dangling(turn)
    if (
        call is None
        or turn.finish is FinishReason.ABORTED
        or family(call.name) is not Family.SUBAGENT
    ):
        return None
    return Signal(0.7, Verdict.WAITING, evidence(f"{call.name} has no result yet"))
