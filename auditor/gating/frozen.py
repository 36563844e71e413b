"""A frozen policy and its certificate: numbers fixed before anybody looked at a label.

Owns how candidate thresholds are taken from probabilities alone, and what a policy is bound to.
Method: fixed-sequence testing over thresholds from unlabelled quantiles (Angelopoulos et al. 2021,
Learn then Test), so that picking the threshold costs nothing of the guarantee. Knows no store.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from auditor.errors import ConfigError

QUANTILES = (0.95, 0.90)
"""Candidate thresholds, strictest first: the top 5 % and 10 % of the residue. Two and no more:
labels drawn above the loosest are shared out (decisions.md 4.4, measured)."""

LEAST = 200
"""Scored residue turns that a policy needs (decisions.md 7.5): ten above the strictest."""

ALPHA, STRICT, DELTA = 0.20, 0.10, 0.10
"""Tolerated share of wrong nudges, the same of the strict profile, and the risk that a certificate
is false (decisions.md 7.5)."""

DAYS, TURNS = 30.0, 2000
"""How long a certificate holds: days, and residue turns that passed (decisions.md 7.5)."""

DAY = 86400.0


class Candidate(Struct, frozen=True):
    """A threshold, the quantile it was at, and the share of residue at or above it, ties too."""

    quantile: float
    threshold: float
    selected: float


class Frozen(Struct, frozen=True, kw_only=True):
    """A policy as it is stored; its SHA-256 is its name. Nothing in it is ever computed again.

    `at`: Unix seconds of the freeze. `identity`: what the probabilities come from; another one is
    another policy. `floor`: the least probability by cost, c / (c + 1) where a wrong nudge costs
    as much as c right ones gain; 0 where nobody said. `attempt`: 1 + policies that failed before.
    `edges`, `counts`: the residue's probabilities at the freeze, for drift. `pi`: the probability
    with which a would-be nudge is drawn for certification, the same as long as the policy lives.
    """

    schema: str = "policy/1"
    at: float
    calibration: str
    identity: dict[str, str]
    candidates: tuple[Candidate, ...]
    scored: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    alpha: float = ALPHA
    delta: float = DELTA
    attempt: int = 1
    floor: float = 0.0
    pi: float = 1.0

    @property
    def risk(self) -> float:
        """The risk this attempt may take: delta / (a (a + 1)), which sums to delta over all a."""
        return self.delta / (self.attempt * (self.attempt + 1))

    @property
    def loosest(self) -> float:
        """From this probability on, turns are drawn for certification."""
        return self.candidates[-1].threshold


class Certificate(Struct, frozen=True, kw_only=True):
    """That wrong nudges are fewer than `alpha`, at or above `threshold`, at the risk `risk`.

    `n`, `wrong`: labels when the e-process `evidence` first reached 1 / `risk`, and `at` (Unix
    seconds) that label came: its age is the evidence's, and looking again does not renew it.
    """

    schema: str = "certificate/1"
    policy: str
    threshold: float
    quantile: float
    n: int
    wrong: int
    evidence: float
    alpha: float
    risk: float
    at: float
    identity: dict[str, str] = field(default_factory=dict)


def candidates(probabilities: Sequence[float], quantiles: Sequence[float]) -> tuple[Candidate, ...]:
    """Take the thresholds, strictest first; of equal ones the first. Needs a probability at least.

    A threshold is the probability of the last turn inside the quantile; those tied with it are
    selected as well.
    """
    falling = sorted(probabilities, reverse=True)
    found: dict[float, Candidate] = {}
    for quantile in sorted(quantiles, reverse=True):
        inside = max(1, round(len(falling) * (1.0 - quantile)))
        threshold = falling[inside - 1]
        selected = sum(probability >= threshold for probability in falling) / len(falling)
        found.setdefault(threshold, Candidate(quantile, threshold, selected))
    return tuple(found.values())


def changed(bound: Mapping[str, str], here: Mapping[str, str]) -> str | None:
    """Name what differs between the identity a policy is bound to and the one here."""
    differing = [name for name in sorted({*bound, *here}) if bound.get(name) != here.get(name)]
    told = [f"{name}: {bound.get(name, '—')}, now {here.get(name, '—')}" for name in differing]
    return "; ".join(told) or None


def share(text: str, option: str) -> float:
    """Read a share like 5% or 0.05. Raises `ConfigError`."""
    try:
        found = float(text.strip().removesuffix("%")) / (100.0 if text.strip()[-1:] == "%" else 1.0)
    except ValueError:
        found = math.nan
    if not 0.0 < found < 0.5:
        raise ConfigError(f"{option}: {text!r} is no share of turns like 5% (below 50%)")
    return found


def checked(delta: float, cost: float | None) -> None:
    """Raise `ConfigError` for a risk or a cost that nobody can mean."""
    if not 0.0 < delta <= 0.5:
        raise ConfigError(f"--risk: {delta} is no risk like 0.1 (up to 0.5)")
    if cost is not None and not 0.0 < cost < math.inf:
        raise ConfigError(f"--cost: {cost} is not how many right nudges a wrong one costs, like 4")
