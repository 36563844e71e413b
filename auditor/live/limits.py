"""What was found becomes a deed: whether it is allowed, how often, and when it is due.

Owns pauses, tries and giving up; how much is used up is `budget`'s. What falls into a pause is
deferred, never dropped.
"""

from __future__ import annotations

from auditor.audit import Audit
from auditor.live.budget import fruitless, sent, used_up
from auditor.live.guards import ABORTS, Look, works
from auditor.live.plan import Allowed, Do, Plan
from auditor.live.recoveries import Recovery
from auditor.live.situation import Child, HoldKind
from auditor.live.spent import Deed, Done, Outcome, of_child

AFTER_ABORT = 2.0
"""Seconds between an abort of ours and the nudge that follows (what the peers wait)."""

ABORTS_WITHIN = 600.0
"""Seconds in which `Settings.aborts` are counted (peers: two in ten minutes)."""

AGAIN = 61.0
"""Seconds after a deed that surely failed until the next try: a claim is given out again by then
(`live_rows.STALE`)."""

TRIES = 2
"""Tries of one deed about one message; the claims allow no more."""


def send(
    look: Look, recovery: Recovery, reason: str, allowed: Allowed, after: Done | None = None
) -> Plan:
    """A nudge, once it is due; or why not. `after`: the abort that it follows."""
    if not (allowed.nudge or (allowed.structural and recovery.structural)):
        return held(recovery, reason, allowed)
    message = after.message if after else look.message
    failed = _tries(look, Deed.NUDGE, message, failed=True)
    nudges = sent(look)
    barren = fruitless(look, recovery, nudges, reason)
    if (enough := used_up(look, recovery, nudges, barren, reason)) is not None:
        return tell(look, recovery, f"{reason}; {enough}")
    if len(failed) >= TRIES:
        return tell(look, recovery, f"{reason}; a nudge could not be sent")
    at = max(
        due(look, recovery, barren, nudges),
        failed[-1].at + AGAIN if failed else 0.0,
        after.at + AFTER_ABORT if after else 0.0,
    )
    return Plan(
        do=Do.NUDGE if look.now >= at else Do.WAIT,
        reason=reason,
        recovery=recovery.name,
        at=at,
        message=message,
        attempt=barren + 1,
    )


def due(look: Look, recovery: Recovery, barren: int, nudges: list[Done]) -> float:
    """When a nudge is due: ends settle, sessions warm up, pauses grow with what brought nothing."""
    situation, settings = look.situation, look.settings
    at = settled(look)
    if recovery.ladder:
        steps = settings.rate_limit or (settings.backoff_most,)
        at += steps[min(barren, len(steps) - 1)]
    elif nudges:
        pause = settings.cooldown * settings.backoff ** max(barren - 1, 0)
        at = max(at, nudges[-1].at + min(pause, settings.backoff_most))
    if not recovery.abort and situation.created is not None:
        at = max(at, situation.created + settings.warm_up)
    if situation.request_at is not None and settings.active_user:
        at = max(at, situation.request_at + settings.active_user)
    return at


def settled(look: Look) -> float:
    """When an end may be judged: late texts and events have landed by then."""
    return (look.situation.idle_since or 0.0) + look.settings.settle


def rest(why: str, look: Look) -> Plan:
    """Leave it alone; a hold is looked at again when it is no longer believed."""
    situation, believe = look.situation, look.settings.believe
    held = [hold.since for hold in situation.holds if hold.kind is not HoldKind.TOOL]
    held += [c.quiet_since for c in situation.children if works(c, look) and not c.tools]
    until = [since + believe for since in held if since + believe > look.now]
    if until:
        return Plan(do=Do.WAIT, reason=why, at=min(until))
    return Plan(do=Do.REST, reason=why)


def held(recovery: Recovery, reason: str, allowed: Allowed) -> Plan:
    """Only log what was found."""
    why = f"{reason}: {allowed.why}"
    return Plan(do=Do.REST, reason=why, recovery=recovery.name, held=True)


def tell(look: Look, recovery: Recovery, reason: str) -> Plan:
    """Give up; the person is told once for each of their messages."""
    told = [each for each in look.spent.since(look.situation.request) if each.deed is Deed.TELL]
    if told:
        return Plan(do=Do.REST, reason=f"given up: {reason}")
    return Plan(do=Do.TELL, reason=reason, recovery=recovery.name, message=look.message)


def stop(
    look: Look, recovery: Recovery, reason: str, allowed: Allowed, child: Child | None = None
) -> Plan:
    """Stop the turn that runs, or a sub-agent's, unless that is not allowed or too much.

    A turn is not stopped where no nudge could follow.
    """
    if not allowed.structural:
        return held(recovery, reason, allowed)
    deed, about = Deed.ABORT, look.message
    if child is not None and about is not None:
        deed, about = Deed.ABORT_CHILD, of_child(about, child.session)
    if child is None:
        nudges = sent(look)
        enough = used_up(look, recovery, nudges, fruitless(look, recovery, nudges, reason))
        if enough is not None:
            return tell(look, recovery, f"{reason}; {enough}")
    if stopped := _tries(look, deed, about):
        return _still_runs(look, recovery, stopped[-1])
    failed = _tries(look, deed, about, failed=True)
    if len(failed) >= TRIES:
        return tell(look, recovery, f"{reason}; it could not be stopped")
    if failed and look.now < failed[-1].at + AGAIN:
        return Plan(do=Do.WAIT, reason=reason, recovery=recovery.name, at=failed[-1].at + AGAIN)
    if len(recent := _recent(look)) >= look.settings.aborts:
        return tell(look, recovery, f"{reason}; stopped {len(recent)} times already")
    do = Do.ABORT if child is None else Do.ABORT_CHILD
    target = None if child is None else child.session
    return Plan(do=do, reason=reason, recovery=recovery.name, message=about, target=target)


def _recent(look: Look) -> list[Done]:
    """Our aborts that count, of any turn of the session."""
    return [
        each
        for each in look.spent.done
        if each.deed in ABORTS
        and each.outcome is not Outcome.FAILED
        and look.now - each.at < ABORTS_WITHIN
    ]


def _still_runs(look: Look, recovery: Recovery, stopped: Done) -> Plan:
    """A turn that was stopped ends at once; one that goes on is the person's to look at."""
    if look.now < stopped.at + AGAIN:
        return Plan(do=Do.WAIT, reason="stopped already", at=stopped.at + AGAIN)
    return tell(look, recovery, "it was stopped, and still runs")


def _tries(look: Look, deed: Deed, message: str | None, *, failed: bool = False) -> list[Done]:
    return [
        each
        for each in look.spent.done
        if each.deed is deed
        and each.message == message
        and (each.outcome is Outcome.FAILED) is failed
    ]


def seen(audit: Audit) -> str:
    """What the audit found, in its own words."""
    if audit.by is None:
        said = f"{audit.probability:.0%}" if audit.probability is not None else "no probability"
        return f"judged likely ({said})"
    return audit.by
