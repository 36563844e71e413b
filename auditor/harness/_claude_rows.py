"""The rows of Claude Code to events, whoever speaks in them.

Who speaks in a user row is in `_claude_requests`, what the model did in `_claude_replies`, what
the harness tells in `_claude_notes`, what is open in `_claude_work`. Only the row of a message
that has a `stop_reason` says how the model stopped; where no row says it, a Stop hook that ran
does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from auditor.events import Compacted, Event, Unread
from auditor.harness import _claude_notes as notes
from auditor.harness._claude_replies import FINISH, NOBODY, error_of, part_of
from auditor.harness._claude_requests import CUT, INTERRUPTED, asked, resumed, texts
from auditor.harness._claude_session import Session, time_of
from auditor.harness._shapes import text_or_none
from auditor.turn import FinishReason, RequestKind, ToolCall, ToolResult

_BOOKS = (
    "agent-color agent-name agent-setting ai-title api-request api-request-blob api-request-shape"
    " atis-latch attribution-snapshot content-replacement cost-state custom-title"
    " file-history-delta file-history-snapshot last-prompt marble-origami-commit"
    " marble-origami-snapshot mode permission-mode pr-link progress speculation-accept summary tag"
    " task-summary tools-used worktree-state"
)
IGNORED = frozenset(_BOOKS.split())
"""Kinds of rows that keep books. `progress` repeats what a sub-agent's own file holds."""

_TOLD = frozenset({"attachment", "queue-operation", "system"})
"""Kinds of rows in which the harness tells something."""

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

    def row(self, row: Any) -> Iterable[Event]:
        """The events of one decoded row."""
        kind = row.get("type") if isinstance(row, dict) else None
        if not isinstance(kind, str):
            return [Unread("row without a type")]
        if kind in _SPEAKERS:
            return self._message(row, kind)
        if kind in _TOLD:
            return self._told(row)
        return () if kind in IGNORED else [Unread(f"row type {kind[:40]}")]

    def _message(self, row: Any, kind: str) -> Iterable[Event]:
        message = row.get("message")
        if not isinstance(message, dict) or "content" not in message:
            return [Unread(f"{kind} row without content")]
        return _SPEAKERS[kind](self._session(row), row, message)

    def _told(self, row: Any) -> Iterator[Event]:
        match row:
            case {"type": "system", "subtype": str()}:
                yield from notes.system(self._session(row), row)
            case {"type": "system"}:
                yield Unread("system row without a subtype")
            case {"type": "attachment", "attachment": dict(attached)}:
                yield from notes.attachment(self._session(row), attached)
            case {"type": "queue-operation", "content": str(text)}:
                notes.queued(self._session(row), text)

    def _session(self, row: Any) -> Session:
        id_, parent = row.get("sessionId"), None
        if not isinstance(id_, str):
            id_ = next(iter(self._sessions), "")
        elif row.get("isSidechain") is True and (agent := self._agent(row)) is not None:
            id_, parent = agent, id_
        found = self._sessions.get(id_)
        if found is None:
            found = self._sessions[id_] = Session(id_, parent)
        return found

    def _agent(self, row: Any) -> str | None:
        """The id of a sub-agent: old versions give it none, there its first row's stands for it."""
        match row:
            case {"agentId": str(id_)}:
                return id_
            case {"uuid": str(uuid), "parentUuid": before}:
                id_ = self._chains.get(before, uuid) if isinstance(before, str) else uuid
                self._chains[uuid] = id_
                if len(self._chains) > CHAINS:
                    del self._chains[next(iter(self._chains))]
                return id_
        return None


def _assistant(session: Session, row: Any, message: Any) -> Iterator[Event]:
    model, content = message.get("model"), message["content"]
    if model == SYNTHETIC or row.get("isApiErrorMessage") is True:
        yield from _synthetic(session, row, texts(content))
        return
    session.reading(message)
    if isinstance(content, list):
        for block in content:
            yield from _block(session, row, block, text_or_none(model))
    elif isinstance(content, str):
        yield from _block(session, row, {"type": "text", "text": content}, text_or_none(model))
    else:
        yield Unread("assistant row without content")
    reason = message.get("stop_reason")
    if isinstance(reason, str) and reason in FINISH:
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


def _synthetic(session: Session, row: Any, said: list[str]) -> Iterator[Event]:
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
            yield Unread("synthetic text")


def _user(session: Session, row: Any, message: Any) -> Iterator[Event]:
    content, at = message["content"], time_of(row)
    results = False
    for block in content if isinstance(content, list) else ():
        match block:
            case {"type": "tool_result", "tool_use_id": str(call)}:
                results = True
                yield from _result(session, row, block, call, at)
            case {"type": "text", "text": str()} | {"type": "image" | "document"}:
                pass
            case {"type": str(kind)}:
                yield Unread(f"user block {kind[:40]}")
            case _:
                yield Unread("user block without a type")
    if not isinstance(content, list | str):
        yield Unread("user row without content")
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


_SPEAKERS = {"assistant": _assistant, "user": _user}
