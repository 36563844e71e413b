"""Gather from the store what the gate's commands look at, and carry promotions and demotions out.

Owns the writing of `promote` and `demote`; which conditions there are is `promotion`'s, and what
takes nudging back by itself `gate.watched`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from auditor.errors import CalibrationMismatch, ConfigError
from auditor.gating import blind, certify, gate
from auditor.gating.canary import Readings
from auditor.gating.frozen import Certificate, Frozen, changed
from auditor.gating.promotion import (
    FAIL,
    FIRST,
    PASS,
    REFUSED,
    WARN,
    Condition,
    Facts,
    conditions,
    drift,
)
from auditor.gating.residue import Row, residue, scored
from auditor.gating.states import Move, Past, State, told
from auditor.labels import Nudge
from auditor.store import Store

HOURLY = 0.001
"""Chance that a look without any drift takes nudging back: looks are hourly, but at nearly the same
turns each time (a guess)."""

ENOUGH = 100
"""Turns from which their probabilities are compared while nudging (a guess)."""

UNKNOWN = "unknown"
"""The identity where the policy's calibration is not here, or does not fit what is."""


class Reviewed(Struct, frozen=True, kw_only=True):
    """The present by the ledger, all residue, and under a policy the facts.

    `identity`: where probabilities by the policy's calibration come from here.
    """

    past: Past
    rows: tuple[Row, ...]
    identity: dict[str, str] = {}
    facts: Facts | None = None


def identity(name: str) -> dict[str, str]:
    """Say where probabilities by the calibration of that name come from here; never raises."""
    try:
        return identified(name)
    except (CalibrationMismatch, ConfigError) as error:
        return {"calibration": f"{UNKNOWN}: {error}"}


def identified(name: str) -> dict[str, str]:
    """Say the same for a policy that is to be bound to it. Raises `CalibrationMismatch`."""
    from auditor.calibrations import named  # noqa: PLC0415 - reads files
    from auditor.gating.identity import here  # noqa: PLC0415

    return here(named(name))


def reviewed(
    store: Store,
    now: float,
    *,
    off: str | None,
    deadline: float,
    identity: dict[str, str] | None = None,
) -> Reviewed:
    """Read everything. `identity`: of this place, by default looked up for the policy.

    Raises `StoreError`.
    """
    past = told(store.events())
    policy, _ = gate.current(store, past)
    rows = tuple(residue(store, policy.calibration if policy else None))
    if policy is None or past.policy is None:
        return Reviewed(past=past, rows=rows)
    evidence = blind.gathered(store, past.policy, policy, rows)
    found = certify.progress(policy, evidence.labels)
    here = _identity(policy) if identity is None else identity
    facts = Facts(
        now=now,
        policy=policy,
        certificate=certify.certificate(past.policy, policy, found),
        evidence=evidence,
        progress=found,
        rows=[row for row in rows if row.when > policy.at],
        repeats=repeats(store),
        differs=changed(policy.identity, here),
        asks="model" in policy.identity,
        deadline=deadline,
        off=off,
        ledger=store.verify_ledger(),
    )
    return Reviewed(past=past, rows=rows, identity=here, facts=facts)


_identity_of = identity


def _identity(policy: Frozen) -> dict[str, str]:
    return _identity_of(policy.calibration)


def repeats(store: Store) -> list[tuple[Nudge, Nudge]]:
    """Pair what people first said, blind, with what they said when the turn was asked again."""
    again = {sample.id for sample in store.samples("repeat")}
    first: dict[str, Nudge] = {}
    pairs: dict[str, tuple[Nudge, Nudge]] = {}
    for label in store.labels(blind.PEOPLE):
        if not label.blind:
            continue
        if label.sample in again and label.turn in first:
            pairs[label.turn] = (first[label.turn], label.nudge)
        elif label.sample not in again:
            first[label.turn] = label.nudge
    return list(pairs.values())


def certified(store: Store, found: Reviewed) -> Certificate | None:
    """Issue the certificate that the labels bear, while shadowing what it was made for."""
    facts = found.facts
    if facts is None or facts.certificate is None:
        return None
    if found.past.state is State.SHADOW and facts.differs is None and facts.ledger is None:
        certify.issue(store, found.past, facts.certificate)
    return facts.certificate


class Promotion(Struct, frozen=True, kw_only=True):
    """Whether it took place, and the conditions that decided."""

    promoted: bool
    conditions: tuple[Condition, ...]

    @property
    def exit_code(self) -> int:
        """0 promoted, 3 another identity, 1 a condition failed, 4 too little evidence."""
        failed = {each.name for each in self.conditions if each.state == FAIL}
        if self.promoted:
            return 0
        return 3 if "identity" in failed else 1 if failed else 4


def promote(store: Store, found: Reviewed, readings: Readings | None, why: str) -> Promotion:
    """Move from shadow to nudge where every condition is met; nothing is written otherwise.

    `readings`: the canary, None where it could not be taken, and `why` then says why, or is empty
    where it was not tried. Raises `ConfigError` where there is nothing to promote.
    """
    facts, past = found.facts, found.past
    if facts is None or past.policy is None or past.state is not State.SHADOW:
        raise ConfigError(_NOTHING[past.state])
    tried = readings is not None or bool(why)
    facts = msgspec.structs.replace(facts, promoting=tried, canary=None if readings else why)
    looked = tuple(conditions(facts))
    certificate = facts.certificate
    if certificate is None or readings is None or not met(looked):
        return Promotion(promoted=False, conditions=looked)
    name = certify.issue(store, past, certificate)
    taken = store.add_artefact("canary", msgspec.json.encode(readings, order="sorted"))
    evidence = {"conditions": msgspec.to_builtins(looked)}
    body = {"policy": past.policy, "certificate": name, "canary": taken, "why": why}
    store.append_event(Move.PROMOTED, body | {"evidence": evidence})
    return Promotion(promoted=told(store.events()).state is State.NUDGE, conditions=looked)


def met(looked: Sequence[Condition]) -> bool:
    """Whether nothing fails and nothing is missing; a warning is no obstacle."""
    return all(each.state in {PASS, WARN} for each in looked)


_NOTHING = {
    State.OBSERVE: "nothing to promote yet: freeze a policy first: auditor policy freeze",
    State.SHADOW: "nothing to promote: the policy in force is not kept",
    State.NUDGE: "nothing to promote: it nudges already",
    State.DEMOTED: "nudging was taken back because nudges were wrong too often; only a new policy"
    " with fresh labels leads on: auditor policy freeze",
}


def demote(store: Store, why: str) -> bool:
    """Return from nudging to shadowing, by hand; False: it did not nudge."""
    past = told(store.events())
    if past.state is not State.NUDGE:
        return False
    body: dict[str, Any] = {"policy": past.policy, "why": f"by command: {why}", "evidence": {}}
    store.append_event(Move.SHADOWED, body)
    return True


def watching(
    policy: Frozen, certificate: Certificate, rows: Sequence[Row]
) -> tuple[int, str | None]:
    """Give what `gate.watched` wants to know of the residue: turns passed, and what moved."""
    since = [row for row in rows if row.when > policy.at]
    passed = sum(row.when > certificate.at for row in rows)
    if len(list(scored(since, policy.calibration))) < ENOUGH:
        return passed, None
    value, limit, n = drift(policy, since, HOURLY)
    if value is None or limit is None or value <= limit:
        return passed, None
    return passed, f"PSI {value:.3f} over {n} turns, chance gives {limit:.3f}"


def missing(looked: Sequence[Condition]) -> list[str]:
    """Name what is not met, and how to get it."""
    return [
        f"{each.name}: {each.how}"
        for each in looked
        if each.state in {FAIL, REFUSED} and each.how != FIRST
    ]
