"""Pi (pi-coding-agent): its session files (JSON Lines, versions 1 to 3) to events.

Owns the entries of `sessions/--<folder>--/<time>_<id>.jsonl`: a header, then a tree of entries by
`id` and `parentId` whose last entry is where the session stands. Entries of branches that were
left are dropped, by line number, after a look at ids alone. Pi has no to-do list, no sub-agents
and no permissions of its own. Shapes are those of its `docs/session-format.md` (0.73.1).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from auditor.events import Compacted, Event, PartAdded, TurnEnded, TurnStarted, Unread
from auditor.files import Line, json_lines
from auditor.harness._pi_tree import left, without
from auditor.harness._rows import told
from auditor.harness._shapes import arguments, seconds, text_or_none
from auditor.turn import (
    FinishReason,
    Part,
    Reasoning,
    RequestKind,
    Text,
    ToolCall,
    ToolResult,
    TurnError,
)

NAME = "pi"

IGNORED = frozenset(
    (
        "branch_summary",
        "custom",
        "custom_message",
        "label",
        "model_change",
        "session_info",
        "thinking_level_change",
    )
)
"""Entries that keep books or inject context of an extension."""

IGNORED_ROLES = frozenset(
    ["bashExecution", "branchSummary", "compactionSummary", "custom", "hookMessage"]
)
"""Messages nobody asked the agent with: `!` commands, summaries, context of extensions."""

FINISH = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "error": FinishReason.ERROR,
    "aborted": FinishReason.ABORTED,
}
"""`stopReason` of a message; `toolUse` ends nothing."""

_HEADER = re.compile(
    rb'\s*\{"type": ?"session",(?: ?"version": ?\d+,)? ?"id": ?"[^"]*", ?"timestamp"'
)
_STATUS = re.compile(r"^\W*(?:\w*Error:? )?\(?([45]\d\d)\b|\bstatus(?: code)?:? ([45]\d\d)\b")


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """The header comes first and names session and folder."""
    return _HEADER.match(head) is not None and b'"cwd"' in head.split(b"\n", 1)[0]


def transcripts() -> Iterator[Path]:
    """Files under `$PI_CODING_AGENT_SESSION_DIR`, `$PI_CODING_AGENT_DIR` or `~/.pi/agent`."""
    sessions = os.environ.get("PI_CODING_AGENT_SESSION_DIR")
    agent = os.environ.get("PI_CODING_AGENT_DIR", "~/.pi/agent")
    folder = Path(sessions) if sessions else Path(agent) / "sessions"
    yield from sorted(folder.expanduser().rglob("*.jsonl"))


def read(path: Path) -> Iterator[Event]:
    """The events of a session file, without the branches that were left."""
    yield from events(without(json_lines(path), left(path)))


def events(lines: Iterable[Line | Unread]) -> Iterator[Event]:
    """Events of decoded entries, in order."""
    return told(lines, _File().row)


class _File:
    """The session under way in a file: each header begins one."""

    def __init__(self) -> None:
        self._session = _Session()

    def row(self, row: Any) -> Iterator[Event]:
        match row:
            case {"type": "message", "message": {"role": str(role)} as message}:
                yield from self._session.message(row, role, message)
            case {"type": "session", "id": str(id_)}:
                self._session = _Session(id_)
            case {"type": "compaction"}:
                if self._session.open:  # else it came between two turns
                    yield Compacted(self._session.id)
            case {"type": str(kind)}:
                if kind not in IGNORED:
                    yield Unread(f"row type {kind[:40]}")
            case _:
                yield Unread("row without a type")


class _Session:
    """The session of a file and the turn under way."""

    def __init__(self, id_: str = "") -> None:
        self.id = id_
        self.turns = 0
        self.open = False  # a turn began and did not end
        self.spoke = False
        self.last: float | None = None

    def message(self, row: Any, role: str, message: Any) -> Iterator[Event]:
        at = _written(row, message)
        match role:
            case "user":
                yield from self._asked(row, message, at)
            case "assistant":
                yield from self._answered(row, message, at)
            case "toolResult":
                yield from self._part(row, _result(message), at)
            case _ if role not in IGNORED_ROLES:
                yield Unread(f"message role {role[:40]}")
        self.last = at or self.last

    def _asked(self, row: Any, message: Any, at: float | None) -> Iterator[Event]:
        typed = _typed(message)
        if self.open and self.spoke and typed and self.last and typed < self.last:
            return  # typed while the agent worked: a queued message steers the turn under way
        yield from self._begin(row, "\n\n".join(_texts(message.get("content"))), at)

    def _begin(self, row: Any, request: str, at: float | None) -> Iterator[Event]:
        self.turns += 1
        self.open, self.spoke = True, False
        match row:
            case {"id": str(id_)}:
                turn = f"{self.id}#{id_}"  # an entry's id is unique in its session only
            case _:
                turn = f"{self.id}#{self.turns}"
        yield TurnStarted(
            session=self.id,
            turn=turn,
            harness=NAME,
            request=request,
            kind=RequestKind.HUMAN,
            at=at,
        )

    def _part(
        self, row: Any, part: Part, at: float | None, model: str | None = None
    ) -> Iterator[Event]:
        if not self.turns:
            yield from self._begin(row, "", at)
        self.open = self.spoke = True
        yield PartAdded(self.id, part, at, model)

    def _answered(self, row: Any, message: Any, at: float | None) -> Iterator[Event]:
        model = text_or_none(message.get("model"))
        match message:
            case {"content": list(blocks)}:
                pass
            case {"content": str(text)}:
                blocks = [{"type": "text", "text": text}]
            case _:
                blocks = []
                yield Unread("assistant message without content")
        for block in blocks:
            part = _block(block)
            if isinstance(part, Unread):
                yield part
            else:
                yield from self._part(row, part, at, model)
        match message:
            case {"stopReason": str(reason)} if reason in FINISH:
                if not self.turns:
                    yield from self._begin(row, "", at)
                self.open = False
                error = _error(message) if reason == "error" else None
                yield TurnEnded(session=self.id, finish=FINISH[reason], error=error, at=at)


def _block(block: object) -> Part | Unread:
    match block:
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "thinking", "thinking": str(text)}:
            return Reasoning(text)
        case {"type": "toolCall", "name": str(name), "id": str(call), "arguments": given}:
            return ToolCall(name, arguments(given), call)
        case {"type": str(kind)}:
            return Unread(f"assistant block {kind[:40]}")
        case _:
            return Unread("assistant block without a type")


def _result(message: Any) -> ToolResult:
    said, failed = "\n".join(_texts(message.get("content"))), message.get("isError")
    call = text_or_none(message.get("toolCallId"))
    return ToolResult(said, call, failed if isinstance(failed, bool) else None)


def _texts(content: object) -> list[str]:
    match content:
        case str():
            return [content]
        case list():
            return [
                block["text"]
                for block in content
                if isinstance(block, dict) and isinstance(block.get("text"), str)
            ]
        case _:
            return []


def _error(message: Any) -> TurnError:
    text = text_or_none(message.get("errorMessage")) or ""
    found = _STATUS.search(text)
    status = int(found[1] or found[2]) if found else None
    retryable = {4: False, 5: True}[status // 100] if status and status != 429 else None
    return TurnError("error", text, status, retryable)


def _written(row: Any, message: Any) -> float | None:
    """When the entry was written: where it does not say, when the message was made."""
    return seconds(row.get("timestamp")) or _typed(message)


def _typed(message: Any) -> float | None:
    match message:
        case {"timestamp": int(ms) | float(ms)}:
            return ms / 1000
    return None
