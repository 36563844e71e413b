"""What was done in a session before, as the store tells it; and how far it is used up.

Owns plain data. Times are Unix seconds.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Deed(StrEnum):
    """What an auditor did to a session."""

    NUDGE = "nudge"
    ABORT = "abort"
    TELL = "tell"  # the person was told that we gave up


class Outcome(StrEnum):
    """What became of it. `UNKNOWN`: sent, and nobody answered whether it arrived."""

    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Done(Struct, frozen=True, kw_only=True):
    """One deed: about which message of the agent, after which request, by which recovery."""

    deed: Deed
    recovery: str
    message: str
    request: str | None
    at: float
    outcome: Outcome = Outcome.DONE
    text: str = ""
    """Digest of the words that were sent, never the words."""


class Spent(Struct, frozen=True):
    """All deeds in a session that may still count, oldest first."""

    done: tuple[Done, ...] = ()

    def since(self, request: str | None) -> tuple[Done, ...]:
        """Give the deeds after this request: a person's new message begins every budget anew."""
        return tuple([each for each in self.done if each.request == request])


NOTHING_SPENT = Spent()
