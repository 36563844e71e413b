"""The store's file: its schema and migrations, its modes, and what its errors mean for a person.

Owns everything about the SQLite file but its rows, which are `store`'s. What was written outlives
the writer, however it is killed; a power cut can cost the last moments, never the file (WAL with
`synchronous = NORMAL`).
"""

# ruff: noqa: S608 - the statements are all our own words

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import StoreError
from auditor.mounts import network

APPLICATION = 0x54555241  # "TURA": marks the file as ours, see PRAGMA application_id

CACHE = 32_000
"""KiB of pages kept in memory: rows come in the order of their digests, so a batch touches pages
everywhere (measured: a tenth less time than with SQLite's 2000 on a store of 47 MB)."""


def _only_added(*tables: str) -> str:
    """Write triggers that forbid changing and deleting rows."""
    return "".join(
        f"CREATE TRIGGER IF NOT EXISTS {table}_{action} BEFORE {action} ON {table}"
        f" BEGIN SELECT RAISE(ABORT, 'rows of {table} are only ever added'); END;\n"
        for table in tables
        for action in ("update", "delete")
    )


MIGRATIONS = (
    """
    CREATE TABLE IF NOT EXISTS turns (
      address BLOB PRIMARY KEY, turn TEXT NOT NULL, session TEXT NOT NULL, harness TEXT NOT NULL,
      parent TEXT, model TEXT, request_kind TEXT NOT NULL, started REAL, ended REAL,
      added REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS audits (
      address BLOB NOT NULL REFERENCES turns, fingerprint TEXT NOT NULL,
      verdict TEXT, decision TEXT NOT NULL, would_nudge INTEGER NOT NULL, score REAL NOT NULL,
      audit TEXT NOT NULL, added REAL NOT NULL,
      PRIMARY KEY (address, fingerprint)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS texts (
      address BLOB PRIMARY KEY REFERENCES turns, request TEXT NOT NULL, activity TEXT NOT NULL,
      reply TEXT NOT NULL, added REAL NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS scans (
      id INTEGER PRIMARY KEY, began REAL NOT NULL, ended REAL NOT NULL, what TEXT NOT NULL,
      summary TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS turns_by_session ON turns (session);
    CREATE INDEX IF NOT EXISTS texts_by_age ON texts (added);
    """
    + _only_added("turns", "audits", "scans"),
    """
    ALTER TABLE turns ADD COLUMN redaction INTEGER;
    ALTER TABLE turns ADD COLUMN redacted TEXT;
    ALTER TABLE audits ADD COLUMN probability REAL;
    ALTER TABLE audits ADD COLUMN calibration TEXT;
    CREATE TABLE keys (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO keys VALUES ('names', randomblob(32));
    CREATE TABLE samples (
      id INTEGER PRIMARY KEY, turn BLOB NOT NULL REFERENCES turns,
      queue TEXT NOT NULL CHECK (queue IN ('certification', 'audit', 'uncertain', 'repeat')),
      pi REAL NOT NULL CHECK (pi > 0 AND pi <= 1), policy TEXT, at REAL NOT NULL
    ) STRICT;
    CREATE TABLE labels (
      id INTEGER PRIMARY KEY, turn BLOB NOT NULL REFERENCES turns,
      source TEXT NOT NULL
        CHECK (source IN ('adjudicated', 'human', 'import', 'hindsight', 'implicit')),
      at REAL NOT NULL, label TEXT NOT NULL, digest BLOB NOT NULL UNIQUE
    ) STRICT;
    CREATE TABLE artefacts (
      id TEXT PRIMARY KEY, kind TEXT NOT NULL, body BLOB NOT NULL, at REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE events (
      seq INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
      previous TEXT NOT NULL UNIQUE, hash TEXT NOT NULL UNIQUE
    ) STRICT;
    CREATE INDEX labels_by_turn ON labels (turn);
    CREATE INDEX samples_by_turn ON samples (turn);
    """
    + _only_added("keys", "samples", "labels", "artefacts", "events"),
    """
    CREATE TABLE claims (
      session TEXT NOT NULL, message TEXT NOT NULL,
      deed TEXT NOT NULL CHECK (deed IN ('nudge', 'abort', 'abort_child', 'tell')),
      number INTEGER NOT NULL CHECK (number IN (1, 2)), by TEXT NOT NULL, at REAL NOT NULL,
      PRIMARY KEY (session, message, deed, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE deeds (
      id INTEGER PRIMARY KEY, session TEXT NOT NULL,
      deed TEXT NOT NULL CHECK (deed IN ('nudge', 'abort', 'abort_child', 'tell')),
      recovery TEXT NOT NULL, message TEXT NOT NULL, request TEXT, at REAL NOT NULL,
      outcome TEXT NOT NULL CHECK (outcome IN ('done', 'failed', 'unknown')),
      attempt INTEGER NOT NULL, text TEXT NOT NULL, turn BLOB
    ) STRICT;
    CREATE TABLE switches (
      id INTEGER PRIMARY KEY, at REAL NOT NULL, session TEXT,
      kind TEXT NOT NULL CHECK (kind IN ('mode', 'pause', 'resume', 'now')),
      mode TEXT CHECK (mode IN ('default', 'off', 'recovery', 'loop')), until REAL,
      CHECK ((kind = 'mode') = (mode IS NOT NULL))
    ) STRICT;
    CREATE TABLE watches (
      id INTEGER PRIMARY KEY, at REAL NOT NULL, by TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('began', 'alive', 'ended')),
      mode TEXT NOT NULL, harness TEXT NOT NULL
    ) STRICT;
    CREATE INDEX deeds_by_session ON deeds (session, at);
    CREATE INDEX deeds_by_time ON deeds (at);
    """
    + _only_added("claims", "deeds", "switches", "watches"),
)
"""`PRAGMA user_version` counts how many of these a file has seen; never change one, add one."""


def connect(path: Path, busy: float) -> sqlite3.Connection:
    """Open the file with the newest schema, made where there is none; call it in `wrapped`.

    `busy`: seconds to wait for another writer. Threads may share it; SQLite takes them in turn.
    """
    _make(path)
    db = sqlite3.connect(path, timeout=busy, isolation_level=None, check_same_thread=False)
    try:
        _prepare(db, path)
    except BaseException:
        db.close()
        raise
    return db


def reading(path: Path) -> sqlite3.Connection:
    """Open a file that is there a second time, to read in it: that never waits for who writes."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA query_only = ON")
    return db


def _make(path: Path) -> None:
    """Make folder and file for the owner alone; what is there keeps its mode.

    Raises `StoreError` on a network file system: WAL needs memory that all writers share.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if kind := network(path.parent):
        raise StoreError(
            f"the store {path} lies on a network file system ({kind}), where writers cannot see"
            " each other; name a file on a local disk with --db or AUDITOR_DB, or use --no-store"
        )
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


_STATE = """SELECT (SELECT user_version FROM pragma_user_version),
(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)"""


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Bring the schema up to date. Raises `StoreError` for a file that is not ours."""
    version, mark, tables = db.execute(_STATE).fetchone()  # one look: another may be making it
    if (tables and not version) or (version and mark != APPLICATION):
        raise StoreError(f"{path} is another program's database; name another file with --db")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer turn-auditor (schema {version}, this one knows"
            f" {len(MIGRATIONS)}); update turn-auditor, or name another file with --db"
        )
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA secure_delete = ON")
    db.execute(f"PRAGMA cache_size = -{CACHE}")
    for number in range(version + 1, len(MIGRATIONS) + 1):
        _migrate(db, number)


def _migrate(db: sqlite3.Connection, number: int) -> None:
    """Bring the file from the version before to this one, unless another process just did."""
    db.execute("BEGIN IMMEDIATE")
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] < number:
            for statement in _statements(MIGRATIONS[number - 1]):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {number}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """Split a script where SQLite says that a statement is complete (triggers hold semicolons)."""
    statement = ""
    for piece in script.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


_ADVICE = {
    sqlite3.SQLITE_BUSY: "is locked by another program; try again when it is done",
    sqlite3.SQLITE_LOCKED: "is locked by another program; try again when it is done",
    sqlite3.SQLITE_FULL: "cannot grow, the disk is full; make room, or use --no-store",
    sqlite3.SQLITE_READONLY: "may not be written; name another file with --db, or use --no-store",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; name another file with --db, or use --no-store",
    sqlite3.SQLITE_NOTADB: "is not a database; name another file with --db",
    sqlite3.SQLITE_CORRUPT: "is damaged; move it away, or name another file with --db",
    sqlite3.SQLITE_IOERR: "cannot be read or written, the disk fails; use --no-store",
}


@contextmanager
def wrapped(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        advice = _ADVICE.get(code, f"cannot be used ({error}); name another file with --db")
        raise StoreError(f"the store {path} {advice}") from error
    except OSError as error:
        advice = "name another file with --db, or use --no-store"
        raise StoreError(f"the store {path}: {error.strerror or error}; {advice}") from error
