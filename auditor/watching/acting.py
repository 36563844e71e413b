"""A planned deed, done at most once: claimed, carried out, looked after, remembered.

Owns the order: claim before the deed, remember after it. A deed whose answer was lost is looked for
in the session before it counts as failed or unknown. What is begun is brought to its end, whoever
ends the program meanwhile.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import anyio
from msgspec import structs

from auditor.audit import Audit
from auditor.errors import HarnessUnavailable, StoreError
from auditor.harness._opencode_server import Refused
from auditor.live.plan import Do, Plan
from auditor.live.settings import Settings
from auditor.live.situation import Doing, Situation
from auditor.live.spent import Deed, Done, Outcome
from auditor.live.words import words
from auditor.live_rows import STALE
from auditor.store import Store
from auditor.watching.aside import Aside, in_thread
from auditor.watching.connection import Connection
from auditor.watching.reading import Seen

DEEDS = {
    Do.NUDGE: Deed.NUDGE,
    Do.ABORT: Deed.ABORT,
    Do.ABORT_CHILD: Deed.ABORT_CHILD,
    Do.TELL: Deed.TELL,
}

TITLE = "turn auditor"

LOOKS = (0.5, 1.0, 2.0)
"""Seconds before each look for a deed whose answer was lost: a server stores a prompt at once."""

Still = Callable[[], Awaitable[bool]]

LOOKED = 10.0
"""Seconds for all of these looks: whoever ends the program waits for them (a guess)."""

MOVED = "it moved meanwhile"
TAKEN = "somebody else has it"


class Case(NamedTuple):
    """A session as it stands, and what was found. `turn`: address of the audited turn, if kept.

    `seen`: by the connection, when the session was read; None: it is known by its events alone.
    """

    connection: Connection
    situation: Situation
    audit: Audit | None = None
    turn: str | None = None
    seen: Seen | None = None

    def moved(self, do: Do) -> bool:
        """Whether anything happened in the session since it was read; what runs always moves.

        Without a connection, or over a gap, nobody knows.
        """
        connection, seen = self.connection, self.seen
        if seen is None or not connection.connected or connection.interrupted(seen):
            return True
        if do in (Do.ABORT, Do.ABORT_CHILD):
            return False
        return connection.moved(self.situation.session, seen)


class Acting:
    """Carries plans out. `by` names this process."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        by: str,
        clock: Callable[[], float],
        aside: Aside = in_thread,
    ) -> None:
        self._store, self._settings, self._by = store, settings, by
        self._clock, self._aside = clock, aside
        self.unsent: set[float] = set()
        """When deeds began that are remembered and were not done, yet or at all."""

    async def act(
        self, case: Case, plan: Plan, still: Still, name: str | None = None
    ) -> Done | str:
        """Do what is planned, or say why it was left: `MOVED`, `TAKEN`.

        `still`: whether the plan is the same by now; asked last of all. `name`: what a person's
        wish is claimed by. Raises `StoreError`: then nothing was sent.
        """
        message = name or plan.message
        if case.moved(plan.do) or message is None:
            return MOVED
        text = self._words(case, plan) if plan.do is Do.NUDGE else ""
        with anyio.CancelScope(shield=True):
            if not await self._claimed(case, plan, message, name):
                return TAKEN
            done = self._begun(case, plan, text)
            if done.deed is Deed.ABORT:
                # Remembered first: what it does is seen before its answer comes, and is no user's.
                self.unsent.add(done.at)
                await self._remember(case, structs.replace(done, outcome=Outcome.UNKNOWN))
            try:
                same = not case.moved(plan.do) and await still() and not case.moved(plan.do)
            except BaseException:
                await self._left(case, done)
                raise
            if not same:  # the claim goes to waste, which is better than a wrong deed
                await self._left(case, done)
                return MOVED
            self.unsent.discard(done.at)
            done = await self._carried_out(case, plan, done)
            await self._remember(case, done)
        if plan.do in (Do.NUDGE, Do.TELL) and done.outcome is Outcome.DONE:
            await self._toast(case.connection, plan)
        return done

    async def _left(self, case: Case, done: Done) -> None:
        """Say that a deed was not done, where it was remembered as one that may have been."""
        failed = structs.replace(done, outcome=Outcome.FAILED)
        if done.at in self.unsent and await self._remember(case, failed):
            self.unsent.discard(done.at)

    async def _claimed(self, case: Case, plan: Plan, message: str, name: str | None) -> bool:
        """Claim the deed; what a person asked for needs the message too, if another has it now."""
        claim = (case.situation.session, message, DEEDS[plan.do], self._by, self._clock())
        if not await self._aside(self._store.claim, *claim):
            return False
        if name is None or plan.message is None:
            return True
        claim = (claim[0], plan.message, *claim[2:])
        return await self._aside(self._store.claim, *claim) or not await self._aside(
            self._store.claimed, *claim[:3], claim[-1] - STALE
        )

    def _begun(self, case: Case, plan: Plan, text: str) -> Done:
        return Done(
            deed=DEEDS[plan.do],
            recovery=plan.recovery or "",
            message=plan.message or "",
            request=case.situation.request,
            at=self._clock(),
            attempt=plan.attempt,
            text=text,
        )

    async def _carried_out(self, case: Case, plan: Plan, done: Done) -> Done:
        try:
            await self._send(case, plan, done)
        except Refused:
            return structs.replace(done, outcome=Outcome.FAILED)
        except Exception:  # noqa: BLE001 - whatever broke, it may have arrived
            return structs.replace(done, outcome=await self._found_out(case, plan))
        return done

    async def _send(self, case: Case, plan: Plan, done: Done) -> None:
        server, situation = case.connection.server, case.situation
        match plan.do:
            case Do.NUDGE:
                mark = {"recovery": done.recovery, "at": done.at, "v": 1}
                await server.prompt(
                    situation.session,
                    done.text,
                    situation.reply_as,
                    mark,
                    hidden=self._settings.hidden,
                )
            case Do.ABORT:
                await server.abort(situation.session)
            case Do.ABORT_CHILD if plan.target is not None:
                await server.abort(plan.target)

    def _words(self, case: Case, plan: Plan) -> str:
        return words(
            plan.recovery or "judged",
            case.situation,
            case.audit,
            self._settings,
            reason=plan.reason,
            attempt=plan.attempt,
        )

    async def _found_out(self, case: Case, plan: Plan) -> Outcome:
        """Look whether a deed whose answer was lost took place; unknown where nobody can look."""
        outcome = Outcome.UNKNOWN
        with anyio.move_on_after(LOOKED):
            for pause in LOOKS:
                await anyio.sleep(pause)
                try:
                    now = await case.connection.refreshed(case.situation.session)
                except Exception:  # noqa: BLE001, S112 - nobody can look now
                    continue
                if now is None:
                    return Outcome.FAILED
                if _took_place(case.situation, now, plan):
                    return Outcome.DONE
                outcome = Outcome.FAILED
        return outcome

    async def _toast(self, connection: Connection, plan: Plan) -> None:
        """Tell whoever sits at the harness; where nobody can be told, nothing is lost."""
        if not self._settings.toast:
            return
        said, variant = ("given up", "warning") if plan.do is Do.TELL else ("nudged", "info")
        try:
            await connection.server.toast(TITLE, f"{said}: {plan.reason}", variant)
        except HarnessUnavailable:
            return

    async def _remember(self, case: Case, done: Done) -> bool:
        """Keep what was done, if it can be written; the claim stands all the same."""
        turn = None if done.outcome is Outcome.UNKNOWN else case.turn
        try:
            await self._aside(self._store.remember, case.situation.session, done, turn)
        except StoreError:
            return False
        return True


def _took_place(before: Situation, now: Situation, plan: Plan) -> bool:
    """Whether a deed shows in a session."""
    match plan.do:
        case Do.NUDGE:
            known = {mark.message for mark in before.marks}
            return any(mark.message not in known for mark in now.marks)
        case Do.ABORT:
            return now.aborted is not None
        case Do.ABORT_CHILD:
            return any(
                child.session == plan.target and child.doing is Doing.IDLE for child in now.children
            )
    return True
