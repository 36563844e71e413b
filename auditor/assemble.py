"""Fold events into turns. No clock, no I/O: the same events give the same turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from auditor.events import (
    Compacted,
    Event,
    Heartbeat,
    PartAdded,
    PendingChanged,
    TodosChanged,
    TurnEnded,
    TurnStarted,
    Unread,
)
from auditor.turn import FinishReason, Part, Pending, RequestKind, Todo, Turn, TurnError


class _Session:
    """What one session is doing: the turn under way and what outlives turns."""

    def __init__(self) -> None:
        self.begun: TurnStarted | None = None
        self.request = ""
        self.parts: list[Part] = []
        self.finish: FinishReason | None = None
        self.error: TurnError | None = None
        self.ended: float | None = None
        self.model: str | None = None
        self.compacted = False
        self.todos: tuple[Todo, ...] | None = None
        self.pending: tuple[Pending, ...] = ()

    def start(self, event: TurnStarted) -> None:
        self.begun, self.request, self.parts = event, event.request, []
        self.finish = self.error = self.ended = None
        self.model, self.compacted = event.model or self.model, False

    @property
    def unanswered(self) -> bool:
        """A request came and nothing followed."""
        return not self.parts and self.finish is None

    def turn(self) -> Turn | None:
        if (begun := self.begun) is None:
            return None
        return Turn(
            id=begun.turn,
            session=begun.session,
            harness=begun.harness,
            request=self.request,
            request_kind=begun.kind,
            parts=tuple(self.parts),
            finish=self.finish,
            error=self.error,
            todos=self.todos,
            pending=self.pending,
            started=begun.at,
            ended=self.ended,
            model=self.model,
            parent=begun.parent,
            compacted=self.compacted,
        )


class Sessions:
    """All sessions of one source. `step` takes an event; `turn` is what a session shows now."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}

    def turn(self, session: str) -> Turn | None:
        """The session's newest turn as far as it is known, or None."""
        found = self._sessions.get(session)
        return found.turn() if found else None

    def step(self, event: Event) -> Turn | None:
        """Take one event in; return the turn that this event shows to be over, if any."""
        if isinstance(event, Unread):
            return None
        session = self._sessions.get(event.session)
        if session is None:
            session = self._sessions[event.session] = _Session()
        match event:
            case PartAdded():
                session.parts.append(event.part)
                session.finish = session.error = None  # a part after the end reopens the turn
                session.ended = event.at or session.ended
                session.model = event.model or session.model
            case TurnStarted():
                return _begin(session, event)
            case TurnEnded():
                session.finish, session.error = event.finish, event.error
                session.ended = event.at or session.ended
            case TodosChanged():
                session.todos = event.todos
            case PendingChanged():
                session.pending = event.pending
            case Compacted():
                session.compacted = True
            case Heartbeat():
                pass
        return None

    def rest(self) -> Iterator[Turn]:
        """The last turn of every session, without requests that nobody answered."""
        for session in self._sessions.values():
            turn = None if session.unanswered else session.turn()
            if turn is not None:
                yield turn


def _begin(session: _Session, event: TurnStarted) -> Turn | None:
    begun = session.begun
    if begun is not None and session.unanswered:
        if begun.kind is event.kind is RequestKind.HUMAN:
            # Two messages with no answer between are one request.
            session.request = f"{session.request}\n\n{event.request}"
            return None
        over = None
    else:
        over = session.turn()
    session.start(event)
    return over


def turns(events: Iterable[Event]) -> Iterator[Turn | Unread]:
    """Every turn of the events, each when its session shows it to be over; `Unread` as it comes."""
    sessions = Sessions()
    for event in events:
        if isinstance(event, Unread):
            yield event
            continue
        over = sessions.step(event)
        if over is not None:
            yield over
    yield from sessions.rest()
