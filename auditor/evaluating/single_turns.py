"""What an evaluation tells of single turns: the worst mistakes, times, a row for each.

Owns which mistakes are worst and what of them may be shown. Texts are redacted where they were
read (`labelled`), and told only where somebody asked for them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from auditor.evaluating.opinions import Opinions
from auditor.evaluation import Mistake, Row, Timings
from auditor.fitting.labelled import Example
from auditor.sieve import sieve


def timings(examples: Sequence[Example]) -> Timings:
    """Time the sieve again on these turns; of the model what it took when it was asked."""
    turns = [example.turn for example in examples if example.turn is not None]
    times = []
    for turn in turns:
        began = time.perf_counter()
        sieve(turn)
        times.append(1000.0 * (time.perf_counter() - began))
    answers = [each.audit.answer for each in examples if each.audit.answer is not None]
    waited = [1000.0 * answer.seconds for answer in answers]
    return Timings(sieve=_quantiles(times), model=_quantiles(waited), asked=len(answers))


def _quantiles(times: Sequence[float]) -> tuple[float, float] | None:
    if not times:
        return None
    middle, high = np.quantile(times, [0.5, 0.95])
    return round(float(middle), 3), round(float(high), 3)


def mistakes(
    examples: Sequence[Example], said: Opinions, most: int, *, texts: bool
) -> tuple[Mistake, ...]:
    """Give the worst: what was decided wrongly, by how little it was expected (log loss).

    Wrong nudges come before missed stops, since they cost more.
    """
    wrong = [
        (example.right, _doubt(example, said.probability[at]), example.id, at)
        for at, example in enumerate(examples)
        if said.nudge[at] is not example.right
    ]
    worst = sorted(wrong)[:most]
    return tuple([_mistake(examples[at], said.probability[at], texts=texts) for *_, at in worst])


def _doubt(example: Example, said: float | None) -> float:
    """The log of the probability given to what was so: the lower, the worse the mistake."""
    number = example.audit.score if said is None else said
    return math.log(max(number if example.right else 1.0 - number, 1e-12))


def _mistake(example: Example, said: float | None, *, texts: bool) -> Mistake:
    return Mistake(
        turn=example.id,
        session=example.session,
        harness=example.harness,
        right=example.right,
        probability=None if said is None else round(said, 4),
        by=example.audit.by,
        reason=example.reason,
        request=example.request if texts else None,
        reply=example.reply if texts else None,
    )


def row(example: Example, said: float | None, nudge: bool, group: str) -> Row:
    """Give what two evaluations are compared by."""
    return Row(
        turn=example.id,
        group=group,
        weight=example.weight,
        right=example.right,
        residue=example.residue,
        nudge=nudge,
        probability=None if said is None else round(said, 6),
        score=example.audit.score,
    )
