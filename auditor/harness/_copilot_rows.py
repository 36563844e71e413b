"""Rows of a Copilot CLI session to events: requests, messages, results, questions, ends.

Knows what the rows of every kind do to their session; nothing of files and of who speaks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from auditor.events import Compacted, Event, TodosChanged
from auditor.harness._copilot_session import Session
from auditor.harness._shapes import TRANSIENT, seconds, text_or_none
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

_HUMAN = frozenset({None, "", "user", "cli", "immediate-prompt"})
_SOURCES = (
    ("skill", None),
    ("command", RequestKind.COMMAND),
    ("schedule", RequestKind.NOTIFICATION),
    ("notification", RequestKind.NOTIFICATION),
    ("hook", RequestKind.STOP_HOOK),
)  # words in `source`; `skill-…` was seen, the others are a guess
_ASKED = {"ask_user": PendingKind.QUESTION, "exit_plan_mode": PendingKind.PERMISSION}
_LASTING = frozenset({"quota", "authentication", "authorization", "context_limit"})
_SHELL = re.compile(r"shellId: ?([\w-]+)")
_TODO = re.compile(r"^\s*[-*] \[([ xX~/-])\] (.+)$", re.MULTILINE)
_MARK = {"x": TodoStatus.COMPLETED, "X": TodoStatus.COMPLETED, " ": TodoStatus.PENDING}
_PERMISSION = "permission "  # before the keys of permissions that are asked for

Json = dict[str, Any]


def _begun(session: Session, data: Json, _row: Json) -> Iterator[Event]:
    session.session = text_or_none(data.get("sessionId")) or session.session
    yield from session.left()


def _model(session: Session, data: Json, _row: Json) -> Iterator[Event]:
    session.model = text_or_none(data.get("newModel")) or session.model
    yield from ()


def _user(session: Session, data: Json, row: Json) -> Iterator[Event]:
    request, interaction = data.get("content"), data.get("interactionId")
    kind = _asker(data.get("source"))
    if not isinstance(request, str) or kind is None:
        return
    if kind is RequestKind.STOP_HOOK or not session.queued(interaction):
        yield from session.asks(row.get("id"), request, kind, interaction, _at(row))


def _asker(source: object) -> RequestKind | None:
    """Who made a request, None where nobody did."""
    if not isinstance(source, str) or source in _HUMAN:
        return RequestKind.HUMAN
    named = (kind for word, kind in _SOURCES if word in source)
    return next(named, RequestKind.NUDGE)


def _notified(session: Session, data: Json, row: Json) -> Iterator[Event]:
    text = data.get("content")
    if isinstance(text, str) and not session.open:
        yield from session.start(row.get("id"), text, RequestKind.NOTIFICATION, _at(row))
    match data:  # only now: the turn before ended while this was pending
        case {"kind": {"shellId": str(key)} | {"agentId": str(key)}}:
            yield from session.over(key)


def _message(session: Session, data: Json, row: Json) -> Iterator[Event]:
    at = _at(row)
    session.model = text_or_none(data.get("model")) or session.model
    if (thought := text_or_none(data.get("reasoningText"))) and thought.strip():
        yield from session.add(Reasoning(thought), at)
    if (text := text_or_none(data.get("content"))) and text.strip():
        yield from session.add(Text(text), at)
    requests = data.get("toolRequests")
    session.tools = bool(requests)
    for item in requests if isinstance(requests, list) else ():
        match item:
            case {"toolCallId": str(id_), "name": str(name)}:
                yield from _called(session, id_, name, item.get("arguments", ""), at)


def _called(
    session: Session, id_: str, name: str, given: object, at: float | None
) -> Iterator[Event]:
    yield from session.add(ToolCall(name, canonical(given), id_), at)
    session.calls[id_] = name, given
    match name, given:
        case ("update_todo", {"todos": str(text)}):
            yield TodosChanged(session.session, _todos(text))
        case ("task", {"prompt": str(prompt)}):
            session.asked[id_] = prompt
    if kind := _ASKED.get(name):
        yield from session.wait(id_, Pending(kind, name))


def _todos(text: str) -> tuple[Todo, ...]:
    """Read the check list that `update_todo` takes."""
    return tuple(
        Todo(what.strip(), _MARK.get(mark, TodoStatus.IN_PROGRESS))
        for mark, what in _TODO.findall(text)
    )


def _result(session: Session, data: Json, row: Json) -> Iterator[Event]:
    id_, success = data.get("toolCallId"), data.get("success")
    if not isinstance(id_, str):
        return
    said, failed = _said(data), not success if isinstance(success, bool) else None
    yield from session.add(ToolResult(said, id_, failed), _at(row))
    session.asked.pop(id_, None)
    yield from session.over(id_, _PERMISSION + id_)
    name, given = session.calls.pop(id_, ("", None))
    match name, given:
        case _, {"mode": "async", "command": str(what)} if not failed:
            if key := _shell(given, said):
                yield from session.wait(key, Pending(PendingKind.BACKGROUND, what))
        case "stop_bash" | "stop_powershell", {"shellId": str(key)}:
            yield from session.over(key)


def _shell(given: Json, said: str) -> str | None:
    """The id of the shell that a call left running: the call may name it, or its result."""
    named = given.get("shellId")
    if isinstance(named, str):
        return named
    found = _SHELL.search(said)
    return found[1] if found else None


def _said(data: Json) -> str:
    match data:
        case {"result": {"content": str(text)}} | {"error": {"message": str(text)} | str(text)}:
            return text
        case {"result": str(text)}:
            return text
    return ""


def _permission(session: Session, data: Json, _row: Json) -> Iterator[Event]:
    match data:
        case {"requestId": str(id_), "permissionRequest": {"kind": str(kind)} as asked}:
            key = text_or_none(asked.get("toolCallId"))
            pending = Pending(PendingKind.PERMISSION, kind)
            yield from session.wait(_PERMISSION + (id_ if key is None else key), pending)


def _permitted(session: Session, _data: Json, _row: Json) -> Iterator[Event]:
    yield from session.over(*[key for key in session.pending if key.startswith(_PERMISSION)])


def _question(session: Session, data: Json, _row: Json) -> Iterator[Event]:
    if isinstance(key := data.get("requestId"), str):
        yield from session.wait(key, Pending(PendingKind.QUESTION))


def _answered(session: Session, data: Json, _row: Json) -> Iterator[Event]:
    if isinstance(key := data.get("requestId"), str):
        yield from session.over(key)


def _step_end(session: Session, _data: Json, row: Json) -> Iterator[Event]:
    if session.under_way and not session.tools:
        yield from session.end(FinishReason.STOP, None, _at(row))


def _abort(session: Session, _data: Json, row: Json) -> Iterator[Event]:
    yield from session.end(FinishReason.ABORTED, None, _at(row))


def _failure(session: Session, data: Json, row: Json) -> Iterator[Event]:
    name, status = text_or_none(data.get("errorType")) or "", data.get("statusCode")
    code = status if isinstance(status, int) else None
    retryable = False if name in _LASTING else code in TRANSIENT if code else None
    error = TurnError(name, text_or_none(data.get("message")) or "", code, retryable)
    yield from session.end(FinishReason.ERROR, error, _at(row))


def _compaction(session: Session, _data: Json, _row: Json) -> Iterator[Event]:
    if session.open:  # a compaction between turns is in none
        yield Compacted(session.session)


def _at(row: Json) -> float | None:
    return seconds(row.get("timestamp"))


ROWS: dict[str, Callable[[Session, Json, Json], Iterator[Event]]] = {
    "abort": _abort,
    "assistant.message": _message,
    "assistant.turn_end": _step_end,
    "permission.completed": _permitted,
    "permission.requested": _permission,
    "session.compaction_complete": _compaction,
    "session.error": _failure,
    "session.model_change": _model,
    "session.resume": _begun,
    "session.shutdown": _begun,
    "session.start": _begun,
    "system.notification": _notified,
    "tool.execution_complete": _result,
    "user.message": _user,
    "user_input.completed": _answered,
    "user_input.requested": _question,
}
