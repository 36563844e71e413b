"""A plan: what to do about a session next, or when to look at it again. Plain data."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Do(StrEnum):
    """What is next for a session."""

    REST = "rest"  # nothing, until something happens in it
    WAIT = "wait"  # look again at `at`
    NUDGE = "nudge"
    ABORT = "abort"  # stop the turn that runs; a nudge follows once it stopped
    ABORT_CHILD = "abort_child"  # stop a stuck sub-agent; its parent goes on by itself
    TELL = "tell"  # give up, and tell the person once


class Plan(Struct, frozen=True, kw_only=True):
    """`reason` names what was found, or what holds back; always there.

    `at`: when it is due (Unix seconds), None: now, or for `REST` whenever something happens.
    `target`: the session that is acted on, where it is another one. `message`: what the deed is
    about and claimed for. `held`: something likely was found and is only logged, for `reason`.
    """

    do: Do
    reason: str
    recovery: str | None = None
    at: float | None = None
    target: str | None = None
    message: str | None = None
    attempt: int = 1
    held: bool = False


class Allowed(Struct, frozen=True):
    """What may be sent at all: anything, only structural recoveries, or nothing; `why` says so."""

    nudge: bool
    structural: bool
    why: str


OBSERVING = Allowed(nudge=False, structural=False, why="observing only")
