"""Labelled turns -> a calibration: which features, which numbers, how good, from where to nudge.

Owns what is tried and kept (decisions.md 7.4), and the choice of the threshold. Everything it
reports is cross-fitted: no turn is judged by numbers that its repository or session had a part in.
The arithmetic is `regression`'s, the measures are `measures`'.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from auditor.calibration import Calibration, Counts
from auditor.errors import NotEnough
from auditor.features import VERSION, fingerprint
from auditor.fitting.crossfit import (
    LOGISTIC,
    PLATT,
    READINGS,
    Data,
    Mask,
    Plan,
    data,
    fitter,
    numbers,
    said,
)
from auditor.fitting.labelled import Example
from auditor.fitting.measures import binned, chosen, deciles, measured, pointed
from auditor.fitting.regression import gained, losses, one_thread
from auditor.statistics.arrays import Array, effective

LEAST, LEAST_OF_CLASS, PROVISIONAL = 30, 8, 100
"""Labels below which nothing is fitted, of a class too, and below which it is provisional (7.4)."""

LABELS_A_FEATURE = 10
"""Labels of the rarer class for each reading of an answer (decisions.md 4.6)."""


def enough(examples: Sequence[Example]) -> None:
    """Raise `NotEnough` for fewer labels than a fit needs."""
    yes = sum(example.right for example in examples)
    no = len(examples) - yes
    if len(examples) < LEAST or min(yes, no) < LEAST_OF_CLASS:
        raise NotEnough(
            f"{len(examples)} labels, {yes} yes and {no} no, are too few to fit a calibration;"
            f" expected at least {LEAST}, and {LEAST_OF_CLASS} of each"
        )
    if len({example.group for example in examples}) < 2:
        raise NotEnough(
            "all labels are of one repository or session; expected two or more, so that a"
            " calibration can be tried on turns it was not fitted on"
        )
    if len({example.features["score_logit"] for example in examples}) < 2:
        raise NotEnough("all turns have the same score; expected turns that can be told apart")


class Choice(NamedTuple):
    """The plan that was kept, its cross-fitted probabilities, and why, in sentences."""

    plan: Plan
    said: Array
    notes: tuple[str, ...]
    without: tuple[str, ...]


def choice(found: Data, *, model: bool) -> Choice:
    """Decide what is looked at: more only where it lowers the cross-fitted loss beyond chance.

    From 100 labels on the evidence is weighed anew; with a model, as many readings of its answers
    as there are labels for are tried on the turns it answered, the most telling by itself.
    """
    kept = Choice(PLATT, said(found, PLATT), (), ())
    if len(found.y) >= PROVISIONAL:
        kept = _richer(found, kept, LOGISTIC, np.ones(len(found.y), dtype=bool))
    if not model:
        return kept
    answered = found.answered
    rarer = int(min(found.y[answered].sum(), (1 - found.y[answered]).sum()))
    allowed = READINGS[: rarer // LABELS_A_FEATURE]
    for tried in (allowed[:1], allowed[1:]):  # the first by itself: the others may only add noise
        if tried:
            plan = Plan(kept.plan.line, (*kept.plan.steps, *tried))
            kept = _richer(found, kept, plan, answered, blind=True)
    if not allowed:
        few = f"{rarer} answered turns of the rarer class are too few to read an answer"
        kept = kept._replace(notes=(*kept.notes, few))
    left = tuple([name for name in READINGS if name not in kept.plan.steps])
    return kept._replace(without=left)


def _richer(found: Data, kept: Choice, plan: Plan, on: Mask, *, blind: bool = False) -> Choice:
    """Take the richer plan where it lowers the loss on these turns by over one standard error.

    `blind`: judged without what detectors read in words, since these were written with labels at
    hand; then the loss with them must not rise by as much either.
    """
    probability = said(found, plan)
    mean, error = _saved(found, on, kept.said, probability)
    taken, seen = mean > error, ""
    if blind and not plan.plain:
        taken, seen = mean > -error, f"; with every detector {_told(mean)} ({error:.4f})"
        before, after = (said(found, each, blind=True) for each in (kept.plan, plan))
        mean, error = _saved(found, on, before, after)
        taken = taken and mean > error
    before_names = {*kept.plan.line, *kept.plan.steps}
    more = [name for name in (*plan.line, *plan.steps) if name not in before_names]
    what = ", ".join(more) if len(more) <= len(READINGS) else "weighing the evidence anew"
    how = " without what detectors read in words" if seen else ""
    note = (
        f"{what}: {'kept' if taken else 'left out'}; cross-fitted log loss{how} {_told(mean)}"
        f" (paired standard error {error:.4f}, {int(on.sum())} turns){seen}"
    )
    if taken:
        kept = kept._replace(plan=plan, said=probability)
    return kept._replace(notes=(*kept.notes, note))


def _saved(found: Data, on: Mask, before: Array, after: Array) -> tuple[float, float]:
    """Loss that is saved on these turns, and its standard error."""
    old, new = (losses(found.y, p)[on] for p in (before, after))
    return gained(old, new, found.w[on], found.groups_of(on))


def _told(mean: float) -> str:
    return f"{'falls' if mean > 0 else 'rises'} by {abs(mean):.4f}"


def cross_fitted(examples: Sequence[Example], *, model: bool = False) -> list[float]:
    """Give the cross-fitted probability of each example. Raises `NotEnough`."""
    enough(examples)
    found = data(examples)
    with one_thread():
        said_of = choice(found, model=model).said
    by_id = dict(zip([example.id for example in found.examples], said_of, strict=True))
    return [float(by_id[example.id]) for example in examples]


def fitted(  # noqa: PLR0913 - what the card says of itself
    examples: Sequence[Example],
    *,
    name: str,
    created: str,
    description: str,
    model: dict[str, str] | None = None,
    unsure: int = 0,
    grouped_by: str = "session",
) -> Calibration:
    """Fit a calibration. Raises `NotEnough`.

    `model`: what its answers depend on, `digest` and more for the fingerprint; None: the answers
    are not looked at. Deterministic: the same examples give the same calibration.
    """
    enough(examples)
    found = data(examples)
    with one_thread():
        kept = choice(found, model=model is not None)
        made = fitter(found, kept.plan)(np.arange(len(found.y)))
    stored, residue = numbers(kept.plan, made), found.residue
    threshold, chosen_how = chosen(found.y, kept.said, found.w, residue, found.nudged)
    everywhere = (found.y, kept.said, found.w, found.groups)
    among = (found.y[residue], kept.said[residue], found.w[residue], found.groups_of(residue))
    extra = {key: value for key, value in (model or {}).items() if key != "digest"}
    return Calibration(
        id=name,
        created=created,
        description=description,
        kind="platt" if kept.plan.plain else "logistic",
        features=VERSION,
        intercept=stored.intercept,
        weights=stored.weights,
        slope=stored.slope,
        offset=stored.offset,
        steps=stored.steps,
        threshold=threshold,
        chosen=chosen_how,
        points=pointed(*everywhere),
        residue_points=pointed(*among),
        counts=_counts(found, unsure, grouped_by),
        metrics=measured(*everywhere),
        residue_metrics=measured(*among),
        reliability=binned(found.y, kept.said, found.w),
        fingerprint=fingerprint(model["digest"] if model else None) | extra,
        labels=digest(found),
        provisional=len(found.y) < PROVISIONAL,
        reference=deciles(kept.said[residue], found.w[residue]),
        without=kept.without,
        notes=kept.notes,
    )


def _counts(found: Data, unsure: int, grouped_by: str) -> Counts:
    yes, residue = int(found.y.sum()), found.residue
    return Counts(
        labels=len(found.y),
        yes=yes,
        no=len(found.y) - yes,
        unsure=unsure,
        residue=int(residue.sum()),
        residue_yes=int(found.y[residue].sum()),
        answered=int(found.answered.sum()),
        groups=len(set(found.groups)),
        grouped_by=grouped_by,
        effective=round(effective(found.w) or 0.0, 1),
    )


def digest(found: Data) -> str:
    """Digest of the labels: which turn, what was said, what it weighs."""
    lines = [f"{e.id} {e.nudge} {e.weight!r}" for e in found.examples]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()
