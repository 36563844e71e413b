"""Signals and an answer -> the probability that a nudge is right, from a few stored numbers.

Owns what a calibration is, how it is written and read as JSON, how it is applied (arithmetic, the
same as scikit-learn's), and when it is refused. `fit` makes one; files are `calibrations`'.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, isfinite
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from auditor.errors import CalibrationMismatch
from auditor.evaluation import Estimate
from auditor.features import SENSES, features, fingerprint
from auditor.judge import Answer
from auditor.policy import Judged
from auditor.sieve import Settled, Signals

Chance = Annotated[float, Meta(ge=0, le=1)]
ID = "^[a-z0-9][a-z0-9._-]{0,99}$"
"""What a calibration may be called: its file too is called so."""

Id = Annotated[str, Meta(pattern=ID)]


class Point(Struct, frozen=True):
    """The loosest threshold with at most `wrong` of the silence-deserving turns nudged.

    `recall`: share of the turns that deserve a nudge; `right`: share of its nudges that are right.
    `threshold` None: no threshold is strict enough.
    """

    wrong: float
    threshold: float | None
    recall: Estimate
    right: Estimate


class Bin(Struct, frozen=True):
    """Turns of like probability: how many, what was said on average, what was so."""

    low: float
    high: float
    n: int
    said: float
    observed: Estimate


class Counts(Struct, frozen=True, kw_only=True):
    """What it was fitted on. `residue`: turns that no proof settles; `answered`: by the model."""

    labels: int
    yes: int
    no: int
    unsure: int
    residue: int
    residue_yes: int
    answered: int
    groups: int
    grouped_by: str
    effective: float
    """Turns of equal weight that would know as much, (sum w)² / sum w²."""


class Calibration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """probability = sigmoid(slope (intercept + weights · features) + offset + steps · features).

    `weights` and `intercept` are the logistic regression's, `slope`, `offset` and `steps` (of the
    proofs) of the ridged Platt scaling after it (decisions.md 7.4). `metrics` and `points` are
    cross-fitted: no turn is judged by numbers that its group had a part in. `threshold`: the
    probability from which a residue turn would be nudged, `chosen` how; `reference`: the nine
    deciles of the residue's probabilities. `labels`: digest of the labels. `without`: names of
    features that were tried and left out.
    """

    schema: Literal["calibration/1"] = "calibration/1"
    id: Id
    created: str
    description: str
    kind: Literal["platt", "logistic"]
    features: str
    intercept: float
    weights: dict[str, float]
    slope: Annotated[float, Meta(ge=0)]
    offset: float
    steps: dict[str, float]
    threshold: Chance
    chosen: str
    points: tuple[Point, ...]
    residue_points: tuple[Point, ...] = ()
    counts: Counts
    metrics: dict[str, Estimate]
    residue_metrics: dict[str, Estimate] = {}
    reliability: tuple[Bin, ...]
    fingerprint: dict[str, str]
    labels: str
    provisional: bool
    reference: tuple[float, ...]
    without: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError for numbers that give no probability, and for names nobody knows."""
        numbers = (self.intercept, self.slope, self.offset, *self.weights.values())
        if not all(map(isfinite, (*numbers, *self.steps.values()))):
            raise ValueError("a number of the calibration is not finite")

    def apply(self, found: Mapping[str, float]) -> float:
        """Give the probability, 0..1, that a nudge is right; a feature that is missing is 0."""
        get = found.get
        line = self.intercept + sum(get(name, 0.0) * by for name, by in self.weights.items())
        line = self.slope * line + self.offset
        return sigmoid(line + sum(get(name, 0.0) * by for name, by in self.steps.items()))

    @property
    def model(self) -> str | None:
        """The digest of the decision model whose answers it reads, if it reads any."""
        return self.fingerprint.get("model")


def sigmoid(line: float) -> float:
    """Probability of log odds; never overflows."""
    small = exp(-abs(line))
    return 1.0 / (1.0 + small) if line >= 0 else small / (1.0 + small)


class Calibrations(Struct, frozen=True):
    """The calibrations in use: `model` judges where that model answered, `plain` anything else."""

    plain: Calibration | None = None
    model: Calibration | None = None

    def for_answer(self, answer: Answer | None) -> Calibration | None:
        """Give the calibration for this answer; None: none is."""
        if answer is not None and self.model is not None and self.model.model == answer.model:
            return self.model
        return self.plain

    def probability(
        self,
        signals: Signals,
        proof: Settled | None,
        answer: Answer | None,
        known: dict[str, float],
    ) -> tuple[float, Calibration] | None:
        """Give the probability and by which; `known` are the turn's `features.facts`."""
        used = self.for_answer(answer)
        if used is None:
            return None
        return used.apply(features(signals, proof, answer, known)), used

    def judged(
        self,
        signals: Signals,
        proof: Settled | None,
        answer: Answer | None,
        known: dict[str, float],
    ) -> Judged | None:
        """Give the same as an opinion, with the threshold that the calibration recommends."""
        found = self.probability(signals, proof, answer, known)
        return Judged(found[0], found[1].id, found[1].threshold) if found is not None else None


NO_CALIBRATIONS = Calibrations()


def mismatch(calibration: Calibration, model: str | None = None) -> str | None:
    """Say what it was fitted for that is not so here; None: it fits. `model`: digest of ours."""
    here = fingerprint(model or calibration.model)
    unknown = sorted({*calibration.weights, *calibration.steps} - set(SENSES))
    if unknown:
        return f"it weighs {', '.join(unknown)}, which nothing here sees"
    for name, ours in here.items():
        theirs = calibration.fingerprint.get(name)
        if theirs != ours and not (name in {"question", "model"} and calibration.model is None):
            return f"it was fitted for {name} {_short(theirs)}, and this is {_short(ours)}"
    return None


def _short(value: str | None) -> str:
    return "none" if value is None else value[:16]


def checked(calibration: Calibration, where: str, model: str | None = None) -> Calibration:
    """Give it back where it fits. Raises `CalibrationMismatch`."""
    if (problem := mismatch(calibration, model)) is not None:
        raise CalibrationMismatch(
            f"the calibration {where} cannot be used: {problem}; fit one anew: auditor fit"
        )
    return calibration


def encoded(calibration: Calibration) -> bytes:
    """Give its canonical JSON: the same calibration, the same bytes."""
    return msgspec.json.format(msgspec.json.encode(calibration, order="sorted"), indent=1) + b"\n"


def decoded(raw: bytes) -> Calibration:
    """Read one. Raises ValueError that says what is wrong and where."""
    try:
        return msgspec.json.decode(raw, type=Calibration)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise ValueError(str(error)) from error
