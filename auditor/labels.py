"""What people and rules say about turns: whether a nudge would have been right.

Owns the words of a label, and which of several labels of one turn counts. Knows no store.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

RUBRIC = 1
"""Version of the question and the reasons below; labels of different ones are not mixed."""


class Nudge(StrEnum):
    """The answer to "would a nudge to continue have been right here?"."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


class Reason(StrEnum):
    """Why; what the turn's end is like."""

    ANNOUNCED = "announced-not-done"
    PARTIAL = "partial-list"
    WAITING = "waiting-external"
    DEFERRED = "deferred-on-purpose"
    ASKED = "asked-user"
    DONE = "done"
    ERROR = "error-stop"
    OTHER = "other"


class Source(StrEnum):
    """Who says so, the most trusted first."""

    ADJUDICATED = "adjudicated"
    HUMAN = "human"
    IMPORT = "import"
    HINDSIGHT = "hindsight"
    IMPLICIT = "implicit"


class Label(Struct, frozen=True, kw_only=True):
    """One statement about one turn; a later one of the same rater and source replaces it.

    `turn`: content address of the turn in the store, as hex. `at`: Unix seconds. `blind`: given
    without seeing what we thought or what came next. `rule`: name and version of the rule that
    gave an implicit or hindsight label. `sample`: the drawing that asked for it, if one did.
    """

    turn: str
    nudge: Nudge
    source: Source
    at: float
    reason: Reason | None = None
    rater: str | None = None
    blind: bool = False
    rubric: int = RUBRIC
    rule: str | None = None
    sample: int | None = None
    note: str | None = None


TRUSTED = (Source.ADJUDICATED, Source.HUMAN, Source.IMPORT)
"""Sources that a fit takes at full weight; of these people's own labels may certify."""

FITTED = (*TRUSTED, Source.HINDSIGHT)
"""Sources that a fit takes at all. What a next message implies is only ever counted and shown: it
comes of the sieve's own help, and a turn it was fitted on could not certify any more."""

_RANK = {source: number for number, source in enumerate(Source)}


def counting(labels: Iterable[Label]) -> dict[str, Label]:
    """For each turn the label that counts: the most trusted source, of that the latest."""
    best: dict[str, Label] = {}
    for label in labels:
        held = best.get(label.turn)
        if held is None or (-_RANK[label.source], label.at) >= (-_RANK[held.source], held.at):
            best[label.turn] = label
    return best
