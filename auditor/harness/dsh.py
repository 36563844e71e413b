"""DeepSeek Harness sessions: `$DSH_HOME/sessions/--<cwd>--/session-<uuid>/session.jsonl.zstd`.

Owns rows of `{type, seq, time, data}`. Messages are read whole; their chunks and the `tool/call`
rows say the same again. `turn/end` gives a typed reason, so nothing about the end is guessed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from auditor.events import Event, Unread
from auditor.files import Line, json_lines
from auditor.harness._dsh_session import HARNESS, Session
from auditor.harness._rows import told

NAME = HARNESS

_FIRST = re.compile(rb'\s*\{"type":\s*"session",[^\n]*?"createdAt":')
_ZSTD = b"\x28\xb5\x2f\xfd"
_FIRST_ROW = 4096  # bytes unpacked to see the first row; it holds ids and a path (a guess)


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001 - the contract of all harnesses
    """Whether a file that begins so is a session; a packed head is unpacked as far as needed."""
    if head.startswith(_ZSTD):
        import zstandard  # noqa: PLC0415 - only for packed files

        try:
            head = zstandard.ZstdDecompressor().stream_reader(BytesIO(head)).read(_FIRST_ROW)
        except zstandard.ZstdError:
            return False
    return bool(_FIRST.match(head))


def transcripts() -> Iterator[Path]:
    """All sessions under `$DSH_HOME` (default `~/.dsh`)."""
    home = Path(os.environ.get("DSH_HOME") or Path.home() / ".dsh")
    yield from sorted((home / "sessions").glob("*/*/session.jsonl*"))


def read(path: Path) -> Iterator[Event]:
    """Read one session."""
    return events(json_lines(path), path.parent.name)


def events(lines: Iterable[Line | Unread], session: str = "") -> Iterator[Event]:
    """Fold rows into events; `session` is the id until the session row says its own."""
    return told(lines, Session(session).row)
