"""The loop: a session is looked at, planned for, and what is planned is done.

Owns what a look is. It is made of what the mirror shows; before a deed the session is read anew and
planned for again, so that every guard is asked twice. One session's trouble is a line and costs no
other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count

import anyio

from auditor.errors import HarnessUnavailable, StoreError
from auditor.live.plan import Do, Plan
from auditor.live.settings import Settings
from auditor.live.situation import Doing, Situation
from auditor.live.spent import Deed, Outcome
from auditor.store import Store
from auditor.watching.acting import TAKEN, Acting, Case
from auditor.watching.aside import Aside, in_thread
from auditor.watching.auditing import Auditing
from auditor.watching.connection import Connection
from auditor.watching.deciding import Deciding
from auditor.watching.face import Face
from auditor.watching.finding import Finding
from auditor.watching.permits import Permits
from auditor.watching.rounds import Rounds
from auditor.watching.schedule import AGAIN, Key, Note, Schedule, Troubles

SOON = 0.1
"""Seconds until a session that moved is looked at again, doubled each time (a guess)."""

STALE = 61.0
"""Seconds after which somebody else's claim is tried for, once: they may have been killed."""


class Watcher:
    """Watches; for one event loop."""

    def __init__(  # noqa: PLR0913 - what it is made of
        self,
        store: Store,
        auditing: Auditing,
        permits: Permits,
        settings: Settings,
        face: Face,
        *,
        by: str,
        clock: Callable[[], float],
        aside: Aside = in_thread,
    ) -> None:
        self._store, self._settings, self._face, self._clock = store, settings, face, clock
        self._connections: dict[int, Connection] = {}
        self._finding = Finding(store, auditing, permits, settings, face, clock)
        self._acting = Acting(store, settings, by, clock, aside)
        self._deciding = Deciding(
            store, self._finding, permits, settings, self._connections, clock, self._acting.unsent
        )
        self._numbers = count(1)
        self._schedule = Schedule(self._isolated, clock)
        self._troubles = Troubles()
        self.noted: dict[Key, Note] = {}
        self._rounds = Rounds(
            store, auditing, permits, face, clock, aside, changed=self._look_at_all
        )

    async def watch(self, connection: Callable[[Callable[[str], None]], Connection]) -> None:
        """Watch one more server until cancelled, or until it is gone for good."""
        await self._rounds.ready.wait()
        number = next(self._numbers)
        made = connection(lambda session: self._schedule.at((number, session)))
        self._connections[number] = made
        try:
            await made.run()
        finally:
            del self._connections[number]
            self._schedule.drop(number)
            self._look_at_all()  # what it worked on may be another's now
            with anyio.CancelScope(shield=True):
                await self._schedule.ended(number)  # a deed that was begun still needs it
                await made.server.close()

    async def run(self) -> None:
        """Look at sessions when they are due; until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._rounds.run)
            tasks.start_soon(self._forgetting)
            tasks.start_soon(self._schedule.run)

    async def _forgetting(self) -> None:
        """Forget what was noted of sessions that are no longer known."""
        while True:
            await anyio.sleep(AGAIN)
            for key in {*self.noted, *self._troubles.known}:
                connection = self._connections.get(key[0])
                if connection is None or connection.mirror.doing(key[1]) is None:
                    self.noted.pop(key, None)
                    self._troubles.over(key)

    def _look_at_all(self) -> None:
        for number, connection in self._connections.items():
            for session in connection.mirror.sessions():
                self._schedule.at((number, session))

    async def _isolated(self, key: Key) -> None:
        """Look at a session, whatever goes wrong with it."""
        connection = self._connections.get(key[0])
        if connection is None:
            return
        try:
            await self._look(key, connection)
        except HarnessUnavailable as error:
            self._later(key, str(error), told=not connection.connected)
        except StoreError as error:
            self._later(key, str(error))
        except Exception as error:  # noqa: BLE001 - one session's trouble costs no other
            self._later(key, f"{type(error).__name__}: {error}")
        else:
            self._troubles.over(key)

    def _later(self, key: Key, why: str, *, told: bool = False) -> None:
        """Say what is wrong with a session, once, and look at it again, ever more rarely."""
        if (connection := self._connections.get(key[0])) is not None:
            connection.start.settled(key[1])
        new, pause = self._troubles.noted(key, why)
        if new and not told:
            self._face.trouble(f"{key[1]}: {why}")
        self._schedule.at(key, self._clock() + pause)

    async def _look(self, key: Key, connection: Connection) -> None:
        began = self._clock()
        if not connection.connected:
            return  # what happens meanwhile is not known; all are looked at once it is back
        if self._deciding.elsewhere(connection, key[1]):
            connection.start.settled(key[1])
            if connection.mirror.doing(key[1]) is not Doing.IDLE:
                self._schedule.at(key, began + STALE)  # it may be ours by then, and no event tells
            return
        connection.woke()
        situation = connection.mirror.situation(key[1], began)
        if situation is None:
            self._face.gone(key[1])
            connection.start.settled(key[1])
            return
        if not situation.observed:
            if not self._worth_reading(key, situation):
                return
            situation = await connection.refreshed(key[1])
            if situation is None:
                connection.start.settled(key[1])
                return
        case = await self._finding.found(Case(connection, situation))
        plan, _ = self._deciding.plan(case)
        self._face.saw(case, plan)
        self._again(key, case, plan, began)
        if plan.do in (Do.REST, Do.WAIT):
            self._note(key).unsettled = 0
            if plan.do is Do.REST or (plan.at or 0.0) > began + STALE:
                connection.start.settled(key[1])
            return
        await self._act(key, case, plan)

    def _worth_reading(self, key: Key, situation: Situation) -> bool:
        """Whether a session whose turn is not known is read: it works, or something is due."""
        if situation.parent is not None:
            return False
        works = situation.doing is not Doing.IDLE or situation.message is not None
        due = key in self.noted and self.noted[key].promised
        return works or due or self._store.asked(key[1], self._clock()) is not None

    def _again(self, key: Key, case: Case, plan: Plan, began: float) -> None:
        """Note when the session has to be looked at next, if nothing happens in it.

        `began`: when this look did; what was still to come then may have been missed.
        """
        situation, moments = case.situation, [plan.at] if plan.do is Do.WAIT else []
        if (
            plan.recovery is not None
            and plan.do is Do.REST
            and (pause := self._store.paused(situation.session, self._clock()))
        ):
            moments.append(pause.until)
        self._note(key).promised = bool(moments)  # by then its messages may be forgotten
        if situation.doing is Doing.IDLE and situation.idle_since is not None:
            moments.append(situation.idle_since + self._settings.settle)
        later = [at for at in moments if at is not None and at > began]
        if later:
            self._schedule.at(key, min(later))

    async def _act(self, key: Key, case: Case, plan: Plan) -> None:
        """Read the session anew, plan again, and only then do it."""
        connection = case.connection
        fresh = await connection.refreshed(key[1])
        if fresh is None:
            connection.start.settled(key[1])
            return
        now = await self._finding.found(Case(connection, fresh, seen=connection.seen(key[1])))
        again, name = self._deciding.plan(now)
        if not _alike(again, plan):
            self._soon(key)  # something changed: it is looked at as it is now
            return
        if name is None and (admitted := connection.start.admits(fresh)) is not True:
            if admitted is None:
                self._soon(key)
            return
        done = await self._acting.act(now, again, partial(self._still, now, again, name), name)
        if isinstance(done, str):
            connection.start.left(key[1])
            self._left(key, again, done, name)
            return
        self._note(key).unsettled = 0
        self._schedule.at(key, self._clock() + AGAIN)
        if done.deed is Deed.ABORT and done.outcome is not Outcome.FAILED:
            self._deciding.stopped(fresh, again.reason)
            await self._finding.kept(now)
        await self._face.did(now, again, done)

    async def _still(self, case: Case, plan: Plan, name: str | None) -> bool:
        """Whether a plan is the same by what is known now: claiming took a moment."""
        connection, session = case.connection, case.situation.session
        situation = connection.mirror.situation(session, self._clock())
        if situation is None:
            return False
        now = await self._finding.found(Case(connection, situation))
        again, _ = self._deciding.plan(now, name)
        return _alike(again, plan)

    def _note(self, key: Key) -> Note:
        return self.noted.setdefault(key, Note())

    def _left(self, key: Key, plan: Plan, why: str, name: str | None) -> None:
        """Note when to look again after a deed was left to others, or because something moved."""
        claimed = name or plan.message
        if why is not TAKEN and name is None:
            self._soon(key)
        elif self._note(key).taken != claimed:
            self._note(key).taken = claimed
            self._schedule.at(key, self._clock() + STALE)

    def _soon(self, key: Key) -> None:
        """Look again in a moment, ever later while nothing comes of it."""
        note = self._note(key)
        note.unsettled += 1
        pause = SOON * 2.0 ** min(note.unsettled, 8)
        self._schedule.at(key, self._clock() + pause)


def _alike(again: Plan, plan: Plan) -> bool:
    """Whether the second plan is the first one; a turn that runs has come to its next message."""
    same = (again.do, again.recovery) == (plan.do, plan.recovery)
    return same and (again.message == plan.message or plan.do in (Do.ABORT, Do.ABORT_CHILD))
