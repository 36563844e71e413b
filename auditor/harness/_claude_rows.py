"""The rows of Claude Code to events, whoever speaks in them.

Who speaks in a user row is in `_claude_requests`, what the model did in `_claude_replies`, what
is open in `_claude_work`. Only the row of a message that has a `stop_reason` says how the model
stopped; where no row says it, a Stop hook that ran does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from auditor.harness._claude_replies import FINISH, NOBODY, error_of, part_of
from auditor.harness._claude_requests import CUT, INTERRUPTED, asked, resumed, texts
from auditor.harness._claude_session import Session, time_of
from auditor.turn import (
    Compacted,
    Event,
    FinishReason,
    Heartbeat,
    RequestKind,
    ToolCall,
    ToolResult,
    Unread,
)

_BOOKS = (
    "agent-color agent-name agent-setting ai-title api-request api-request-blob api-request-shape"
    " atis-latch attribution-snapshot content-replacement cost-state custom-title"
    " file-history-delta file-history-snapshot last-prompt marble-origami-commit"
    " marble-origami-snapshot mode permission-mode pr-link progress speculation-accept summary tag"
    " task-summary tools-used worktree-state"
)
IGNORED = frozenset(_BOOKS.split())
"""Kinds of rows that keep books. `progress` repeats what a sub-agent's own file holds."""

_NOTES = (
    "away_summary bridge_status file_snapshot informational local_command memory_saved"
    " microcompact_boundary permission_retry scheduled_task_fire thinking"
)
IGNORED_SYSTEM = frozenset(_NOTES.split())
"""Subtypes of system rows that change nothing for a turn."""

SYNTHETIC = "<synthetic>"
"""The model of texts that the harness wrote."""

HALTED = "STOP what you are doing and wait for the user"
"""In the result of a call that the person refused without a word: the agent halts."""

CHAINS = 10_000
"""Side-chain rows remembered for old files, where sub-agents have no id (a guess)."""


class Rows:
    """All sessions of one file: the main one, and those of sub-agents in old versions."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._chains: dict[str, str] = {}

    def row(self, number: int, row: Any) -> Iterator[Event]:
        """Yield the events of one decoded row, the row of line `number`."""
        kind = row.get("type") if isinstance(row, dict) else None
        match kind:
            case "assistant" | "user":
                yield from self._message(row, kind, number)
            case "progress":
                pass  # the most common row of books
            case "system" | "attachment" | "queue-operation":
                yield from self._told(row, number)
            case str():
                if kind not in IGNORED:
                    yield Unread(f"row type {kind[:40]}", number)
            case _:
                yield Unread("row without a type", number)

    def _message(self, row: Any, kind: str, number: int) -> Iterator[Event]:
        message = row.get("message")
        if isinstance(message, dict) and "content" in message:
            speaks = _assistant if kind == "assistant" else _user
            yield from speaks(self._session(row), row, message, number)
        else:
            yield Unread(f"{kind} row without content", number)

    def _told(self, row: Any, number: int) -> Iterator[Event]:
        match row:
            case {"type": "system", "subtype": str(subtype)}:
                yield from _system(self._session(row), row, subtype, number)
            case {"type": "attachment", "attachment": dict(attached)}:
                yield from _attachment(self._session(row), attached)
            case {"type": "queue-operation", "content": str(text)}:
                if text.startswith("<task-notification>"):
                    self._session(row).work.notified(text)
            case {"type": "system"}:
                yield Unread("system row without a subtype", number)

    def _session(self, row: Any) -> Session:
        parent: str | None = None
        if row.get("isSidechain") is not True and isinstance(row.get("sessionId"), str):
            known = self._sessions.get(row["sessionId"])
            if known is not None:
                return known
        match row:
            case {"isSidechain": True, "agentId": str(id_), "sessionId": str(parent)}:
                pass
            case {
                "isSidechain": True,
                "uuid": str(uuid),
                "sessionId": str(parent),
                "parentUuid": before,
            }:
                id_ = self._chains.get(before, uuid) if isinstance(before, str) else uuid
                self._chains[uuid] = id_
                if len(self._chains) > CHAINS:
                    del self._chains[next(iter(self._chains))]
            case {"sessionId": str(id_)}:
                pass
            case _:
                id_ = next(iter(self._sessions), "")
        found = self._sessions.get(id_)
        if found is None:
            found = self._sessions[id_] = Session(id_, parent)
        return found


def _assistant(session: Session, row: Any, message: Any, number: int) -> Iterator[Event]:
    model, content = message.get("model"), message["content"]
    if model == SYNTHETIC or row.get("isApiErrorMessage") is True:
        yield from _synthetic(session, row, texts(content), number)
        return
    match content:
        case list():
            blocks: list[Any] = content
        case str():
            blocks = [{"type": "text", "text": content}]
        case _:
            blocks = []
            yield Unread("assistant row without content", number)
    session.reading(message)
    for block in blocks:
        for event in _block(session, row, block, model if isinstance(model, str) else None):
            yield Unread(event.kind, number) if isinstance(event, Unread) else event
    match message:
        case {"stop_reason": str(reason)} if reason in FINISH:
            yield from session.end(FINISH[reason], time_of(row))


def _block(session: Session, row: Any, block: Any, model: str | None) -> Iterator[Event]:
    part = part_of(block)
    if isinstance(part, Unread):
        yield part
    elif part is not None and part not in session.seen:
        session.seen.add(part)
        yield from session.part(part, row, time_of(row), model)
        if isinstance(part, ToolCall) and part.id is not None:
            session.work.called(part.id, part.name, block.get("input"))
            yield from session.work.changes()


def _synthetic(session: Session, row: Any, said: list[str], number: int) -> Iterator[Event]:
    """A text of the harness in the model's place: a failed turn, or a placeholder."""
    text, at = "\n".join(said), time_of(row)
    match row:
        case {"isApiErrorMessage": True}:
            error = error_of(row, text)
            too_long = error.name == "max_output_tokens"
            finish = FinishReason.LENGTH if too_long else FinishReason.ERROR
            if not session.turns:
                yield from session.begin(RequestKind.HUMAN, "", row)
            yield from session.end(finish, at, error)
        case _ if text.startswith(INTERRUPTED):
            yield from session.halt(at)
        case _ if text not in NOBODY:
            yield Unread("synthetic text", number)


def _user(session: Session, row: Any, message: Any, number: int) -> Iterator[Event]:
    content, at = message["content"], time_of(row)
    results = False
    if isinstance(content, list):
        for block in content:
            match block:
                case {"type": "tool_result", "tool_use_id": str(call)}:
                    results = True
                    yield from _result(session, row, block, call, at)
                case {"type": "text", "text": str()} | {"type": "image" | "document"}:
                    pass
                case {"type": str(kind)}:
                    yield Unread(f"user block {kind[:40]}", number)
                case _:
                    yield Unread("user block without a type", number)
    elif not isinstance(content, str):
        yield Unread("user row without content", number)
    said = texts(content)
    if any(text.startswith(INTERRUPTED) for text in said):
        yield from session.halt(at)
    elif not results:
        yield from _said(session, row, said, at)


def _said(session: Session, row: Any, said: list[str], at: float | None) -> Iterator[Event]:
    match row:
        case {"isCompactSummary": True}:
            if not session.turns:  # an old version went on in a new file
                yield from session.begin(RequestKind.HUMAN, "", row)
                yield Compacted(session.id)
            return
    request = asked(row, said)
    if request is None:
        return
    kind, text = request
    if kind is RequestKind.STOP_HOOK:
        yield from session.stopped(at)
    elif kind is RequestKind.NUDGE and (how := resumed(text)):
        if how is not FinishReason.UNKNOWN or not session.ended:
            yield from session.end(how, at, CUT if how is FinishReason.ERROR else None)
    elif kind is RequestKind.NOTIFICATION:
        session.work.notified(text)
    yield from session.begin(kind, text, row)


def _result(session: Session, row: Any, block: Any, call: str, at: float | None) -> Iterator[Event]:
    output = "\n".join(texts(block.get("content")))
    failed = block.get("is_error") is True
    yield from session.part(ToolResult(output, call, failed), row, at)
    session.work.answered(call, output, failed, row.get("toolUseResult"))
    yield from session.work.changes()
    if failed and HALTED in output[:600]:
        yield from session.halt(at)


def _system(session: Session, row: Any, subtype: str, number: int) -> Iterator[Event]:
    match subtype:
        case "stop_hook_summary" | "turn_duration":
            yield from session.stopped(time_of(row))
        case "compact_boundary":
            match row:
                case {"compactMetadata": {"trigger": "manual"}}:
                    return  # the person compacted between two turns
            yield Compacted(session.id)
        case "api_error":  # the harness is trying again
            yield Heartbeat(session.id, time_of(row))
        case "agents_killed":
            session.work.killed()
            yield from session.work.changes()
        case _ if subtype not in IGNORED_SYSTEM:
            yield Unread(f"system row {subtype[:40]}", number)


def _attachment(session: Session, attached: Any) -> Iterator[Event]:
    """Context the harness added; it may say in the middle of a turn that work is over."""
    match attached:
        case {"type": "queued_command", "prompt": str(text)} if text.startswith(
            "<task-notification>"
        ):
            session.work.notified(text)
        case {"type": "task_status", "taskId": str(task), "status": str(status)}:
            session.work.notified(f"<task-id>{task}</task-id><status>{status}</status>")
        case _:
            return
    session.work.settle()
    yield from session.work.changes()
