"""What is next for a session: `live.planning`, and before it what only a watcher knows.

Owns that a person's wish comes first, that a session which works in another program is left alone,
and that what ended long before the watch began is, too. Whatever cannot be looked at forbids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import structs

from auditor.live import planning
from auditor.live.plan import Do, Plan
from auditor.live.recoveries import BY_NAME
from auditor.live.settings import Settings
from auditor.live.situation import Doing
from auditor.store import Store
from auditor.watching.acting import Case
from auditor.watching.connection import Connection
from auditor.watching.finding import Finding
from auditor.watching.permits import Permits

WORKING = (Doing.BUSY, Doing.RETRYING)


class Deciding:
    """Plans. `connections`: all that are watched, by number."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it asks
        self,
        store: Store,
        finding: Finding,
        permits: Permits,
        settings: Settings,
        connections: Mapping[int, Connection],
        clock: Callable[[], float],
    ) -> None:
        self._store, self._finding, self._permits = store, finding, permits
        self._settings, self._connections, self._clock = settings, connections, clock
        self._stopped: dict[str, str] = {}

    def stopped(self, session: str, why: str) -> None:
        """Note why we stopped a session's turn, for the words that follow."""
        self._stopped[session] = why

    def plan(self, case: Case) -> tuple[Plan, str | None]:
        """Plan, and say what is claimed where a person asked for it. Raises `StoreError`."""
        situation, now = case.situation, self._clock()
        spent = self._finding.spent(situation)
        asked = self._store.asked(situation.session, now)
        if asked is not None and (off := self._permits.off()) is not None:
            return Plan(do=Do.REST, reason=off), None
        if asked is not None:
            wanted = planning.asked_for(situation, spent, settings=self._settings, now=now)
            return wanted, asked.name
        if self._elsewhere(case):
            return Plan(do=Do.REST, reason="it works elsewhere"), None
        if self._old(case):
            return Plan(do=Do.REST, reason="it ended long before the watch began"), None
        plan = planning.plan(
            situation,
            case.audit,
            spent,
            settings=self._settings,
            mode=self._store.mode(situation.session),
            allowed=self._permits.allowed(situation.session, now, case.audit, case.turn),
            now=now,
        )
        if situation.aborted is not None and plan.recovery in BY_NAME:
            why = self._stopped.get(situation.session)
            plan = structs.replace(plan, reason=why) if why else plan
        return plan, None

    def _elsewhere(self, case: Case) -> bool:
        """Whether another program works on the session: each tells only of its own work."""
        return any(
            other.connected and other.mirror.doing(case.situation.session) in WORKING
            for other in self._connections.values()
            if other is not case.connection
        )

    def _old(self, case: Case) -> bool:
        turn, began = case.situation.turn, case.connection.began
        idle = case.situation.doing is Doing.IDLE and turn is not None
        ended = turn.ended if turn is not None and idle else None
        return ended is not None and ended < began - self._settings.fresh
