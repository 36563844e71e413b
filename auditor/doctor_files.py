"""Whether the two files that the auditor keeps, answers and audits, are there and can be used.

Opens them so that nothing is made, changed or left beside them, and says what it sees.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from auditor import answers, schema
from auditor.errors import HarnessUnavailable
from auditor.findings import Finding, State
from auditor.harness import _sqlite

_STATE = """SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
FROM pragma_user_version, pragma_application_id"""

OTHER_ANSWERS = "name another file in AUDITOR_ANSWERS"
OTHER_STORE = "name another file: auditor scan --db FILE, or AUDITOR_DB"

_REASONS = {
    sqlite3.SQLITE_BUSY: ("is locked by another program", "try again when that is done"),
    sqlite3.SQLITE_NOTADB: ("is not a database", None),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "move it away; the next scan makes a new one"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "make it readable and writable for you"),
}


def kept_answers(path: Path) -> Iterator[Finding]:
    """Say whether answers of models are remembered. A scan goes on where they are not."""
    if (unusable := _unusable(path)) is not None:
        yield Finding("answers", State.WARN, f"none are kept: {unusable}", OTHER_ANSWERS)
        return
    if not path.exists():
        yield Finding("answers", State.OK, f"none kept yet; they will be in {path}")
        return
    try:
        with _sqlite.opened(path) as db:
            number, mark, tables = db.execute(_STATE).fetchone()
            ours = not tables or mark == int.from_bytes(answers.APPLICATION, "big")
            known = bool(tables) and ours and number == answers.FORMAT
            count = db.execute("SELECT count(*) FROM answers").fetchone()[0] if known else 0
    except HarnessUnavailable as error:
        yield _broken("answers", State.WARN, path, error, OTHER_ANSWERS)
        return
    if not ours:
        found = f"none are kept: {path} is another program's database"
        yield Finding("answers", State.WARN, found, OTHER_ANSWERS)
    elif not known:
        yield Finding("answers", State.OK, f"none kept yet; the next scan begins {path} anew")
    else:
        yield Finding("answers", State.OK, f"{count:,} kept in {path}, {_size(path)}")


def kept_audits(path: Path) -> Iterator[Finding]:
    """Say whether the store is there, ours and of a schema that this program knows."""
    if (unusable := _unusable(path)) is not None:
        yield Finding("store", State.FAIL, unusable, OTHER_STORE)
        return
    if not path.exists():
        yield Finding("store", State.OK, f"none yet; auditor scan makes {path}")
        return
    try:
        with _sqlite.opened(path) as db:
            number, mark, tables = db.execute(_STATE).fetchone()
            sound = _sqlite.text(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except HarnessUnavailable as error:
        yield _broken("store", State.FAIL, path, error, OTHER_STORE)
        return
    yield _store(path, number, foreign=_foreign(number, mark, tables), sound=sound)


def _store(path: Path, number: int, *, foreign: bool, sound: str) -> Finding:
    newest = len(schema.MIGRATIONS)
    if foreign:
        found = f"{path} is another program's database"
        return Finding("store", State.FAIL, found, OTHER_STORE)
    if sound != "ok":
        advice = "move it away; the next scan makes a new one"
        return Finding("store", State.FAIL, f"{path} is damaged: {sound}", advice)
    if number > newest:
        found = f"{path} has schema {number}, this program knows {newest}"
        return Finding("store", State.FAIL, found, f"update turn-auditor, or {OTHER_STORE}")
    later = "" if number == newest else f", brought to {newest} by the next scan"
    return Finding("store", State.OK, f"{path}, ours, schema {number}{later}, {_size(path)}")


def _foreign(number: int, mark: int, tables: int) -> bool:
    """Whether it is another program's, as `schema` decides when it opens one."""
    return bool((tables and not number) or (number and mark != schema.APPLICATION))


def _broken(
    check: str, state: State, path: Path, error: HarnessUnavailable, otherwise: str
) -> Finding:
    """Say why a file could not be read as a database."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    if code is None:
        return Finding(check, State.WARN, str(error), "run auditor doctor again")
    reason, advice = _REASONS.get(code & 0xFF, (f"cannot be read ({error.__cause__})", None))
    return Finding(check, state, f"{path} {reason}", advice or otherwise)


def _unusable(path: Path) -> str | None:
    """Say why the file could not be written, or made where there is none."""
    if path.is_dir():
        return f"{path} is a folder"
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    if there != path and not there.is_dir():
        return f"{path} cannot be made: {there} is no folder"
    if not os.access(there, os.W_OK):
        return f"{there} may not be written"
    return None


def _size(path: Path) -> str:
    """The size with that of the log of a database in use."""
    parts = (path, path.with_name(f"{path.name}-wal"))
    return f"{sum(part.stat().st_size for part in parts if part.exists()) / 1e6:.1f} MB"
