"""The agent's own list still has open items.

Never a proof: lists go stale far more often than they are followed. Of 230 labelled turns that
end on text with items open, 32 were unfinished, and 21 of those through a provider error.
"""

from __future__ import annotations

from auditor.detectors._tool_names import Family, family
from auditor.signals import Signal, Stage
from auditor.turn import TodoStatus, Turn, Verdict

STAGE = Stage.TEXT

_MANY = 3
"""Open items from which a list is more than a leftover (a guess)."""


def detect(turn: Turn) -> Signal | None:
    """Open items; stronger where the list was touched in this turn, work is begun, much is open."""
    items = turn.open_todos
    if not items:
        return None
    touched = any(family(call.name) is Family.BOOKKEEPING for call in turn.calls)
    begun = any(item.status is TodoStatus.IN_PROGRESS for item in items)
    strength = 0.2 + 0.2 * touched + 0.1 * begun + 0.1 * (len(items) >= _MANY)
    said = f"{len(items)} of {len(turn.todos or ())} to-dos open: {items[0].content[:60]}"
    return Signal(strength, Verdict.UNFINISHED, said)
