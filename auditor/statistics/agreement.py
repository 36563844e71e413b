"""How far people agree about the same turns, beyond chance.

Answers are words (or any values that compare); `w` a weight for each turn: intervals come from
`bootstrap(groups, lambda m: kappa(a, b, m))`. None where everybody gave one and the same answer,
for there chance explains all. Follows decisions 7.6.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from auditor.statistics.arrays import Array, weights


def kappa(a: Sequence[Hashable], b: Sequence[Hashable], w: ArrayLike | None = None) -> float | None:
    """Cohen's kappa (1960): chance keeps to the habits of each rater."""
    table = _table(a, b, w)
    if table is None:
        return None
    return _beyond(float(np.trace(table)), float(table.sum(1) @ table.sum(0)))


def ac1(a: Sequence[Hashable], b: Sequence[Hashable], w: ArrayLike | None = None) -> float | None:
    """Gwet's AC1 (2008): chance as uncertain as the answers; stays steady where one is rare."""
    table = _table(a, b, w)
    if table is None or len(table) < 2:
        return None
    share = (table.sum(0) + table.sum(1)) / 2
    return _beyond(float(np.trace(table)), float(share @ (1 - share)) / (len(table) - 1))


def alpha(ratings: Sequence[Sequence[Hashable | None]], w: ArrayLike | None = None) -> float | None:
    """Krippendorff's alpha for words (nominal): for each turn the answers of all its raters.

    None stands for a rater who gave no answer; turns with fewer than two answers say nothing.
    Krippendorff 2011, by the coincidence matrix; `w` repeats a turn.
    """
    words = [[answer for answer in turn if answer is not None] for turn in ratings]
    weight = weights(w, len(words))
    codes = _codes([answer for turn in words for answer in turn])
    counts = np.zeros((len(words), len(codes)))
    for row, turn in zip(counts, words, strict=True):
        for answer in turn:
            row[codes[answer]] += 1
    raters = counts.sum(1)
    held = raters > 1
    each = (weight[held] / (raters[held] - 1))[:, None] * counts[held]
    coincidences: Array = counts[held].T @ each - np.diag(each.sum(0))
    margins = coincidences.sum(1)
    total = float(margins.sum())
    expected = total**2 - float(margins @ margins)
    if expected <= 0:
        return None
    return 1 - (total - 1) * (total - float(np.trace(coincidences))) / expected


def _beyond(observed: float, chance: float) -> float | None:
    """(observed - chance) / (1 - chance)."""
    return (observed - chance) / (1 - chance) if chance < 1 - 1e-12 else None


def _table(a: Sequence[Hashable], b: Sequence[Hashable], w: ArrayLike | None) -> Array | None:
    """Shares of the pairs of answers; an answer without weight still belongs to the scale."""
    if len(a) != len(b):
        raise ValueError(f"expected as many answers of both raters, found {len(a)} and {len(b)}")
    weight = weights(w, len(a))
    codes = _codes([*a, *b])
    if not weight.sum():
        return None
    table = np.zeros((len(codes), len(codes)))
    np.add.at(table, ([codes[one] for one in a], [codes[other] for other in b]), weight)
    shares: Array = table / table.sum()
    return shares


def _codes(answers: Sequence[Hashable]) -> dict[Hashable, int]:
    """A number for each distinct answer. ValueError: NaN, which equals nothing."""
    codes: dict[Hashable, int] = {}
    for answer in answers:
        if answer is None or answer != answer:  # noqa: PLR0124 - only NaN differs from itself
            raise ValueError("answers: an answer is missing (None or NaN); leave such turns out")
        codes.setdefault(answer, len(codes))
    return codes
