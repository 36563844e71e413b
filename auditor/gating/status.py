"""Where the gate stands, in plain words: the mode, the evidence, what is missing for the next.

Owns the words and when to say that the ranking is too weak. Computes nothing that is decided by.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from auditor.gating.alarms import EVIDENCE, Outcome
from auditor.gating.blind import Evidence
from auditor.gating.certify import LIKELY, Progress, asked_for
from auditor.gating.frozen import LEAST, Certificate, Frozen
from auditor.gating.gate import Standing
from auditor.gating.history import History
from auditor.gating.promotion import Condition, Facts, conditions
from auditor.gating.residue import Row, scored
from auditor.gating.review import Reviewed, missing
from auditor.gating.states import State

MODES = {
    State.OBSERVE: "observing: turns are audited and kept, nothing else",
    State.SHADOW: "shadowing: would-be nudges of a frozen policy are logged, none is sent",
    State.NUDGE: "nudging",
    State.DEMOTED: "demoted: nudges were wrong too often, so none is sent",
}


class Outcomes(Struct, frozen=True):
    """What came of the nudges since the promotion; `unknown` are in neither of the others.

    `evidence` that they are wrong too often; nudging is taken back at `limit`.
    """

    known: int
    wrong: int
    unknown: int
    evidence: float
    limit: float


class Status(Struct, frozen=True, kw_only=True):
    """The whole answer of `auditor status`; `ranking` says where it is too weak to be certified.

    `nudging` now, or why not: `reason`. `missing` until the next state, each with how to get it.
    `since`: Unix seconds.
    """

    schema: str = "status/1"
    state: State
    mode: str
    since: float | None
    why: str | None
    nudging: bool
    reason: str
    next: State | None
    missing: tuple[str, ...]
    residue: int
    scored: int
    ranking: str | None
    policy: str | None
    frozen: Frozen | None
    certificate: Certificate | None
    evidence: Evidence | None
    progress: tuple[Progress, ...]
    conditions: tuple[Condition, ...]
    outcomes: Outcomes | None
    kill_switch: str | None
    kill_switch_file: str
    ledger: str | None
    live: History | None = None


_NEXT = {
    State.OBSERVE: State.SHADOW,
    State.SHADOW: State.NUDGE,
    State.NUDGE: None,
    State.DEMOTED: State.SHADOW,
}


def status(  # noqa: PLR0913 - what it is told from
    found: Reviewed,
    now: Standing,
    came: Sequence[Outcome],
    *,
    off: str | None,
    switch: Path,
    ledger: str | None,
    live: History | None = None,
) -> Status:
    """Say where it stands. `came` of the nudges; `switch`: the file that would switch off."""
    past, facts = found.past, found.facts
    looked = tuple(conditions(facts)) if facts else ()
    with_probability = [row for row in found.rows if row.probability is not None]
    ranking = weak(facts, found.rows) if facts else None
    return Status(
        state=past.state,
        mode=MODES[past.state],
        since=past.since,
        why=past.why,
        nudging=now.may_nudge,
        reason=now.reason,
        next=_NEXT[past.state],
        missing=tuple(_missing(past.state, looked, len(with_probability), ranking)),
        residue=len(found.rows),
        scored=len(with_probability),
        ranking=ranking,
        policy=past.policy,
        frozen=facts.policy if facts else None,
        certificate=facts.certificate if facts else None,
        evidence=facts.evidence if facts else None,
        progress=tuple(facts.progress) if facts else (),
        conditions=looked,
        outcomes=_outcomes(came, facts.policy.alpha) if facts and came else None,
        kill_switch=off,
        kill_switch_file=str(switch),
        ledger=ledger,
        live=live,
    )


def _outcomes(came: Sequence[Outcome], alpha: float) -> Outcomes:
    from auditor.statistics.eprocess import demotion  # noqa: PLC0415 - brings SciPy

    known = [each.right for each in came if each.right is not None]
    wrong = known.count(False)
    unknown = len(came) - len(known)
    return Outcomes(len(known), wrong, unknown, demotion(len(known), wrong, alpha), EVIDENCE)


def _missing(
    state: State, looked: Sequence[Condition], with_probability: int, ranking: str | None
) -> list[str]:
    match state:
        case State.OBSERVE if with_probability < LEAST:
            more = f"{LEAST - with_probability} more residue turns with a probability"
            there = f"(there are {with_probability} of {LEAST})"
            return [f"policy: {more} {there}: auditor scan --ask all; then auditor policy freeze"]
        case State.OBSERVE:
            return ["policy: auditor policy freeze"]
        case State.DEMOTED:
            return ["policy: freeze a new one, for fresh labels: auditor policy freeze"]
        case State.NUDGE:
            return []
        case State.SHADOW:
            found = missing(looked)
            if ranking is None:
                return found or ["the command: auditor promote"]
            kept = [each for each in found if not each.startswith("certificate:")]
            return [f"certificate: {ranking}", *kept]


def weak(facts: Facts, rows: Sequence[Row]) -> str | None:
    """Say that no number of labels will do, where it is so (decisions.md 4.6); None: it may.

    By the calibrated probabilities of the strictest candidate's turns, whose mean is the share of
    right nudges to expect; once there are enough labels, they are believed instead.
    """
    first = facts.progress[0]
    if first.passed is not None:
        return None
    wanted = 1.0 - facts.policy.alpha
    if first.hopeless:
        return (
            f"ranking too weak: {first.wrong} of {first.n} nudges at the top"
            f" {1 - first.quantile:.0%} were wrong, and more labels cannot certify that; a"
            " calibration that ranks better can: auditor fit"
        )
    expected = _expected(facts, rows)
    if first.n >= LIKELY or expected is None or expected > wanted:
        return None
    return (
        f"ranking too weak: best achievable precision at {1 - first.quantile:.0%} about"
        f" {expected:.2f}, wanted {wanted:.2f}; more labels cannot certify that, a calibration that"
        " ranks better can: auditor fit"
    )


def _expected(facts: Facts, rows: Sequence[Row]) -> float | None:
    of = [row.probability or 0.0 for row in scored(rows, facts.policy.calibration)]
    above = [probability for probability in of if probability >= facts.progress[0].threshold]
    return sum(above) / len(above) if above else None


def verdict(facts: Facts, ranking: str | None) -> str:
    """Say in one sentence what the labels so far certify, or what they lack."""
    if facts.differs is not None:
        return f"Void: {facts.differs}; freeze anew: auditor policy freeze"
    if facts.certificate is not None:
        found = facts.certificate
        return (
            f"Certified: of nudges from probability {found.threshold:g} on, fewer than"
            f" {found.alpha:.0%} are wrong (risk that this is false: {found.risk:.2g});"
            " next: auditor status"
        )
    if ranking is not None:
        return ranking[0].upper() + ranking[1:]
    first = facts.progress[0]
    return f"Not certified yet: {asked_for(facts.policy, first)}"
