"""From an opinion and what we did before to a decision. Never looks at text.

A likely nudge is held back for the first reason of `HELD` that applies; every silence has a name.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import assert_never

from msgspec import Struct

from auditor.sieve import Settled
from auditor.turn import NUDGEABLE, Turn


class Action(StrEnum):
    """What to do about a turn."""

    SILENT = "silent"
    LOG = "log"
    NUDGE = "nudge"


class Judged(Struct, frozen=True):
    """The calibrated probability that a nudge is right, by which calibration, and its threshold."""

    probability: float
    calibration: str
    threshold: float


class Residue(Struct, frozen=True):
    """Nothing proves the verdict and nothing calibrated says how likely it is: silence.

    `answered`: a decision model did say something, but what its answers are worth is not known.
    """

    answered: bool = False


Opinion = Settled | Judged | Residue


class Policy(Struct, frozen=True):
    """`may_nudge` False is observing. Times are seconds.

    `probability`: from which a judged turn is likely, 0..1; None: what its calibration recommends.
    """

    may_nudge: bool = False
    probability: float | None = None
    max_nudges: int = (
        3  # per session; decisions.md 7.5 of the field notes: three, two minutes apart
    )
    cooldown: float = 120.0


OBSERVE = Policy()


class Past(Struct, frozen=True):
    """What was done before in the session: nudges sent, and when the last was (Unix seconds)."""

    nudges: int = 0
    last_nudge: float | None = None


NOTHING = Past()


class Decision(Struct, frozen=True):
    """`would_nudge`: likely right, before anything held it back. `reason` names why."""

    action: Action
    reason: str
    would_nudge: bool


Guard = Callable[[Turn, Past, Policy], bool]

HELD: dict[str, Guard] = {
    "a sub-agent's turn": lambda turn, _, __: turn.parent is not None,
    "observing only": lambda _, __, policy: not policy.may_nudge,
    "enough nudges in this session": lambda _, past, policy: past.nudges >= policy.max_nudges,
    "nudged just now": lambda turn, past, policy: (
        past.last_nudge is not None
        and turn.ended is not None
        and turn.ended - past.last_nudge < policy.cooldown
    ),
}
"""Why a likely nudge is only logged; the first that applies is the reason."""


def decide(turn: Turn, opinion: Opinion, past: Past, policy: Policy) -> Decision:
    """The decision about one turn."""
    likely, reason = _likely(opinion, policy)
    if not likely:
        return Decision(Action.SILENT, reason, would_nudge=False)
    for held_because, held in HELD.items():
        if held(turn, past, policy):
            return Decision(Action.LOG, held_because, would_nudge=True)
    return Decision(Action.NUDGE, reason, would_nudge=True)


def _likely(opinion: Opinion, policy: Policy) -> tuple[bool, str]:
    match opinion:
        case Settled(verdict, by):
            return verdict in NUDGEABLE, f"settled by {by}"
        case Judged(probability, _, recommended):
            threshold = recommended if policy.probability is None else policy.probability
            if probability >= threshold:
                return True, "judged likely"
            return False, "judged unlikely"
        case Residue(answered):
            return False, "the answer is not calibrated" if answered else "nothing proves it"
    assert_never(opinion)
