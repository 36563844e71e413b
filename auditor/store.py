"""What was audited, kept: one SQLite file, rows only ever added, texts redacted and deletable.

Owns the rows; the file and its schema are `schema`'s. A turn is addressed by its content, so that
scanning twice adds nothing. Only the table `texts` may lose rows: it holds what a person needs to
label a turn later. Everything goes through `redact` before it is written.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
from msgspec import Struct, structs
from platformdirs import user_data_dir

from auditor.audit import Audit
from auditor.errors import StoreError
from auditor.glimpse import activity, opening, tail, visible
from auditor.redact import redact
from auditor.schema import connect, wrapped
from auditor.turn import Turn

FOREVER = 1e11
"""A moment after every other: the year 5138."""

BATCH = 500
"""Turns written in one transaction (a guess: a fraction of a second of scanning)."""

BUSY = 5.0
"""Seconds to wait for another scan that is writing (a guess)."""

_TEXT = (
    "INSERT OR IGNORE INTO texts SELECT ?1, ?2, ?3, ?4, ?5"
    " WHERE NOT EXISTS (SELECT 1 FROM turns WHERE address = ?1)"  # purged once, purged for good
)
_TURN = "INSERT OR IGNORE INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_AUDIT = "INSERT OR IGNORE INTO audits VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

_KNOWN = "SELECT 1 FROM audits WHERE address = ? AND fingerprint = ?"
_COUNTS = "SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM audits), \
(SELECT count(*) FROM texts), (SELECT count(*) FROM scans)"
_VERDICTS = "SELECT coalesce(verdict, 'residue'), count(*) FROM audits GROUP BY 1 ORDER BY 2 DESC"
_EXPORT = "SELECT audit, request, activity, reply FROM audits LEFT JOIN texts USING (address) \
ORDER BY audits.added, address"


class Stats(Struct, frozen=True):
    """Rows of each table, bytes on disk, and the verdicts of the audits."""

    path: str
    size: int
    turns: int
    audits: int
    texts: int
    scans: int
    verdicts: dict[str, int]


def default_path() -> Path:
    """Say where the store lies: `AUDITOR_DB`, else the platform's data directory."""
    if given := os.environ.get("AUDITOR_DB"):
        return Path(given).expanduser()
    return Path(user_data_dir("turn-auditor", appauthor=False)) / "auditor.db"


def address(turn: Turn) -> bytes:
    """Content address: SHA-256 of the turn as canonical JSON, without its times."""
    timeless = structs.replace(turn, started=None, ended=None)
    return hashlib.sha256(_encoded(timeless)).digest()


def _encoded(turn: Turn) -> bytes:
    try:
        return msgspec.json.encode(turn, order="deterministic")
    except UnicodeEncodeError:  # half a surrogate pair, out of a database or a broken escape
        return repr(turn).encode("utf-8", "backslashreplace")


@cache
def fingerprint() -> str:
    """Say which detectors and ranking audit here: a digest of the code that decides."""
    package = Path(__file__).parent
    deciding = ("audit", "policy", "ranking", "remedies", "sieve", "signals", "text", "turn")
    files = [package / f"{name}.py" for name in deciding]
    digest = hashlib.sha256()
    for path in files + sorted((package / "detectors").glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def existing(path: Path) -> Store:
    """Open a store that is there. Raises `StoreError` where there is none."""
    if not path.exists():
        raise StoreError(f"there is no store at {path} yet; `auditor scan` makes one")
    return Store(path)


class Store:
    """One open store, to be used in a `with` block; leaving it writes what is waiting."""

    def __init__(self, path: Path) -> None:
        """Open the file, made where there is none. Raises `StoreError`."""
        self.path = path
        self.added = 0
        """Audits written by this process that were not there before."""
        self._texts: list[tuple[Any, ...]] = []
        self._turns: list[tuple[Any, ...]] = []
        self._audits: list[tuple[Any, ...]] = []
        with wrapped(path):
            self._db = connect(path, BUSY)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.flush()
        finally:
            self.close()

    def close(self) -> None:
        """Close the file; what is still waiting is lost."""
        self._db.close()

    def add(self, turn: Turn, audit: Audit) -> None:
        """Keep an audited turn, with the next batch; the audit has been through `redacted`."""
        key, now = address(turn), time.time()
        if self._has(key):
            return
        self._texts.append((key, opening(turn), "\n".join(activity(turn)), tail(turn), now))
        self._turns.append(_turn_row(key, turn, now))
        self._audits.append(_audit_row(key, audit, now))
        if len(self._turns) >= BATCH:
            self.flush()

    def _has(self, key: bytes) -> bool:
        with wrapped(self.path):
            return self._db.execute(_KNOWN, (key, fingerprint())).fetchone() is not None

    def flush(self) -> None:
        """Write what is waiting, all of it or nothing. Raises `StoreError`."""
        with wrapped(self.path), self._transaction():
            self._db.executemany(_TEXT, self._texts)
            self._db.executemany(_TURN, self._turns)
            self.added += self._db.executemany(_AUDIT, self._audits).rowcount
        self._texts, self._turns, self._audits = [], [], []

    def add_scan(self, began: float, what: list[str], summary: bytes) -> None:
        """Keep that a scan took place; `summary` is its JSON."""
        paths = msgspec.json.encode([redact(path) for path in what]).decode()
        with wrapped(self.path):
            self._db.execute(
                "INSERT INTO scans (began, ended, what, summary) VALUES (?, ?, ?, ?)",
                (began, time.time(), paths, redact(summary.decode())),
            )

    def stats(self) -> Stats:
        """Count everything."""
        with wrapped(self.path):
            counts = self._db.execute(_COUNTS).fetchone()
            verdicts = dict(self._db.execute(_VERDICTS).fetchall())
        turns, audits, texts, scans = counts
        size = self.path.stat().st_size
        return Stats(str(self.path), size, turns, audits, texts, scans, verdicts)

    def texts_before(self, moment: float) -> int:
        """Count the texts that `purge` would delete."""
        with wrapped(self.path):
            found = self._db.execute("SELECT count(*) FROM texts WHERE added < ?", (moment,))
            return int(found.fetchone()[0])

    def purge(self, moment: float) -> int:
        """Delete the texts kept before that moment (Unix seconds), from the disk too."""
        with wrapped(self.path):
            self._db.execute("PRAGMA secure_delete = ON")
            gone = self._db.execute("DELETE FROM texts WHERE added < ?", (moment,)).rowcount
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def export(self, *, texts: bool) -> Iterator[bytes]:
        """Give every audit as a line of JSON, with the texts under `text` where they are kept."""
        with wrapped(self.path):
            for audit, *text in self._db.execute(_EXPORT):
                if texts and text[0] is not None:
                    kept = dict(zip(("request", "activity", "reply"), text, strict=True))
                    yield audit[:-1].encode() + b',"text":' + msgspec.json.encode(kept) + b"}\n"
                else:
                    yield audit.encode() + b"\n"

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise


@lru_cache(maxsize=4096)  # sessions, harnesses and models repeat from turn to turn
def _id(name: str) -> str:
    return visible(redact(name))


def _turn_row(key: bytes, turn: Turn, now: float) -> tuple[Any, ...]:
    parent = None if turn.parent is None else _id(turn.parent)
    model = None if turn.model is None else _id(turn.model)
    return (
        *(key, _id(turn.id), _id(turn.session), _id(turn.harness), parent, model),
        *(turn.request_kind, turn.started, turn.ended, now),
    )


def _audit_row(key: bytes, audit: Audit, now: float) -> tuple[Any, ...]:
    encoded = msgspec.json.encode(audit).decode()
    return (
        *(key, fingerprint(), audit.verdict, audit.decision, audit.would_nudge, audit.score),
        *(encoded, now),
    )
