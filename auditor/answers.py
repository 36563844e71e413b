"""Answers of decision models, kept, so that a turn that did not change is not decided again.

Owns one SQLite file in the cache directory: a digest of what was asked, and numbers; no text of
any transcript. It may be deleted at any time. A cache never fails a scan: where its file cannot be
used nothing is kept, and `problem` says why.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec
from platformdirs import user_cache_dir

from auditor.closing import Closing
from auditor.judge import Answer, Asked

ROWS = 100_000
"""Answers kept, about 40 MB; the ones added longest ago go first (a guess)."""

BUSY = 1.0
"""Seconds to wait for another process that writes: about what deciding again takes (a guess)."""

APPLICATION = b"TURC"
"""Marks the file as ours, see PRAGMA application_id: its bytes stand at 68 in the file."""

FORMAT = 1
"""`PRAGMA user_version`; a file of another format is begun anew."""

_SCHEMA = f"""
PRAGMA application_id = {int.from_bytes(APPLICATION, "big")}; -- first: WAL would keep it elsewhere
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS answers
  (number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, answer BLOB NOT NULL) STRICT;
PRAGMA user_version = {FORMAT};
"""
_RESET = "DROP TABLE IF EXISTS answers"
_GET = "SELECT answer FROM answers WHERE key = ?"
_PUT = "INSERT OR REPLACE INTO answers (key, answer) VALUES (?, ?)"
_TRIM = "DELETE FROM answers WHERE number <= (SELECT max(number) FROM answers) - ?"


class Judge(Protocol):
    """Whoever answers: a model in this process, a server."""

    def ask(self, asked: Asked, deadline_seconds: float | None = None) -> Answer:
        """Answer, or raise `JudgeUnavailable`."""
        ...


def default_path() -> Path:
    """Say where answers lie: `AUDITOR_ANSWERS`, else the platform's cache directory."""
    if given := os.environ.get("AUDITOR_ANSWERS"):
        return Path(given).expanduser()
    return Path(user_cache_dir("turn-auditor", appauthor=False)) / "answers.db"


def key(identity: str, asked: Asked) -> bytes:
    """Digest everything that an answer depends on.

    `identity` names the model and its settings (`backends.llama.identity`); with the same ones the
    texts before the cut decide what is sent, so that no model has to be loaded to look up.
    """
    question = f"{asked.question.id}/{asked.question.version}"
    parts = (identity, question, asked.text)
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode()
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.digest()


class Answers(Closing):
    """One open cache; close it, or use it in a `with` block. Any thread may use it."""

    def __init__(self, path: Path | None = None, *, rows: int = ROWS) -> None:
        """Open the file, made where there is none, made anew where it is damaged."""
        self.path = path or default_path()
        self.problem: str | None = None
        """Why nothing is kept, where that is so."""
        self._rows = rows
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        with self._spared():
            self._db = self._opened()

    def close(self) -> None:
        """Take out what is too much, and close; twice does no harm."""
        with self._lock, self._spared():
            db, self._db = self._db, None
            if db is not None:
                with contextlib.closing(db):
                    db.execute(_TRIM, (self._rows,))

    def get(self, at: bytes) -> Answer | None:
        """Give the answer kept under this key."""
        with self._lock, self._spared():
            if self._db is not None and (row := self._db.execute(_GET, (at,)).fetchone()):
                return msgspec.json.decode(row[0], type=Answer)
        return None

    def put(self, at: bytes, answer: Answer) -> None:
        """Keep an answer under this key."""
        with self._lock, self._spared():
            if self._db is not None:
                self._db.execute(_PUT, (at, msgspec.json.encode(answer)))

    def ask(
        self,
        identity: str,
        judge: Callable[[], Judge],
        asked: Asked,
        deadline_seconds: float | None = None,
    ) -> Answer:
        """Give the kept answer, else ask the judge and keep it. Raises `JudgeUnavailable`.

        `judge` is called only where somebody has to be asked: it may load a model.
        """
        at = key(identity, asked)
        if (kept := self.get(at)) is not None:
            return kept
        answer = judge().ask(asked, deadline_seconds)
        self.put(at, answer)
        return answer

    @contextlib.contextmanager
    def _spared(self) -> Iterator[None]:
        """Go on without the cache when it fails, and remember why."""
        try:
            yield
        except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
            self.problem = f"no answers are kept in {self.path}: {error}"

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        if not _ours(self.path):
            raise sqlite3.DatabaseError("it is another program's file")
        try:
            return self._connected()
        except sqlite3.OperationalError:  # locked, full, not writable: what is in it is all right
            raise
        except sqlite3.DatabaseError:  # damaged
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)
            return self._connected()

    def _connected(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=BUSY, isolation_level=None, check_same_thread=False)
        try:
            if db.execute("PRAGMA user_version").fetchone() != (FORMAT,):
                db.executescript(_RESET)
            db.executescript(_SCHEMA)
        except BaseException:
            db.close()
            raise
        return db


def _ours(path: Path) -> bool:
    """Whether the file is empty, or a database that we marked: nothing else is ever deleted."""
    with path.open("rb") as file:
        head = file.read(72)
    return not head or (head[:16] == b"SQLite format 3\0" and head[68:] == APPLICATION)
