"""Artefacts by their digest, and the ledger: events chained by hashes, so that none can be changed.

Owns the chain: the hash of an event is SHA-256 over the hash before it and the event as canonical
JSON. It shows that the past was edited; it cannot show that the end was cut off.
"""

from __future__ import annotations

import hashlib
import time
from typing import Any

import msgspec
from msgspec import Struct

from auditor.rows import Rows
from auditor.schema import wrapped

BEGINNING = "0" * 64
"""The hash before the first event."""

_ARTEFACT = "INSERT OR IGNORE INTO artefacts (id, kind, body, at) VALUES (?, ?, ?, ?)"
_LAST = "SELECT hash FROM events ORDER BY seq DESC LIMIT 1"
_EVENT = "INSERT INTO events (at, kind, body, previous, hash) VALUES (?, ?, ?, ?, ?)"
_EVENTS = "SELECT seq, at, kind, body, previous, hash FROM events ORDER BY seq"


class Event(Struct, frozen=True):
    """One row of the ledger. `at`: Unix seconds."""

    seq: int
    at: float
    kind: str
    body: dict[str, Any]
    hash: str


class Ledger(Rows):
    """The tables `artefacts` and `events`."""

    def add_artefact(self, kind: str, body: bytes) -> str:
        """Keep a document, once; give its name, the sha256 of its bytes."""
        name = hashlib.sha256(body).hexdigest()
        with wrapped(self.path), self._transaction():
            self._db.execute(_ARTEFACT, (name, kind, body, time.time()))
        return name

    def artefact(self, name: str) -> bytes | None:
        """Give a document by its name."""
        with wrapped(self.path):
            row = self._read.execute("SELECT body FROM artefacts WHERE id = ?", (name,)).fetchone()
        return None if row is None else bytes(row[0])

    def artefacts(self, kind: str) -> list[tuple[str, float]]:
        """Name the documents of a kind, and when they came (Unix seconds), oldest first."""
        ask = "SELECT id, at FROM artefacts WHERE kind = ? ORDER BY at, id"
        with wrapped(self.path):
            return [(str(name), float(at)) for name, at in self._read.execute(ask, (kind,))]

    def append_event(self, kind: str, body: dict[str, Any]) -> Event:
        """Write an event behind the last one, whoever else writes."""
        now, written = time.time(), _canonical(body)
        with wrapped(self.path), self._transaction():
            row = self._db.execute(_LAST).fetchone()
            previous = BEGINNING if row is None else str(row[0])
            chained = _chained(previous, now, kind, written)
            number = self._db.execute(_EVENT, (now, kind, written, previous, chained)).lastrowid
        return Event(int(number or 0), now, str(kind), msgspec.json.decode(written), chained)

    def events(self, kind: str | None = None) -> list[Event]:
        """Give the events, of a kind or all, in their order."""
        with wrapped(self.path):
            rows = self._read.execute(_EVENTS).fetchall()
        return [
            Event(seq, at, name, msgspec.json.decode(body), chained)
            for seq, at, name, body, _, chained in rows
            if kind in (None, name)
        ]

    def verify_ledger(self) -> str | None:
        """Say where the chain is broken; None: it is whole."""
        with wrapped(self.path):
            rows = self._read.execute(_EVENTS).fetchall()
        before = BEGINNING
        for place, (seq, at, kind, body, previous, chained) in enumerate(rows, 1):
            if seq != place:
                return f"event {place} of the ledger is missing"
            if previous != before or chained != _chained(before, at, kind, body):
                return f"event {seq} of the ledger was changed"
            before = chained
        return None


def _canonical(body: dict[str, Any]) -> str:
    return msgspec.json.encode(body, order="sorted").decode()


def _chained(previous: str, at: float, kind: str, body: str) -> str:
    return hashlib.sha256("\n".join((previous, repr(at), str(kind), body)).encode()).hexdigest()
