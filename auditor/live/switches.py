"""What a person switched while auditors watch, and who watches. Plain data; times are Unix seconds.

Whoever keeps it hides the sessions' names.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Switch(StrEnum):
    """What a person can do to a session, or to all."""

    MODE = "mode"
    PAUSE = "pause"
    RESUME = "resume"
    NOW = "now"  # one nudge, whatever else holds it


class WatchState(StrEnum):
    """What a watcher says of itself."""

    BEGAN = "began"
    ALIVE = "alive"
    ENDED = "ended"


class Pause(Struct, frozen=True):
    """No deed until then. `session` None: in any session; `until` None: until it is lifted."""

    session: str | None
    since: float
    until: float | None


class Asked(Struct, frozen=True):
    """A nudge that a person asked for at that moment; `name` is what it is claimed by."""

    name: str
    at: float


def asked_name(number: int) -> str:
    """Name what a person asked for, by its number."""
    return f"asked {number}"


class Watcher(Struct, frozen=True, kw_only=True):
    """A process that watches or watched, as it last said. `at`: when that was."""

    by: str
    state: WatchState
    mode: str
    harness: str
    began: float | None
    at: float
