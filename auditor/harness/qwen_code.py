"""Qwen Code: its session files (JSON Lines) and its sub-agents' files to events.

Owns the files: `projects/<folder>/chats/<session>.jsonl` and `.../subagents/<session>/*.jsonl`.
What a row means is in `_qwen_session`. As a rule no row says why the model stopped; telemetry
tells of failed requests, a refused call is told by its status, and sessions over the Agent Client
Protocol record how a turn settled. A block by a Stop hook leaves no row, so what follows it
belongs to the same turn.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from auditor.files import Line, decode, json_lines, raw_lines
from auditor.harness._branches import alive
from auditor.harness._qwen_session import Session
from auditor.turn import Event, Unread

NAME = "qwen-code"


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """A row in a chain whose message has parts, or a system row with a payload."""
    for raw in head.split(b"\n")[:40]:
        try:
            row = decode(raw)
        except ValueError:
            if b'"parentUuid"' in raw and b'"parts"' in raw:
                return True
            continue
        match row:
            case {"uuid": _, "parentUuid": _, "message": {"parts": list()}}:
                return True
            case {"uuid": _, "parentUuid": _, "subtype": _, "systemPayload": _}:
                return True
            case {"parentUuid": _}:
                return False
    return False


def transcripts() -> Iterator[Path]:
    """Chats and sub-agents under `$QWEN_RUNTIME_DIR`, `$QWEN_HOME` or `~/.qwen`."""
    base = os.environ.get("QWEN_RUNTIME_DIR") or os.environ.get("QWEN_HOME") or "~/.qwen"
    projects = Path(base).expanduser() / "projects"
    yield from sorted(projects.glob("*/chats/*.jsonl"))
    yield from sorted(projects.glob("*/subagents/**/*.jsonl"))


def read(path: Path) -> Iterator[Event]:
    """The events of a session file, without what was rewound."""
    yield from events(alive(json_lines(path), rewound(path)))


def rewound(path: Path) -> set[str]:
    """The ids of requests that were taken back: a `rewind` row hangs where the request hung."""
    asked: dict[str | None, str] = {}
    lost: set[str] = set()
    for line in raw_lines(path):
        if isinstance(line, Unread) or b'"tool_result"' in line[1]:
            continue
        if b'"user"' not in line[1] and b'"rewind"' not in line[1]:
            continue
        try:
            row = decode(line[1])
        except ValueError:
            continue
        match row:
            case {"type": "user", "uuid": str(uuid), "parentUuid": None | str() as parent}:
                asked[parent] = uuid
            case {"type": "system", "subtype": "rewind", "parentUuid": None | str() as parent}:
                if parent in asked:
                    lost.add(asked.pop(parent))
    return lost


def events(lines: Iterable[Line | Unread]) -> Iterator[Event]:
    """Events of decoded rows, in order."""
    sessions: dict[str, Session] = {}
    for line in lines:
        if isinstance(line, Unread):
            yield line
            continue
        number, row = line
        match row:
            case {"type": str(kind), "sessionId": str(id_)}:
                for event in _of(sessions, row, id_).row(row, kind):
                    yield Unread(event.kind, number) if isinstance(event, Unread) else event
            case _:
                yield Unread("row without a type or session", number)


def _of(sessions: dict[str, Session], row: Any, id_: str) -> Session:
    """The session of a row: a sub-agent's file names itself beside its parent."""
    parent: str | None = None
    match row:
        case {"isSidechain": True, "agentId": str(agent)}:
            id_, parent = agent, id_
    found = sessions.get(id_)
    if found is None:
        found = sessions[id_] = Session(id_, parent)
    return found
