"""What a person may choose about live watching, with defaults that say where they come from.

Owns the names, bounds and defaults; `config` reads them from a file. Times are seconds. Ids like
B35 and C7 refer to the bug and question lists of the field notes on prior systems.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

Seconds = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]


class Mode(StrEnum):
    """What is done about a session; `DEFAULT` follows the watcher."""

    DEFAULT = "default"
    OFF = "off"
    RECOVERY = "recovery"
    LOOP = "loop"


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that may be set under `[watch]`."""

    quiet: Seconds = 180.0
    """Silence of a stream that counts as a stall: a shared GPU is silent for a minute (B35)."""
    settle: Seconds = 3.0
    """Wait after idle before an ending is judged: late texts and events land in it (B58)."""
    warm_up: Seconds = 15.0
    """A session younger than this is not judged by its endings (G8)."""
    active_user: Seconds = 0.0
    """A person who wrote so recently is left alone at idle; 0: their request is what the turn
    answers, so it holds nothing (raise it where people type ahead; peers use 300)."""
    cooldown: Seconds = 20.0
    """Least time between two nudges of one session; what falls into it is deferred (B70)."""
    backoff: Annotated[float, Meta(ge=1)] = 2.0
    """Factor by which the cooldown grows with each nudge that brought nothing."""
    backoff_most: Seconds = 300.0
    most: Count = 3
    """Nudges since the last message of a person that brought nothing, at most."""
    in_all: Count = 12
    """Nudges since the last message of a person, however much they brought (a guess; B41)."""
    aborts: Count = 2
    """Aborts of ours in ten minutes, at most (peers: two)."""
    child_quiet: Seconds = 1800.0
    """Silence of a sub-agent without an error that is patience (C6); with an error 60."""
    child_failed: Seconds = 60.0
    parent_quiet: Seconds = 60.0
    """Patience with a parent that still waits for sub-agents which have all ended (peers: 15)."""
    unheard: Seconds = 660.0
    """Patience with an answer that broke off and that we did not hear: another OpenCode may be at
    it, and what it streams or runs shows nowhere (a guess: shell tools allow ten minutes)."""
    believe: Seconds = 1800.0
    """How long a permission, a shell or a compaction is believed without news (P6)."""
    fresh: Seconds = 900.0
    """At start, turns that ended longer ago than this are left alone."""
    scan: Count = 8
    """At start, sessions that are recovered at most, the latest first."""
    rate_limit: tuple[Seconds, ...] = (900.0, 1800.0, 3600.0, 7200.0)
    """Waits after a rate limit that the harness gave up on, the last one again and again (R60)."""
    language: str | None = None
    """Of the nudges: en or zh; None: that of the request."""
    stop_patterns: tuple[str, ...] = ()
    """Regular expressions that mean "stopped on purpose" where one is found in the last lines."""
    retryable: tuple[str, ...] = ()
    """Texts in an error that make it worth another try, whatever else it says; no expressions."""
    texts: dict[str, str] = {}
    """Own words by recovery; {reason} {tail} {tool} {todos} {error} {attempt} are filled in."""
    loop_text: str = ""
    """What is sent in the autonomous loop; empty: the built-in words."""
    hidden: bool = True
    """Nudges do not show as the person's own messages where the harness can hide them."""
    toast: bool = True
    notify: str | None = None
    """On giving up: `desktop`, or the http(s) address of a webhook on this machine or elsewhere."""


DEFAULTS = Settings()
