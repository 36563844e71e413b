"""The same call with the same result again and again, and nothing else between.

Owns the plain loop: equal arguments AND equal results, volatile parts aside. A changed result, a
changed argument or any other call between is progress. Polls are no loop, except a probe of
something that answers with an error and that nothing in this turn has started.
"""

from __future__ import annotations

from auditor.detectors._repeats import at_it, on_screen, passes, spared, telling, wrong
from auditor.detectors._steps import Step, answered, lately, run, same, strength
from auditor.detectors._tool_names import Family
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT

LAPS = 4
"""Equal steps in a row: three refused edits are still a fumble (OpenHands counts four too)."""

SETTLED = 5
"""Equal steps that prove it: the count of Gemini CLI and DSH, who do not or do look at results."""

PROBES = 8
"""Failing probes of something nobody started, or errors that pass by themselves (a guess: a slow
server, a broken network need fewer)."""


def detect(turn: Turn) -> Signal | None:
    calls = turn.calls
    # The last call may be unanswered or interrupted: the three before it tell as cheaply.
    if len(calls) < LAPS or not calls[-2].arguments == calls[-3].arguments == calls[-4].arguments:
        return None
    if lately(turn) is None:
        return None
    steps = answered(turn)
    again = run(steps, lambda step: same(step, steps[-1]))
    if len(again) < LAPS or not at_it(turn) or spared(turn):
        return None
    last = again[-1]
    if passes(last) and len(again) < PROBES:
        return None
    if not telling(last) and not _vain(last, again, steps):
        return None
    return Signal(
        strength(len(again), LAPS),
        Verdict.STUCK,
        evidence(f"{len(again)}× {last.call.name} {last.call.arguments[:60]}, same result"),
        settles=len(again) >= SETTLED and last.certain,
    )


def _vain(last: Step, again: list[Step], steps: list[Step]) -> bool:
    """Many failing probes, and no earlier step that could have started what they wait for."""
    if len(again) < PROBES or on_screen(last) or not wrong(last):
        return False
    return all(step.family is Family.READ for step in steps[: -len(again)])
