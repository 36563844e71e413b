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

from auditor.events import Event, Unread
from auditor.files import Line, decode, json_lines
from auditor.harness._branches import alive, asking
from auditor.harness._qwen_session import Session
from auditor.harness._rows import told

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
    for row in asking(path, lambda raw: b'"user"' in raw or b'"rewind"' in raw):
        match row:
            case {"type": "user", "uuid": str(uuid), "parentUuid": None | str() as parent}:
                asked[parent] = uuid
            case {"type": "system", "subtype": "rewind", "parentUuid": None | str() as parent}:
                if parent in asked:
                    lost.add(asked.pop(parent))
    return lost


def events(lines: Iterable[Line | Unread]) -> Iterator[Event]:
    """Events of decoded rows, in order."""
    return told(lines, _Sessions().row)


class _Sessions:
    """The sessions of a file by their ids; a sub-agent's file names itself beside its parent."""

    def __init__(self) -> None:
        self._found: dict[str, Session] = {}

    def row(self, row: Any) -> Iterable[Event]:
        match row:
            case {"type": str(kind), "sessionId": str(id_)}:
                return self._of(row, id_).row(row, kind)
            case _:
                return [Unread("row without a type or session")]

    def _of(self, row: Any, id_: str) -> Session:
        parent: str | None = None
        match row:
            case {"isSidechain": True, "agentId": str(agent)}:
                id_, parent = agent, id_
        if id_ not in self._found:
            self._found[id_] = Session(id_, parent)
        return self._found[id_]
