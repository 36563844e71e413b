"""What to do about a turn that runs: a loop, a silent stream, a stuck sub-agent, or nothing.

Owns patience. A tool that runs is work, however long it takes.
"""

from __future__ import annotations

from auditor.audit import Audit
from auditor.live.guards import EARLY, STILL_WORKS, Look, first, tool_runs, works
from auditor.live.limits import rest, seen, stop
from auditor.live.plan import Allowed, Do, Plan
from auditor.live.recoveries import BY_NAME, LOOPS, TEXT_LOOPS
from auditor.live.settings import Settings
from auditor.live.situation import Child, Doing, HoldKind, Situation
from auditor.turn import Turn, Verdict

_LEFT_ALONE = (Verdict.AWAITING_USER, Verdict.WAITING, Verdict.FINISHED)
"""What proves one of these in a silent turn comes before the silence in the order of evidence."""

_QUESTIONS = ("?", "？", "؟")


def running(look: Look, audit: Audit | None, allowed: Allowed) -> Plan:
    """Say what is next while it runs."""
    situation, settings = look.situation, look.settings
    if situation.own:
        return Plan(do=Do.REST, reason="what runs is the user's own")
    if audit is not None and audit.verdict is Verdict.STUCK and _may_be_stopped(audit, look):
        recovery = BY_NAME["tool_loop" if audit.by in LOOPS else "text_loop"]
        return stop(look, recovery, seen(audit), allowed)
    dead = [child for child in situation.children if _stuck(child, settings, look.now)]
    if dead:
        return stop(look, BY_NAME["stuck_child"], "a sub-agent fell silent", allowed, dead[0])
    if any(child.doing is not Doing.IDLE for child in situation.children):
        return _children_work(look)
    if _waits_for_nobody(situation):
        return _quiet(look, settings.parent_quiet, "orphan_parent", allowed)
    if tool_runs(situation):
        return Plan(do=Do.REST, reason="a tool runs")
    if (why := first(STILL_WORKS, look)) is not None:
        return rest(why, look)
    if audit is not None and audit.verdict in _LEFT_ALONE:
        return Plan(do=Do.REST, reason=audit.reason)
    if situation.turn is not None and situation.turn.reply.endswith(_QUESTIONS):
        return Plan(do=Do.REST, reason="it ends on a question")
    return _quiet(look, settings.quiet, "silent_stream", allowed)


def _may_be_stopped(audit: Audit, look: Look) -> bool:
    """Whether a loop is proved, and what runs right now is part of it: nothing else is stopped."""
    situation = look.situation
    if any(child.doing is Doing.UNKNOWN or works(child, look) for child in situation.children):
        return False
    if audit.by in TEXT_LOOPS:
        return not tool_runs(situation)
    return audit.by in LOOPS and (not tool_runs(situation) or _repeats(situation.turn))


def _repeats(turn: Turn | None) -> bool:
    """Whether the newest call, and each that has no result yet, was made before, word for word."""
    if turn is None or not turn.calls:
        return False
    made = [(call.name, call.arguments) for call in turn.calls]
    runs = [place for place, call in enumerate(turn.calls) if call.id not in turn.results]
    return all(made[place] in made[:place] for place in {*runs, len(made) - 1})


def _stuck(child: Child, settings: Settings, now: float) -> bool:
    if child.doing is not Doing.BUSY or child.tools:
        return False
    return now - child.quiet_since >= _patience(child, settings)


def _patience(child: Child, settings: Settings) -> float:
    return settings.child_failed if child.failed else settings.child_quiet


def _children_work(look: Look) -> Plan:
    """Wait for sub-agents; look again when the first of them would count as stuck."""
    due = [
        child.quiet_since + _patience(child, look.settings)
        for child in look.situation.children
        if child.doing is Doing.BUSY and not child.tools
    ]
    if not due:
        return Plan(do=Do.REST, reason="a sub-agent works")
    return Plan(do=Do.WAIT, reason="a sub-agent works", at=min(due))


def _waits_for_nobody(situation: Situation) -> bool:
    """Only task tools run, each has begun its sub-agent, and every sub-agent has ended."""
    tools = [hold for hold in situation.holds if hold.kind is HoldKind.TOOL]
    if not tools or any(tool.what != "task" for tool in tools):
        return False
    first = min(tool.since for tool in tools) - EARLY
    begun = [child for child in situation.children if (child.created or 0.0) >= first]
    ended = all(child.doing is Doing.IDLE for child in situation.children)
    return ended and len(begun) >= len(tools)


def _quiet(look: Look, patience: float, recovery: str, allowed: Allowed) -> Plan:
    """Silence, of the session and its sub-agents: a recovery once it lasted, else another look."""
    situation = look.situation
    since = max([situation.quiet_since, *(child.quiet_since for child in situation.children)])
    if look.now < since + patience:
        return Plan(do=Do.WAIT, reason="it works", at=since + patience)
    silent = f"nothing came for {look.now - since:.0f} s"
    return stop(look, BY_NAME[recovery], silent, allowed)
