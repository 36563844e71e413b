"""Labels and drawings in the store: rows only ever added, each label once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from auditor.errors import StoreError
from auditor.labels import Label, Source
from auditor.rows import Rows
from auditor.schema import wrapped

QUEUES = ("certification", "audit", "uncertain", "repeat")
"""What a turn can be drawn for."""

_LABEL = "INSERT OR IGNORE INTO labels (turn, source, at, label, digest) VALUES (?, ?, ?, ?, ?)"
_LABELS = "SELECT label FROM labels ORDER BY id"
_KNOWN = "SELECT count(*) FROM turns WHERE address = ?"
_SAMPLE = "INSERT INTO samples (turn, queue, pi, policy, at) VALUES (?, ?, ?, ?, ?)"
_SAMPLES = "SELECT id, hex(turn), queue, pi, policy, at FROM samples ORDER BY id"


class Sample(Struct, frozen=True):
    """That a turn was drawn. `pi`: the chance it had; `policy`: that it was drawn under."""

    id: int
    turn: str
    queue: str
    pi: float
    policy: str | None
    at: float


class LabelRows(Rows):
    """The tables `labels` and `samples`."""

    def add_labels(self, labels: Iterable[Label]) -> int:
        """Keep labels, all or none; say how many are new. Raises `StoreError`: an unknown turn."""
        found = list(labels)
        with wrapped(self.path), self._transaction():
            for turn in {label.turn for label in found}:
                self._check(turn)
            return sum(self._db.execute(_LABEL, _row(label)).rowcount for label in found)

    def labels(self, sources: Iterable[Source] | None = None) -> list[Label]:
        """Give the labels, of these sources or of all, in the order they came."""
        wanted = set(Source if sources is None else sources)
        with wrapped(self.path):
            rows = self._db.execute(_LABELS).fetchall()
        found = [msgspec.json.decode(row[0], type=Label) for row in rows]
        return [label for label in found if label.source in wanted]

    def draw(self, queue: str, pi: float, policy: str | None, turns: Iterable[str]) -> list[int]:
        """Keep that turns (hex addresses) were drawn with chance `pi`; give the samples' ids."""
        now = time.time()
        with wrapped(self.path), self._transaction():
            return [
                int(self._db.execute(_SAMPLE, (raw(turn), queue, pi, policy, now)).lastrowid or 0)
                for turn in turns
                if self._check(turn)
            ]

    def samples(self, queue: str | None = None) -> list[Sample]:
        """Give the drawings, for this queue or for all, in the order they were made."""
        with wrapped(self.path):
            rows = self._db.execute(_SAMPLES).fetchall()
        found = [Sample(row[0], row[1].lower(), *row[2:]) for row in rows]
        return [sample for sample in found if queue in (None, sample.queue)]

    def _check(self, turn: str) -> bool:
        """Whether the turn is kept. Raises `StoreError` where it is not."""
        if not self._db.execute(_KNOWN, (raw(turn),)).fetchone()[0]:
            raise StoreError(f"the store {self.path} has no turn {turn[:16]}")
        return True


def raw(turn: str) -> bytes:
    """Give the address that a hex text writes."""
    try:
        return bytes.fromhex(turn)
    except ValueError:
        return turn.encode("utf-8", "replace")  # the address of nothing


def _row(label: Label) -> tuple[bytes, str, float, str, bytes]:
    written = msgspec.json.encode(label, order="deterministic")
    digest = hashlib.sha256(written).digest()
    return raw(label.turn), label.source, label.at, written.decode(), digest
