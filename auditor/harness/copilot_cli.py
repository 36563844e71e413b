"""GitHub Copilot CLI sessions: `~/.copilot/session-state/<session>/events.jsonl`.

Owns rows of `{type, data, id, timestamp, parentId}`. An `assistant.turn_*` pair is one step of the
model, not a turn; a step whose message asks for no tool ends the turn. Rows of a sub-agent stand in
its parent's file and carry the id of the call that started it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from auditor.files import Line, json_lines
from auditor.harness._shapes import TRANSIENT, seconds
from auditor.turn import (
    Compacted,
    Event,
    FinishReason,
    Part,
    PartAdded,
    Pending,
    PendingChanged,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    Todo,
    TodosChanged,
    TodoStatus,
    ToolCall,
    ToolResult,
    TurnEnded,
    TurnError,
    TurnStarted,
    Unread,
    canonical,
)

NAME = "copilot-cli"

_HEAD = re.compile(
    rb'\s*\{"type":\s*"(?:session|user|assistant|system|tool|hook|permission)\.[a-z_]+",'
    rb'\s*"data":\s*\{'
)
# Seen, or named by the events of GitHub's own Copilot SDK, and of no concern here.
_QUIET = frozenset(
    {"pending_messages.modified", "skill.invoked", "system.message", "tool.user_requested"}
)
_QUIET_FAMILIES = (
    "assistant.",
    "capabilities.",
    "command.",
    "commands.",
    "elicitation.",
    "external_tool.",
    "hook.",
    "mcp.",
    "sampling.",
    "session.",
    "subagent.",
    "tool.execution_",
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
_TODO = re.compile(r"^\s*[-*] \[([ xX~/-])\] (.+)$", re.MULTILINE)
_MARK = {"x": TodoStatus.COMPLETED, "X": TodoStatus.COMPLETED, " ": TodoStatus.PENDING}


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001 - the contract of all harnesses
    """Whether a file that begins so is a session's events."""
    return bool(_HEAD.match(head))


def transcripts() -> Iterator[Path]:
    """All sessions under `$COPILOT_HOME` (default `~/.copilot`)."""
    home = Path(os.environ.get("COPILOT_HOME") or Path.home() / ".copilot")
    yield from sorted((home / "session-state").glob("*/events.jsonl"))
    yield from sorted((home / "session-state").glob("*.jsonl"))


def read(path: Path) -> Iterator[Event]:
    """Read one session and its sub-agents."""
    return events(json_lines(path), path.parent.name if path.stem == "events" else path.stem)


def events(lines: Iterable[Line | Unread], session: str = "") -> Iterator[Event]:
    """Fold rows into events; `session` is the id until the file says its own."""
    main = _Session(session)
    agents: dict[str, _Session] = {}
    row: Any
    for line in lines:
        if isinstance(line, Unread):
            yield line
            continue
        number, row = line
        match row:
            case {"type": str(kind), "data": dict(data)} if kind in _ROWS:
                state = main
                if isinstance(call := data.get("parentToolCallId"), str):
                    if call not in agents:
                        agents[call] = _Session(f"{main.session}/{call}", main.session)
                    state = agents[call]
                yield from _ROWS[kind](state, data, row)
            case {"type": "subagent.started" | "subagent.completed" | "subagent.failed" as kind}:
                yield from _delegated(main, agents, kind, row)
            case {"type": str(kind)}:
                if kind not in _QUIET and not kind.startswith(_QUIET_FAMILIES):
                    yield Unread(f"row type {kind}", number)
            case _:
                yield Unread("row without type", number)


def _delegated(
    main: _Session, agents: dict[str, _Session], kind: str, row: dict[str, Any]
) -> Iterator[Event]:
    """Tell that a sub-agent began or is over."""
    match row:
        case {"data": {"toolCallId": str(call)} as data}:
            name, at = data.get("agentName"), seconds(row.get("timestamp"))
        case _:
            return
    if kind == "subagent.started":
        what = name if isinstance(name, str) else ""
        begun = agents[call] = _Session(f"{main.session}/{call}", main.session)
        begun.request = main.asked.get(call, "")
        yield from main.wait(call, Pending(PendingKind.SUBAGENT, what))
        return
    if (agent := agents.get(call)) is not None:
        del agents[call]
        error = data.get("error")
        failed = TurnError("", error) if isinstance(error, str) else None
        finish = FinishReason.ERROR if kind == "subagent.failed" else FinishReason.STOP
        yield from agent.end(finish, failed, at)
    yield from main.wait(call, None)


class _Session:
    """What one session, or one sub-agent in its file, needs remembered between rows."""

    def __init__(self, session: str, parent: str | None = None) -> None:
        self.session = session
        self.parent = parent
        self.model: str | None = None
        self.open = False  # a turn began and has not ended
        self.bare = False  # …and nothing followed its request yet
        self.over: TurnEnded | None = None  # how the newest turn ended
        self.interaction: object = None
        self.request = ""  # of a sub-agent: what it was told
        self.turns = 0
        self.tools = False  # the newest message asks for tools
        self.asked: dict[str, str] = {}  # prompts of `task` calls under way
        self.calls: dict[str, tuple[str, Any]] = {}
        self.pending: dict[str, Pending] = {}

    def session_start(self, data: dict[str, Any], _row: dict[str, Any]) -> Iterator[Event]:
        id_ = data.get("sessionId")
        self.session = id_ if isinstance(id_, str) else self.session
        self.open = False  # a session that comes back left its turn behind
        yield from self.clear()

    def model_change(self, data: dict[str, Any], _row: dict[str, Any]) -> Iterator[Event]:
        model = data.get("newModel")
        self.model = model if isinstance(model, str) else self.model
        yield from ()

    def start(
        self, id_: object, request: str, kind: RequestKind, at: float | None
    ) -> Iterator[Event]:
        self.open = self.bare = True
        self.tools, self.over = False, None
        self.turns += 1
        yield TurnStarted(
            session=self.session,
            turn=id_ if isinstance(id_, str) else f"{self.session}#{self.turns}",
            harness=NAME,
            request=request,
            kind=RequestKind.AGENT if self.parent else kind,
            model=self.model,
            parent=self.parent,
            at=at,
        )

    def add(self, part: Part, at: float | None) -> Iterator[Event]:
        if self.parent and not self.turns:
            yield from self.start(None, self.request, RequestKind.AGENT, at)
        self.bare, self.open, self.over = False, True, None
        yield PartAdded(self.session, part, at, self.model)

    def end(
        self, finish: FinishReason, error: TurnError | None, at: float | None
    ) -> Iterator[Event]:
        if self.open:
            self.open = False
            self.over = TurnEnded(session=self.session, finish=finish, error=error, at=at)
            yield self.over
            yield from self.clear()

    def user(self, data: dict[str, Any], row: dict[str, Any]) -> Iterator[Event]:
        match data:
            case {"content": str(request)}:
                source, interaction = data.get("source"), data.get("interactionId")
            case _:
                return
        kind: RequestKind | None = RequestKind.HUMAN
        if isinstance(source, str) and source not in _HUMAN:
            named = [kind for word, kind in _SOURCES if word in source]
            kind = named[0] if named else RequestKind.NUDGE
        queued = self.open and not self.bare and interaction == self.interaction
        if kind is None or (queued and kind is not RequestKind.STOP_HOOK):
            return
        self.interaction = interaction
        yield from self.start(row.get("id"), request, kind, seconds(row.get("timestamp")))

    def notification(self, data: dict[str, Any], row: dict[str, Any]) -> Iterator[Event]:
        match data:
            case {"content": str(text)} if not self.open:
                at = seconds(row.get("timestamp"))
                yield from self.start(row.get("id"), text, RequestKind.NOTIFICATION, at)
        match data:  # only now: the turn before ended while this was pending
            case {"kind": {"shellId": str(key)} | {"agentId": str(key)}}:
                yield from self.wait(key, None)

    def message(self, data: dict[str, Any], row: dict[str, Any]) -> Iterator[Event]:
        at = seconds(row.get("timestamp"))
        match data:
            case {"model": str(model)}:
                self.model = model
        match data:
            case {"reasoningText": str(text)} if text.strip():
                yield from self.add(Reasoning(text), at)
        match data:
            case {"content": str(text)} if text.strip():
                yield from self.add(Text(text), at)
        requests = data.get("toolRequests")
        self.tools = bool(requests)
        for item in requests if isinstance(requests, list) else ():
            if (call := _call(item)) is not None:
                yield from self.called(call, item.get("arguments"), at)

    def called(self, call: ToolCall, arguments: object, at: float | None) -> Iterator[Event]:
        yield from self.add(call, at)
        id_ = call.id or ""
        self.calls[id_] = call.name, arguments
        match call.name, arguments:
            case ("update_todo", {"todos": str(text)}):
                yield TodosChanged(self.session, _todos(text))
            case ("task", {"prompt": str(prompt)}):
                self.asked[id_] = prompt
        if kind := _ASKED.get(call.name):
            yield from self.wait(id_, Pending(kind, call.name))

    def result(self, data: dict[str, Any], row: dict[str, Any]) -> Iterator[Event]:
        match data:
            case {"toolCallId": str(id_)}:
                success = data.get("success")
            case _:
                return
        failed = None if not isinstance(success, bool) else not success
        part, over = ToolResult(_said(data), id_, failed), self.over
        yield from self.add(part, seconds(row.get("timestamp")))
        if over is not None:  # a result that comes late reopens nothing
            self.open, self.over = False, over
            yield over
        self.asked.pop(id_, None)
        name, arguments = self.calls.pop(id_, ("", None))
        yield from self.wait(id_, None)
        yield from self.wait(f"permission {id_}", None)
        match name, arguments:
            case _, {"mode": "async", "shellId": str(key), "command": str(what)} if not failed:
                yield from self.wait(key, Pending(PendingKind.BACKGROUND, what))
            case _, {"mode": "async", "command": str(what)} if not failed:
                if found := re.search(r"shellId: ?([\w-]+)", part.output):
                    yield from self.wait(found[1], Pending(PendingKind.BACKGROUND, what))
            case "stop_bash" | "stop_powershell", {"shellId": str(key)}:
                yield from self.wait(key, None)

    def permission(self, data: dict[str, Any], row: dict[str, Any]) -> Iterator[Event]:
        match row, data:
            case {"type": "permission.requested"}, {
                "requestId": str(request),
                "permissionRequest": {"kind": str(kind)} as asked,
            }:
                call = asked.get("toolCallId")
                key = call if isinstance(call, str) else request
                yield from self.wait(f"permission {key}", Pending(PendingKind.PERMISSION, kind))
            case {"type": "permission.completed"}, _:
                for key in [key for key in self.pending if key.startswith("permission ")]:
                    yield from self.wait(key, None)

    def question(self, data: dict[str, Any], row: dict[str, Any]) -> Iterator[Event]:
        match data:
            case {"requestId": str(key)}:
                asks = row.get("type") == "user_input.requested"
                yield from self.wait(key, Pending(PendingKind.QUESTION) if asks else None)

    def step_end(self, _data: dict[str, Any], row: dict[str, Any]) -> Iterator[Event]:
        if not self.tools and not self.bare:
            yield from self.end(FinishReason.STOP, None, seconds(row.get("timestamp")))

    def abort(self, _data: dict[str, Any], row: dict[str, Any]) -> Iterator[Event]:
        yield from self.end(FinishReason.ABORTED, None, seconds(row.get("timestamp")))

    def failure(self, data: dict[str, Any], row: dict[str, Any]) -> Iterator[Event]:
        name, message, status = (data.get(key) for key in ("errorType", "message", "statusCode"))
        code = status if isinstance(status, int) else None
        name = name if isinstance(name, str) else ""
        retryable = False if name in _LASTING else code in TRANSIENT if code else None
        error = TurnError(
            name,
            message if isinstance(message, str) else "",
            code,
            retryable,
        )
        yield from self.end(FinishReason.ERROR, error, seconds(row.get("timestamp")))

    def compaction(self, _data: dict[str, Any], _row: dict[str, Any]) -> Iterator[Event]:
        if self.open:  # a compaction between turns is in none
            yield Compacted(self.session)

    def wait(self, key: str, pending: Pending | None) -> Iterator[Event]:
        if pending is not None:
            self.pending[key] = pending
        elif self.pending.pop(key, None) is None:
            return
        yield PendingChanged(self.session, tuple(self.pending.values()))

    def clear(self) -> Iterator[Event]:
        """Tell that nobody is asked any more once the turn is over."""
        asked = (PendingKind.PERMISSION, PendingKind.QUESTION)
        for key in [key for key, what in self.pending.items() if what.kind in asked]:
            yield from self.wait(key, None)


def _call(item: Any) -> ToolCall | None:
    match item:
        case {"toolCallId": str(id_), "name": str(name)}:
            return ToolCall(name, canonical(item.get("arguments", "")), id_)
    return None


def _said(data: Any) -> str:
    match data:
        case {"result": {"content": str(text)}} | {"error": {"message": str(text)} | str(text)}:
            return text
        case {"result": str(text)}:
            return text
    return ""


def _todos(text: str) -> tuple[Todo, ...]:
    """Read the check list that `update_todo` takes."""
    return tuple(
        Todo(what.strip(), _MARK.get(mark, TodoStatus.IN_PROGRESS))
        for mark, what in _TODO.findall(text)
    )


_Row = Callable[[_Session, dict[str, Any], dict[str, Any]], Iterator[Event]]
_ROWS: dict[str, _Row] = {
    "abort": _Session.abort,
    "assistant.message": _Session.message,
    "assistant.turn_end": _Session.step_end,
    "permission.completed": _Session.permission,
    "permission.requested": _Session.permission,
    "session.compaction_complete": _Session.compaction,
    "session.error": _Session.failure,
    "session.model_change": _Session.model_change,
    "session.resume": _Session.session_start,
    "session.shutdown": _Session.session_start,
    "session.start": _Session.session_start,
    "system.notification": _Session.notification,
    "tool.execution_complete": _Session.result,
    "user.message": _Session.user,
    "user_input.completed": _Session.question,
    "user_input.requested": _Session.question,
}
