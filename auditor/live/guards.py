"""Why a session is left alone, each reason a row; the same rows at detection and at sending.

Owns the order of evidence that comes before any finding: the user's will, then structure. A hold is
believed for `Settings.believe` and no longer, except a tool that runs: that is work, however long.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from auditor.audit import Audit
from auditor.detectors._refusals import refused
from auditor.live.settings import Mode, Settings
from auditor.live.situation import Child, Doing, HoldKind, Situation
from auditor.live.spent import Deed, Done, Outcome, Spent
from auditor.turn import PendingKind, ToolResult


class Look(Struct, frozen=True, kw_only=True):
    """Everything there is to look at. `audit`: of the turn as it stands. `now`: Unix seconds."""

    situation: Situation
    spent: Spent
    settings: Settings
    mode: Mode
    now: float
    audit: Audit | None = None

    @property
    def message(self) -> str | None:
        """The message a deed is about: the agent's newest, or the one it did not answer."""
        return self.situation.reply or self.situation.message


Guard = Callable[[Look], bool]


ABORTS = frozenset({Deed.ABORT, Deed.ABORT_CHILD})

OWN_ABORT = 10.0
"""Seconds in which an abort of ours has ended the turn, whichever of its messages came last: it
takes less than one here; the peers believe 30, in which a person may well have pressed stop."""

EARLY = 1.0
"""Seconds that the harness's clock may be behind ours (a guess)."""


def own_abort(look: Look) -> Done | None:
    """Give our abort that ended the newest message, if its nudge is still to come.

    Only since the person's last message, and only one that ended the turn at once: whatever came
    later may have been the person.
    """
    situation = look.situation
    if situation.aborted is None:
        return None
    for done in reversed(look.spent.since(situation.request)):
        if done.outcome is Outcome.FAILED:
            continue
        if done.deed is Deed.NUDGE:
            return None
        if done.deed is Deed.ABORT:
            return done if _ended_by(done, situation) else None
    return None


def _ended_by(done: Done, situation: Situation) -> bool:
    """Whether the turn ended right after; the harness says when, or when the session was idle."""
    turn = situation.turn
    ended = turn.ended if turn is not None else None
    idle = situation.idle_since
    return (ended is not None and -EARLY <= ended - done.at <= OWN_ABORT) or (
        idle is not None and 0 <= idle - done.at <= OWN_ABORT
    )


def aborted_by_user(look: Look) -> bool:
    """The newest message was aborted, and not by an auditor."""
    return look.situation.aborted is not None and own_abort(look) is None


def _waits(*kinds: HoldKind) -> Guard:
    def guard(look: Look) -> bool:
        return any(
            hold.kind in kinds and look.now - hold.since < look.settings.believe
            for hold in look.situation.holds
        )

    return guard


def works(child: Child, look: Look) -> bool:
    """Whether a sub-agent is believed to work; a tool in it is work, however long it takes."""
    if child.doing not in (Doing.BUSY, Doing.RETRYING):
        return False
    return child.tools > 0 or look.now - child.quiet_since < look.settings.believe


def own_unanswered(look: Look) -> bool:
    """The newest message is a nudge of ours that the agent has not answered."""
    situation = look.situation
    return situation.reply is None and any(
        mark.message == situation.message for mark in situation.marks
    )


def _unanswered(look: Look) -> bool:
    situation = look.situation
    failed = situation.turn is not None and situation.turn.error is not None
    return situation.reply is None and not failed and not own_unanswered(look)


def _refused(look: Look) -> bool:
    """The turn failed because the user said no: some harnesses report that as an error."""
    error = look.situation.turn.error if look.situation.turn is not None else None
    return error is not None and refused(ToolResult(error.message, failed=True))


def _asked_when_it_died(look: Look) -> bool:
    """The harness died while the agent waited for the user; the question is still theirs."""
    turn = look.situation.turn
    kinds = (PendingKind.QUESTION, PendingKind.PERMISSION)
    return look.situation.orphan and turn is not None and any(p.kind in kinds for p in turn.pending)


def _nudged_already(look: Look) -> bool:
    return any(
        done.deed is Deed.NUDGE
        and done.message == look.message
        and done.outcome is not Outcome.FAILED
        for done in look.spent.done
    )


def _stopped_on_purpose(look: Look) -> bool:
    patterns = look.settings.stop_patterns
    if not patterns or look.situation.turn is None:
        return False
    last = "\n".join(look.situation.turn.reply.rsplit("\n", 3)[-3:])
    return any(found.search(last) for found in compiled(patterns))


def compiled(patterns: tuple[str, ...]) -> list[re.Pattern[str]]:
    """Give those that are regular expressions; `config` has reported the others."""
    found = []
    for pattern in patterns:
        try:
            found.append(re.compile(pattern, re.I | re.M))
        except re.error:
            continue
    return found


def tool_runs(situation: Situation) -> bool:
    """Whether a tool runs in the session."""
    return any(hold.kind is HoldKind.TOOL for hold in situation.holds)


ALWAYS: dict[str, Guard] = {
    "a sub-agent's session": lambda look: look.situation.parent is not None,
    "switched off for this session": lambda look: look.mode is Mode.OFF,
    "nothing is known of its turn": lambda look: look.situation.turn is None,
    "not seen from its beginning": lambda look: not look.situation.observed,
    "the user took messages back": lambda look: look.situation.reverted,
    "the user stopped it": aborted_by_user,
    "a permission waits for the user": _waits(HoldKind.PERMISSION),
    "a question waits for the user": _waits(HoldKind.QUESTION),
    "the context is being compacted": _waits(HoldKind.COMPACTION),
    "the harness retries by itself": lambda look: look.situation.doing is Doing.RETRYING,
    "what it does is not known": lambda look: look.situation.doing is Doing.UNKNOWN,
}
"""Whatever the session does."""

STILL_WORKS: dict[str, Guard] = {
    "a background shell runs": _waits(HoldKind.SHELL),
    "a sub-agent works": lambda look: any(works(child, look) for child in look.situation.children),
}
"""When the turn is over, and something it began is not."""

AT_REST: dict[str, Guard] = {
    **STILL_WORKS,
    "the user's message is not answered yet": _unanswered,
    "the user refused": _refused,
    "it died while it asked the user": _asked_when_it_died,
    "it ended on a stop pattern": _stopped_on_purpose,
    "nudged for this message already": _nudged_already,
}
"""When the turn is over."""

PERSON = {
    name: {**ALWAYS, **STILL_WORKS}[name]  # a shell may be meant to run on
    for name in (
        "a sub-agent's session",
        "nothing is known of its turn",
        "the user took messages back",
        "a permission waits for the user",
        "a question waits for the user",
        "the context is being compacted",
        "the harness retries by itself",
        "a sub-agent works",
    )
} | {"it works": lambda look: look.situation.doing is not Doing.IDLE}
"""When a person asks for a nudge."""


def first(guards: dict[str, Guard], look: Look) -> str | None:
    """Name the first reason that holds."""
    return next((name for name, guard in guards.items() if guard(look)), None)
