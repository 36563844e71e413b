"""What is next for a session: `live.planning`, and before it what only a watcher knows.

Owns that a person's wish comes first, that a session which another program works on is left alone,
and that what ended long before anybody watched is, too. Whatever cannot be looked at forbids.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

from msgspec import structs

from auditor.live import planning
from auditor.live.plan import Do, Plan
from auditor.live.recoveries import BY_NAME
from auditor.live.settings import Settings
from auditor.live.situation import Doing, Situation
from auditor.live.spent import Spent
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
        unsent: Container[float],
    ) -> None:
        """`unsent`: when deeds were remembered that were not done, yet or at all."""
        self._store, self._finding, self._permits = store, finding, permits
        self._settings, self._connections, self._clock = settings, connections, clock
        self._unsent = unsent
        self._stopped: dict[str, tuple[str | None, str]] = {}

    def stopped(self, situation: Situation, why: str) -> None:
        """Note why we stopped a session's turn, for the words that follow."""
        self._stopped[situation.session] = (situation.request, why)

    def plan(self, case: Case, claimed: str | None = None) -> tuple[Plan, str | None]:
        """Plan, and say what is claimed where a person asked for it. Raises `StoreError`.

        `claimed`: what they asked for, once it is.
        """
        situation, now = case.situation, self._clock()
        if self.elsewhere(case.connection, situation.session):
            return Plan(do=Do.REST, reason="another program works on it"), None
        done = self._finding.spent(situation).done
        spent = Spent(tuple([each for each in done if each.at not in self._unsent]))
        if (name := claimed or self._wish(situation, now)) is not None:
            if (off := self._permits.off()) is not None:
                return Plan(do=Do.REST, reason=off), None
            return planning.asked_for(situation, spent, settings=self._settings, now=now), name
        if self._old(case):
            return Plan(do=Do.REST, reason="it ended long before anybody watched"), None
        plan = planning.plan(
            situation,
            case.audit,
            spent,
            settings=self._settings,
            mode=self._store.mode(situation.session),
            allowed=self._permits.allowed(situation.session, now, case.audit, case.turn),
            now=now,
        )
        request, why = self._stopped.get(situation.session, (None, ""))
        if why and request != situation.request:
            del self._stopped[situation.session]
        elif why and situation.aborted is not None and plan.recovery in BY_NAME:
            plan = structs.replace(plan, reason=why)
        return plan, None

    def elsewhere(self, connection: Connection, session: str) -> bool:
        """Whether another program works on the session, or, where none does, was the last that did.

        Each tells only of its own work. One that is watched in two ways tells everything twice: the
        later word counts, or that of the later connection.
        """
        here = [(n, each) for n, each in self._connections.items() if each.present]
        works = [(n, each) for n, each in here if each.mirror.doing(session) in WORKING]
        if works and all(each is not connection for _, each in works):
            return True
        heard = [(at, n) for n, each in works or here if (at := each.heard.at(session)) is not None]
        return bool(heard) and self._connections[max(heard)[1]] is not connection

    def _wish(self, situation: Situation, now: float) -> str | None:
        """Name the nudge that a person asked for; what happened in the session since undoes it."""
        asked = self._store.asked(situation.session, now)
        ended = situation.turn.ended if situation.turn is not None else None
        changed = max(situation.request_at or 0.0, ended or 0.0)
        return None if asked is None or changed > asked.at else asked.name

    @staticmethod
    def _old(case: Case) -> bool:
        turn = case.situation.turn
        idle = case.situation.doing is Doing.IDLE and turn is not None
        ended = turn.ended if turn is not None and idle else None
        return ended is not None and case.connection.gaps.missed(ended)
