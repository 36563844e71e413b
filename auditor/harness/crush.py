"""Crush: one SQLite database a project, `.crush/crush.db`.

Owns its tables. The database of its ancestor, the Go program once named OpenCode, has the same
ones and is read here too. Sub-agents are sessions with a parent.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from auditor import files
from auditor.errors import HarnessUnavailable
from auditor.events import Event, Unread
from auditor.harness import _sqlite
from auditor.harness._crush_fold import HARNESS, Row, events, seconds

NAME = HARNESS


def claims(path: Path, head: bytes) -> bool:
    """A database with the tables `sessions` and `messages`, as its migrations leave them."""
    return _sqlite.tables(path, head) >= {"sessions", "messages", "goose_db_version"}


def transcripts() -> Iterator[Path]:
    """The databases of the projects Crush knows, and of the current folder."""
    share = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    data = Path(os.environ.get("CRUSH_GLOBAL_DATA") or share / "crush")
    folders = [Path(".crush")]
    try:
        known = files.json_document(data / "projects.json")
    except HarnessUnavailable:
        known = None
    match known:
        case {"projects": list(projects)}:
            for project in projects:
                match project:
                    case {"data_dir": str(folder)}:
                        folders.append(Path(folder))
    yield from dict.fromkeys(
        [file for folder in folders if (file := (folder / "crush.db").absolute()).is_file()]
    )


def read(path: Path) -> Iterator[Event]:
    """The events of all sessions, session by session; only the list of sessions is held."""
    with _sqlite.opened(path) as database:
        has = _sqlite.columns(database, "sessions")
        summary = "summary_message_id" if "summary_message_id" in has else "NULL"
        sessions = database.execute(
            f"SELECT id, parent_session_id, {summary} FROM sessions"  # noqa: S608
            " ORDER BY created_at, rowid"
        ).fetchall()
        for id_, parent, summed in sessions:
            session = _sqlite.text(id_)
            rows = _rows(database, session, summed)
            yield from events(session, _sqlite.text(parent) if parent else None, rows)


def _rows(database: sqlite3.Connection, session: str, summed: object) -> Iterator[Row | Unread]:
    """The messages of a session; older releases name the summary in the session's own row."""
    marked = "is_summary_message" in _sqlite.columns(database, "messages")
    try:
        for id_, role, parts, model, created, summary in database.execute(
            "SELECT id, role, parts, model, created_at,"  # noqa: S608
            f" {'is_summary_message' if marked else '0'} FROM messages"
            " WHERE session_id = ? ORDER BY created_at, rowid",
            (session,),
        ):
            yield Row(
                _sqlite.text(id_),
                _sqlite.text(role),
                _sqlite.json(parts),
                _sqlite.text(model) if model else None,
                seconds(created),
                bool(summary) or id_ == summed,
            )
    except sqlite3.DatabaseError as error:
        yield Unread(f"cut off: {error}")  # the next session may lie on sound pages
