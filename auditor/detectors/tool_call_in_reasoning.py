"""A tool call stands in the reasoning, the wrong channel, and nothing visible follows."""

from __future__ import annotations

from auditor.detectors._raw_calls import printed_call, suspicious
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, Reasoning, Turn, Verdict

STAGE = Stage.TEXT


def detect(turn: Turn) -> Signal | None:
    """A printed call at the end of the last reasoning, in a turn that says nothing after it."""
    parts = turn.parts
    if not parts or turn.finish is FinishReason.ABORTED or turn.reply:
        return None
    for part in reversed(parts):
        if type(part) is Reasoning and part.text.strip():
            if not suspicious(part.text, cut=True):
                return None
            found = printed_call(part.text, {call.name for call in turn.calls})
            if found is None:
                return None
            return Signal(0.9, Verdict.UNFINISHED, evidence(found), settles=True)
        if type(part) is not Reasoning and part is turn.last:
            return None
    return None
