"""The events: what a harness can report, each one a step of some session.

Owns what an event says. Knows no harness's format; `assemble` makes turns of them.
"""

from __future__ import annotations

from msgspec import Struct

from auditor.turn import FinishReason, Part, Pending, RequestKind, Todo, TurnError

# `session` routes an event; `at` is Unix seconds or None.


class TurnStarted(Struct, frozen=True, kw_only=True):
    """A request began a turn; `turn` is its stable id."""

    session: str
    turn: str
    harness: str
    request: str = ""
    kind: RequestKind = RequestKind.HUMAN
    model: str | None = None
    parent: str | None = None
    at: float | None = None


class PartAdded(Struct, frozen=True):
    """A part is complete. `model` is the model that wrote it, where the harness says."""

    session: str
    part: Part
    at: float | None = None
    model: str | None = None


class TodosChanged(Struct, frozen=True):
    """The session's to-do list is now this; it outlives the turn."""

    session: str
    todos: tuple[Todo, ...]


class PendingChanged(Struct, frozen=True):
    """What is pending in the session is now this; it outlives the turn."""

    session: str
    pending: tuple[Pending, ...]


class Compacted(Struct, frozen=True):
    """The harness summarised the context; the turn goes on."""

    session: str


class Heartbeat(Struct, frozen=True):
    """The session is alive and nothing else is known (a token, a keep-alive)."""

    session: str
    at: float | None = None


class TurnEnded(Struct, frozen=True, kw_only=True):
    """The turn stopped. A later part of the session reopens it."""

    session: str
    finish: FinishReason
    error: TurnError | None = None
    at: float | None = None


class Unread(Struct, frozen=True):
    """An entry nobody understood: its kind, and the line (1-based) where it stood."""

    kind: str
    line: int | None = None


Event = (
    TurnStarted
    | PartAdded
    | TodosChanged
    | PendingChanged
    | Compacted
    | Heartbeat
    | TurnEnded
    | Unread
)
