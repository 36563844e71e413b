"""Weigh the labels of would-be nudges until they certify a threshold of a frozen policy.

The evidence is a betting e-process for each candidate (`statistics.eprocess`), so that one may look
after every label; the strictest comes first and none is skipped (decisions.md 4.4 of the field
notes). Which labels count is `blind`'s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from auditor.gating.blind import Blind
from auditor.gating.frozen import Candidate, Certificate, Frozen
from auditor.gating.states import Move, Past
from auditor.store import Store

LIKELY = 20
"""Labels from which the share of wrong ones says how many more are likely needed (a guess)."""


class Progress(Struct, frozen=True, kw_only=True):
    """How far one candidate is: labels at or above it, wrong ones, the e-process now and at best.

    `passed`: when (Unix seconds) it first reached `wanted`, and `then` the labels and the wrong
    ones of that moment; None: it has not. `more`: labels at or above it still needed if none is
    wrong; `likely`: in half of all cases, at the present share of wrong ones; None: unknown yet, or
    never. `hopeless`: more than alpha are wrong by nine chances of ten, so more labels will not do.
    """

    threshold: float
    quantile: float
    selected: float
    n: int
    wrong: int
    evidence: float
    best: float
    wanted: float
    passed: float | None
    then: tuple[int, int] | None
    more: int
    likely: int | None
    hopeless: bool
    upper: float | None
    """Clopper-Pearson bound of the share of wrong ones, had one looked but once: information."""


def progress(policy: Frozen, labels: Sequence[Blind]) -> tuple[Progress, ...]:
    """Say how far each candidate is, strictest first."""
    return tuple([_progress(policy, each, labels) for each in policy.candidates])


def _progress(policy: Frozen, candidate: Candidate, labels: Sequence[Blind]) -> Progress:
    from auditor.statistics.eprocess import log_certificate  # noqa: PLC0415 - brings SciPy
    from auditor.statistics.intervals import upper  # noqa: PLC0415

    goal, best, now = -math.log(policy.risk), 0.0, 0.0
    n = wrong = 0
    passed, then = None, None
    for label in labels:
        if label.probability < candidate.threshold:
            continue
        n, wrong = n + 1, wrong + label.wrong
        now = log_certificate(n, wrong, policy.alpha)
        best = max(best, now)
        if passed is None and now >= goal:
            passed, then = label.at, (n, wrong)
    more, likely = (0, 0) if then else _missing(policy, n, wrong)
    return Progress(
        threshold=candidate.threshold,
        quantile=candidate.quantile,
        selected=candidate.selected,
        n=n,
        wrong=wrong,
        evidence=_exp(now),
        best=_exp(best),
        wanted=1.0 / policy.risk,
        passed=passed,
        then=then,
        more=more,
        likely=likely,
        upper=upper(wrong, n, policy.risk),
        hopeless=then is None and n >= LIKELY and _surely_over(wrong, n, policy.alpha),
    )


def _surely_over(wrong: int, n: int, alpha: float) -> bool:
    """Whether the share of wrong ones is above alpha, at 90 % confidence (Clopper-Pearson)."""
    from auditor.statistics.intervals import clopper_pearson  # noqa: PLC0415 - brings SciPy

    bounds = clopper_pearson(wrong, n, level=0.8)
    return bounds is not None and bounds[0] > alpha


def _exp(log: float) -> float:
    return math.exp(min(log, 700.0))


def _missing(policy: Frozen, n: int, wrong: int) -> tuple[int, int | None]:
    """Labels still needed if none is wrong, and in half of all cases at the present share."""
    from auditor.statistics.eprocess import labels_needed  # noqa: PLC0415

    held = (n, wrong)
    none_wrong = labels_needed(0.0, policy.alpha, policy.risk, held=held) or 0
    if n < LIKELY:
        return none_wrong, None
    return none_wrong, labels_needed(wrong / n, policy.alpha, policy.risk, held=held)


def asked_for(policy: Frozen, first: Progress) -> str:
    """Say how many more labels the strictest candidate needs, and how to give them."""
    draws = math.ceil(first.more * policy.candidates[-1].selected / first.selected)
    of = f" ({first.more} of them at or above {first.threshold:g})" if draws > first.more else ""
    return f"about {draws} more labels{of}, if none is wrong: auditor label --queue certification"


def certificate(name: str, policy: Frozen, found: Sequence[Progress]) -> Certificate | None:
    """Give the certificate of the loosest candidate reached without a gap; None: not the first."""
    from auditor.statistics.eprocess import certificate as evidence  # noqa: PLC0415 - brings SciPy

    certified: Certificate | None = None
    at = 0.0
    for each in found:
        if each.passed is None or each.then is None:
            break
        at = max(at, each.passed)
        certified = Certificate(
            policy=name,
            threshold=each.threshold,
            quantile=each.quantile,
            n=each.then[0],
            wrong=each.then[1],
            evidence=evidence(*each.then, policy.alpha),
            alpha=policy.alpha,
            risk=policy.risk,
            at=at,
            identity=policy.identity,
        )
    return certified


def issue(store: Store, past: Past, certified: Certificate) -> str:
    """Keep the certificate and tell the ledger, unless it says the same already; give its name.

    Call it while shadowing: what nudges keeps the certificate that it was promoted with.
    """
    name = store.add_artefact("certificate", msgspec.json.encode(certified, order="sorted"))
    if name != past.certificate:
        evidence = msgspec.to_builtins(certified)
        body = {"policy": certified.policy, "certificate": name, "evidence": evidence}
        store.append_event(Move.CERTIFIED, body)
    return name
