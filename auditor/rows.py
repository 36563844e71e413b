"""One open SQLite file of ours, and how rows get into it: all of a batch, or nothing.

Owns the connections, transactions and the key that hides names: `_db` writes, and `_read` is for
whoever must not wait until another program has written. What rows there are is `store`'s,
`label_rows`' and `ledger`'s, which share the file.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Self

from auditor.schema import connect, reading, wrapped

BUSY = 5.0
"""Seconds to wait for another process that is writing (a guess)."""

HIDDEN = 20
"""Hexadecimal digits of a hidden name: two of a million names share one with odds of 1 to 2e12."""

_KEY = "SELECT value FROM keys WHERE name = 'names'"


class Rows:
    """The file, opened; close it, or use it in a `with` block."""

    def __init__(self, path: Path) -> None:
        """Open the file, made where there is none. Raises `StoreError`."""
        self.path = path
        self._writing = RLock()
        with wrapped(path):
            self._db = connect(path, BUSY)
            self._read = reading(path)
            key: bytes = self._db.execute(_KEY).fetchone()[0]
        self.hidden = lru_cache(maxsize=4096)(_hider(key))
        """Hide a session's or turn's name: the same name gives the same twenty digits here and
        others in any other store. Whoever has the file can check a guess, but read no name."""

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

    def flush(self) -> None:
        """Write what is waiting: here nothing is."""

    def close(self) -> None:
        """Close the file; what is still waiting is lost."""
        self._read.close()
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Do everything inside, or nothing; other writers wait, what is referred to may follow."""
        with self._writing:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.execute("PRAGMA defer_foreign_keys = ON")
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


def _hider(key: bytes) -> Callable[[str], str]:
    def hidden(name: str) -> str:
        raw = name.encode("utf-8", "surrogatepass")
        return hmac.new(key, raw, hashlib.sha256).hexdigest()[:HIDDEN]

    return hidden
