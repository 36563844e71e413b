"""A harness's SQLite file, opened so that its owner never notices.

Owns read-only opening, recognising a database by its header and table names, and turning a
damaged file into `HarnessUnavailable`. Knows no schema.

A database in WAL mode that nobody has open lies there without its `-wal` file. SQLite would make
one, and an index, beside it, and leave both: files in the person's folder, and a failure where the
folder is read-only. Only such a file is opened as `immutable`, and afterwards we look whether it
stayed so. One that is in use never is: its newest rows are in the `-wal` file, which `immutable`
does not read.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor import files
from auditor.errors import HarnessUnavailable

MAGIC = b"SQLite format 3\x00"
"""The first 16 bytes of every database (sqlite.org/fileformat.html, 1.3.1)."""

PATIENCE = 2.0
"""Seconds to wait for a writer's lock before the file counts as unavailable (a guess)."""

_CREATED = re.compile(rb"CREATE TABLE (?:IF NOT EXISTS )?[`\"\[]?(\w+)")


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection whose text comes as bytes. Raises `HarnessUnavailable`."""
    connection: sqlite3.Connection | None = None
    at_rest = _at_rest(path)
    before = _state(path)
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if at_rest else ''}",
            uri=True,
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.text_factory = bytes
        yield connection
    except sqlite3.Error as error:
        raise HarnessUnavailable(f"{path}: no readable database ({error})") from error
    finally:
        if connection is not None:
            connection.close()
    if at_rest and _state(path) != before:
        raise HarnessUnavailable(f"{path}: was written to while it was read; read it again")


def _at_rest(path: Path) -> bool:
    """Whether it is in WAL mode (file format, 1.3.3: byte 18 is 2) and nobody has it open."""
    try:
        with path.open("rb") as file:
            head = file.read(19)
    except OSError:
        return False
    return head.startswith(MAGIC) and head[18:] == b"\x02" and not _log(path).exists()


def _log(path: Path) -> Path:
    resolved = path.resolve()
    return resolved.with_name(f"{resolved.name}-wal")


def _state(path: Path) -> tuple[bool, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return _log(path).exists(), found.st_size, found.st_mtime_ns


def tables(path: Path, head: bytes) -> frozenset[str]:
    """The table names of the database that begins with `head`; empty when it is none.

    Of a torn database those that the head itself names, so that reading it can say it is torn.
    """
    if not head.startswith(MAGIC):
        return frozenset()
    try:
        with opened(path) as database:
            rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return frozenset([text(name) for (name,) in rows])
    except HarnessUnavailable:
        return frozenset([text(name) for name in _CREATED.findall(head)])


def columns(database: sqlite3.Connection, table: str) -> frozenset[str]:
    """The column names of a table."""
    rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return frozenset([text(name) for (name,) in rows])


def text(value: object) -> str:
    """A text value as text, broken UTF-8 replaced; anything else as its digits."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def json(value: object) -> object:
    """A text value that holds JSON, decoded; None when it does not."""
    raw = value.encode() if isinstance(value, str) else value
    try:
        return files.decode(raw) if isinstance(raw, bytes) else None
    except ValueError:
        return None
