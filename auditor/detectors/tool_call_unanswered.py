"""The turn ends on a call that got no result: the harness or the stream died there.

Not a finding: a call that waits for the user, ends the task, keeps a list or starts another
agent; a call that still runs. Those have detectors of their own.
"""

from __future__ import annotations

from auditor.detectors._last_call import dangling
from auditor.detectors._provider_errors import PASSING, kind_of
from auditor.detectors._tool_names import Family, of
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, Turn, Verdict

STAGE = Stage.FAILURE

_OVER = (FinishReason.ABORTED, FinishReason.STALLED, FinishReason.LENGTH)


def detect(turn: Turn) -> Signal | None:
    """A call without a result as the last part."""
    call = dangling(turn)
    if call is None or turn.finish in _OVER or turn.pending or kind_of(turn) not in PASSING:
        return None
    match of(call):
        case Family.ASK | Family.COMPLETE | Family.SUBAGENT | Family.SCHEDULE:
            return None
        case Family.BOOKKEEPING:
            return Signal(0.3, Verdict.UNFINISHED, evidence(f"{call.name} has no result"))
        case _:
            said = evidence(f"{call.name} has no result")
            return Signal(0.9, Verdict.UNFINISHED, said, settles=True)
