"""The last call of a turn and what came back for it."""

from __future__ import annotations

from auditor.turn import ToolCall, ToolResult, Turn


def last_call(turn: Turn) -> ToolCall | None:
    """The last tool call of the turn."""
    calls = turn.calls
    return calls[-1] if calls else None


def answer(turn: Turn, call: ToolCall) -> ToolResult | None:
    """The result of the turn's last call: by its id, or where ids are missing by its place."""
    for part in reversed(turn.parts):
        if part is call:
            return None
        if type(part) is ToolResult and (part.call == call.id or part.call is None):
            return part
    return None


def dangling(turn: Turn) -> ToolCall | None:
    """The call the turn ends on, without a result."""
    last = turn.last
    return last if type(last) is ToolCall else None
