"""What may be sent right now: the gate, the kill switch, the person's switches.

Owns the asking, not the rules: those are `gating`'s. Whatever cannot be looked at forbids.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec

from auditor.audit import Audit
from auditor.errors import StoreError
from auditor.gating import canary as canaries
from auditor.gating import gate, killswitch
from auditor.gating.alarms import Health
from auditor.gating.canary import Readings
from auditor.gating.frozen import Frozen
from auditor.gating.gate import Here, Standing
from auditor.gating.residue import residue
from auditor.gating.review import identity, watching
from auditor.gating.states import State, told
from auditor.live.plan import OBSERVING, Allowed
from auditor.policy import OBSERVE, Policy
from auditor.store import Store

HOURLY = 3600.0
"""Seconds between two looks at all that takes nudging back."""

_RULES = "only structural recoveries are sent (--rules-only)"

NOT_LOOKED = Here(off=None, identity={}, canary="not looked at yet")
"""Before the first look, and while one takes place: nothing may be sent."""


class WatchMode(StrEnum):
    """How far a watcher goes."""

    OBSERVE = "observe"
    SHADOW = "shadow"
    NUDGE = "nudge"


class Permits:
    """Asks before anything is sent."""

    def __init__(self, store: Store, mode: WatchMode, *, rules_only: bool, offline: bool) -> None:
        self.mode, self._rules_only, self._offline = mode, rules_only, offline
        self._store = store
        self._here = NOT_LOOKED
        self._looked: float | None = None

    def look(self, now: float, health: Health | None = None) -> str | None:
        """Look at everything that takes nudging back, at the start and hourly; say what did.

        `health`: the last questions to the model. May load it for a moment: call it in a thread.
        """
        self._looked, self._here = now, NOT_LOOKED  # until all of it was looked at, whatever fails
        if self.mode is not WatchMode.NUDGE or self._rules_only:
            return None
        try:
            past = told(self._store.events())
            policy, certificate = gate.current(self._store, past)
            if policy is None:
                return "no policy is frozen"
            nudges = past.state is State.NUDGE
            self._here = Here(
                off=killswitch.off(self._store.path),
                identity=identity(policy.calibration),
                canary=self._canary(past.canary, policy) if nudges else None,
            )
            rows = residue(self._store, policy.calibration)
            passed, drift = watching(policy, certificate, rows) if certificate else (0, None)
        except StoreError as error:
            return str(error)
        standing = gate.watched(
            self._store, now, self._here, health=health, passed=passed, drift=drift
        )
        return None if standing.may_nudge else self._why(standing.reason)

    def _why(self, reason: str) -> str:
        """Say too what took nudging back, where something did."""
        try:
            back = told(self._store.events()).why
        except StoreError:
            back = None
        return f"{reason} ({back})" if back and back not in reason else reason

    def off(self) -> str | None:
        """Say what switches everything off, what a person asked for included."""
        return killswitch.off(self._store.path)

    def due(self, now: float) -> bool:
        """Whether it is time for another look."""
        return self._looked is None or now - self._looked >= HOURLY

    def standing(self, now: float) -> Standing | None:
        """Where the gate stands; None: it is not asked in this mode."""
        if self.mode is WatchMode.OBSERVE or self._rules_only:
            return None
        off = killswitch.off(self._store.path)
        here = Here(off=off, identity=self._here.identity, canary=self._here.canary)
        return gate.standing(self._store, now, here)

    def policy(self, now: float) -> Policy:
        """Give the policy to audit under."""
        try:
            standing = self.standing(now)
        except StoreError:
            return OBSERVE
        return OBSERVE if standing is None else standing.as_policy()

    def allowed(self, session: str, now: float, audit: Audit | None, turn: str | None) -> Allowed:
        """Say what may be sent into the session; `turn`: the address of the audited turn."""
        try:
            return self._allowed(session, now, audit, turn)
        except StoreError as error:
            return Allowed(nudge=False, structural=False, why=str(error))

    def _allowed(self, session: str, now: float, audit: Audit | None, turn: str | None) -> Allowed:
        if self.mode is WatchMode.OBSERVE:
            return OBSERVING
        if off := killswitch.off(self._store.path):
            return Allowed(nudge=False, structural=False, why=off)
        if pause := self._store.paused(session, now):
            return Allowed(nudge=False, structural=False, why=f"paused {_until(pause.until)}")
        if self.mode is WatchMode.SHADOW:
            return Allowed(nudge=False, structural=False, why="shadowing: nothing is sent")
        if self._rules_only:
            return Allowed(nudge=False, structural=True, why=_RULES)
        standing = self.standing(now)
        if standing is None or not standing.may_nudge:
            why = "not promoted" if standing is None else standing.reason
            return Allowed(nudge=False, structural=False, why=why)
        held = gate.held(standing, audit, turn) if audit is not None and turn is not None else None
        if held is not None:
            return Allowed(nudge=False, structural=False, why=held)
        return Allowed(nudge=True, structural=True, why=standing.reason)

    def _canary(self, name: str | None, policy: Frozen) -> str | None:
        """Take the canary and say what changed since the promotion."""
        from auditor.gating.canary_taking import take  # noqa: PLC0415 - brings a model

        raw = None if name is None else self._store.artefact(name)
        if raw is None:
            return "the canary of the promotion is not kept"
        readings, why = take(policy, self._offline)
        if readings is None:
            return why
        try:
            return canaries.changed(msgspec.json.decode(raw, type=Readings), readings)
        except msgspec.MsgspecError as error:
            return f"the canary of the promotion cannot be read: {error}"


def _until(moment: float | None) -> str:
    # Local time: it is for the person who sits here.
    if moment is None:
        return "for good"
    return f"until {datetime.fromtimestamp(moment).astimezone():%H:%M}"
