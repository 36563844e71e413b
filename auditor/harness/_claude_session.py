"""One session of Claude Code as its rows are read: the turn under way, and the events it makes.

Knows when a turn began, spoke and ended, and where its times stand; no kinds of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from auditor.events import Event, PartAdded, TurnEnded, TurnStarted
from auditor.harness._claude_work import Work
from auditor.harness._shapes import seconds
from auditor.turn import FinishReason, Part, RequestKind, TurnError


class Session:
    """What a file's reader knows of one session."""

    def __init__(self, id_: str, parent: str | None = None) -> None:
        self.id, self.parent = id_, parent
        self.work = Work(id_)
        self.turns = 0
        self.spoke = False  # a part came since the turn began
        self.ended = False  # and after it the end
        self.message: str | None = None
        self.seen: set[Part] = set()

    def reading(self, message: Any) -> None:
        """Blocks of one message may stand in several rows, and the same block in two of them."""
        match message:
            case {"id": str(id_)} if id_ == self.message:
                return
            case {"id": str(id_)}:
                self.message = id_
            case _:
                self.message = None
        self.seen.clear()

    def begin(self, kind: RequestKind, request: str, row: Any) -> Iterator[Event]:
        self.turns += 1
        self.spoke = self.ended = False
        match row:
            case {"uuid": str(turn)}:
                pass
            case _:
                turn = f"{self.id}#{self.turns}"
        if self.parent and kind is RequestKind.HUMAN:
            kind = RequestKind.AGENT
        yield TurnStarted(
            session=self.id,
            turn=turn,
            harness="claude-code",
            request=request,
            kind=kind,
            parent=self.parent,
            at=time_of(row),
        )
        self.work.begun()
        self.work.settle()
        match row:
            case {"todos": list(items)}:
                self.work.listed(items)
        yield from self.work.changes()

    def part(
        self, part: Part, row: Any, at: float | None, model: str | None = None
    ) -> Iterator[Event]:
        if not self.turns:  # the file begins in the middle of a turn
            yield from self.begin(RequestKind.HUMAN, "", row)
        self.work.settle()
        yield from self.work.changes()
        self.spoke, self.ended = True, False
        yield PartAdded(self.id, part, at, model)

    def end(
        self, finish: FinishReason, at: float | None, error: TurnError | None = None
    ) -> Iterator[Event]:
        self.ended = True
        yield TurnEnded(session=self.id, finish=finish, error=error, at=at)

    def stopped(self, at: float | None) -> Iterator[Event]:
        """The harness took the turn for over, though no row of the model said so."""
        if self.spoke and not self.ended:
            yield from self.end(FinishReason.STOP, at)

    def halt(self, at: float | None) -> Iterator[Event]:
        self.work.halted()
        yield from self.work.changes()
        yield from self.end(FinishReason.ABORTED, at)


def time_of(row: Any) -> float | None:
    """Return when a row was written, as Unix seconds."""
    return seconds(row.get("timestamp"))
