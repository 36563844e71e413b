"""What takes nudging back, at once and by itself; pure, each alarm with the numbers it saw.

Two kinds: what came of the nudges says that they are wrong too often (demoted), or it is no longer
known that they are right (back to shadow). Thresholds: decisions.md 4.8 and 7.5 of the field notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from auditor.gating.frozen import DAY, DAYS, TURNS, Certificate, Frozen, changed
from auditor.gating.states import Move
from auditor.labels import Label, Nudge

EVIDENCE = 20.0
"""The e-process at which nudges count as wrong too often: at most 5 % false alarms, however often
one looks (Ville's inequality: 1 / 20)."""

REJECTIONS, AMONG = 3, 5
"""Explicit rejections among the last nudges that take nudging back."""

ERRORS, QUESTIONS = 0.05, 100
"""Largest share of failures among the last questions to the model."""

REJECTED = ("hindsight/interrupted", "hindsight/objected")
"""Rules of hindsight labels by which the user said no to the nudge (`implicit.hindsight`)."""


class Outcome(Struct, frozen=True):
    """What came of one nudge; `right` None: nobody can tell. `rejected`: the user said no."""

    right: bool | None
    rejected: bool = False


class Health(Struct, frozen=True):
    """Of the last questions to the model, at most `QUESTIONS`: how many, and how many failed."""

    asked: int
    failed: int


class Watch(Struct, frozen=True, kw_only=True):
    """Everything an alarm looks at. `outcomes`: since the promotion, in the order of the nudges.

    `identity`: where the probabilities come from here. `canary`, `drift`: what changed, in words.
    `passed`: residue turns since the certificate. None and 0 where it was not looked at.
    """

    now: float
    policy: Frozen
    certificate: Certificate | None
    outcomes: Sequence[Outcome]
    identity: dict[str, str]
    canary: str | None
    health: Health | None = None
    passed: int = 0
    drift: str | None = None


class Alarm(Struct, frozen=True):
    """Why nudging ends, where to, and the numbers."""

    move: Move
    why: str
    evidence: dict[str, Any]


def outcome(label: Label) -> Outcome:
    """Read what came of a nudge from its hindsight label; unsure is unknown."""
    right = {Nudge.YES: True, Nudge.NO: False}.get(label.nudge)
    return Outcome(right, rejected=(label.rule or "").startswith(REJECTED))


def alarm(seen: Watch) -> Alarm | None:
    """Give the first alarm, the gravest first; None: all is well."""
    return next((found for look in _LOOKS if (found := look(seen))), None)


def _wrong_too_often(seen: Watch) -> Alarm | None:
    known = [found.right for found in seen.outcomes if found.right is not None]
    for n, k, evidence in _evidence(known, seen.policy.alpha):
        if evidence >= EVIDENCE:
            return Alarm(
                Move.DEMOTED,
                f"{k} of {n} nudges were wrong, more than {seen.policy.alpha:.0%} in the long run",
                {"nudges": n, "wrong": k, "evidence": evidence, "limit": EVIDENCE},
            )
    return None


def _evidence(right: Sequence[bool], alpha: float) -> Iterator[tuple[int, int, float]]:
    """After each outcome: outcomes, wrong ones, and the e-process against "at most alpha"."""
    if not right:
        return
    from auditor.statistics.eprocess import demotion  # noqa: PLC0415 - brings scipy

    wrong = 0
    for n, each in enumerate(right, 1):
        wrong += not each
        yield n, wrong, demotion(n, wrong, alpha)


def _rejected(seen: Watch) -> Alarm | None:
    rejected = sum(found.rejected for found in seen.outcomes[-AMONG:])
    if rejected < REJECTIONS:
        return None
    why = f"the user rejected {rejected} of the last {AMONG} nudges"
    return Alarm(Move.DEMOTED, why, {"rejected": rejected, "among": AMONG})


def _not_certified(seen: Watch) -> Alarm | None:
    if seen.certificate is None:
        return Alarm(Move.SHADOWED, "there is no certificate", {})
    age = (seen.now - seen.certificate.at) / DAY
    if age > DAYS:
        why = f"the certificate is {age:.0f} days old; it holds for {DAYS:.0f}"
        return Alarm(Move.SHADOWED, why, {"days": round(age, 2), "limit": DAYS})
    if seen.passed > TURNS:
        why = f"{seen.passed:,} residue turns passed since the certificate; it holds for {TURNS:,}"
        return Alarm(Move.SHADOWED, why, {"turns": seen.passed, "limit": TURNS})
    return None


def _another(seen: Watch) -> Alarm | None:
    if differs := changed(seen.policy.identity, seen.identity):
        why = f"the probabilities come from something else now ({differs})"
        return Alarm(Move.SHADOWED, why, {"changed": differs})
    return None


def _canary(seen: Watch) -> Alarm | None:
    if seen.canary is None:
        return None
    why = f"the canary answers differently than at the promotion ({seen.canary})"
    return Alarm(Move.SHADOWED, why, {"changed": seen.canary})


def _errors(seen: Watch) -> Alarm | None:
    asked, failed = (seen.health.asked, seen.health.failed) if seen.health else (0, 0)
    if failed <= ERRORS * QUESTIONS or failed <= ERRORS * asked:
        return None
    why = f"{failed} of the last {asked} questions to the model failed"
    return Alarm(Move.SHADOWED, why, {"asked": asked, "failed": failed, "limit": ERRORS})


def _drift(seen: Watch) -> Alarm | None:
    if seen.drift is None:
        return None
    return Alarm(Move.SHADOWED, f"the probabilities moved ({seen.drift})", {"moved": seen.drift})


_LOOKS: tuple[Callable[[Watch], Alarm | None], ...] = (
    _wrong_too_often,
    _rejected,
    _another,
    _canary,
    _not_certified,
    _errors,
    _drift,
)
"""Every alarm, what demotes before what only returns to shadow."""
