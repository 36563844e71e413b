"""What a session waits for, each thing under a key, and the event that tells of every change.

Knows no harness: what the keys are is the harness's business.
"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.events import Event, PendingChanged
from auditor.turn import Pending, PendingKind

_ASKED = frozenset({PendingKind.PERMISSION, PendingKind.QUESTION})


class Waiting:
    """The part of a session's state that outlives its turns."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.pending: dict[str, Pending] = {}

    def wait(self, key: str, what: Pending) -> Iterator[Event]:
        """Something is pending from now on."""
        if self.pending.get(key) != what:
            self.pending[key] = what
            yield self._changed()

    def over(self, *keys: str) -> Iterator[Event]:
        """It is over; keys of nothing that is pending are left."""
        if found := [key for key in keys if key in self.pending]:
            for key in found:
                del self.pending[key]
            yield self._changed()

    def unasked(self) -> Iterator[Event]:
        """The turn is over, so nobody is asked any more."""
        if self.pending:
            yield from self.over(*[k for k, what in self.pending.items() if what.kind in _ASKED])

    def _changed(self) -> Event:
        return PendingChanged(self.session, tuple(self.pending.values()))
