"""The model thought and said nothing: after the last call there is only reasoning.

Harnesses take it for a normal end. Turns that the user or a tool ended are none.
"""

from __future__ import annotations

from auditor.detectors._last_call import last_call
from auditor.detectors._tool_names import Family, of
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, Reasoning, Text, Turn, Verdict

STAGE = Stage.FAILURE

_ENDED = (FinishReason.STOP, FinishReason.UNKNOWN, None)
_FINAL = (Family.ASK, Family.COMPLETE, Family.SUBAGENT, Family.SCHEDULE)


def detect(turn: Turn) -> Signal | None:
    """Reasoning last, in a turn that is over, with no visible text after the last call."""
    parts = turn.parts
    if not parts or turn.finish not in _ENDED or type(turn.last) is Text or turn.pending:
        return None
    thought = next((part for part in reversed(parts) if type(part) is not Text), None)
    if type(thought) is not Reasoning or not thought.text.strip():
        return None
    call = last_call(turn)
    if call is not None and of(call) in _FINAL:
        return None
    said = evidence(f"only thought: {thought.text[-100:]}")
    return Signal(0.9, Verdict.UNFINISHED, said, settles=turn.finish is FinishReason.STOP)
