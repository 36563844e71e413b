"""GitHub Copilot CLI sessions: `~/.copilot/session-state/<session>/events.jsonl`.

Owns rows of `{type, data, id, timestamp, parentId}`. An `assistant.turn_*` pair is one step of the
model, not a turn; a step whose message asks for no tool ends the turn. Rows of a sub-agent stand in
its parent's file and carry the id of the call that started it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from auditor.events import Event, Unread
from auditor.files import Line, json_lines
from auditor.harness._copilot_rows import ROWS
from auditor.harness._copilot_session import HARNESS, Session
from auditor.harness._rows import told
from auditor.harness._shapes import seconds, text_or_none
from auditor.turn import FinishReason, Pending, PendingKind, TurnError

NAME = HARNESS

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
    return told(lines, _File(session).row)


class _File:
    """The sessions of one file: the main one, and its sub-agents' by the call that began each."""

    def __init__(self, session: str) -> None:
        self._main = Session(session)
        self._agents: dict[str, Session] = {}

    def row(self, row: Any) -> Iterator[Event]:
        match row:
            case {"type": str(kind), "data": dict(data)} if kind in ROWS:
                yield from ROWS[kind](self._of(data), data, row)
            case {"type": "subagent.started", "data": {"toolCallId": str(call)} as data}:
                yield from self._started(call, data)
            case {
                "type": "subagent.completed" | "subagent.failed" as kind,
                "data": {"toolCallId": str(call)} as data,
            }:
                finish = FinishReason.ERROR if kind == "subagent.failed" else FinishReason.STOP
                yield from self._ended(call, finish, data, seconds(row.get("timestamp")))
            case {"type": str(kind)}:
                if kind not in _QUIET and not kind.startswith(_QUIET_FAMILIES):
                    yield Unread(f"row type {kind}")
            case _:
                yield Unread("row without type")

    def _of(self, data: dict[str, Any]) -> Session:
        call = data.get("parentToolCallId")
        if not isinstance(call, str):
            return self._main
        if call not in self._agents:
            self._agents[call] = self._agent(call)
        return self._agents[call]

    def _agent(self, call: str, request: str = "") -> Session:
        return Session(f"{self._main.session}/{call}", self._main.session, request)

    def _started(self, call: str, data: dict[str, Any]) -> Iterator[Event]:
        self._agents[call] = self._agent(call, self._main.asked.get(call, ""))
        name = text_or_none(data.get("agentName")) or ""
        yield from self._main.wait(call, Pending(PendingKind.SUBAGENT, name))

    def _ended(
        self, call: str, finish: FinishReason, data: dict[str, Any], at: float | None
    ) -> Iterator[Event]:
        if (agent := self._agents.pop(call, None)) is not None:
            error = data.get("error")
            failed = TurnError("", error) if isinstance(error, str) else None
            yield from agent.end(finish, failed, at)
        yield from self._main.over(call)
