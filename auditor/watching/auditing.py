"""Turns of running sessions, audited: quickly while they run, once and for good when they end.

Owns that a turn is audited once as it stands, kept in the store, and what consecutive turns say
about one another. What detectors prove is known at once; the decision model works beside the loop,
one question at a time, so that it delays nobody but the turns it is asked about.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from functools import partial
from typing import Any

import anyio
from msgspec import Struct, structs

from auditor.asking import Asker
from auditor.audit import Audit, audit
from auditor.calibration import Calibrations
from auditor.detectors import DETECTORS
from auditor.errors import StoreError
from auditor.gating.alarms import QUESTIONS, Health
from auditor.glimpse import redacted
from auditor.labelling.sitting import Collector
from auditor.live.recoveries import LOOPS, TEXT_LOOPS
from auditor.policy import NOTHING, OBSERVE, Past, Policy
from auditor.sieve import settled
from auditor.store import Store, address
from auditor.turn import Turn
from auditor.watching.aside import Aside, in_thread

KEPT = 1_000
"""Sessions whose last audit is remembered (a guess: more than anybody runs at once)."""

PAIRED = 50
"""Sessions whose last turns are remembered, for what the next one says of them; a turn can be
large, so fewer (a guess)."""

_LOOPS = tuple(each for each in DETECTORS if each.name in (*LOOPS, *TEXT_LOOPS))


class Audited(Struct, frozen=True):
    """An audit, the address of its turn in the store as hex, and whether it was made just now."""

    audit: Audit
    turn: str
    new: bool


class Auditing:
    """Audits; for one event loop."""

    def __init__(
        self,
        store: Store,
        asker: Asker,
        calibrations: Calibrations,
        aside: Aside = in_thread,
    ) -> None:
        self._store, self._asker, self._calibrations = store, asker, calibrations
        self._aside = aside
        self._last: OrderedDict[str, tuple[str, Policy, Audited]] = OrderedDict()
        self._collectors: OrderedDict[str, Collector] = OrderedDict()
        self._answered: deque[bool] = deque(maxlen=QUESTIONS)
        self._asking: anyio.Lock | None = None
        self._keeping: anyio.Lock | None = None

    def health(self) -> Health:
        """Say how the last questions to the model went; one that failed is tried anew."""
        self._asker.again()
        return Health(len(self._answered), self._answered.count(False))

    @staticmethod
    def running(turn: Turn) -> Audit | None:
        """Audit a turn that still runs: a proved loop, which shows early, or nothing."""
        signals = {each.name: seen for each in _LOOPS if (seen := each.detect(turn)) is not None}
        proof = settled(signals)
        if proof is None:
            return None
        return redacted(
            structs.replace(
                audit(turn),
                verdict=proof.verdict,
                opinion="settled",
                by=proof.by,
                reason=f"settled by {proof.by}",
                would_nudge=True,
                signals=signals,
            )
        )

    async def ended(self, turn: Turn, policy: Policy = OBSERVE, past: Past = NOTHING) -> Audited:
        """Audit a turn that is over, once as it stands, and keep it. Raises `StoreError`."""
        name = address(turn).hex()
        last = self._last.get(turn.session)
        if last is not None and last[2].turn == name and last[1] == policy:
            return last[2]
        made = await self._audited(turn, policy, past)
        await self.kept(turn, made)
        found = Audited(made, name, new=True)
        self._last[turn.session] = (turn.id, policy, structs.replace(found, new=False))
        _bounded(self._last, turn.session, KEPT)
        return found

    async def _audited(self, turn: Turn, policy: Policy, past: Past) -> Audit:
        work = partial(audit, turn, policy=policy, past=past, calibrations=self._calibrations)
        made = work()
        if made.verdict is None and self._asker.done.model is not None:
            self._asking = self._asking or anyio.Lock()
            async with self._asking:
                made = await self._aside(partial(work, judge=self._asker))
            self._answered.append(made.answer is not None)
        return redacted(made)

    async def kept(self, turn: Turn, made: Audit) -> None:
        """Write an audit down, and what its turn says of the ones before. Raises `StoreError`."""
        self._keeping = self._keeping or anyio.Lock()
        async with self._keeping:  # what waits in the store to be written is nobody's own
            await self._aside(self._write, turn, made)

    def _write(self, turn: Turn, made: Audit) -> None:
        new = self._store.add(turn, made)
        self._store.flush()
        last = self._last.get(turn.session)
        if last is not None and last[0] == turn.id:
            return  # the turn went on: it says nothing about itself
        collector = self._collectors.setdefault(turn.session, Collector())
        _bounded(self._collectors, turn.session, PAIRED)
        labels = collector.take(turn, made.signals, wanted=new)
        if labels:
            try:
                self._store.add_labels(labels)
            except StoreError:  # what a turn says of the one before is no reason to lose it
                return


def _bounded(kept: OrderedDict[str, Any], session: str, most: int) -> None:
    kept.move_to_end(session)
    if len(kept) > most:
        kept.popitem(last=False)
