"""The harness waits for the user to allow or refuse something."""

from __future__ import annotations

from auditor.signals import Signal, Stage, evidence
from auditor.turn import PendingKind, Turn, Verdict

STAGE = Stage.USER


def detect(turn: Turn) -> Signal | None:
    """A permission is pending."""
    for open_ in turn.pending:
        if open_.kind is PendingKind.PERMISSION:
            said = evidence(f"permission asked: {open_.what}")
            return Signal(1.0, Verdict.AWAITING_USER, said, settles=True)
    return None
