"""The conditions of a promotion, each with what was found, what is wanted and how to get it.

Owns the list of decisions.md 7.5 of the field notes. Pure but for what it is given: reads nothing
itself, moves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from auditor.gating.alarms import QUESTIONS
from auditor.gating.blind import Evidence
from auditor.gating.certify import Progress, asked_for
from auditor.gating.frozen import DAY, DAYS, TURNS, Certificate, Frozen
from auditor.gating.residue import Row, scored
from auditor.labels import Nudge

PASS, WARN, FAIL, REFUSED = "PASS", "WARN", "FAIL", "REFUSED"
"""As in an evaluation; refused: there is too little to say so."""

SHADOW_DAYS, SHADOW_TURNS = 7.0, 200
REPEATS, AGREE, DOUBT = 20, 0.6, 0.4
CALIBRATED = 2.6
"""Largest |z| of Spiegelhalter's test: two-sided p of .01."""

ERRORS, IDLE = 0.02, 0.01
"""Largest share of unanswered residue turns, least share of residue turns that are nudged."""


FIRST = "certify first"
"""How to get what only a certificate brings."""

LOOK = 0.01
"""Chance of a drift that is none, at a promotion (a guess)."""


class Condition(Struct, frozen=True):
    """One line; `how`: what to do about it, empty where it is met."""

    state: str
    name: str
    found: str
    wanted: str
    how: str = ""


class Facts(Struct, frozen=True, kw_only=True):
    """What the conditions look at. `rows`: the residue that ended since the freeze.

    `repeats`: pairs of answers to the same turn, first and later. `differs`: what the identity
    here has different from the policy's. `asks`: whether a decision model is part of the policy;
    `deadline`: seconds it has. `promoting`: now, so the canary was taken, or `canary` says why not.
    """

    now: float
    policy: Frozen
    certificate: Certificate | None
    evidence: Evidence
    progress: Sequence[Progress]
    rows: Sequence[Row]
    repeats: Sequence[tuple[Nudge, Nudge]]
    differs: str | None
    asks: bool
    deadline: float
    off: str | None
    ledger: str | None
    promoting: bool = False
    canary: str | None = None


def conditions(facts: Facts) -> list[Condition]:
    """Look at every condition, in the order in which they are worth reading."""
    return [look(facts) for look in _LOOKS if facts.promoting or look is not _canary]


def _certified(facts: Facts) -> Condition:
    wanted = f"wrong nudges under {facts.policy.alpha:.0%}, at the risk {facts.policy.risk:.2g}"
    first = facts.progress[0]
    if facts.certificate is not None:
        n, wrong = facts.certificate.n, facts.certificate.wrong
        found = f"{wrong} of {n} wrong at or above {facts.certificate.threshold:g}"
        return Condition(PASS, "certificate", found, wanted)
    found = f"{first.wrong} of {first.n} wrong at or above {first.threshold:g}"
    if first.hopeless:
        how = "more labels will not do: fit a calibration that ranks better, freeze it: auditor fit"
        return Condition(FAIL, "certificate", found, wanted, how)
    return Condition(REFUSED, "certificate", found, wanted, asked_for(facts.policy, first))


def _fresh(facts: Facts) -> Condition:
    wanted = f"at most {DAYS:.0f} days and {TURNS:,} residue turns old"
    if facts.certificate is None:
        return Condition(REFUSED, "age", "no certificate", wanted, FIRST)
    days = (facts.now - facts.certificate.at) / DAY
    passed = sum(row.when > facts.certificate.at for row in facts.rows)
    found = f"{days:.1f} days, {passed:,} turns"
    if days <= DAYS and passed <= TURNS:
        return Condition(PASS, "age", found, wanted)
    return Condition(FAIL, "age", found, wanted, "freeze anew: auditor policy freeze")


def _shadowed(facts: Facts) -> Condition:
    days, turns = (facts.now - facts.policy.at) / DAY, len(facts.rows)
    found = f"{days:.1f} days, {turns:,} residue turns"
    wanted = f"{SHADOW_DAYS:.0f} days and {SHADOW_TURNS} residue turns since the freeze"
    if days >= SHADOW_DAYS and turns >= SHADOW_TURNS:
        return Condition(PASS, "shadow", found, wanted)
    more = []
    if days < SHADOW_DAYS:
        more.append(f"{SHADOW_DAYS - days:.1f} more days")
    if turns < SHADOW_TURNS:
        more.append(f"{SHADOW_TURNS - turns} more residue turns: work on, then auditor scan")
    return Condition(REFUSED, "shadow", found, wanted, " and ".join(more))


def _agreed(facts: Facts) -> Condition:
    from auditor.statistics.agreement import kappa  # noqa: PLC0415 - brings numpy

    wanted = f"kappa at least {AGREE} over {REPEATS} repeats"
    n = len(facts.repeats)
    if n < REPEATS:
        how = f"{REPEATS - n} more repeats: auditor label --queue repeat"
        return Condition(REFUSED, "agreement", f"{n} repeats", wanted, how)
    value = kappa([first for first, _ in facts.repeats], [later for _, later in facts.repeats])
    if value is None:  # one answer throughout: nothing to disagree about, nor to agree
        same = sum(first == later for first, later in facts.repeats)
        return Condition(WARN, "agreement", f"kappa —, {same} of {n} alike", wanted)
    found = f"kappa {value:.2f} over {n} repeats"
    state = PASS if value >= AGREE else WARN if value >= DOUBT else FAIL
    how = "" if state == PASS else "read docs/calibration.md on what counts as right, label again"
    return Condition(state, "agreement", found, wanted, how)


def _calibrated(facts: Facts) -> Condition:
    from auditor.statistics.scores import spiegelhalter_z  # noqa: PLC0415 - brings numpy

    wanted = f"|z| below {CALIBRATED} (Spiegelhalter)"
    sure = [label for label in facts.evidence.labels if label.nudge is not Nudge.UNSURE]
    z = None
    if sure:
        right = [label.nudge is Nudge.YES for label in sure]
        z = spiegelhalter_z(right, [label.probability for label in sure])
    if z is None:
        how = "label: auditor label --queue certification"
        return Condition(REFUSED, "calibration", f"— over {len(sure)} labels", wanted, how)
    found = f"z {z:+.2f} over {len(sure)} labels"
    if abs(z) < CALIBRATED:
        return Condition(PASS, "calibration", found, wanted)
    return Condition(FAIL, "calibration", found, wanted, "fit anew with these labels: auditor fit")


def _steady(facts: Facts) -> Condition:
    value, limit, n = drift(facts.policy, facts.rows)
    wanted = "PSI of the probabilities below what chance gives"
    if value is None or limit is None:
        found = f"— over {n} turns"
        return Condition(REFUSED, "drift", found, wanted, "work on, then auditor scan")
    found = f"PSI {value:.3f}, limit {limit:.3f}, over {n} turns"
    if value <= limit:
        return Condition(PASS, "drift", found, wanted)
    return Condition(FAIL, "drift", found, wanted, "freeze anew: auditor policy freeze")


def drift(
    policy: Frozen, rows: Sequence[Row], alarm: float = LOOK
) -> tuple[float | None, float | None, int]:
    """Give the distance of these rows' probabilities from those at the freeze, its limit, and n.

    `alarm`: the chance that one look without any drift goes over the limit.
    """
    from auditor.statistics.drift import psi  # noqa: PLC0415 - brings numpy

    now = [row.probability for row in scored(rows, policy.calibration)]
    return psi(policy.edges, policy.counts, [p for p in now if p is not None], alarm)


def _answered(facts: Facts) -> Condition:
    wanted = f"at most {ERRORS:.0%} of the last {QUESTIONS} residue turns without an answer"
    if not facts.asks:
        return Condition(PASS, "errors", "no model is asked", wanted)
    last = facts.rows[-QUESTIONS:]
    without = sum(row.seconds is None for row in last)
    found = f"{without} of {len(last)} without"
    if not last:
        return Condition(REFUSED, "errors", found, wanted, "work on, then auditor scan --ask all")
    if without <= ERRORS * len(last):
        return Condition(PASS, "errors", found, wanted)
    return Condition(FAIL, "errors", found, wanted, "auditor doctor; auditor scan --ask all")


def _in_time(facts: Facts) -> Condition:
    wanted = f"95 % of the answers within {facts.deadline:g} s"
    if not facts.asks:
        return Condition(PASS, "deadline", "no model is asked", wanted)
    seconds = sorted(row.seconds for row in facts.rows if row.seconds is not None)
    if not seconds:
        return Condition(REFUSED, "deadline", "no answers", wanted, "auditor scan --ask all")
    late = seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))]
    state = PASS if late <= facts.deadline else FAIL
    how = "" if state == PASS else "choose a smaller model: auditor models list"
    return Condition(state, "deadline", f"{late:.1f} s over {len(seconds)} answers", wanted, how)


def _busy(facts: Facts) -> Condition:
    wanted = f"at least {IDLE:.0%} of residue turns nudged"
    if facts.certificate is None or not facts.rows:
        return Condition(REFUSED, "nudge rate", "—", wanted, FIRST)
    least = max(facts.certificate.threshold, facts.policy.floor)
    of = scored(facts.rows, facts.policy.calibration)
    share = sum((row.probability or 0.0) >= least for row in of) / len(facts.rows)
    if share >= IDLE:
        return Condition(PASS, "nudge rate", f"{share:.1%}", wanted)
    how = "certified but idle: freeze a policy with a looser threshold"
    return Condition(FAIL, "nudge rate", f"{share:.1%}", wanted, how)


def _same(facts: Facts) -> Condition:
    wanted = "the calibration, model and code of the freeze"
    if facts.differs is None:
        return Condition(PASS, "identity", "the same", wanted)
    return Condition(FAIL, "identity", facts.differs, wanted, "freeze anew: auditor policy freeze")


def _canary(facts: Facts) -> Condition:
    wanted = "eight fixed turns answered, to compare with later"
    if facts.canary is None:
        return Condition(PASS, "canary", "taken", wanted)
    return Condition(REFUSED, "canary", facts.canary, wanted, "auditor doctor")


def _whole(facts: Facts) -> Condition:
    how = "somebody edited the store; move it away and begin anew" if facts.ledger else ""
    state = FAIL if facts.ledger else PASS
    return Condition(state, "ledger", facts.ledger or "whole", "an unbroken chain of events", how)


def _on(facts: Facts) -> Condition:
    how = "take it away" if facts.off else ""
    return Condition(
        FAIL if facts.off else PASS, "kill switch", facts.off or "not set", "not set", how
    )


_LOOKS: tuple[Callable[[Facts], Condition], ...] = (
    _certified,
    _fresh,
    _shadowed,
    _agreed,
    _calibrated,
    _steady,
    _answered,
    _in_time,
    _busy,
    _same,
    _canary,
    _whole,
    _on,
)
