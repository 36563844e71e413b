"""What is known of one session at one moment, in words that fit every harness.

Owns plain data. Whoever reads a harness makes it (`harness._opencode_mirror`); `planning` reads it.
All times are Unix seconds.
"""

from __future__ import annotations

from enum import StrEnum
from math import inf

from msgspec import Struct

from auditor.turn import Turn


class Doing(StrEnum):
    """What the harness says that the session does."""

    IDLE = "idle"
    BUSY = "busy"
    RETRYING = "retrying"  # the harness deals with a failed stream by itself
    UNKNOWN = "unknown"


class HoldKind(StrEnum):
    """What makes a session legitimately silent."""

    PERMISSION = "permission"
    QUESTION = "question"
    TOOL = "tool"
    SHELL = "shell"
    COMPACTION = "compaction"


class Hold(Struct, frozen=True):
    """One thing that is waited for.

    `since`: when the harness last said so, which planning believes only so long.
    """

    kind: HoldKind
    what: str
    since: float


class ReplyAs(Struct, frozen=True):
    """How the user's last message wanted to be answered; sent again with a nudge, as it was."""

    agent: str | None = None
    provider: str | None = None
    model: str | None = None
    variant: str | None = None


class Mark(Struct, frozen=True):
    """A nudge of an auditor that stands in the session: its message, and what its mark says."""

    message: str
    recovery: str
    at: float


class Child(Struct, frozen=True):
    """A sub-agent's session. `quiet_since`: when it last made progress; `created`: if known."""

    session: str
    doing: Doing
    quiet_since: float
    failed: bool = False
    tools: int = 0
    """Tools that run in it, or what it asks the user; one where that is not known."""
    created: float | None = None


class Situation(Struct, frozen=True, kw_only=True):
    """A session now.

    `turn`: the newest turn as far as it is known, text under way included; `finish` None while it
    runs. `message`: id of the newest message, whoever wrote it; `reply`: of the newest message of
    the agent, what a claim is made for. `request`: id of the newest message that a person wrote
    (never our own, never one the harness put in), `request_at` when; budgets begin anew with it.
    `quiet_since`: last progress (a delta, a part, a status), counted from the request if none.
    `orphan`: the last message neither ended nor failed and nobody works on it: the harness died.
    `own`: what it does is the user's own doing, a `!` command, a compaction; no turn.
    `woke`: when the machine did, of a sleep in which nothing was heard.
    `unheard`: the newest message was only read: another process may be at it, and whatever came
    after it, such as an abort, is not known. `blank`: it holds nothing of the agent's.
    `aborted`: id of the message that an abort ended, None where the newest one was not aborted;
    whether that was the user is for planning to say, which knows our own aborts. `marks`: nudges of
    any auditor in the messages, oldest first. `progressed`: a tool ran to its end after the last
    mark; words alone are none. `observed`: the turn was seen from its beginning, or read
    whole from the harness.
    """

    session: str
    harness: str
    directory: str = ""
    title: str = ""
    parent: str | None = None
    created: float | None = None
    doing: Doing = Doing.UNKNOWN
    retry_at: float | None = None
    turn: Turn | None = None
    message: str | None = None
    reply: str | None = None
    request: str | None = None
    request_at: float | None = None
    reply_as: ReplyAs = ReplyAs()
    quiet_since: float = 0.0
    idle_since: float | None = None
    holds: tuple[Hold, ...] = ()
    children: tuple[Child, ...] = ()
    orphan: bool = False
    own: bool = False
    woke: float = -inf
    unheard: bool = False
    blank: bool = False
    aborted: str | None = None
    reverted: bool = False
    marks: tuple[Mark, ...] = ()
    progressed: bool = False
    observed: bool = True
    tokens: int | None = None
    """Output tokens of the last step; None where the harness does not say."""
