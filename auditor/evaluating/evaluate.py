"""Labelled turns -> an evaluation: what we say of them, held to what people said.

Owns what is told, and the order in which it is found out. The tables are `judges`' and
`probabilities`', the sentence that says whether to trust it is `trust`'s. Deterministic: the same
turns give the same numbers; only `created` and the sieve's timing differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from auditor.calibration import NO_CALIBRATIONS, Calibration, Calibrations
from auditor.errors import NotEnough
from auditor.evaluating import trust
from auditor.evaluating.estimates import Cohort, Held
from auditor.evaluating.judges import Decided, detectors, judged, referred, sliced
from auditor.evaluating.opinions import Opinions, opinions
from auditor.evaluating.probabilities import covered, drifted, scored
from auditor.evaluating.single_turns import mistakes, row, timings
from auditor.evaluation import Drift, Evaluation, Judge, Scores
from auditor.features import fingerprint
from auditor.fitting.labelled import Example, Examples
from auditor.statistics.arrays import Array
from auditor.statistics.intervals import DRAWS

OURS = "turn auditor"

MISTAKES = 20
"""Worst mistakes that are listed (decisions.md 7.8)."""

BY = ("harness", "model", "reason")


class Group(StrEnum):
    """What the bootstrap draws: turns of one are no independent news."""

    REPO = "repo"
    SESSION = "session"


class Wanted(Struct, frozen=True, kw_only=True):
    """What to tell. `model`, `digest`: the decision model that was asked, if one was."""

    created: str
    by: Sequence[str] = BY
    model: str | None = None
    digest: str | None = None
    group: Group = Group.REPO
    draws: int = DRAWS
    mistakes: int = MISTAKES
    texts: bool = False


class _Turns(NamedTuple):
    """The turns as columns, all of them or the residue, and what everybody decides about them."""

    examples: list[Example]
    groups: list[str]
    cohort: Cohort
    ways: list[Decided]
    p: Array | None

    def judges(self) -> tuple[Judge, ...]:
        return tuple([judged(self.cohort, way) for way in self.ways]) if self.examples else ()

    def scores(self) -> Scores | None:
        return None if self.p is None or not self.examples else scored(self.cohort, self.p)


def evaluated(found: Examples, wanted: Wanted, by: Calibrations = NO_CALIBRATIONS) -> Evaluation:
    """Evaluate. Raises `NotEnough` for an empty class, and for probabilities that are all equal."""
    examples = sorted(found.examples, key=lambda example: (example.group, example.id))
    _both(examples)
    said = opinions(examples, by)
    every = _turns(examples, said, wanted)
    residue = np.array([example.residue for example in examples], dtype=bool)
    rest = _rest(every, residue)
    main = by.model or by.plain
    drift = None
    if main is not None and rest.p is not None and not said.crossed:
        drift = drifted(main, rest.cohort, rest.p)
    judges, on_residue, scores = every.judges(), rest.judges(), every.scores()
    evidence = _evidence(found, every, wanted, main, scores, (judges, on_residue), drift)
    checks = trust.checks(evidence)
    return Evaluation(
        **_counted(found, every, rest, wanted),
        **_by(wanted, main, said),
        headline=trust.headline(checks, judges[0], len(examples)),
        judges=judges,
        residue_judges=on_residue,
        scores=scores,
        residue_scores=rest.scores(),
        slices=sliced(every.cohort, every.ways[0], examples, wanted.by),
        detectors=detectors(every.cohort, examples),
        risk_coverage=None if every.p is None else covered(every.cohort, every.p),
        drift=drift,
        timings=timings(examples),
        checks=checks,
        mistakes=mistakes(examples, said, wanted.mistakes, texts=wanted.texts),
        notes=_notes(every, main, said, wanted),
        rows=tuple(map(row, examples, said.probability, said.nudge, every.groups)),
    )


def _both(examples: Sequence[Example]) -> None:
    yes = sum(example.right for example in examples)
    if not yes or yes == len(examples):
        only = "deserve a nudge" if yes else "deserve silence"
        told = f"all {len(examples):,} labelled turns {only}" if examples else "no turn is labelled"
        raise NotEnough(f"{told}; an evaluation needs turns of both kinds, labelled yes and no")


def _turns(examples: list[Example], said: Opinions, wanted: Wanted) -> _Turns:
    groups = [_group(example, wanted.group) for example in examples]
    cohort = Cohort(
        [float(example.right) for example in examples],
        [example.weight for example in examples],
        groups,
        draws=wanted.draws,
    )
    whole = said.whole
    p = None if whole is None else np.array(whole)
    order = np.array([example.audit.score for example in examples]) if p is None else p
    ours = Decided(name=OURS, nudge=np.array(said.nudge, dtype=bool), order=order)
    return _Turns(examples, groups, cohort, [ours, *referred(examples)], p)


def _group(example: Example, by: Group) -> str:
    session = example.session or example.id
    return session if by is Group.SESSION else example.group


def _rest(every: _Turns, residue: Held) -> _Turns:
    """Give the residue; a reference that cannot speak about all turns may about these."""
    left = [example for example in every.examples if example.residue]
    ours = every.ways[0].among(residue)
    p = None if every.p is None else every.p[residue]
    groups = [group for group, held in zip(every.groups, residue, strict=True) if held]
    return _Turns(left, groups, every.cohort.among(residue), [ours, *referred(left)], p)


def _evidence(  # noqa: PLR0913, PLR0917 - all that the checks look at
    found: Examples,
    every: _Turns,
    wanted: Wanted,
    main: Calibration | None,
    scores: Scores | None,
    judges: tuple[tuple[Judge, ...], tuple[Judge, ...]],
    drift: Drift | None,
) -> trust.Evidence:
    left = [example for example in every.examples if example.residue]
    on_all, on_residue = judges
    return trust.Evidence(
        n=len(every.examples),
        yes=int(every.cohort.y.sum()),
        groups=every.cohort.groups,
        grouped_by=_grouped(found, wanted),
        unread=len(found.unread),
        ours=on_all[0],
        rule=next((judge for judge in on_all if judge.name == "dangling rule"), None),
        residue=on_residue[0] if on_residue else None,
        scores=scores,
        drift=drift,
        model=wanted.model,
        unanswered=sum(each.audit.answer is None for each in left) if wanted.model else 0,
        calibration=main.id if main else None,
        provisional=bool(main and main.provisional),
    )


def _counted(found: Examples, every: _Turns, rest: _Turns, wanted: Wanted) -> dict[str, Any]:
    return {
        "data": found.data,
        "n": len(every.examples),
        "yes": int(every.cohort.y.sum()),
        "unsure": found.unsure,
        "unread": len(found.unread),
        "duplicates": found.duplicates,
        "groups": every.cohort.groups,
        "grouped_by": _grouped(found, wanted),
        "effective_n": round(every.cohort.effective, 1),
        "residue": len(rest.examples),
    }


def _grouped(found: Examples, wanted: Wanted) -> str:
    return "session" if wanted.group is Group.SESSION else found.grouped_by


def _by(wanted: Wanted, main: Calibration | None, said: Opinions) -> dict[str, Any]:
    return {
        "created": wanted.created,
        "model": wanted.model,
        "calibration": main.id if main else None,
        "fingerprint": main.fingerprint if main else fingerprint(wanted.digest),
        "threshold": main.threshold if main else None,
        "cross_fitted": bool(said.crossed),
        "draws": wanted.draws,
    }


def _notes(
    every: _Turns, main: Calibration | None, said: Opinions, wanted: Wanted
) -> tuple[str, ...]:
    """Say what a reader has to know beside the numbers."""
    notes = []
    if said.crossed:
        notes.append(
            f"Fitted on these very labels: {', '.join(said.crossed)}. So what is said by it here is"
            " cross-fitted: each probability by numbers that were fitted anew on the other groups."
            " Its threshold was chosen on these labels all the same, so shares of wrong and right"
            " nudges are a little too good; and if those who wrote the detectors saw these turns,"
            " so is all that the sieve proves."
        )
    if len(set(every.cohort.w.tolist())) > 1:
        notes.append(
            f"Turns have sampling weights: {len(every.examples):,} labelled turns stand for the"
            f" population they were drawn from and know as much as {every.cohort.effective:,.0f}"
            " of equal weight."
        )
    if every.p is None and main is not None:
        notes.append(
            f"Some turns have no probability: the calibration {main.id} is for turns that its"
            " model answered. They are ranked by the score of the sieve."
        )
    if wanted.draws == 0 or every.cohort.groups < 2:
        notes.append("Nothing was resampled, so most numbers have no interval.")
    return tuple(notes)
