"""The words of the tables of live watching: a session that ended or runs, and what is decided.

Nothing here says what is right; it builds what a row names. The audit of a row is the one that the
watcher would make: the sieve's, of the turn as it stands.
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct, structs

from auditor.audit import Audit, audit
from auditor.live.plan import Allowed, Do, Plan
from auditor.live.planning import plan
from auditor.live.settings import DEFAULTS, Mode, Settings
from auditor.live.situation import Child, Doing, Hold, HoldKind, Mark, Situation
from auditor.live.spent import Deed, Done, Outcome, Spent
from auditor.turn import FinishReason, Part, Turn, TurnError
from auditor.watching.auditing import Auditing
from tests.words import turn

NOW = 1_000_000.0
"""The moment of every row."""

EVERYTHING = Allowed(nudge=True, structural=True, why="promoted")
RULES_ONLY = Allowed(nudge=False, structural=True, why="only structural recoveries are sent")
PAUSED = Allowed(nudge=False, structural=False, why="paused until 12:00")


def ended(
    *parts: Part, ago: float = 10.0, situation: dict[str, Any] | None = None, **more: Any
) -> Situation:
    """A session whose turn ended `ago` seconds before now. `more`: of the turn."""
    subject = turn(*parts, started=NOW - 60.0, ended=NOW - ago, **more)
    return _session(subject, doing=Doing.IDLE, idle_since=NOW - ago, **(situation or {}))


def runs(
    *parts: Part, quiet: float = 1.0, situation: dict[str, Any] | None = None, **more: Any
) -> Situation:
    """A session whose turn runs, and showed something `quiet` seconds before now."""
    subject = turn(*parts, finish=None, started=NOW - 600.0, **more)
    about = {"doing": Doing.BUSY, "quiet_since": NOW - quiet, **(situation or {})}
    return _session(subject, **about)


def _session(subject: Turn, **about: Any) -> Situation:
    known: dict[str, Any] = {
        "session": "ses_1",
        "harness": "opencode",
        "created": NOW - 3600.0,
        "turn": subject,
        "message": "msg_a",
        "reply": "msg_a",
        "request": "msg_u",
        "request_at": NOW - 600.0,
        "quiet_since": NOW - 10.0,
    }
    return Situation(**{**known, **about})


def but(situation: Situation, **changed: Any) -> Situation:
    """The same session, but for this."""
    return structs.replace(situation, **changed)


def failed(
    name: str = "APIError", message: str = "", status: int | None = None, **more: Any
) -> Situation:
    """A session whose turn ended on an error, without a word."""
    error = TurnError(name=name, message=message, status=status)
    return ended(finish="error", error=error, **more)


def waits(kind: str, since: float = 5.0, what: str = "") -> tuple[Hold, ...]:
    """One hold, `since` seconds old."""
    return (Hold(HoldKind(kind), what, NOW - since),)


def child(doing: str = "busy", quiet: float = 5.0, **more: Any) -> Child:
    """A sub-agent."""
    given: dict[str, Any] = {"session": "ses_c", "created": NOW - 290.0} | more
    return Child(doing=Doing(doing), quiet_since=NOW - quiet, **given)


def mark(ago: float = 60.0, message: str = "msg_n", recovery: str = "announced_action") -> Mark:
    """A nudge that stands in the session."""
    return Mark(message, recovery, NOW - ago)


def done(
    deed: str = "nudge",
    ago: float = 60.0,
    *,
    message: str = "msg_before",
    recovery: str = "announced_action",
    request: str | None = "msg_u",
    outcome: str = "done",
    attempt: int = 1,
    text: str = "other words",
) -> Done:
    """A deed, `ago` seconds before now."""
    return Done(
        deed=Deed(deed),
        recovery=recovery,
        message=message,
        request=request,
        at=NOW - ago,
        outcome=Outcome(outcome),
        attempt=attempt,
        text=text,
    )


class Case(Struct, frozen=True, kw_only=True):
    """What is decided about a session. `spent`: oldest first. `judged`: likely, by the model."""

    situation: Situation
    do: Do
    recovery: str | None = None
    spent: tuple[Done, ...] = ()
    settings: Settings = DEFAULTS
    mode: Mode = Mode.DEFAULT
    allowed: Allowed = EVERYTHING
    now: float = NOW
    at: float | None = None
    judged: bool = False
    reason: str = ""


def case(id_: str, situation: Situation, do: str, recovery: str | None = None, **more: Any) -> Any:
    """A row of a table; its sentence is its id."""
    return pytest.param(
        Case(situation=situation, do=Do(do), recovery=recovery, **more),
        id=id_,
    )


def audited(situation: Situation, now: float, settings: Settings = DEFAULTS) -> Audit | None:
    """Audit as the watcher does: an end that settled, silence, or a turn that runs."""
    subject = situation.turn
    if subject is None:
        return None
    match situation.doing:
        case Doing.BUSY if now - situation.quiet_since >= settings.quiet and not situation.holds:
            return audit(structs.replace(subject, finish=FinishReason.STALLED))
        case Doing.BUSY:
            return Auditing.running(subject)
        case Doing.IDLE if now >= (situation.idle_since or 0.0) + settings.settle:
            return audit(subject)
    return None


def decided(row: Case) -> Plan:
    """What is planned for a row."""
    found = audited(row.situation, row.now, row.settings)
    if row.judged:
        assert found is not None
        assert found.verdict is None, f"not left to the model: {found.by}"
        found = structs.replace(found, would_nudge=True, probability=0.9, reason="judged likely")
    return plan(
        row.situation,
        found,
        Spent(row.spent),
        settings=row.settings,
        mode=row.mode,
        allowed=row.allowed,
        now=row.now,
    )


def check(row: Case) -> None:
    """A row holds; what is decided is the same a second time."""
    made = decided(row)
    assert made.do is row.do, made
    assert made.recovery == row.recovery or row.recovery is None, made
    assert row.reason in made.reason, made
    if row.at is not None:
        assert made.at == pytest.approx(row.at), made
    if made.do is Do.WAIT:
        assert made.at is not None
        assert made.at > row.now
    assert decided(row) == made


def half_rest(rows: list[Any]) -> None:
    """At least half of a table must rest, and not all of it."""
    acts = [row for row in rows if row.values[0].do not in (Do.REST, Do.WAIT)]
    assert 2 * len(acts) <= len(rows), f"{len(acts)} of {len(rows)} rows act"
    assert acts
