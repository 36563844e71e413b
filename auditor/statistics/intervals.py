"""Intervals and tests: what a share, a quantile or a difference may be, given so few turns.

All intervals are two-sided and hold `level` of the time. None where nothing was counted. Follows
decisions 4.2, 4.4 (a) and 4.9.
"""

# ruff: noqa: PLC0415 (SciPy is imported where it is used: half a second)

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from auditor.statistics.arrays import Array, numbers

DRAWS = 2_000
"""Of a bootstrap (decisions 7.6)."""

SEED = 20261130
"""Of the bootstrap: the same data give the same interval. Any number would do."""

DEFINED = 0.9
"""Least share of draws in which the measure is defined; below, there is no interval (a guess)."""

Measure = Callable[[Array], float | None]
"""A measure under a bootstrap: takes how often each turn was drawn, which multiplies its weight."""


def wilson(k: float, n: float, level: float = 0.95) -> tuple[float, float] | None:
    """Interval of a share for showing (Wilson 1927); k of n may be effective numbers."""
    _check_counts(k, n)
    if not n:
        return None
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    share, spread = k / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * np.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return (0.0 if k == 0 else float(middle - half), 1.0 if k == n else float(middle + half))


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Exact interval of a share (Clopper, Pearson 1934): never too short."""
    _check_counts(k, n)
    if not n:
        return None
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    return low, _upper(k, n, tail)


def upper(k: int, n: int, delta: float) -> float | None:
    """Bound that a share exceeds with chance delta at most, for one look: U(k, n) of 4.4 (a)."""
    _check_counts(k, n)
    return _upper(k, n, delta) if n else None


def _upper(k: int, n: int, delta: float) -> float:
    from scipy.special import betaincinv

    return 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - delta))


def upper_of_strata(strata: Sequence[tuple[float, int, int]], delta: float) -> float | None:
    """The same over strata (share of the whole, k, n): sum W_h U(k_h, n_h, delta/H) (4.9).

    None while a stratum has no label: nothing is known of it.
    """
    bounds = [(share, upper(k, n, delta / len(strata))) for share, k, n in strata]
    known = [share * bound for share, bound in bounds if bound is not None]
    return min(1.0, sum(known)) if known and len(known) == len(bounds) else None


def _check_counts(k: float, n: float) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"expected a count from 0 to {n}, found {k}")


def bootstrap_weights(
    groups: Sequence[Hashable], draws: int = DRAWS, seed: int = SEED
) -> Iterator[Array]:
    """For each draw, how often each turn was drawn: whole groups, with replacement.

    `groups` names the session or repository of each turn; turns of one are no independent news.
    """
    numbered = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    if not numbered:
        return
    index = np.array([numbered[group] for group in groups])
    random = np.random.default_rng(seed)
    even = np.full(len(numbered), 1 / len(numbered))
    for _ in range(draws):
        yield random.multinomial(len(numbered), even)[index].astype(np.float64)


def bootstrap(
    groups: Sequence[Hashable],
    measure: Measure,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Percentile interval of a measure, by resampling whole groups (Efron 1979; Field, Welsh 2007).

    `measure(multiplicity)` gets a float for each turn, how often it was drawn (0 for most of the
    groups left out): multiply the weights with it, `lambda m: auc(y, s, w * m)`. It may return
    None, where a draw has no turn of a class. None: fewer than two groups, or fewer than `DEFINED`
    of the draws have a value. With few groups (under about 20) the interval is too short.
    """
    if len(set(groups)) < 2:
        return None
    found = [measure(multiplicity) for multiplicity in bootstrap_weights(groups, draws, seed)]
    defined = [value for value in found if value is not None]
    if not defined or len(defined) < DEFINED * len(found):
        return None
    low, high = np.quantile(numbers(defined, "measure"), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def paired_bootstrap(  # noqa: PLR0913, PLR0917 - as `bootstrap`, of two
    groups: Sequence[Hashable],
    first: Measure,
    second: Measure,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Interval of first - second on the same draws: what two judges of the same turns differ by."""

    def difference(multiplicity: Array) -> float | None:
        one, other = first(multiplicity), second(multiplicity)
        return None if one is None or other is None else one - other

    return bootstrap(groups, difference, draws, seed, level)


def quantile_interval(x: ArrayLike, q: float, level: float = 0.95) -> tuple[float, float] | None:
    """Interval of a quantile between two of the sorted numbers (David, Nagaraja 2003, 7.1).

    None where so few numbers bound the quantile on one side only: the 95 % one needs 72.
    """
    from scipy.stats import binom

    values = np.sort(numbers(x, "values"))
    below = binom(len(values), q)
    tail = (1 - level) / 2
    low, high = int(below.ppf(tail)), int(below.ppf(1 - tail)) + 1
    if low < 1 or high > len(values):
        return None
    return float(values[low - 1]), float(values[high - 1])


def mcnemar(b: int, c: int) -> float:
    """Exact two-sided p of b turns that only one judge got right, c that only the other did.

    1.0 where they never differ: nothing speaks against their being equal.
    """
    from scipy.stats import binomtest

    return float(binomtest(b, b + c).pvalue) if b + c else 1.0


def holm(ps: Sequence[float]) -> list[float]:
    """Values of p adjusted for their number (Holm 1979), in the order given."""
    order = np.argsort(ps, kind="stable")
    factors = np.arange(len(ps), 0, -1)
    adjusted = np.empty(len(ps))
    adjusted[order] = np.minimum(1, np.maximum.accumulate(numbers(ps, "p")[order] * factors))
    return [float(p) for p in adjusted]
