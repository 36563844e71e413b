"""What happened live of late: deeds and what came of them, pauses, modes, who watches.

Owns the window and the counts. Reads rows, decides nothing.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from auditor.gating.alarms import Outcome
from auditor.gating.states import Past, State
from auditor.labels import Label, Nudge, Source, counting
from auditor.live.settings import Mode
from auditor.live.spent import Deed
from auditor.live.spent import Outcome as Became
from auditor.live.switches import Pause, Watcher
from auditor.live_rows import Remembered
from auditor.store import Store

HOURS = 24
"""How far back is counted."""

LAST = 5
"""Deeds that are listed one by one, the latest (a guess)."""

UNKNOWN = Outcome(None)

SILENT = 2_000.0
"""Seconds without a sign after which a watcher that said no farewell counts as gone: it gives one
every quarter of an hour."""


class Came(Struct, frozen=True):
    """What came of nudges. `open`: nobody can tell, or not yet."""

    right: int = 0
    wrong: int = 0
    open: int = 0


class Line(Struct, frozen=True, kw_only=True):
    """One deed. `session`: its hidden name; `at`: Unix seconds."""

    at: float
    session: str
    deed: Deed
    recovery: str
    outcome: Became


class History(Struct, frozen=True, kw_only=True):
    """The last `hours`. Failed deeds are in `failed` alone; `by_recovery` counts nudges."""

    hours: int
    nudges: int
    by_recovery: dict[str, int]
    came: Came
    stops: int
    given_up: int
    failed: int
    sessions: int
    last: tuple[Line, ...]
    paused: tuple[Pause, ...]
    modes: dict[str, Mode]
    watchers: tuple[Watcher, ...]
    seen: Watcher | None


def history(store: Store, now: float) -> History:
    """Count the last hours. `now`: Unix seconds. `modes` of all sessions stands under `all`."""
    since = now - HOURS * 3600
    deeds = store.recent(since)
    arrived = [each for each in deeds if each.done.outcome is not Became.FAILED]
    nudges = [each for each in arrived if each.done.deed is Deed.NUDGE]
    kinds = Counter(each.done.deed for each in arrived)
    watchers = store.watchers(0.0)
    return History(
        hours=HOURS,
        nudges=len(nudges),
        by_recovery=dict(Counter(each.done.recovery for each in nudges).most_common()),
        came=_came(nudges, counting(store.labels((Source.HINDSIGHT,)))),
        stops=kinds[Deed.ABORT] + kinds[Deed.ABORT_CHILD],
        given_up=kinds[Deed.TELL],
        failed=len(deeds) - len(arrived),
        sessions=len({each.session for each in arrived}),
        last=tuple([_line(each) for each in deeds[-LAST:]]),
        paused=tuple(store.pauses(now)),
        modes={name or "all": mode for name, mode in store.modes().items()},
        watchers=tuple([each for each in watchers if alive(each, now)]),
        seen=watchers[0] if watchers else None,
    )


def untold(store: Store, past: Past) -> list[Outcome]:
    """Give the nudges since the promotion of which nothing is known, as outcomes."""
    if past.state is not State.NUDGE or past.since is None:
        return []
    return [UNKNOWN for _ in store.unresolved(since=past.since)]


def alive(watcher: Watcher, now: float) -> bool:
    """Whether a watcher still runs, as far as it said."""
    return watcher.state is not watcher.state.ENDED and now - watcher.at < SILENT


def _came(nudges: list[Remembered], labels: dict[str, Label]) -> Came:
    said = [labels.get(each.turn or "") for each in nudges]
    answers = Counter(label.nudge for label in said if label is not None)
    right, wrong = answers[Nudge.YES], answers[Nudge.NO]
    return Came(right, wrong, len(nudges) - right - wrong)


def _line(found: Remembered) -> Line:
    done = found.done
    return Line(
        at=done.at,
        session=found.session,
        deed=done.deed,
        recovery=done.recovery,
        outcome=done.outcome,
    )
