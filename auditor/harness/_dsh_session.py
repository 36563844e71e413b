"""One session of DeepSeek Harness: its rows to events, the turn under way, its work beside it.

Knows what every kind of row means; nothing of files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from auditor.events import Compacted, Event, PartAdded, TodosChanged, TurnEnded, TurnStarted, Unread
from auditor.harness._shapes import parsed, text_or_none, texts, todos
from auditor.harness._waiting import Waiting
from auditor.turn import (
    FinishReason,
    Part,
    Pending,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    ToolCall,
    ToolResult,
    TurnError,
    canonical,
)

HARNESS = "dsh"

_QUIET = frozenset(
    (
        "agent/inbox/spliced approval/policy assistant/chunk llm/retry llm/retry-started"
        " permission/preset reasoning-chunks request/header sandbox/mode session/title"
        " session/title-llm-request step/end step/start text-chunks tool-call-chunks tool/call"
    ).split()
)
_FINISH = {
    "completed": FinishReason.STOP,
    "max-tokens": FinishReason.LENGTH,
    "content-filter": FinishReason.CONTENT_FILTER,
    "error": FinishReason.ERROR,
    "aborted": FinishReason.ABORTED,
    "cancelled": FinishReason.ABORTED,
    "interrupted": FinishReason.ABORTED,
}  # the first two and `error` were seen; the others are names its code would use (a guess)
_RETRYABLE = frozenset({"EMPTY_RESPONSE", "RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT"})
"""The codes DSH's own retry policy names in its `llm/retry` rows."""

_EXIT = re.compile(r"\[exit code: (-?\d+)\]\s*\Z")
_ENDED = re.compile(r"\[status: (?!running|pending|queued)")
_ID = re.compile(r"[\w-]*\d[\w-]{3,}")  # what an id of a job or sub-agent looks like (a guess)
_DELEGATES = frozenset({"subagent", "subagent_fork"})

Json = dict[str, Any]


class Session(Waiting):
    """What one session needs remembered between rows."""

    def __init__(self, session: str) -> None:
        super().__init__(session)
        self._parent: str | None = None
        self._agent = False
        self._model: str | None = None
        self._turn: object = None  # the number of the turn under way
        self._begun = False  # its request was seen
        self._bare = False  # …and nothing after it
        self._notice = ""  # what a plugin wrote before anybody asked for anything
        self._calls: dict[str, tuple[str, str]] = {}

    def row(self, row: Any) -> Iterable[Event]:
        """The events of one row."""
        kind = row.get("type") if isinstance(row, dict) else None
        if not isinstance(kind, str):
            return [Unread("row without type")]
        take, data = _ROWS.get(kind), row.get("data")
        if take and isinstance(data, dict):
            time = row.get("time")
            return take(self, data, time / 1000 if isinstance(time, int | float) else None)
        return () if kind in _QUIET else self._rarer(kind, row)

    def _rarer(self, kind: str, row: Json) -> Iterator[Event]:
        if kind == "session" and isinstance(id_ := row.get("id"), str):
            self._begin(id_, row)
        elif "compact" in kind:
            yield Compacted(self.session)
        else:
            yield Unread(f"row type {kind}")

    def _begin(self, id_: str, row: Json) -> None:
        depth = row.get("delegationDepth")
        self.session, self._parent = id_, text_or_none(row.get("parentSessionId"))
        self._agent = isinstance(depth, int) and depth > 0

    def turn_start(self, data: Json, _at: float | None) -> Iterator[Event]:
        self._turn, self._begun, self._notice = data.get("turn"), False, ""
        self._calls.clear()
        yield from ()

    def context(self, data: Json, _at: float | None) -> Iterator[Event]:
        self._model = text_or_none(data.get("model")) or self._model
        yield from ()

    def _start(self, request: str, kind: RequestKind, at: float | None) -> Iterator[Event]:
        self._begun = self._bare = True
        yield TurnStarted(
            session=self.session,
            turn=f"{self.session}#{self._turn}",
            harness=HARNESS,
            request=request,
            kind=RequestKind.AGENT if self._agent else kind,
            model=self._model,
            parent=self._parent,
            at=at,
        )

    def _add(self, part: Part, at: float | None) -> Iterator[Event]:
        if not self._begun:  # nobody asked: a plugin set the turn going
            kind = RequestKind.NOTIFICATION if self._notice else RequestKind.NUDGE
            yield from self._start(self._notice, kind, at)
            # Only now: the turn before ended while it was pending.
            yield from self._done(self._notice)
        self._bare = False
        yield PartAdded(self.session, part, at, self._model)

    def user(self, data: Json, at: float | None) -> Iterator[Event]:
        request = "\n\n".join(texts(data.get("content")))
        match data:
            case {"source": {"kind": "user"}}:
                if not self._begun or self._bare:  # else queued: the turn goes on
                    yield from self._start(request, RequestKind.HUMAN, at)
            case {"source": {"form": "snapshot"}}:
                pass
            case _ if self._begun:
                yield from self._done(request)
            case _:
                self._notice = request

    def message(self, data: Json, at: float | None) -> Iterator[Event]:
        match data:
            case {"message": {"content": list(blocks), **message}}:
                pass
            case _:
                return
        match message:
            case {"source": {"model": str(model)}}:
                self._model = model
        for block in blocks:
            match block:
                case {"type": "text", "text": str(text)}:
                    yield from self._add(Text(text), at)
                case {"type": "reasoning", "text": str(text)}:
                    yield from self._add(Reasoning(text), at)
                case {"type": "tool-call", "id": str(id_), "name": str(name)}:
                    arguments = canonical(block.get("arguments", ""))
                    self._calls[id_] = name, arguments
                    yield from self._add(ToolCall(name, arguments, id_), at)
                case _:
                    yield Unread("assistant block")

    def result(self, data: Json, at: float | None) -> Iterator[Event]:
        match data:
            case {
                "message": {"content": [{"type": "tool-result", "toolCallId": str(id_)} as block]}
            }:
                text = "\n".join(texts(block.get("content")))
            case _:
                yield Unread("tool result")
                return
        error, code = block.get("isError"), _EXIT.search(text)
        failed = error if isinstance(error, bool) else None
        if code and not failed:
            failed = code[1] != "0"
        yield from self._add(ToolResult(text, id_, failed), at)
        name, arguments = self._calls.pop(id_, ("", ""))
        if not error:
            yield from self._settle(name, parsed(arguments), text)

    def _settle(self, name: str, given: object, text: str) -> Iterator[Event]:
        """Tell what a call that went well changed beside the project."""
        match name, given:
            case "todo_write", {"todos": items} if (found := todos(items, "content")) is not None:
                yield TodosChanged(self.session, found)
            case ("job_kill", {"job_id": str(job)}):
                yield from self._done(job)
            case ("job_output", {"job_id": str(job)}) if _ENDED.search(text):
                yield from self._done(job)
            case _, dict(named) if named.get("run_in_background", name == "subagent") is True:
                kind = PendingKind.SUBAGENT if name in _DELEGATES else PendingKind.BACKGROUND
                what = named.get("description")
                pending = Pending(kind, what if isinstance(what, str) else name)
                yield from self.wait(" ".join(sorted(set(_ID.findall(text)))), pending)

    def _done(self, text: str) -> Iterator[Event]:
        """Tell that the background work which a text names by its id is over."""
        if self.pending:
            named = set(_ID.findall(text))
            yield from self.over(
                *[ids for ids in self.pending if not named.isdisjoint(ids.split())]
            )

    def turn_end(self, data: Json, at: float | None) -> Iterator[Event]:
        match data:
            case {"reason": {"kind": str(kind)} as reason}:
                finish, error = _FINISH.get(kind, FinishReason.UNKNOWN), reason.get("error")
            case _:
                finish, error = FinishReason.UNKNOWN, None
        if self._begun:
            yield TurnEnded(session=self.session, finish=finish, error=_error(error), at=at)


def _error(error: Any) -> TurnError | None:
    match error:
        case {"message": str(message)}:
            code, status = str(error.get("code") or ""), error.get("status")
            known = status if isinstance(status, int) else None
            return TurnError(code, message, known, True if code in _RETRYABLE else None)
    return None


_ROWS: dict[str, Callable[[Session, Json, float | None], Iterator[Event]]] = {
    "assistant/message": Session.message,
    "request/context": Session.context,
    "tool/result": Session.result,
    "turn/end": Session.turn_end,
    "turn/start": Session.turn_start,
    "user/message": Session.user,
}
