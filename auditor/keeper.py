"""The store of a scan: what was audited goes in, and a store that fails ends no scan."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from auditor.audit import Audit
from auditor.closing import Closing
from auditor.errors import StoreError
from auditor.labelling.sitting import Collector
from auditor.labels import Label
from auditor.store import Store
from auditor.summary import Summary, named
from auditor.turn import Turn


class Keeper(Closing):
    """The store of a scan, if there is one; when it fails, the scan goes on without it."""

    def __init__(self, path: Path | None) -> None:
        """Open the store; None: nothing is kept. Why nothing can be is in `failed`."""
        self.failed: StoreError | None = None
        self._labels: list[Label] = []
        self.begin()
        self._store: Store | None = None
        try:
            if path is not None:
                self._store = Store(path)
                self._store.expire(time.time())
        except StoreError as error:
            self.failed = error

    def close(self) -> None:
        """Give back what is open."""
        if self._store is not None:
            self._store.close()

    def begin(self) -> None:
        """Begin with another transcript."""
        self._collector = Collector()

    def add(self, turn: Turn, result: Audit, *, consecutive: bool) -> None:
        """Keep an audited turn; of `consecutive` ones also what they say about one another."""
        if self._store is None or self.failed is not None:
            return
        new = False
        try:
            new = self._store.add(turn, result)
        except StoreError as error:
            self.failed = error
        if consecutive:
            self._labels += self._collector.take(turn, result.signals, wanted=new)

    def finish(self, began: float, paths: tuple[Path, ...], summary: Summary) -> None:
        """Write what is waiting, and that the scan took place."""
        if self._store is None or self.failed is not None:
            return
        try:
            self._store.flush()
            summary.labels = self._store.add_labels(self._labels)
            summary.store, summary.stored = str(self._store.path), self._store.added
            what = [named(path) for path in paths]
            self._store.add_scan(began, what, msgspec.json.encode(summary))
        except StoreError as error:
            self.failed = error
