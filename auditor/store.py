"""What was audited, kept: one SQLite file, rows only ever added, texts redacted and deletable.

Owns the rows; the file and its schema are `schema`'s. A turn is addressed by its content, so that
scanning twice adds nothing. Only the table `texts` may lose rows: it holds what a person needs to
label a turn later. Everything goes through `redact` before it is written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs
from platformdirs import user_data_dir

from auditor.audit import Audit
from auditor.errors import StoreError
from auditor.glimpse import activity, opening, tail
from auditor.label_rows import LabelRows, raw
from auditor.ledger import Ledger
from auditor.live_rows import LiveRows
from auditor.redact import redact
from auditor.schema import wrapped
from auditor.turn import Turn
from auditor.turn_rows import (
    TEXTS,
    Kept,
    Text,
    address,
    audit_row,
    fingerprint,
    judged,
    kept,
    shown,
    turn_row,
)

__all__ = ["Kept", "Stats", "Store", "Text", "address", "default_path", "existing", "fingerprint"]

FOREVER = 1e11
"""A moment after every other: the year 5138."""

BATCH = 2000
"""Turns written in one transaction: about half a second of scanning and some MB of memory. With
500 the store took a tenth longer (measured on 10,686 turns)."""

_TEXT = (
    "INSERT OR IGNORE INTO texts SELECT ?1, ?2, ?3, ?4, ?5"
    " WHERE NOT EXISTS (SELECT 1 FROM turns WHERE address = ?1)"  # purged once, purged for good
)
_TURN = "INSERT OR IGNORE INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_AUDIT = "INSERT OR IGNORE INTO audits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

_KNOWN = "SELECT 1 FROM audits WHERE address = ? AND fingerprint = ?"
_COUNTS = "SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM audits), \
(SELECT count(*) FROM texts), (SELECT count(*) FROM scans), (SELECT count(*) FROM labels), \
(SELECT count(*) FROM deeds)"
_VERDICTS = "SELECT coalesce(verdict, 'residue'), count(*) FROM audits GROUP BY 1 ORDER BY 2 DESC"
_EXPORT = "SELECT audit, request, activity, reply FROM audits LEFT JOIN texts USING (address) \
ORDER BY audits.added, address"
_KEPT = """SELECT hex(address), audits.added, audit, request, activity, reply,
max(audits.added + 1e12 * (?1 IS NOT NULL AND calibration IS ?1))
FROM audits LEFT JOIN texts USING (address) {} GROUP BY address ORDER BY 2, 1"""
_EXPIRED = """DELETE FROM texts WHERE added < ?1 AND (added < ?2 OR NOT EXISTS
(SELECT 1 FROM labels WHERE turn = address AND source IN ('human', 'adjudicated', 'import')))"""

DAY = 86_400.0
TEXTS_KEPT, LABELLED_KEPT = 14 * DAY, 90 * DAY
"""Seconds that texts of turns are kept, and of labelled ones (decisions.md 5.5)."""


class Stats(Struct, frozen=True):
    """Rows of each table, bytes on disk, and the verdicts of the audits."""

    path: str
    size: int
    turns: int
    audits: int
    texts: int
    scans: int
    labels: int
    deeds: int
    verdicts: dict[str, int]


def default_path() -> Path:
    """Say where the store lies: `AUDITOR_DB`, else the platform's data directory."""
    if given := os.environ.get("AUDITOR_DB"):
        return Path(given).expanduser()
    return Path(user_data_dir("turn-auditor", appauthor=False)) / "auditor.db"


def existing(path: Path) -> Store:
    """Open a store that is there. Raises `StoreError` where there is none."""
    if not path.exists():
        raise StoreError(f"there is no store at {path} yet; `auditor scan` makes one")
    return Store(path)


class Store(LabelRows, LiveRows, Ledger):
    """One open store, to be used in a `with` block; leaving it writes what is waiting."""

    def __init__(self, path: Path) -> None:
        """Open the file, made where there is none. Raises `StoreError`."""
        super().__init__(path)
        self.added = 0
        """Audits written by this process that were not there before."""
        self._texts: list[tuple[Any, ...]] = []
        self._turns: list[tuple[Any, ...]] = []
        self._audits: list[tuple[Any, ...]] = []

    def add(self, turn: Turn, audit: Audit) -> bool:
        """Keep an audited turn, with the next batch; say whether it is new.

        The audit has been through `redacted`.
        """
        key, by, now = address(turn), judged(audit), time.time()
        if self._has(key, by):
            return False
        texts = (opening(turn), "\n".join(activity(turn)), tail(turn))
        named = self._named(audit)
        self._texts.append((key, *texts, now))
        self._turns.append(turn_row(key, named, texts, now))
        self._audits.append(audit_row(key, by, named, now))
        if len(self._turns) >= BATCH:
            self.flush()
        return True

    def _has(self, key: bytes, by: str) -> bool:
        with wrapped(self.path):
            return self._db.execute(_KNOWN, (key, by)).fetchone() is not None

    def _named(self, audit: Audit) -> Audit:
        """Hide the names of turn and sessions; of harness and model take out what is secret."""
        return structs.replace(
            audit,
            turn=self.hidden(audit.turn),
            session=self.hidden(audit.session),
            parent=None if audit.parent is None else self.hidden(audit.parent),
            harness=shown(audit.harness),
            model=None if audit.model is None else shown(audit.model),
        )

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
        turns, audits, texts, scans, labels, deeds = counts
        size = self.path.stat().st_size
        return Stats(str(self.path), size, turns, audits, texts, scans, labels, deeds, verdicts)

    def audited(self, calibration: str | None = None) -> Iterator[Kept]:
        """Give every turn with its newest audit by a calibration, else its newest, as they came."""
        with wrapped(self.path):
            for *row, _ in self._db.execute(_KEPT.format(""), (calibration,)):
                yield kept(*row)

    def kept(self, turn: str) -> Kept | None:
        """Give one turn by its address in hex."""
        with wrapped(self.path):
            asked = (None, raw(turn))
            row = self._db.execute(_KEPT.format("WHERE address = ?2"), asked).fetchone()
        return None if row is None else kept(*row[:-1])

    def expire(self, now: float) -> int:
        """Delete the texts that were kept long enough; give how many. `now`: Unix seconds.

        They are overwritten in the file, at the latest when the last program closes it.
        """
        with wrapped(self.path), self._transaction():
            until = (now - TEXTS_KEPT, now - LABELLED_KEPT)
            return self._db.execute(_EXPIRED, until).rowcount

    def texts_before(self, moment: float) -> int:
        """Count the texts that `purge` would delete."""
        with wrapped(self.path):
            found = self._db.execute("SELECT count(*) FROM texts WHERE added < ?", (moment,))
            return int(found.fetchone()[0])

    def purge(self, moment: float) -> int:
        """Delete the texts kept before that moment (Unix seconds), from the disk too."""
        with wrapped(self.path):
            gone = self._db.execute("DELETE FROM texts WHERE added < ?", (moment,)).rowcount
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def export(self, *, texts: bool) -> Iterator[bytes]:
        """Give every audit as a line of JSON, with the texts under `text` where they are kept."""
        with wrapped(self.path):
            for audit, *text in self._db.execute(_EXPORT):
                if texts and text[0] is not None:
                    kept = dict(zip(TEXTS, text, strict=True))
                    yield audit[:-1].encode() + b',"text":' + msgspec.json.encode(kept) + b"}\n"
                else:
                    yield audit.encode() + b"\n"
