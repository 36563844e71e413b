"""The gate: whether a nudge may be sent now, what holds a single one back, and what ends it all.

Owns no state: it is folded from the ledger's events each time, so that every process sees the
same. Reads no clock, no file and no environment: whoever asks says what is true here and now. Only
`watched` writes, and only demotions. Thresholds: decisions.md 7.5 of the field notes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct, structs

from auditor.audit import Audit
from auditor.errors import StoreError
from auditor.gating.alarms import Health, Outcome, Watch, alarm, outcome
from auditor.gating.frozen import Certificate, Frozen
from auditor.gating.states import Event, Past, State, told
from auditor.labels import Label, Source, counting
from auditor.policy import OBSERVE, Policy

HOLD_OUT = 0.10
"""Share of nudges that are withheld, to see what happens without (decisions.md 4.9)."""

COVERAGE, SPREAD = 0.10, 0.35
"""Least share of the letters among all tokens, largest move between orders of the options."""


class Ledger(Protocol):
    """What of the store the gate uses."""

    def events(self, kind: str | None = None) -> Sequence[Event]: ...  # noqa: D102
    def append_event(self, kind: str, body: dict[str, Any]) -> Event: ...  # noqa: D102
    def artefact(self, name: str) -> bytes | None: ...  # noqa: D102
    def labels(self, sources: Iterable[Source] | None = None) -> Sequence[Label]: ...  # noqa: D102
    def verify_ledger(self) -> str | None: ...  # noqa: D102


class Here(Struct, frozen=True, kw_only=True):
    """What is true of the process that asks, and must be looked at before any nudge.

    `off`: what switches us off (`killswitch.off`). `identity`: where probabilities come from here
    (`identity.here`). `canary`: what the canary found changed (`canary.changed`), None for nothing;
    it is taken when a process begins to nudge, and every hour.
    """

    off: str | None
    identity: dict[str, str]
    canary: str | None


class Standing(Struct, frozen=True, kw_only=True):
    """Whether a nudge may be sent now. `reason` says why not, or by which certificate it may."""

    state: State
    may_nudge: bool
    reason: str
    policy: Frozen | None = None
    certificate: Certificate | None = None

    @property
    def threshold(self) -> float | None:
        """From which probability a judged turn is likely: the certified, or the cost's if larger.

        Before there is a certificate, the loosest candidate: those are the turns drawn for one.
        """
        if self.policy is None:
            return None
        least = self.certificate.threshold if self.certificate else self.policy.loosest
        return max(least, self.policy.floor)

    def as_policy(self) -> Policy:
        """Give the policy to audit under; observing, where there is none."""
        return structs.replace(OBSERVE, may_nudge=self.may_nudge, probability=self.threshold)


_SILENT = {
    State.OBSERVE: "observing: no policy is frozen",
    State.SHADOW: "shadowing: not promoted",
    State.DEMOTED: "demoted: what came of the nudges was wrong too often",
}


def standing(store: Ledger, now: float, here: Here) -> Standing:
    """Say whether to nudge at this moment (`now`: Unix seconds); cheap enough for every nudge.

    Changes nothing. Raises `StoreError`: then nothing may be sent.
    """
    past = told(store.events())
    policy, certificate = current(store, past)
    held = here.off or _damaged(store) or _SILENT.get(past.state)
    if held is None and (found := alarm(_watch(store, now, here, past))):
        held = found.why
    return Standing(
        state=past.state,
        may_nudge=held is None,
        reason=held or f"certified: {(past.certificate or '')[:12]}",
        policy=policy,
        certificate=certificate,
    )


def watched(  # noqa: PLR0913 - everything that is watched
    store: Ledger,
    now: float,
    here: Here,
    *,
    health: Health | None = None,
    passed: int = 0,
    drift: str | None = None,
) -> Standing:
    """Look at all that takes nudging back, write the demotion if something does; say what is left.

    Live watching calls it when it begins, every hour, and whenever something failed. `health`: the
    last questions to the model. `passed` and `drift`: `certify.watching`. Never raises for the
    store: one that cannot be read or written is a reason to be silent.
    """
    try:
        past = told(store.events())
        if past.state is State.NUDGE:
            seen = structs.replace(
                _watch(store, now, here, past), health=health, passed=passed, drift=drift
            )
            if found := alarm(seen):
                body = {"policy": past.policy, "why": found.why, "evidence": found.evidence}
                store.append_event(found.move, body)
        return standing(store, now, here)
    except StoreError as error:
        return Standing(state=State.SHADOW, may_nudge=False, reason=f"not watched: {error}")


def _watch(store: Ledger, now: float, here: Here, past: Past) -> Watch:
    policy, certificate = current(store, past)
    if policy is None:
        raise StoreError("the ledger tells of nudging without a policy")
    return Watch(
        now=now,
        policy=policy,
        certificate=certificate,
        outcomes=outcomes(store, past),
        identity=here.identity,
        canary=here.canary,
    )


def current(store: Ledger, past: Past) -> tuple[Frozen | None, Certificate | None]:
    """Read the policy and the certificate that are in force. Raises `StoreError`."""
    return _read(store, past.policy, Frozen), _read(store, past.certificate, Certificate)


_T = TypeVar("_T", bound=Struct)


def _read(store: Ledger, name: str | None, kind: type[_T]) -> _T | None:
    if name is None:
        return None
    raw = store.artefact(name)
    if raw is None:
        raise StoreError(f"the ledger names {kind.__name__.lower()} {name[:12]}, which is not kept")
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.MsgspecError as error:
        raise StoreError(f"{kind.__name__.lower()} {name[:12]} cannot be read: {error}") from error


def _damaged(store: Ledger) -> str | None:
    wrong = store.verify_ledger()
    return f"the ledger is damaged: {wrong}" if wrong else None


def outcomes(store: Ledger, past: Past) -> list[Outcome]:
    """Give what came of the nudges since the promotion, one for each, in order of arrival."""
    if past.state is not State.NUDGE or past.since is None:
        return []
    since = [label for label in store.labels((Source.HINDSIGHT,)) if label.at > past.since]
    last = counting(since)
    return [outcome(last[turn]) for turn in dict.fromkeys(label.turn for label in since)]


def held(found: Standing, audit: Audit, turn: str) -> str | None:
    """Say why this nudge is not sent although its turn is likely; None: nothing holds it.

    `audit` was decided under `found.as_policy()`; `turn` is its address in the store. A settled
    turn needs no answer: its detector has earned that by measured precision.
    """
    if not found.may_nudge or found.policy is None:
        return found.reason
    if audit.by is None and audit.calibration != found.policy.calibration:
        return "another calibration than the certified one"
    if audit.answer is not None and _unsure(audit.answer.coverage, below=COVERAGE):
        return "the model hardly chose among the answers"
    if audit.answer is not None and _unsure(audit.answer.spread, above=SPREAD):
        return "the model's answer hangs on the order of the options"
    return "held out, to see what happens without" if held_out(found.policy, turn) else None


def _unsure(reading: float | None, *, below: float = -1.0, above: float = 2.0) -> bool:
    """Whether a reading is out of bounds; one that nobody gave is not."""
    return reading is not None and not below <= reading <= above


def held_out(policy: Frozen, turn: str) -> bool:
    """Whether the turn is held out: decided by its address, so the same whoever asks."""
    drawn = hashlib.sha256(f"hold-out {policy.at} {turn}".encode()).digest()
    return int.from_bytes(drawn[:8], "big") < HOLD_OUT * 2**64
