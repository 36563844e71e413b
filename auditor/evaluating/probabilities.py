"""What the probabilities of an evaluation are worth: losses, calibration, coverage, drift.

Owns the part of the document that needs a calibrated probability for every turn. The measures are
`statistics`', the resampling is `estimates`'.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from auditor.calibration import Calibration
from auditor.evaluating.estimates import Cohort, within
from auditor.evaluating.judges import thinned
from auditor.evaluation import Drift, Estimate, Reliability, RiskCoverage, Scores
from auditor.statistics import drift as distances
from auditor.statistics import ranks, scores
from auditor.statistics.arrays import Array

BINS = 10
"""Of the histogram: the document says ten."""

REFERENCE = 9
"""Deciles that a calibration keeps of the residue's probabilities at its fit."""


def scored(cohort: Cohort, p: Array) -> Scores | None:
    """Say how good the probabilities are; None where a class is empty: nothing can be said.

    Slope and intercept have Wald intervals; the parts of the Brier score have bootstrap ones, of
    which those of miscalibration and discrimination run high (see `scores.corp`).
    """
    y, w, n = cohort.y, cohort.w, len(cohort)
    if not 0 < y.sum() < n:
        return None
    found = cohort.measured(lambda weights: losses(y, p, weights))
    line = scores.cox(y, p, w)
    return Scores(
        log_loss=found["log_loss"],
        log_loss_base=found["log_loss_base"],
        brier=found["brier"],
        brier_base=found["brier_base"],
        miscalibration=found["miscalibration"],
        discrimination=found["discrimination"],
        uncertainty=found["uncertainty"],
        ece=found["ece"],
        ece_floor=_short(scores.ece_floor(p, w)),
        slope=within(line.slope, line.slope_interval, n) if line else Estimate(None, n=n),
        intercept=(
            within(line.intercept, line.intercept_interval, n) if line else Estimate(None, n=n)
        ),
        spiegelhalter_z=_short(scores.spiegelhalter_z(y, p)),
        reliability=_reliability(cohort, p),
    )


def losses(y: Array, p: Array, w: Array) -> Mapping[str, float | None]:
    """Losses of the probabilities and of the constant that knows only the base rate, and parts."""
    base = scores.base_rate(y, w)
    constant = None if base is None else np.full(len(y), base)
    parts = scores.corp(y, p, w)
    return {
        "log_loss": scores.log_loss(y, p, w),
        "log_loss_base": None if constant is None else scores.log_loss(y, constant, w),
        "brier": scores.brier(y, p, w),
        "brier_base": None if constant is None else scores.brier(y, constant, w),
        "miscalibration": parts.mcb if parts else None,
        "discrimination": parts.dsc if parts else None,
        "uncertainty": parts.unc if parts else None,
        "ece": scores.ece(y, p, w),
    }


def _reliability(cohort: Cohort, p: Array) -> Reliability | None:
    found = scores.reliability(cohort.y, p, cohort.w)
    if found is None:
        return None
    kept = thinned(len(found.predicted))
    counts, _ = np.histogram(p, bins=BINS, range=(0.0, 1.0))
    return Reliability(
        predicted=_kept(found.predicted, kept),
        observed=_kept(found.observed, kept),
        band_low=_kept(found.low, kept),
        band_high=_kept(found.high, kept),
        histogram=tuple([int(count) for count in counts]),
    )


def covered(cohort: Cohort, p: Array) -> RiskCoverage | None:
    """Give the risk-coverage curve; None without turns."""
    found = ranks.risk_coverage(cohort.y, p, cohort.w)
    if found is None:
        return None
    kept = thinned(len(found.coverage))
    return RiskCoverage(_kept(found.coverage, kept), _kept(found.risk, kept), _short(found.area))


def drifted(calibration: Calibration, cohort: Cohort, p: Array) -> Drift | None:
    """Compare the residue's probabilities with those of the fit, in fifths of the latter.

    Both sides count as many turns as their weights are worth. None where the calibration keeps no
    deciles, or where they are so alike that five bins have no edges.
    """
    edges = calibration.reference[1::2]
    if len(calibration.reference) != REFERENCE or len(set(edges)) != len(edges) or not len(cohort):
        return None
    worth = calibration.counts.effective / max(calibration.counts.labels, 1)
    fifth = worth * calibration.counts.residue / (len(edges) + 1)
    if not fifth:
        return None
    found = distances.psi(
        edges, [fifth] * (len(edges) + 1), levelled(p, cohort.w, cohort.effective)
    )
    return Drift(_short(found.value), _short(found.limit), found.n)


def levelled(values: Array, w: Array, size: float) -> Array:
    """Draw so many values of equal weight that are distributed as the weighted ones, evenly."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(w[order]) / w.sum()
    count = max(1, round(size))
    places = np.searchsorted(reached, (np.arange(count) + 0.5) / count)
    drawn: Array = values[order][places]
    return drawn


def _kept(row: Array, places: list[int]) -> tuple[float, ...]:
    return tuple([round(float(row[place]), 6) for place in places])


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
