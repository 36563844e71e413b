"""A usage limit that the clock lifts: "resets 3pm", a daily or weekly limit.

The work goes on when the limit is over, so the turn is unfinished; a nudge before that fails.
"""

from __future__ import annotations

from auditor.detectors._provider_errors import Kind, kind_of, said
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.FAILURE


def detect(turn: Turn) -> Signal | None:
    """A usage limit with work open: items on the list, or nothing done for the request yet."""
    if kind_of(turn) is not Kind.USAGE:
        return None
    open_ = bool(turn.open_todos) or not turn.calls
    return Signal(0.9 if open_ else 0.6, Verdict.UNFINISHED, evidence(said(turn)), settles=open_)
