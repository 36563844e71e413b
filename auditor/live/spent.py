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
    ABORT_CHILD = "abort_child"
    TELL = "tell"  # the person was told that we gave up


class Outcome(StrEnum):
    """What became of it. `UNKNOWN`: sent, and nobody answered whether it arrived."""

    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Done(Struct, frozen=True, kw_only=True):
    """One deed: about which message of the agent, after which request, by which recovery.

    `attempt`: how many in a row have brought nothing, this one counted.
    """

    deed: Deed
    recovery: str
    message: str
    request: str | None
    at: float
    outcome: Outcome = Outcome.DONE
    attempt: int = 1
    text: str = ""
    """The words that were sent, or their digest (`words.digest`): a store keeps nothing else."""


class Spent(Struct, frozen=True):
    """All deeds in a session that may still count, oldest first."""

    done: tuple[Done, ...] = ()

    def since(self, request: str | None) -> tuple[Done, ...]:
        """Give the deeds after this request: a person's new message begins every budget anew.

        None: the request is not known, and everything counts.
        """
        return tuple([each for each in self.done if request in (None, each.request)])


def of_child(message: str, child: str) -> str:
    """Name what is done to one of the sub-agents of a message: there may be several."""
    return f"{message} {child}"


NOTHING_SPENT = Spent()
