"""One session of Gemini CLI: its records to events, the turn under way and what it waits for.

Knows what every kind of record means; what single values say is in `_gemini_parts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from auditor.events import Compacted, Event, PartAdded, TodosChanged, TurnEnded, TurnStarted, Unread
from auditor.harness import _gemini_parts as says
from auditor.harness._shapes import seconds, text_or_none, texts, todos
from auditor.harness._waiting import Waiting
from auditor.turn import (
    FinishReason,
    Pending,
    PendingKind,
    RequestKind,
    ToolCall,
    ToolResult,
    TurnError,
)

HARNESS = "gemini-cli"

_CONTEXT = ("<session_context>", "I ran the following shell command:")
_AUTO_CONTINUE = "System: Please continue."
_SYSTEM = "System: "  # Gemini CLI's own word to the model inside a turn (its loop warning)

_VARYING = re.compile(r"^Process Group PGID: \d+\n?", re.MULTILINE)  # differs for equal results
_ASKED = {"ask_user": PendingKind.QUESTION, "exit_plan_mode": PendingKind.PERMISSION}
_ALL = 1 << 30  # parts told of a record that has no more to tell
_WAITING = frozenset({"awaiting_approval", "validating", "scheduled", "executing"})


class Session(Waiting):
    """What one session needs remembered between records."""

    def __init__(self, session: str, parent: str | None) -> None:
        super().__init__(session)
        self._parent = parent
        self._agent = False
        self._last: str | None = None  # id of the newest record
        self._told: dict[str, int] = {}  # how many parts of each record of the turn were told
        self._open: set[str] = set()  # calls of the turn without a result
        self._begun = False  # a turn began and nothing said that it ended
        self._shown = ""  # the request as the person typed it

    def row(self, row: Any) -> Iterable[Event]:
        """The events of one row: a record, a patch, or the header."""
        if isinstance(row, dict) and "type" in row:
            kind, id_ = row["type"], row.get("id")
            if isinstance(kind, str) and isinstance(id_, str):
                return self._record(kind, id_, row)
        match row:
            case {"$set": {"messages": messages}}:
                return self._unseen(messages)
            case {"$set": _} | {"$rewindTo": _}:
                return ()
            case {"sessionId": str(id_)}:
                self.session, self._agent = id_, row.get("kind") == "subagent"
                return self._unseen(row.get("messages"))
            case _:
                return [Unread("row without type")]

    def _unseen(self, messages: object) -> Iterator[Event]:
        """Tell the records of a whole list that are newer than the newest one known."""
        found = messages if isinstance(messages, list) else []
        ids = [item.get("id") if isinstance(item, dict) else None for item in found]
        known = self._last is not None
        since = ids.index(self._last) + 1 if self._last in ids else len(ids) if known else 0
        for item in found[since:]:
            match item:
                case {"type": str(kind), "id": str(id_)}:
                    yield from self._record(kind, id_, item)
                case _:
                    yield Unread("record without type")
        if known and since == len(ids) and ids and isinstance(ids[-1], str):
            self._last = ids[-1]  # the newest were taken back
            self._told[ids[-1]] = _ALL

    def _record(self, kind: str, id_: str, row: dict[str, Any]) -> Iterator[Event]:
        again = id_ in self._told
        self._last = self._last if again else id_
        self._told.setdefault(id_, 0)
        at = seconds(row.get("timestamp"))
        if kind == "gemini":
            yield from self._answer(id_, row, at)
        elif again:
            pass
        elif kind == "user":
            yield from self._user(id_, row, at)
        elif kind in ("info", "error", "warning"):
            yield from self._word(kind, "\n".join(texts(row.get("content"))), at)
        else:
            yield Unread(f"record type {kind}")

    def _user(self, id_: str, row: dict[str, Any], at: float | None) -> Iterator[Event]:
        content = row.get("content")
        for block in content if isinstance(content, list) else []:
            match block:
                case {"functionResponse": {"id": str(call), "response": response}}:
                    if call in self._open:
                        yield from self._answered(call, says.said(response), None, at)
        request, shown = "\n".join(texts(content)), "\n".join(texts(row.get("displayContent")))
        if not request and content:
            return  # tool results
        if request.startswith(_CONTEXT):
            return
        kind = RequestKind.HUMAN
        if request == _AUTO_CONTINUE:
            kind = RequestKind.NUDGE
        elif request.startswith(_SYSTEM):
            return
        elif shown and shown == self._shown and shown not in request:
            # An AfterAgent hook's reason, shown under the request that it is about.
            kind = RequestKind.STOP_HOOK
            yield from self._end(FinishReason.STOP, None, at)
        else:
            request = self._shown = shown or request
        yield self._start(id_, request, kind, at)

    def _start(self, id_: str, request: str, kind: RequestKind, at: float | None) -> TurnStarted:
        self._begun, self._told = True, {id_: _ALL}
        self._open.clear()
        return TurnStarted(
            session=self.session,
            turn=id_,
            harness=HARNESS,
            request=request,
            kind=RequestKind.AGENT if self._agent else kind,
            parent=self._parent if self._agent else None,
            at=at,
        )

    def _answer(self, id_: str, row: dict[str, Any], at: float | None) -> Iterator[Event]:
        model, given = text_or_none(row.get("model")), row.get("toolCalls")
        listed = given if isinstance(given, list) else []
        calls = [call for call in listed if isinstance(call, dict)]
        known, written = self._told[id_], says.parts_of(row)
        new = [says.call_of(call) for call in calls[max(0, known - len(written)) :]]
        for part in (*written[known:], *new):
            self._begun = True
            yield PartAdded(self.session, part, at, model)
            if isinstance(part, ToolCall):
                self._open.add(part.id or "")
        self._told[id_] = max(known, len(written) + len(calls))
        for call in calls:
            if (text_or_none(call.get("id")) or "") in self._open:
                yield from self._outcome(call, at)
        if calls and all(call.get("status") == "cancelled" for call in calls):
            yield from self._end(FinishReason.ABORTED, None, at)  # refused: nothing goes back

    def _outcome(self, call: dict[str, Any], at: float | None) -> Iterator[Event]:
        """What a call without a result waits for, or its result."""
        id_, name, status = text_or_none(call.get("id")) or "", call.get("name"), call.get("status")
        if isinstance(status, str) and status in _WAITING:
            asks = PendingKind.PERMISSION if status == "awaiting_approval" else None
            if kind := _ASKED.get(str(name), asks):
                yield from self.wait(id_, Pending(kind, str(name)))
            return
        said, failed = says.outcome(call)
        if status or said:
            yield from self._answered(id_, said, failed, at)
        match call:
            case {"name": "write_todos", "status": "success", "args": {"todos": items}}:
                if (found := todos(items, "description")) is not None:
                    yield TodosChanged(self.session, found)

    def _answered(
        self, call: str, said: str, failed: bool | None, at: float | None
    ) -> Iterator[Event]:
        self._open.discard(call)
        yield PartAdded(self.session, ToolResult(_VARYING.sub("", said), call, failed), at)
        yield from self.over(call)

    def _word(self, kind: str, text: str, at: float | None) -> Iterator[Event]:
        """Take a line that Gemini CLI shows the person."""
        if finish := says.finish_of(text):
            error = TurnError("", text) if finish is FinishReason.ERROR else None
            yield from self._end(finish, error, at)
        elif "compress" in text.lower():
            yield Compacted(self.session)
        elif kind == "error":
            yield from self._end(FinishReason.ERROR, says.error_of(text), at)

    def _end(
        self, finish: FinishReason, error: TurnError | None, at: float | None
    ) -> Iterator[Event]:
        if self._begun:
            self._begun = False
            yield TurnEnded(session=self.session, finish=finish, error=error, at=at)
            yield from self.unasked()
