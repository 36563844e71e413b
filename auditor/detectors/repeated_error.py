"""One and the same error from call after call, whatever the agent varies.

Owns the run of different calls that all fail with the same text. Errors that pass by themselves
(network, rate limit, overload) and refusals by the user are none of its business, nor are failures
with a step between that succeeded.
"""

from __future__ import annotations

from auditor.detectors._repeats import at_it, batch, names_error, passes, spared, wrong
from auditor.detectors._steps import answered, laps, lately, run, same_result, strength
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT

LAPS = 5
"""Calls in a row with the same error (a guess between the 4 and 8 of other systems)."""

SETTLED = 6
"""The same; one more, because the arguments do change."""


def detect(turn: Turn) -> Signal | None:
    if len(turn.calls) < LAPS or (before := lately(turn)) is None:
        return None
    if before.failed is not True and not names_error(before.output):
        return None
    steps = answered(turn)
    failed = run(steps, lambda step: wrong(step) and same_result(step, steps[-1]))
    found = laps(failed)
    if found < LAPS or not at_it(turn) or spared(turn) or batch(turn):
        return None
    last = failed[-1]
    if not last.certain:
        return None  # the beginnings of two outputs are no errors in common
    if 2 * len({step.call.arguments for step in failed}) < found or passes(last):
        return None
    return Signal(
        strength(found, LAPS),
        Verdict.STUCK,
        evidence(f"{found} calls, the same error: {last.output[:80]}"),
        settles=found >= SETTLED,
    )
