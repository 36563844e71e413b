"""Signals -> one score that orders turns by how right a nudge would be. Arithmetic only.

A logistic regression over the strengths of the closed set of detectors. A proof moves the score
into a band of its own, so that proved turns order before and after everything that is residue.
"""

from __future__ import annotations

from math import exp

from auditor.sieve import Settled, Signals
from auditor.turn import NUDGEABLE

INTERCEPT = -2.0
WEIGHTS: dict[str, float] = {}

BAND = 0.1
"""Width of the bands of proved turns at both ends of the scale (a convention)."""


def ranked(signals: Signals, proof: Settled | None) -> float:
    """The score, 0..1: proved silent lowest, proved nudgeable highest, residue between."""
    weight = WEIGHTS.get
    logit = INTERCEPT + sum(weight(name, 0.0) * s.strength for name, s in signals.items())
    raw = 1.0 / (1.0 + exp(-logit))
    if proof is None:
        return BAND + (1.0 - 2.0 * BAND) * raw
    return 1.0 - BAND + BAND * raw if proof.verdict in NUDGEABLE else BAND * raw
