"""Claude Code: its session files (JSON Lines), old and new, to events.

Owns the files: `projects/<folder>/<session>.jsonl`, sub-agents' own files, and copies such as
`full.jsonl`. What a row means is in `_claude_rows`. Rows that only keep books are skipped,
`api-request*` rows (whole requests, private) without being parsed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from auditor.events import Event, Unread
from auditor.files import Line, decode, raw_lines
from auditor.harness._branches import alive
from auditor.harness._claude_requests import rewound
from auditor.harness._claude_rows import IGNORED, Rows
from auditor.harness._rows import told

NAME = "claude-code"

FIRST: dict[str, tuple[str, ...]] = {
    "summary": ("leafUuid",),
    "file-history-snapshot": ("messageId",),
    "queue-operation": ("operation",),
    "mode": ("sessionId",),
    "permission-mode": ("sessionId",),
    "last-prompt": ("sessionId",),
    "atis-latch": ("sessionId",),
}
"""Bookkeeping rows a file may begin with, and a key that no other harness's rows have there."""

_KIND = re.compile(rb'\{"type": ?"([a-z-]+)"')


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Rows with `isSidechain` and Anthropic content, or the bookkeeping rows of a session."""
    for raw in head.split(b"\n")[:40]:
        try:
            row: Any = decode(raw)
        except ValueError:
            # A cut line: its keys come first. Qwen Code's sub-agents have parts, not content.
            if b'"isSidechain"' in raw and b'"parentUuid"' in raw:
                return b'"parts"' not in raw
            continue
        match row:
            case {"isSidechain": bool(), "message": {"content": _}}:
                return True
            case {"isSidechain": bool(), "parentUuid": _, "type": "attachment" | "progress"}:
                return True
            case {"isSidechain": bool(), "parentUuid": _, "type": "system", "userType": _}:
                return True
            case {"type": "user" | "assistant", "uuid": _, "message": {"role": _, "content": _}}:
                return True
            case {"type": str(kind)} if any(key in row for key in FIRST.get(kind, ())):
                return True
            case {"isSidechain": _} | {"parentUuid": _}:
                return False
    return False


def transcripts() -> Iterator[Path]:
    """Session files under `$CLAUDE_CONFIG_DIR/projects`, or `~/.claude/projects`."""
    base = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(base) if base else Path.home() / ".claude"
    yield from sorted((folder / "projects").rglob("*.jsonl"))


def read(path: Path) -> Iterator[Event]:
    """The events of a session file, without the branches that were rewound."""
    yield from events(alive(_lines(path), rewound(path)))


def _lines(path: Path) -> Iterator[Line | Unread]:
    """Decoded lines; bookkeeping rows that show their kind at once are left out unparsed."""
    for line in raw_lines(path):
        if isinstance(line, Unread):
            yield line
            continue
        number, raw = line
        kind = _KIND.match(raw)
        if kind and kind[1].decode() in IGNORED:
            continue
        try:
            yield number, decode(raw)
        except ValueError:
            yield Unread("malformed JSON", number)


def events(lines: Iterable[Line | Unread]) -> Iterator[Event]:
    """Events of decoded rows, in order."""
    return told(lines, Rows().row)
