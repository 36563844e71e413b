"""What to do about a session next. Pure: the same look gives the same plan, now and at sending.

Owns the order: the user's will, structure, failures, then what the audit found. How often and when
is `limits`', turns that still run are `running`'s.
"""

from __future__ import annotations

from auditor.audit import Audit
from auditor.detectors._provider_errors import Kind, kind_of
from auditor.live.guards import (
    ALWAYS,
    AT_REST,
    PERSON,
    STILL_WORKS,
    Look,
    first,
    own_abort,
    own_unanswered,
)
from auditor.live.limits import rest, seen, send, settled, tell
from auditor.live.plan import Allowed, Do, Plan
from auditor.live.recoveries import BY_NAME, SIGN, found
from auditor.live.running import running
from auditor.live.settings import Mode, Settings
from auditor.live.situation import Doing, Situation
from auditor.live.spent import Spent
from auditor.turn import FinishReason, RequestKind, Turn, Verdict

_OTHERS = (Verdict.AWAITING_USER, Verdict.WAITING)


def plan(  # noqa: PLR0913 - everything that decides
    situation: Situation,
    audit: Audit | None,
    spent: Spent,
    *,
    settings: Settings,
    mode: Mode,
    allowed: Allowed,
    now: float,
) -> Plan:
    """Say what is next for the session. `audit`: of the turn as it stands; None: none yet."""
    look = Look(
        situation=situation, spent=spent, settings=settings, mode=mode, now=now, audit=audit
    )
    if (why := first(ALWAYS, look)) is not None:
        return rest(why, look)
    made = running(look, audit, allowed) if _busy(situation) else _over(look, audit, allowed)
    if made.do is Do.TELL and not allowed.structural:
        return Plan(do=Do.REST, reason=f"{made.reason}: {allowed.why}", recovery=made.recovery)
    return made


def asked_for(situation: Situation, spent: Spent, *, settings: Settings, now: float) -> Plan:
    """Plan the one nudge that a person asked for: no pause, cap or mode holds it.

    What the harness waits for, and a turn that runs, do.
    """
    look = Look(situation=situation, spent=spent, settings=settings, mode=Mode.DEFAULT, now=now)
    if (why := first(PERSON, look)) is not None:
        return Plan(do=Do.REST, reason=why)
    message = situation.reply or situation.message
    return Plan(do=Do.NUDGE, reason="asked for", recovery="resume_now", at=now, message=message)


def _busy(situation: Situation) -> bool:
    return situation.doing is Doing.BUSY


def _over(look: Look, audit: Audit | None, allowed: Allowed) -> Plan:
    situation = look.situation
    if (stopped := own_abort(look)) is not None:
        if (why := first(STILL_WORKS, look)) is not None:
            return rest(why, look)
        recovery = BY_NAME.get(stopped.recovery, BY_NAME["silent_stream"])
        return send(look, recovery, "it was stopped", allowed, stopped)
    if (why := first(AT_REST, look)) is not None:
        return rest(why, look)
    if own_unanswered(look) or (situation.orphan and situation.blank):
        return Plan(do=Do.REST, reason="it broke off before its first word")
    if situation.orphan:
        return _died(look, "the harness died in it", allowed)
    if audit is None:
        return _not_audited(look)
    return _lasting(look, audit) or _judged(look, audit, allowed)


def _judged(look: Look, audit: Audit, allowed: Allowed) -> Plan:
    """What the audit of a turn that ended by itself asks for."""
    if audit.would_nudge:
        return send(look, found(audit, look.situation), seen(audit), allowed)
    if _retryable(look):
        return send(look, BY_NAME["stream_failure"], "an error to be tried again", allowed)
    if look.mode is Mode.LOOP and _goes_on(look, audit):
        return send(look, BY_NAME["autonomous_loop"], "the loop was asked for", allowed)
    return Plan(do=Do.REST, reason=audit.reason)


def _not_audited(look: Look) -> Plan:
    """An end is audited once it has settled; whoever audits then asks again."""
    at = settled(look)
    if look.now < at:
        return Plan(do=Do.WAIT, reason="it has only just ended", at=at)
    return Plan(do=Do.REST, reason="not audited")


def _died(look: Look, reason: str, allowed: Allowed) -> Plan:
    turn = look.situation.turn
    last = max(
        [each for each in (turn and turn.ended, turn and turn.started) if each], default=None
    )
    if last is not None and look.now - last > look.settings.fresh:
        return Plan(do=Do.REST, reason=f"{reason}, too long ago")
    # Sessions are shared by all processes, what they do is not: another may work on it.
    settings = look.settings
    patience = settings.unheard if look.situation.unheard else settings.quiet
    due = max(last, look.situation.woke) + patience if last is not None else 0.0
    if look.now < due:
        return Plan(do=Do.WAIT, reason="somebody else may work on it", at=due)
    return send(look, BY_NAME["orphaned_message"], reason, allowed)


def _lasting(look: Look, audit: Audit) -> Plan | None:
    """An error that no next try lifts: the person is told, unless it was their own doing."""
    turn = look.situation.turn
    kind = kind_of(turn) if turn is not None else None
    if kind not in (Kind.REFUSED, Kind.OVERFLOW) or _retryable(look):
        return None
    if audit.by == "user_stopped":
        return Plan(do=Do.REST, reason=audit.reason)
    return tell(look, BY_NAME["stream_failure"], "an error that only a person can lift")


def _retryable(look: Look) -> bool:
    """Whether the person said that this error is worth another try."""
    turn = look.situation.turn
    said = turn.error.message.casefold() if turn is not None and turn.error is not None else ""
    return any(text.casefold() in said for text in look.settings.retryable if text)


def _goes_on(look: Look, audit: Audit) -> bool:
    """Whether the autonomous loop has something to go on from: an answer, and no question.

    Here a sign is enough to stand back: nobody would hear the question.
    """
    turn = look.situation.turn
    return (
        turn is not None
        and turn.finish is FinishReason.STOP
        and bool(turn.reply)
        and not any(s.points_to in _OTHERS and s.strength >= SIGN for s in audit.signals.values())
        and audit.by != "completion_tool"
        and not _declined(turn, audit)
    )


def _declined(turn: Turn, audit: Audit) -> bool:
    """Whether the agent answered a nudge with the word that it is done, and did nothing."""
    nudged = turn.request_kind is RequestKind.NUDGE
    return nudged and not turn.calls and audit.verdict is Verdict.FINISHED
