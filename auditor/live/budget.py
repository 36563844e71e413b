"""How many nudges were sent since the person's last message, and whether there may be more.

Owns the counting. A person's message begins every budget anew, and progress the count of nudges
that brought nothing. Only what was sent, or may have been, is counted.
"""

from __future__ import annotations

from msgspec import structs

from auditor.live.guards import Look
from auditor.live.recoveries import Recovery
from auditor.live.situation import Mark
from auditor.live.spent import Deed, Done, Outcome
from auditor.live.words import digest, words

SAME = 60.0
"""Seconds between a nudge as we remember it and its message in the session, at most: a request
that was answered late."""


def sent(look: Look) -> list[Done]:
    """Give the nudges since the person's last message, oldest first: ours, and those of any other.

    The session's marks tell of nudges that our store knows nothing of.
    """
    situation = look.situation
    ours = [
        each
        for each in look.spent.since(situation.request)
        if each.deed is Deed.NUDGE and each.outcome is not Outcome.FAILED
    ]
    left = list(ours)
    for mark in situation.marks:
        if situation.request_at is not None and mark.at < situation.request_at:
            continue
        same = next((each for each in left if abs(each.at - mark.at) <= SAME), None)
        if same is not None:
            left.remove(same)
        else:
            ours.append(_foreign(mark, situation.request))
    return _numbered(sorted(ours, key=lambda each: each.at))


def _foreign(mark: Mark, request: str | None) -> Done:
    return Done(
        deed=Deed.NUDGE,
        recovery=mark.recovery,
        message=mark.message,
        request=request,
        at=mark.at,
        attempt=0,
    )


def _numbered(nudges: list[Done]) -> list[Done]:
    """Count others' nudges as if they had brought nothing: nobody says that they did."""
    found: list[Done] = []
    for each in nudges:
        before = found[-1].attempt if found else 0
        found.append(structs.replace(each, attempt=each.attempt or before + 1))
    return found


def fruitless(look: Look, recovery: Recovery, nudges: list[Done], reason: str) -> int:
    """How many nudges in a row brought nothing: no tool ran since, and no text where it counts."""
    if not nudges or look.situation.progressed:
        return 0
    turn = look.situation.turn
    wrote = recovery.by_text and turn is not None and bool(turn.reply)
    if wrote and (recovery.repeats or not _said(look, recovery, nudges[-1:], reason)):
        return 0
    return nudges[-1].attempt


def used_up(
    look: Look, recovery: Recovery, nudges: list[Done], barren: int, reason: str = ""
) -> str | None:
    """Say what is used up: nudges that brought nothing, nudges at all, or the words."""
    settings = look.settings
    most = recovery.most if recovery.ladder else min(recovery.most, settings.most)
    if barren >= most:
        return f"{barren} nudges in a row brought nothing"
    if len(nudges) >= settings.in_all:
        return f"{len(nudges)} nudges since the user's message are enough"
    if barren and not recovery.repeats and _said(look, recovery, nudges, reason):
        return "the same words brought nothing before"
    return None


def _said(look: Look, recovery: Recovery, nudges: list[Done], reason: str) -> bool:
    """Whether the words of this nudge were sent before."""
    said = words(
        recovery.name,
        look.situation,
        look.audit,
        look.settings,
        reason=reason,
        attempt=nudges[-1].attempt + 1,
    )
    return any(each.text in (said, digest(said)) for each in nudges)
