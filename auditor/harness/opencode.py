"""OpenCode: where it keeps sessions, read as they lie.

Owns the shapes of its sources: `opencode export` and the server's answers (one JSON document), the
storage folder, the database, the Markdown export. What a message means is `_opencode_fold`'s.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from auditor import files
from auditor.errors import HarnessUnavailable
from auditor.events import Event, Unread
from auditor.harness import _opencode_markdown, _sqlite
from auditor.harness._markdown import text_lines
from auditor.harness._opencode_fold import HARNESS, Session
from auditor.harness._opencode_parts import string

NAME = HARNESS

_TABLES = {"session", "message", "part"}
_FOLDERS = ("session", "message", "part")
_DOCUMENT = re.compile(
    rb'\A(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"(?:info|messages|session|scenario)"'
)
_SESSION = re.compile(rb'"(?:id|sessionID)"\s*:\s*"ses_')

_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT data FROM part WHERE message_id = ? ORDER BY id"
_TODOS = "SELECT content, status FROM todo WHERE session_id = ? ORDER BY position"

Message = tuple[object, object]
"""`info` and `parts`."""


class Source(NamedTuple):
    """One session, wherever it lies; `revert`: where the user rewound it to, `todos`: as of now."""

    session: str
    messages: Iterable[Message | Unread]
    parent: str | None = None
    revert: object = None
    todos: object = None


def claims(path: Path, head: bytes) -> bool:
    """A database or storage folder with its tables, or a document that names a `ses_` id."""
    if head.startswith(_sqlite.MAGIC):
        return _sqlite.tables(path, head) >= _TABLES
    if not head:
        return all((path / name).is_dir() for name in _FOLDERS)
    if _opencode_markdown.CLAIM.match(head):
        return True
    return bool(_DOCUMENT.match(head) and _SESSION.search(head))


def transcripts() -> Iterator[Path]:
    """The databases of its data folder, or the storage tree that older releases left there."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "opencode"
    named = os.environ.get("OPENCODE_DB")
    found = sorted(data.glob("opencode*.db"))
    if named and named != ":memory:" and (data / named).is_file():
        found = [data / named]
    if not found and claims(data / "storage", b""):
        found = [data / "storage"]  # a release with a database has taken these over into it
    yield from found


def read(path: Path) -> Iterator[Event]:
    """The events of all sessions of a source, session by session."""
    if path.is_dir():
        yield from _all(_folder(path))
        return
    try:
        with files.opened(path) as file:
            head = file.read(len(_sqlite.MAGIC))
    except OSError as error:
        raise HarnessUnavailable(f"{path}: {error.strerror or error}") from error
    if head == _sqlite.MAGIC:
        with _sqlite.opened(path) as database:
            yield from _all(_database(database))
    elif head.lstrip(b"\xef\xbb\xbf").startswith(b"# "):
        yield from _opencode_markdown.events(text_lines(path))
    else:
        yield from _all(document(files.json_document(path)))


def events(source: Source) -> Iterator[Event]:
    """The events of one session."""
    fold = Session(source.session, source.parent)
    for number, message in enumerate(_kept(source), 1):
        if isinstance(message, Unread):
            yield message
        else:
            yield from fold.message(*message, number)
    yield from fold.todos(source.todos)


def _all(sources: Iterable[Source | Unread]) -> Iterator[Event]:
    for source in sources:
        if isinstance(source, Unread):
            yield source
        else:
            yield from events(source)


def _kept(source: Source) -> Iterator[Message | Unread]:
    """The messages that the user did not take back."""
    match source.revert:
        case {"messageID": str(last)}:
            for message in source.messages:
                match message:
                    case ({"id": str(id_)}, _) if id_ == last:
                        return
                yield message
        case _:
            yield from source.messages


def document(value: object) -> Iterator[Source | Unread]:
    """The sessions of an export, of a list of messages, or of a session with its children."""
    match value:
        case {"info": dict(info), "messages": list(messages)}:
            yield _source(info, messages)
        case {"messages": list(messages), "session": dict(info), **more}:
            yield _source(info, messages, more.get("todo"))
            yield from _children(value)
        case {"messages": list(messages)}:
            yield _source({}, messages)
            yield from _children(value)
        case list(messages):
            yield _source({}, messages)
        case _:
            yield Unread("document without messages")


def _children(document: object) -> Iterator[Source]:
    match document:
        case {"children": list(children), "child_messages": dict(theirs)}:
            for info in children:
                match info:
                    case {"id": str(id_)}:
                        match theirs.get(id_):
                            case list(messages):
                                yield _source(info, messages)


def _source(info: dict[str, object], messages: list[object], todos: object = None) -> Source:
    session = string(info, "id") or ""
    match messages:
        case [{"info": {"sessionID": str(said)}}, *_] if not session:
            session = said
    parent = string(info, "parentID")
    return Source(session, map(_pair, messages), parent, info.get("revert"), todos)


def _pair(message: object) -> Message:
    match message:
        case {"info": info, "parts": parts}:
            return info, parts
    return message, None


def _folder(root: Path) -> Iterator[Source | Unread]:
    for path in sorted((root / "session").rglob("*.json")):
        info = _document(path)
        session = string(info, "id")
        if session is None or not isinstance(info, dict):
            yield Unread("session file")
            continue
        todos = root / "todo" / f"{session}.json"
        yield Source(
            session,
            _stored(root, session),
            string(info, "parentID"),
            info.get("revert"),
            _document(todos) if todos.is_file() else None,
        )


def _stored(root: Path, session: str) -> Iterator[Message | Unread]:
    """The messages of a session; ids ascend with time, so do the names of their files."""
    for path in sorted((root / "message" / session).glob("*.json")):
        info = _document(path)
        if isinstance(info, Unread):
            yield info
            continue
        parts = [_document(part) for part in sorted((root / "part" / path.stem).glob("*.json"))]
        yield from [part for part in parts if isinstance(part, Unread)]
        yield info, [part for part in parts if not isinstance(part, Unread)]


def _document(path: Path) -> object:
    try:
        return files.json_document(path)
    except HarnessUnavailable:
        return Unread(f"{path.parent.parent.name} file")


def _database(database: sqlite3.Connection) -> Iterator[Source | Unread]:
    """One source a session, its messages streamed: only the list of sessions is held."""
    has = _sqlite.columns(database, "session")
    revert = "revert" if "revert" in has else "NULL"
    sessions = database.execute(
        f"SELECT id, parent_id, {revert} FROM session ORDER BY time_created, id"  # noqa: S608
    ).fetchall()
    for id_, parent, back in sessions:
        yield Source(
            _sqlite.text(id_),
            _rows(database, id_),
            None if parent is None else _sqlite.text(parent),
            _sqlite.json(back),
            _todos(database, id_),
        )


def _rows(database: sqlite3.Connection, session: object) -> Iterator[Message | Unread]:
    key = (_sqlite.text(session),)
    try:
        for id_, data in database.execute(_MESSAGES, key):
            message = (_sqlite.text(id_),)
            parts = [_sqlite.json(part) for (part,) in database.execute(_PARTS, message)]
            info = _sqlite.json(data)
            yield ({**info, "id": message[0]}, parts) if isinstance(info, dict) else (info, parts)
    except sqlite3.DatabaseError as error:
        yield Unread(f"cut off: {error}")  # the next session may lie on sound pages


def _todos(database: sqlite3.Connection, session: object) -> object:
    try:
        rows = database.execute(_TODOS, (_sqlite.text(session),)).fetchall()
    except sqlite3.OperationalError:
        return None  # the first releases with a database had no such table
    return [{"content": _sqlite.text(what), "status": _sqlite.text(how)} for what, how in rows]
