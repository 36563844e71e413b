"""The states between observing and nudging, read out of the ledger's events and nothing else.

Owns what moves a state. Knows neither why anybody moved it nor what a policy is.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct, structs


class State(StrEnum):
    """How far we are: observing, shadowing a frozen policy, nudging, or nudging taken back."""

    OBSERVE = "observe"
    SHADOW = "shadow"
    NUDGE = "nudge"
    DEMOTED = "demoted"


class Move(StrEnum):
    """What happened to the gate: the kinds of its events in the ledger.

    `SHADOWED`: back for a reason that says nothing about how often nudges are right.
    """

    FROZEN = "gate.frozen"
    CERTIFIED = "gate.certified"
    PROMOTED = "gate.promoted"
    SHADOWED = "gate.shadowed"
    DEMOTED = "gate.demoted"


MOVES: dict[tuple[Move, State], State] = {
    **{(Move.FROZEN, state): State.SHADOW for state in State},
    (Move.CERTIFIED, State.SHADOW): State.SHADOW,
    (Move.PROMOTED, State.SHADOW): State.NUDGE,
    (Move.SHADOWED, State.NUDGE): State.SHADOW,
    (Move.DEMOTED, State.NUDGE): State.DEMOTED,
}
"""Where an event leads; one that is not here does nothing, whoever wrote it: a promotion prepared
before a demotion loses. From demoted only a policy frozen anew leads on: its labels are fresh."""


class Event(Protocol):
    """One row of the ledger, as the store gives it. `at`: Unix seconds."""

    @property
    def at(self) -> float: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def body(self) -> dict[str, Any]: ...  # noqa: D102


class Past(Struct, frozen=True, kw_only=True):
    """What the events come to. `policy`, `certificate`, `canary`: names of artefacts.

    `since`: when the state began, `frozen`: when the policy was (Unix seconds). `lost`: policies
    before this one that were not certified, or whose nudges were taken back for being wrong.
    """

    state: State = State.OBSERVE
    since: float | None = None
    why: str | None = None
    policy: str | None = None
    frozen: float | None = None
    certificate: str | None = None
    canary: str | None = None
    lost: tuple[str, ...] = ()


def told(events: Iterable[Event]) -> Past:
    """Fold the events, in the order of the ledger, into the present."""
    past = Past()
    for event in events:
        past = _after(past, event)
    return past


_KINDS = frozenset(Move)


def _after(past: Past, event: Event) -> Past:
    if event.kind not in _KINDS:
        return past
    move, body = Move(event.kind), event.body
    state = MOVES.get((move, past.state))
    if state is None or (move is not Move.FROZEN and body.get("policy") != past.policy):
        return past
    match move:
        case Move.FROZEN:
            return _frozen(past, event)
        case Move.CERTIFIED:
            return structs.replace(past, certificate=body.get("certificate"))
    why = body.get("why")
    moved = structs.replace(past, state=state, since=event.at, why=why)
    match move:
        case Move.PROMOTED:
            return structs.replace(moved, canary=body.get("canary"))
        case Move.DEMOTED:
            return structs.replace(moved, certificate=None)  # what came of the nudges says no
        case _:
            return moved


def _frozen(past: Past, event: Event) -> Past:
    lost = past.lost
    if past.policy is not None and past.certificate is None:
        lost = (*lost, past.policy)
    return Past(
        state=State.SHADOW,
        since=event.at,
        policy=event.body.get("policy"),
        frozen=event.at,
        lost=lost,
    )
