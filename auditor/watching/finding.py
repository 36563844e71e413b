"""What there is to find in a session: loops in a turn that runs, all in one that ended.

Owns when a turn is over, and that one which we stopped ourselves is not audited as if the person
had: what it was stopped for was found before, and is kept.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from auditor.live.guards import OWN_ABORT
from auditor.live.settings import Settings
from auditor.live.situation import Doing, Situation
from auditor.live.spent import Deed, Outcome, Spent, of_child
from auditor.policy import Past
from auditor.store import Store
from auditor.turn import FinishReason, Turn
from auditor.watching.acting import Case
from auditor.watching.auditing import Auditing
from auditor.watching.face import Face
from auditor.watching.permits import Permits


class Finding:
    """Finds, for one event loop."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it is made of
        self,
        store: Store,
        auditing: Auditing,
        permits: Permits,
        settings: Settings,
        face: Face,
        clock: Callable[[], float],
    ) -> None:
        self._store, self._auditing, self._permits = store, auditing, permits
        self._settings, self._face, self._clock = settings, face, clock

    def spent(self, situation: Situation) -> Spent:
        """Give what was done in the session before. Raises `StoreError`."""
        marks = [mark.message for mark in situation.marks]
        names = (situation.message, situation.reply, situation.request, situation.aborted, *marks)
        children = [
            of_child(name, child.session)
            for name in (situation.message, situation.reply)
            if name is not None
            for child in situation.children
        ]
        return self._store.spent(situation.session, (*names, *children))

    async def found(self, case: Case) -> Case:
        """Audit what there is to audit. Raises `StoreError`."""
        situation, turn = case.situation, case.situation.turn
        if turn is None or not situation.observed:
            return case
        match situation.doing:
            case Doing.BUSY if situation.own:
                return case
            case Doing.BUSY if self._silent(situation):
                return await self._ended(case, structs.replace(turn, finish=FinishReason.STALLED))
            case Doing.BUSY:
                return case._replace(audit=self._auditing.running(turn))
            case Doing.IDLE if self._over(situation) and not self._stopped(situation):
                return await self._ended(case, turn)
        return case

    async def kept(self, case: Case) -> None:
        """Keep the audit of a turn that is stopped for what it found. Raises `StoreError`."""
        turn = case.situation.turn
        if case.audit is not None and case.turn is None and turn is not None:
            await self._auditing.kept(turn, case.audit)
            self._face.audited(case, case.audit)

    async def _ended(self, case: Case, turn: Turn) -> Case:
        sent = [
            done
            for done in self.spent(case.situation).done
            if done.deed is Deed.NUDGE and done.outcome is not Outcome.FAILED
        ]
        past = Past(nudges=len(sent), last_nudge=sent[-1].at if sent else None)
        found = await self._auditing.ended(turn, self._permits.policy(self._clock()), past)
        case = case._replace(audit=found.audit, turn=found.turn)
        if found.new:
            self._face.audited(case, found.audit)
        return case

    def _silent(self, situation: Situation) -> bool:
        quiet = self._clock() - situation.quiet_since >= self._settings.quiet
        return quiet and not situation.holds

    def _over(self, situation: Situation) -> bool:
        """Whether the end has settled, and there is an answer to judge."""
        settled = (situation.idle_since or 0.0) + self._settings.settle
        failed = situation.turn is not None and situation.turn.error is not None
        return self._clock() >= settled and (situation.reply is not None or failed)

    def _stopped(self, situation: Situation) -> bool:
        """Whether we stopped it, not the person: by the message, or because it ended at once."""
        if situation.aborted is None:
            return False
        about, ended = {situation.aborted, situation.reply}, situation.idle_since
        return any(
            done.deed is Deed.ABORT
            and done.outcome is not Outcome.FAILED
            and (done.message in about or (ended is not None and 0 <= ended - done.at <= OWN_ABORT))
            for done in self.spent(situation).done
        )
