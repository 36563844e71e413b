"""What we say of labelled turns: decided as a scan would, but never by numbers their label taught.

Owns which calibration speaks about a turn and when probabilities have to be cross-fitted. Knows no
measure.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from auditor.calibration import Calibration, Calibrations
from auditor.errors import NotEnough
from auditor.evaluating.references import proved
from auditor.fitting import fit
from auditor.fitting.crossfit import data
from auditor.fitting.labelled import Example


class Opinions(Struct, frozen=True, kw_only=True):
    """For each turn the probability, where a calibration is for it, and nudge or not.

    `crossed`: calibrations that were fitted on these very labels, so that what is said by them is
    cross-fitted: by numbers fitted on the other groups.
    """

    probability: tuple[float | None, ...]
    nudge: tuple[bool, ...]
    crossed: tuple[str, ...]

    @property
    def whole(self) -> list[float] | None:
        """All probabilities; None where some turn has none."""
        found = [value for value in self.probability if value is not None]
        return found if len(found) == len(self.probability) and found else None


def opinions(examples: Sequence[Example], by: Calibrations) -> Opinions:
    """Decide each turn: by its proof, else by its probability. Raises `NotEnough`.

    The threshold is the calibration's own, also of one that was fitted on these labels: what it
    nudges here is then a little too good, what it ranks is not.
    """
    used = [by.for_answer(example.audit.answer) for example in examples]
    crossed = _crossed(examples, [each for each in (by.plain, by.model) if each is not None])
    said = [
        _said(example, each, crossed, at)
        for at, (example, each) in enumerate(zip(examples, used, strict=True))
    ]
    _different([value for value in said if value is not None], by)
    nudge = [
        _nudges(example, value, each)
        for example, value, each in zip(examples, said, used, strict=True)
    ]
    return Opinions(probability=tuple(said), nudge=tuple(nudge), crossed=tuple(crossed))


def _crossed(
    examples: Sequence[Example], calibrations: Sequence[Calibration]
) -> dict[str, list[float]]:
    """Cross-fit anew for each calibration that was fitted on these labels, by its id."""
    ours = fit.digest(data(examples))
    again = [each for each in calibrations if each.labels == ours]
    if not again:
        return {}
    return {each.id: fit.cross_fitted(examples, model=each.model is not None) for each in again}


def _said(
    example: Example, used: Calibration | None, crossed: dict[str, list[float]], at: int
) -> float | None:
    if used is None:
        return None
    found = crossed.get(used.id)
    return used.apply(example.features) if found is None else found[at]


def _nudges(example: Example, said: float | None, used: Calibration | None) -> bool:
    if not example.residue or said is None or used is None:
        return proved(example)
    return said >= used.threshold


def _different(said: Sequence[float], by: Calibrations) -> None:
    if len(said) > 1 and min(said) == max(said):
        named = by.model or by.plain
        raise NotEnough(
            f"the calibration {named.id if named else ''} gives all {len(said):,} turns the same"
            f" probability, {said[0]:.4g}, so it tells none from another; expected one that does:"
            " auditor fit"
        )
