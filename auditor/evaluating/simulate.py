"""How many more labels until a certificate: exact, for any share of right nudges.

Owns the table of what-ifs. The e-process is `statistics.eprocess`'; what is labelled so far is
`blind`'s and `certify`'s, and with a frozen policy its own numbers are used. Writes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec import Struct

from auditor.errors import ConfigError
from auditor.gating import blind, certify, gate
from auditor.gating.frozen import ALPHA, DAY, DELTA
from auditor.gating.residue import residue, scored
from auditor.gating.states import told
from auditor.statistics import eprocess
from auditor.store import Store

PRECISIONS = (0.99, 0.97, 0.95, 0.92, 0.90, 0.88, 0.85)
"""Shares of right nudges that the table asks about (those of decisions.md 4.4, and between)."""

LIKELY, SURELY = 0.5, 0.9
"""Shares of all runs that are certified by then: the median, and nine in ten."""

RECENT = 14 * DAY
"""Seconds over which would-be nudges are counted for a rate (a guess: a fortnight of work)."""


class State(Struct, frozen=True, kw_only=True):
    """Where one stands: `n` labels that count, `wrong` of them, of a policy's loosest threshold.

    `rate`: would-be nudges a day that can be labelled; None: not known. Without a policy: nothing
    is labelled yet.
    """

    policy: str | None = None
    alpha: float = ALPHA
    delta: float = DELTA / 2  # of a first attempt: delta / (a (a + 1))
    n: int = 0
    wrong: int = 0
    threshold: float | None = None
    rate: float | None = None


class Outlook(Struct, frozen=True, kw_only=True):
    """Further labels if so large a share of nudges is right; None: never, or more than 5,000."""

    precision: float
    likely: int | None
    surely: int | None
    likely_days: float | None
    surely_days: float | None


class Simulated(Struct, frozen=True, kw_only=True):
    """The table, and what it starts from. `least`: labels if none is wrong from now on."""

    schema: str = "simulation/1"
    state: State
    least: int | None
    outlooks: tuple[Outlook, ...]


def simulated(state: State, precisions: Sequence[float] = PRECISIONS) -> Simulated:
    """Say for each share of right nudges how long it takes. Raises `ConfigError`."""
    _checked(state, precisions)
    return Simulated(
        state=state,
        least=_needed(state, 1.0, LIKELY),
        outlooks=tuple([_outlook(state, precision) for precision in precisions]),
    )


def _checked(state: State, precisions: Sequence[float]) -> None:
    shares = [("--alpha", state.alpha), ("--delta", state.delta)]
    shares += [("--precision", precision) for precision in precisions]
    for option, value in shares:
        if not 0.0 < value < 1.0:
            raise ConfigError(f"{option} {value:g}: expected a share between 0 and 1, like 0.9")
    if state.rate is not None and not state.rate > 0.0:
        raise ConfigError(f"--rate {state.rate:g}: expected would-be nudges a day, above 0")


def _needed(state: State, precision: float, quantile: float) -> int | None:
    held = (state.n, state.wrong)
    return eprocess.labels_needed(1.0 - precision, state.alpha, state.delta, quantile, held)


def _outlook(state: State, precision: float) -> Outlook:
    likely, surely = (_needed(state, precision, quantile) for quantile in (LIKELY, SURELY))
    return Outlook(
        precision=precision,
        likely=likely,
        surely=surely,
        likely_days=_days(likely, state.rate),
        surely_days=_days(surely, state.rate),
    )


def _days(labels: int | None, rate: float | None) -> float | None:
    return None if labels is None or rate is None else round(labels / rate, 1)


def current(store: Store, now: float | None = None) -> State:
    """Say where the store stands: its frozen policy, the labels that count, turns a day.

    Without a policy: no labels, and the risk that a policy is frozen with. Raises `StoreError`.
    """
    moment = time.time() if now is None else now
    past = told(store.events())
    policy, _ = gate.current(store, past)
    if policy is None or past.policy is None:
        return State()
    rows = tuple(residue(store, policy.calibration))
    found = certify.progress(policy, blind.gathered(store, past.policy, policy, rows).labels)
    recent = [
        row
        for row in scored(rows, policy.calibration)
        if (row.probability or 0.0) >= policy.loosest and moment - RECENT <= row.when <= moment
    ]
    since = max(DAY, min(RECENT, moment - min((row.when for row in recent), default=moment)))
    loosest = found[-1]
    return State(
        policy=past.policy,
        alpha=policy.alpha,
        delta=policy.risk,
        n=loosest.n,
        wrong=loosest.wrong,
        threshold=loosest.threshold,
        rate=round(policy.pi * len(recent) * DAY / since, 2) or None,
    )
