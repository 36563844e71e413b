"""Two to five steps in a circle: read A, read B, read A, read B; edit, test, revert, test.

Every step of the circle must come back with the same call and the same result, so that one moving
answer (a bisection, a falling count of failures) is enough to spare it.
"""

from __future__ import annotations

from auditor.detectors._repeats import at_it, polls, spared, telling
from auditor.detectors._steps import Step, answered, same, strength
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT

PERIODS = range(2, 6)
"""Lengths of a circle: those of the other systems that look for one."""

ROUNDS = 3
"""Rounds before it is a circle (the same systems)."""

STEPS = 8
"""Steps it must have in all: reading two files three times over is not yet one (a guess)."""


def detect(turn: Turn) -> Signal | None:
    calls = turn.calls
    if len(calls) < STEPS or not _returns(turn):
        return None
    steps = answered(turn)
    for period in PERIODS:
        length = _length(steps, period)
        if length >= max(STEPS, ROUNDS * period):
            return _signal(turn, steps[-length:], period)
    return None


def _returns(turn: Turn) -> bool:
    """Whether the calls before the last were made before, at the distance of a circle."""
    calls = turn.calls
    one, other = calls[-2].arguments, calls[-3].arguments
    earlier = [call.arguments for call in calls[-3 - PERIODS[-1] : -3]]  # two to five before it
    if one not in earlier:
        return False
    return any(
        calls[-2 - period].arguments == one and calls[-3 - period].arguments == other
        for period in PERIODS
    )


def _length(steps: list[Step], period: int) -> int:
    """How many steps at the end equal the step one period earlier, that first period included."""
    known = len(steps)
    length = period
    while length < known and same(steps[-length - 1 + period], steps[-length - 1]):
        length += 1
    return length if length > period else 0


def _signal(turn: Turn, steps: list[Step], period: int) -> Signal | None:
    circle = steps[-period:]
    if any(polls(step) for step in circle) or all(same(circle[0], step) for step in circle):
        return None  # waiting; or one call alone, which `repeated_tool_call` knows
    if not any(telling(step) for step in circle) or not at_it(turn) or spared(turn):
        return None
    rounds = len(steps) // period
    names = ", ".join(step.call.name for step in circle)
    return Signal(
        strength(rounds, ROUNDS),
        Verdict.STUCK,
        evidence(f"{rounds} rounds of {names}, same results"),
        settles=all(step.certain for step in circle),
    )
