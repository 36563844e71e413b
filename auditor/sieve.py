"""Run every detector over a turn, and say when their signals prove the verdict.

A proof is a signal that settles. The earliest stage with a proof decides, and only when all
proofs of that stage agree whose move it is: disagreeing proofs settle nothing. Unfinished and stuck
agree that the move is the agent's; a proved loop, at whatever stage, is the more exact word for it.
What nothing settles is residue.
"""

from __future__ import annotations

from msgspec import Struct

from auditor.detectors import DETECTORS
from auditor.signals import Signal
from auditor.turn import NUDGEABLE, Turn, Verdict

Signals = dict[str, Signal]
"""Signals by the name of their detector, in order of evidence."""

_IN_ORDER = tuple(sorted(DETECTORS, key=lambda detector: (detector.stage, detector.name)))
_STAGE = {detector.name: detector.stage for detector in DETECTORS}
_RUN = tuple((detector.name, detector.detect) for detector in _IN_ORDER)


class Settled(Struct, frozen=True):
    """The detectors prove the verdict; `by` is the strongest of them."""

    verdict: Verdict
    by: str


def sieve(turn: Turn) -> Signals:
    """All signals of the turn."""
    return {name: signal for name, detect in _RUN if (signal := detect(turn)) is not None}


def settled(signals: Signals) -> Settled | None:
    """The proved verdict, or None: the turn is residue."""
    proofs = [name for name, signal in signals.items() if signal.settles]
    if not proofs:
        return None
    stage = _STAGE[proofs[0]]
    first = [name for name in proofs if _STAGE[name] == stage]
    verdicts = {signals[name].points_to for name in first}
    if verdicts <= NUDGEABLE:
        stuck = [name for name in proofs if signals[name].points_to is Verdict.STUCK]
        first = stuck or first
    elif len(verdicts) > 1:
        return None
    by = max(first, key=lambda name: signals[name].strength)
    return Settled(signals[by].points_to, by)
