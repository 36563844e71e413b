"""How good cross-fitted probabilities are, in the numbers that a calibration's card shows.

Owns which measures, the operating points, the table of reliability and the choice of a threshold;
every number with its interval, which draws whole groups. How each is computed is `statistics`'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from auditor.calibration import Bin, Point
from auditor.evaluation import Estimate
from auditor.statistics import arrays, intervals, ranks, scores
from auditor.statistics.arrays import Array

WRONG = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Shares of the silence-deserving turns that an operating point may nudge."""

EDGES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0)
"""Of the table of reliability: finer where most turns are."""

PRECISION = 0.8
"""Least share of residue nudges that are right: the certificate's tolerance, 0.20 wrong (7.5)."""

MOST_WRONG = 0.01
"""Largest share of the silence-deserving turns nudged, settled ones with them (the gate's bar)."""

ENOUGH = 10
"""Least residue turns over a threshold: fewer cannot tell 0.8 from chance (a guess)."""

Measure = Callable[[Array, Array, Array], float | None]

MEASURES: dict[str, Measure] = {
    "auc": ranks.auc,
    "average_precision": ranks.average_precision,
    "log_loss": scores.log_loss,
    "log_loss_base": lambda y, _, w: _constant(scores.log_loss, y, w),
    "brier": scores.brier,
    "brier_base": lambda y, _, w: _constant(scores.brier, y, w),
    "calibration_error": scores.ece,
}


def _constant(measure: Measure, y: Array, w: Array) -> float | None:
    """Measure the constant that knows only the base rate."""
    base = scores.base_rate(y, w)
    return None if base is None else measure(y, np.full(len(y), base), w)


def measured(y: Array, p: Array, w: Array, groups: Sequence[str]) -> dict[str, Estimate]:
    """Give all measures; a number that is not defined is None."""
    return {name: estimate(y, p, w, groups, measure) for name, measure in MEASURES.items()}


def estimate(y: Array, p: Array, w: Array, groups: Sequence[str], measure: Measure) -> Estimate:
    """Give one measure with the interval of a bootstrap that draws whole groups."""
    value = measure(y, p, w)
    if value is None:
        return Estimate(None, n=len(y))
    names = [str(group) for group in groups]
    between = intervals.bootstrap(names, lambda times: measure(y, p, w * times))
    low, high = between or (None, None)
    return Estimate(_short(value), _short(low), _short(high), len(y))


def pointed(y: Array, p: Array, w: Array, groups: Sequence[str]) -> tuple[Point, ...]:
    """Give the operating points: for each share of wrong nudges the loosest threshold within it.

    The interval of `recall` chooses the threshold anew in each draw; that of `right` keeps it.
    """
    return tuple([_point(y, p, w, groups, wrong) for wrong in WRONG])


def _point(y: Array, p: Array, w: Array, groups: Sequence[str], wrong: float) -> Point:
    def recall(y: Array, p: Array, w: Array) -> float | None:
        return ranks.recall_at(y, p, w, wrong)

    threshold = loosest(y, p, w, wrong)
    if threshold is None:
        return Point(wrong, None, estimate(y, p, w, groups, recall), Estimate(None))

    def right(y: Array, p: Array, w: Array) -> float | None:
        return arrays.mean(y[p >= threshold], w[p >= threshold])

    return Point(
        wrong,
        _short(threshold),
        estimate(y, p, w, groups, recall),
        estimate(y, p, w, groups, right),
    )


def loosest(y: Array, p: Array, w: Array, wrong: float) -> float | None:
    """Give the lowest probability from which at most `wrong` of the 0s lie; None: there is none."""
    zeros = w * (1 - y)
    kept = [
        cut for cut in np.unique(p) if zeros[p >= cut].sum() <= wrong * zeros.sum() * (1 + 1e-9)
    ]
    return float(kept[0]) if kept and zeros.sum() else None


def chosen(
    y: Array, p: Array, w: Array, residue: NDArray[np.bool_], nudged: NDArray[np.bool_]
) -> tuple[float, str]:
    """Choose the probability from which a residue turn is nudged, and say how.

    The loosest threshold over which at least `PRECISION` of the residue nudges are right, with at
    most `MOST_WRONG` of all silence-deserving turns nudged, those a proof nudges (`nudged`) with
    them. Where none is, 1: no residue turn is nudged.
    """
    zeros = w * (1 - y)
    for cut in np.unique(p[residue]):
        over = residue & (p >= cut)
        right = arrays.mean(y[over], w[over]) or 0.0
        wrong = float(zeros[over | nudged].sum() / zeros.sum())
        if over.sum() >= ENOUGH and right >= PRECISION and wrong <= MOST_WRONG:
            return _down(float(cut)), _how(y, w, over, right, wrong)
    return 1.0, (
        f"No threshold over which at least {ENOUGH} residue turns lie has {PRECISION:.0%} of its"
        f" nudges right with at most {MOST_WRONG:.0%} wrong in all. So no residue turn is nudged"
        " unless a policy names a threshold; proved turns are nudged as before."
    )


def _how(y: Array, w: Array, over: Array, right: float, wrong: float) -> str:
    n = arrays.effective(w[over]) or 0.0
    low, high = intervals.wilson(right * n, n) or (0.0, 1.0)
    return (
        f"The loosest threshold over which at least {PRECISION:.0%} of the residue's nudges are"
        f" right with at most {MOST_WRONG:.0%} of all silence-deserving turns nudged. On the"
        f" cross-fitted probabilities {int(over.sum())} residue turns lie over it,"
        f" {int(y[over].sum())} rightly: {right:.2f} by weight (95 % interval {low:.2f} to"
        f" {high:.2f} for a threshold fixed beforehand), {wrong:.2%} wrong in all. It was chosen on"
        " these very labels, so its true share is likely lower; only a certificate says."
    )


def _down(value: float) -> float:
    """Round down, so that the turn at the threshold stays over it."""
    return float(np.floor(value * 1e4) / 1e4)


def binned(y: Array, p: Array, w: Array) -> tuple[Bin, ...]:
    """Give the table of reliability, without empty bins; Wilson's interval, on the effective n."""
    places = np.clip(np.searchsorted(EDGES, p, side="right") - 1, 0, len(EDGES) - 2)
    return tuple([_bin(y, p, w, places == place, place) for place in np.unique(places)])


def _bin(y: Array, p: Array, w: Array, held: Array, place: int) -> Bin:
    share, n = arrays.mean(y[held], w[held]) or 0.0, arrays.effective(w[held]) or 0.0
    low, high = intervals.wilson(share * n, n) or (None, None)
    said = arrays.mean(p[held], w[held]) or 0.0
    observed = Estimate(_short(share), _short(low), _short(high), int(held.sum()))
    return Bin(EDGES[place], EDGES[place + 1], int(held.sum()), round(said, 4), observed)


def deciles(p: Array, w: Array) -> tuple[float, ...]:
    """Give the nine weighted deciles; none where there is no turn."""
    if not len(p):
        return ()
    order = np.argsort(p)
    share = np.cumsum(w[order]) / w.sum()
    places = np.searchsorted(share, np.arange(1, 10) / 10 - 1e-9)
    return tuple([round(float(value), 6) for value in p[order][places]])


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
