"""Cline and Roo Code: a folder a task, with what the panel showed and what the model saw.

Owns where tasks lie and which of a task's two files is read: the panel's `ui_messages.json` where
there is one, since only it has errors, approvals and times; else `api_conversation_history.json`.
Each file is also read alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from auditor import files
from auditor.errors import HarnessUnavailable
from auditor.events import Event, Unread
from auditor.harness._cline_history import History
from auditor.harness._cline_messages import HARNESS, Messages
from auditor.harness._cline_rows import row

NAME = HARNESS

_SHOWN, _SENT = "ui_messages.json", "api_conversation_history.json"

_IS_SHOWN = re.compile(
    rb'\A(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"ts"\s*:\s*\d+\s*,\s*"type"\s*:\s*"(?:say|ask)"'
)
_IS_SENT = re.compile(rb'\A(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"role"\s*:\s*"user"\s*,\s*"content"\s*:')
_MARKS = re.compile(rb"<task>|<environment_details>|<user_message>")

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Trae", "Kiro")
_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")


def claims(path: Path, head: bytes) -> bool:
    """A task folder, the panel's rows, or a model's history with the tags that Cline puts in."""
    if not head:
        return any((path / name).is_file() for name in (_SHOWN, _SENT))
    return bool(_IS_SHOWN.match(head) or (_IS_SENT.match(head) and _MARKS.search(head)))


def transcripts() -> Iterator[Path]:
    """The task folders of the editors' extensions, of remote editors and of the command line."""
    home = Path.home()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    users = [
        base / name / "User"
        for base in (config, home / "Library" / "Application Support")
        for name in _EDITORS
    ]
    users += [home / name / "data" / "User" for name in (".vscode-server", ".cursor-server")]
    places = [user / "globalStorage" / name for user in users for name in _EXTENSIONS]
    places.append(Path(os.environ.get("CLINE_DIR") or home / ".cline") / "data")
    for place in places:
        for task in sorted(place.glob("tasks/*")):
            if task.is_dir() and claims(task, b""):
                yield task


def read(path: Path) -> Iterator[Event]:
    """The events of a task folder or of one of its files."""
    if path.is_dir():
        shown = path / _SHOWN
        path = shown if shown.is_file() else path / _SENT
    document = files.json_document(path)
    if not isinstance(document, list):
        raise HarnessUnavailable(f"{path}: a list of messages was expected")
    yield from events(_session(path), document)


def events(session: str, document: list[object]) -> Iterator[Event]:
    """The events of a list of rows or messages; `line` counts them."""
    messages, history = Messages(session), History(session)
    for number, value in enumerate(document, 1):
        match value:
            case {"role": str()}:
                yield from history.message(value, number)
            case _:
                shown = row(value)
                if shown is None:
                    yield Unread("row", number)
                else:
                    yield from messages.step(shown, number)
    yield from messages.end()


def _session(path: Path) -> str:
    """The task's id names its folder; a file that was copied elsewhere has its own name."""
    return path.parent.name if path.name in (_SHOWN, _SENT) else path.stem
