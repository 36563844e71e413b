"""Gemini CLI sessions: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.json` or `.jsonl`.

Owns the older form, one JSON document, and the newer one: a header line, records, and patch lines
`{"$set": …}` / `{"$rewindTo": …}`. A record comes again under its id when tool calls are added;
what it adds is told, so the last one wins. The files name no finish reason and no turn end: an info
or error record is the only word about it. What was rewound did happen and stays told.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.events import Event, Unread
from auditor.files import Line, json_document, json_lines, opened
from auditor.harness._gemini_session import HARNESS, Session
from auditor.harness._rows import told

NAME = HARNESS

_HEAD = re.compile(rb'\s*\{\s*"sessionId":\s*"[^"]*",\s*"projectHash":')


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001 - the contract of all harnesses
    """Whether a file that begins so is a session, of either form."""
    return bool(_HEAD.match(head))


def transcripts() -> Iterator[Path]:
    """All sessions under `$GEMINI_CLI_HOME` (default the home folder), sub-agents' too."""
    home = Path(os.environ.get("GEMINI_CLI_HOME") or Path.home()) / ".gemini" / "tmp"
    yield from sorted(home.glob("*/chats/**/*.json*"))


def read(path: Path) -> Iterator[Event]:
    """Read one session. A sub-agent's lies in a folder named after its parent's session."""
    parent = path.parent.name if path.parent.parent.name == "chats" else None
    lines: Iterable[Line | Unread] = json_lines(path)
    if _is_document(path):
        lines = [(1, json_document(path))]
    yield from events(lines, path.stem, parent)


def _is_document(path: Path) -> bool:
    """Whether the first line is a lone brace: an indented document, not JSON Lines."""
    try:
        with opened(path) as file:
            return file.read(64).split(b"\n", 1)[0].strip() == b"{"
    except OSError:
        return False


def events(
    lines: Iterable[Line | Unread], session: str = "", parent: str | None = None
) -> Iterator[Event]:
    """Fold rows into events; `session` is the id until the header says its own."""
    return told(lines, Session(session, parent).row)
