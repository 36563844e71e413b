"""A tool call stands in the reply as text: it was printed, not made.

Only the end of the turn counts, after the last real call. Where the request itself is about such
markup, the agent may have been asked to show it, so nothing is proved.
"""

from __future__ import annotations

import re

from auditor.detectors._raw_calls import printed_call, suspicious
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, Text, Turn, Verdict

STAGE = Stage.TEXT

_ABOUT = re.compile(
    r"tool[ _-]?(?:call|use|definition)|function[ _-]?call|tool_call|hermes|markup|\btags?\b"
    r"|syntax|notation|"
    r"json[ -]?rpc|\bschema|on the wire|chat template|example|look like|show me|print (?:the"
    r"|out|me)|explain",
    re.I,
)
"""Requests in which markup may be the answer."""


def detect(turn: Turn) -> Signal | None:
    """A printed call at the end of the reply."""
    finish = turn.finish
    if type(turn.last) is not Text or finish is FinishReason.ABORTED:
        return None
    reply = turn.reply
    if not suspicious(reply, cut=finish is not None and finish is not FinishReason.STOP):
        return None
    found = printed_call(reply, {call.name for call in turn.calls})
    if found is None:
        return None
    asked = _ABOUT.search(turn.request) is not None
    said = evidence(found)
    return Signal(0.5 if asked else 0.95, Verdict.UNFINISHED, said, settles=not asked)
