"""The gate for people: status, progress, conditions and policies as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from auditor.gating.certify import LIKELY, Progress
from auditor.gating.frozen import Frozen
from auditor.gating.history import History
from auditor.gating.promotion import PASS, Condition
from auditor.gating.states import State
from auditor.gating.status import Outcomes, Status
from auditor.live.spent import Deed, Outcome

NONE = "—"


def status(found: Status) -> Iterator[str]:
    """Tell where the gate stands."""
    yield f"Mode: {found.mode}{_since(found.since)}"
    if found.why and found.state is not State.OBSERVE:
        yield f"  because: {found.why}"
    if found.state is State.NUDGE and not found.nudging:
        yield f"  but not now: {found.reason}"
    yield f"Residue: {found.residue:,} turns kept, {found.scored:,} with a probability"
    if found.frozen:
        yield from policy(found.policy or "", found.frozen)
    if found.evidence:
        drawn, left = found.evidence.drawn, found.evidence.unlabelled
        yield f"Labels that count: {len(found.evidence.labels)} ({drawn} turns drawn, {left} wait)"
        yield from (f"  not counted: {n}, {why}" for why, n in found.evidence.ignored.items())
        yield from progress(found.progress)
    if found.conditions:
        yield "Conditions of a promotion:"
        yield from conditions(found.conditions)
    if found.outcomes:
        yield from _outcomes(found.outcomes)
    if found.ranking:
        yield found.ranking[0].upper() + found.ranking[1:]
    if found.next is not None:
        yield f"Missing until {found.next}:"
        yield from (f"  {each}" for each in found.missing)
    switch = f"SET: {found.kill_switch}" if found.kill_switch else "not set"
    yield f"Kill switch: {switch} (AUDITOR_OFF=1, or a file {found.kill_switch_file})"
    yield f"Ledger: {found.ledger or 'ok'}"
    if found.live:
        yield from live(found.live)


def live(found: History) -> Iterator[str]:
    """Tell what happened live of late."""
    yield from _watchers(found)
    for pause in found.paused:
        what = "everything" if pause.session is None else f"session {pause.session[:8]}"
        until = "until `auditor resume`" if pause.until is None else f"until {_clock(pause.until)}"
        yield f"Paused: {what}, {until}"
    for name, mode in found.modes.items():
        yield f"Mode of {'all sessions' if name == 'all' else f'session {name[:8]}'}: {mode}"
    done = f"{_count(found.nudges, 'nudge')}, {_count(found.stops, 'stop')}"
    given_up = f", given up {_count(found.given_up, 'time')}" if found.given_up else ""
    failed = f", {found.failed} failed" if found.failed else ""
    where = f" in {_count(found.sessions, 'session')}" if found.sessions else ""
    yield f"Last {found.hours} hours: {done}{given_up}{failed}{where}"
    if found.nudges:
        yield "  " + ", ".join(f"{name} {n}" for name, n in found.by_recovery.items())
        came = found.came
        yield f"  what came of them: {came.right} right, {came.wrong} wrong, {came.open} open"
    for each in reversed(found.last):
        outcome = "" if each.outcome is Outcome.DONE else f" ({each.outcome})"
        what = f"{_DEEDS[each.deed]}, {each.recovery}{outcome}"
        yield f"  {_clock(each.at)}  session {each.session[:8]}  {what}"


_DEEDS = {
    Deed.NUDGE: "nudged",
    Deed.ABORT: "stopped",
    Deed.ABORT_CHILD: "sub-agent stopped",
    Deed.TELL: "given up",
}


def _watchers(found: History) -> Iterator[str]:
    for each in found.watchers:
        sign = f"last sign {_clock(each.at)}"
        yield f"Watching: {each.harness}, {each.mode}{_since(each.began)} ({sign})"
    if not found.watchers:
        last = f", the last one {_clock(found.seen.at)}" if found.seen else ""
        yield f"Watching: nobody{last}; auditor watch opencode"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _outcomes(found: Outcomes) -> Iterator[str]:
    yield (
        f"What came of the nudges: {found.wrong} of {found.known} wrong, {found.unknown} unknown;"
        f" evidence against them {found.evidence:.3g}, the limit is {found.limit:g}"
    )
    if found.unknown > found.known:
        yield "  more than half are unknown: watching is nearly blind"


def policy(name: str, frozen: Frozen) -> Iterator[str]:
    """Tell what was frozen."""
    yield f"Policy {name[:12]}, frozen {_clock(frozen.at)}, calibration {frozen.calibration}"
    yield (
        f"  wrong nudges under {frozen.alpha:.0%} at the risk {frozen.risk:.2g}"
        f" (attempt {frozen.attempt}), from {frozen.scored:,} scored turns"
    )
    for each in frozen.candidates:
        top = f"top {1 - each.quantile:.0%}"
        yield f"  {top:>8}: probability from {each.threshold:g}, {each.selected:.1%} of the residue"
    if frozen.floor:
        yield f"  by cost: probability from {frozen.floor:.3g}"


def progress(found: Iterable[Progress]) -> Iterator[str]:
    """Tell how far each candidate is, the strictest first."""
    for each in found:
        head = f"  top {1 - each.quantile:.0%}: {each.wrong} of {each.n} wrong"
        evidence = f"evidence {each.evidence:.3g}, best {each.best:.3g} of {each.wanted:.3g}"
        once = NONE if each.upper is None else f"{each.upper:.0%}"
        yield f"{head} (one look: under {once}), {evidence}, {_outlook(each)}"


def _outlook(found: Progress) -> str:
    if found.then is not None:
        n, wrong = found.then
        return f"reached with {wrong} wrong of {n}"
    if found.hopeless:
        return "more labels cannot reach it"
    likely = f", about {found.likely} at this share" if found.likely is not None else ""
    if found.likely is None and found.n >= LIKELY:
        likely = ", none would do at this share"
    return f"{found.more} more labels if none is wrong{likely}"


def conditions(looked: Iterable[Condition]) -> Iterator[str]:
    """Tell each condition: what was found, what is wanted, what to do."""
    for each in looked:
        yield f"  {each.state:<7} {each.name}: {each.found}; wanted: {each.wanted}"
        if each.state != PASS and each.how:
            yield f"          → {each.how}"


def _since(when: float | None) -> str:
    return "" if when is None else f", since {_clock(when)}"


def _clock(when: float) -> str:
    return datetime.fromtimestamp(when).astimezone().strftime("%Y-%m-%d %H:%M")
