"""What an evaluation found: plain data that prints, draws and encodes as JSON. Computes nothing."""

from __future__ import annotations

from msgspec import Struct

SCHEMA = "evaluation/1"


class Estimate(Struct, frozen=True):
    """A number with its 95 % interval and the number of turns behind it; None: undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0


class Judge(Struct, frozen=True, kw_only=True):
    """One way to decide (ours, or a plain reference) on all turns.

    `wrong`: weighted share of the turns that deserve silence which would be nudged; `recall`: of
    those that deserve a nudge; `right`: share of its nudges that were right. `ranked`: whether it
    orders turns at all; `recall_at` by limit of `wrong` ("0.01"): the largest recall within it.
    """

    name: str
    recall: Estimate
    wrong: Estimate
    right: Estimate
    ranked: bool = False
    auc: Estimate | None = None
    average_precision: Estimate | None = None
    recall_at: dict[str, Estimate] = {}
    curve: tuple[tuple[float, float], ...] = ()
    """Points (wrong, recall) of all thresholds, rising, at most 200."""


class Reliability(Struct, frozen=True):
    """The reliability curve (isotonic) with the band of a perfectly calibrated probability."""

    predicted: tuple[float, ...]
    observed: tuple[float, ...]
    band_low: tuple[float, ...]
    band_high: tuple[float, ...]
    histogram: tuple[int, ...]
    """Turns in ten equal bins of the probability."""


class Scores(Struct, frozen=True, kw_only=True):
    """How good the probabilities are, beside the constant that knows only the base rate."""

    log_loss: Estimate
    log_loss_base: Estimate
    brier: Estimate
    brier_base: Estimate
    miscalibration: Estimate
    discrimination: Estimate
    uncertainty: Estimate
    ece: Estimate
    ece_floor: float | None
    """95 % quantile of the error that perfectly calibrated probabilities show here."""
    slope: Estimate
    intercept: Estimate
    spiegelhalter_z: float | None
    reliability: Reliability | None


class Slice(Struct, frozen=True, kw_only=True):
    """One value of one property of turns. Numbers are None below the least n."""

    by: str
    name: str
    n: int
    yes: int
    recall: Estimate
    wrong: Estimate
    auc: Estimate


class DetectorRow(Struct, frozen=True, kw_only=True):
    """How often a detector fired and settled, and how often what it claims was so."""

    detector: str
    points_to: str
    fired: int
    right: Estimate
    settled: int
    settled_right: Estimate


class Mistake(Struct, frozen=True, kw_only=True):
    """A turn that was judged wrong; texts are redacted, and absent unless asked for."""

    turn: str
    session: str
    harness: str
    right: bool
    """Whether a nudge would have been right."""
    probability: float | None
    by: str | None
    reason: str | None
    request: str | None = None
    reply: str | None = None


class Check(Struct, frozen=True):
    """One line of the gate: PASS, WARN, FAIL or REFUSED, what was found, what was wanted."""

    state: str
    name: str
    found: str
    wanted: str


class RiskCoverage(Struct, frozen=True):
    """Share of wrong decisions among the turns decided, by the share of turns decided."""

    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    area: float | None


class Timings(Struct, frozen=True):
    """Milliseconds a turn: median and 95 % quantile of sieve and of the decision model."""

    sieve: tuple[float, float] | None
    model: tuple[float, float] | None
    asked: int


class Drift(Struct, frozen=True):
    """Distance of the probabilities from those of the fit, and the limit without drift."""

    psi: float | None
    limit: float | None
    n: int


class Row(Struct, frozen=True, kw_only=True):
    """One labelled turn and what was decided: what two evaluations are compared by, no text.

    `right`: whether a nudge would have been right; `nudge`: whether it would have been sent.
    """

    turn: str
    group: str
    weight: float
    right: bool
    residue: bool
    nudge: bool
    probability: float | None
    score: float


class Evaluation(Struct, frozen=True, kw_only=True):
    """The whole document. Groups are what the bootstrap draws: repositories or sessions."""

    schema: str = SCHEMA
    created: str
    data: tuple[str, ...]
    n: int
    yes: int
    unsure: int
    unread: int
    groups: int
    grouped_by: str
    effective_n: float
    residue: int
    model: str | None
    calibration: str | None
    fingerprint: dict[str, str]
    cross_fitted: bool
    headline: str
    judges: tuple[Judge, ...]
    """Ours first, then the references."""
    residue_judges: tuple[Judge, ...]
    """The same on the residue alone."""
    scores: Scores | None
    residue_scores: Scores | None
    slices: tuple[Slice, ...]
    detectors: tuple[DetectorRow, ...]
    risk_coverage: RiskCoverage | None
    drift: Drift | None
    timings: Timings
    checks: tuple[Check, ...]
    mistakes: tuple[Mistake, ...]
    threshold: float | None = None
    """Probability from which a residue turn is nudged."""
    draws: int = 0
    """Bootstrap draws behind the intervals."""
    duplicates: int = 0
    notes: tuple[str, ...] = ()
    """What a reader has to know beside the numbers, a sentence each."""
    rows: tuple[Row, ...] = ()
