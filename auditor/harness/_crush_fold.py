"""Crush messages -> events: one fold over the rows of a session.

Owns which message begins a turn, which finish ends it, and what a tool's result changes. Knows
nothing of the database.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from auditor.events import (
    Compacted,
    Event,
    PartAdded,
    PendingChanged,
    TodosChanged,
    TurnEnded,
    TurnStarted,
    Unread,
)
from auditor.harness import _sqlite
from auditor.turn import (
    FinishReason,
    Pending,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    Todo,
    TodoStatus,
    ToolCall,
    ToolResult,
    TurnError,
    canonical,
)

HARNESS = "crush"

_FINISH = {
    "end_turn": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "canceled": FinishReason.ABORTED,
    "permission_denied": FinishReason.ABORTED,
    "error": FinishReason.ERROR,
}
"""`tool_use` ends a step, not the turn; every other reason is `UNKNOWN`."""

_SILENT = frozenset({"image_url", "binary"})
_STATUS = {status.value: status for status in TodoStatus}

_AFTER_SUMMARY = "The previous session was interrupted because it got too long"
"""How Crush asks again after it summarised by itself."""

_CODE = re.compile(r"(?:^|: )([45]\d\d) ")
"""An HTTP status where the provider's libraries write it: `POST "url": 429 Too Many Requests`."""

_QUEUED = 1.0
"""Seconds between a tool's result and a message taken in from the queue, which is written at once;
a person who comes back after a crash takes longer (a guess)."""

_MILLISECONDS = 1e11
"""Above this a time is in milliseconds: as seconds it would lie after the year 5000."""


class Row(NamedTuple):
    """One row of `messages`, its parts decoded."""

    id: str
    role: str
    parts: object
    model: str | None = None
    at: float | None = None
    summary: bool = False


def events(session: str, parent: str | None, rows: Iterable[Row | Unread]) -> Iterator[Event]:
    """The events of one session, given its messages oldest first."""
    fold = _Session(session, parent)
    for number, row in enumerate(rows, 1):
        match row:
            case Unread():
                yield row
            case Row(parts=list(parts)):
                yield from fold.row(row, parts, number)
            case _:
                yield Unread("message parts", number)


class _Session:
    def __init__(self, session: str, parent: str | None) -> None:
        self.id, self.parent = session, parent
        self._answered: float | None = None  # when the tools answered, if the agent is to go on
        self._end: TurnEnded | None = None  # the turn's, once it is over
        self._open: dict[str, tuple[str, object]] = {}  # name and input by the id of the call
        self._pending: dict[str, Pending] = {}
        self._under_way = False
        self._shown: tuple[Pending, ...] = ()

    def row(self, row: Row, parts: list[object], line: int) -> Iterator[Event]:
        if row.summary:
            if self._under_way:  # else it was the user's own, between two turns
                yield Compacted(self.id)
        elif row.role == "user":
            yield from self._user(row, parts)
            self._answered = None
        elif row.role in ("assistant", "tool"):
            yield from self._work(row, parts, line)
            self._answered = row.at if row.role == "tool" and self._end is None else None
        else:
            yield Unread(f"role {row.role}", line)

    def _user(self, row: Row, parts: list[object]) -> Iterator[Event]:
        words = []
        for part in parts:
            match part:
                case {"type": "text", "data": {"text": str(text)}}:
                    words.append(text)
        request = "\n\n".join(words)
        if request.startswith(_AFTER_SUMMARY) or self._queued(row):
            return
        self._end, self._under_way = None, True
        yield TurnStarted(
            session=self.id,
            turn=row.id,
            harness=HARNESS,
            request=request,
            kind=RequestKind.HUMAN if self.parent is None else RequestKind.AGENT,
            parent=self.parent,
            at=row.at,
        )

    def _queued(self, row: Row) -> bool:
        """Whether it was taken in between two steps of a turn under way."""
        before = self._answered
        return before is not None and row.at is not None and row.at - before <= _QUEUED

    def _work(self, row: Row, parts: list[object], line: int) -> Iterator[Event]:
        if row.role == "assistant":
            self._end, self._under_way = None, True
        for part in parts:
            match part:
                case {"type": "finish", "data": dict(data)} if row.role == "assistant":
                    self._finish(data)
                case {"type": "finish"}:
                    pass
                case {"type": str(kind), "data": dict(data)}:
                    yield from self._part(kind, data, row, line)
                case _:
                    yield Unread("part", line)
        yield from self._waits()
        if self._end is not None:
            yield self._end  # said again after the results of the calls that the end cut short

    def _part(self, kind: str, data: dict[str, object], row: Row, line: int) -> Iterator[Event]:
        match kind, data:
            case "text", {"text": str(text)}:
                yield PartAdded(self.id, Text(text), row.at, row.model)
            case "reasoning", {"thinking": str(text)}:
                yield PartAdded(self.id, Reasoning(text), row.at, row.model)
            case "tool_call", {"id": str(id_), "name": str(name)}:
                call = ToolCall(name, canonical(data.get("input") or ""), id_)
                yield PartAdded(self.id, call, row.at, row.model)
                self._open[id_] = name, data.get("input")
                if name == "agent":
                    self._pending[id_] = Pending(PendingKind.SUBAGENT, id_)
            case "tool_result", {"tool_call_id": str(id_), "content": str(output)}:
                failed = data.get("is_error")
                result = ToolResult(output, id_, failed if isinstance(failed, bool) else None)
                yield PartAdded(self.id, result, row.at)
                yield from self._settle(id_, data)
            case str(), _ if kind not in _SILENT:
                yield Unread(f"part type {kind}", line)

    def _settle(self, id_: str, data: dict[str, object]) -> Iterator[Event]:
        """What a result changes: the call is closed, a job started or ended, the list written."""
        self._pending.pop(id_, None)
        name, given = self._open.pop(id_, ("", None))
        match _sqlite.json(data.get("metadata")):
            case {"background": True, "shell_id": str(job)}:
                self._pending[job] = Pending(PendingKind.BACKGROUND, job)
            case {"shell_id": str(job), "done": True}:
                self._pending.pop(job, None)
            case {"shell_id": str(job)} if name == "job_kill":
                self._pending.pop(job, None)
        match _sqlite.json(given):
            case {"todos": list(items)} if name == "todos" and data.get("is_error") is not True:
                yield TodosChanged(self.id, tuple(_todos(items)))

    def _waits(self) -> Iterator[Event]:
        pending = tuple(self._pending.values())
        if pending != self._shown:
            self._shown = pending
            yield PendingChanged(self.id, pending)

    def _finish(self, data: dict[str, object]) -> None:
        reason = data.get("reason")
        if reason == "tool_use":
            return
        finish = _FINISH.get(str(reason), FinishReason.UNKNOWN)
        error = None
        if finish is FinishReason.ERROR:
            said = [str(data[key]) for key in ("message", "details") if data.get(key)]
            status = _CODE.search(message := ": ".join(said))
            error = TurnError("error", message, int(status[1]) if status else None)
        if finish is not FinishReason.STOP:
            # Whatever ran when the turn was stopped was stopped with it.
            self._pending = {
                key: what
                for key, what in self._pending.items()
                if what.kind is not PendingKind.SUBAGENT
            }
        at = seconds(data.get("time")) or None
        self._end = TurnEnded(session=self.id, finish=finish, error=error, at=at)
        self._under_way = False


def _todos(items: list[object]) -> Iterator[Todo]:
    for item in items:
        match item:
            case {"content": str(content), "status": str(status)}:
                yield Todo(content, _STATUS.get(status, TodoStatus.PENDING))


def seconds(stamp: object) -> float | None:
    """A time in Unix seconds; releases differ in the unit."""
    if type(stamp) not in (int, float):
        return None
    value = float(stamp)  # type: ignore[arg-type]
    return value / 1000 if value > _MILLISECONDS else value
