"""The canary: eight fixed turns that show whether a decision model still answers as it did.

A served model cannot prove what it is, and a library can change beneath one. So the same turns are
asked at the promotion and whenever nudging begins, past every cache, and the readings compared.
Thresholds: decisions.md 4.7 of the field notes. The turns are written for this and mean nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from msgspec import Struct

from auditor.judge import Answer
from auditor.turn import FinishReason, Part, Text, Todo, TodoStatus, ToolCall, ToolResult, Turn

MOVED = 0.25
"""Largest difference of a logit; prompt caches and batch shapes move it by 0.01."""

TOGETHER = 0.05
"""Largest mean difference over all readings: five times the jitter (a guess). A small model hardly
tells turns apart, its logits differ by 0.3 at most: `MOVED` alone would miss another one."""

NEAR = 0.05
"""Two options nearer than this (in probability) may change places."""


class Reading(Struct, frozen=True):
    """What came of one turn: log-probabilities by option, and the logit of the probability."""

    logprobs: dict[str, float]
    logit: float | None


class Readings(Struct, frozen=True, kw_only=True):
    """All readings, by the id of their turn, and who answered."""

    schema: str = "canary/1"
    model: str | None
    readings: dict[str, Reading]


def _turn(name: str, request: str, *parts: Part, todos: tuple[Todo, ...] | None = None) -> Turn:
    return Turn(
        id=name,
        session="canary",
        harness="canary",
        request=request,
        parts=parts,
        finish=FinishReason.STOP,
        todos=todos,
    )


def _ran(command: str, output: str, *, failed: bool = False) -> tuple[Part, Part]:
    call = ToolCall("bash", f'{{"command":"{command}"}}', "c1")
    return call, ToolResult(output, "c1", failed=failed)


TURNS = (
    _turn(
        "announces",
        "Rename the column everywhere.",
        *_ran("grep -rn colour src", "src/a.py:4\nsrc/b.py:9"),
        Text("Both places are found. Next I will change src/b.py and run the tests."),
    ),
    _turn(
        "asks",
        "Add a cache for the price list.",
        Text("There are two ways: in memory or in the database. Which one do you prefer?"),
    ),
    _turn(
        "reports",
        "Fix the failing date test.",
        *_ran("pytest tests/test_dates.py", "12 passed"),
        Text("The month was counted from zero. It is fixed and all 12 tests pass."),
    ),
    _turn(
        "offers",
        "Why is the build slow?",
        Text("Linking takes most of the time. I can switch the linker if you like."),
    ),
    _turn(
        "stops short",
        "Translate the three pages.",
        Text("The first page is translated. The other two pages are not done yet."),
        todos=(
            Todo("first page", TodoStatus.COMPLETED),
            Todo("second page"),
            Todo("third page"),
        ),
    ),
    _turn(
        "waits",
        "Publish the new version.",
        *_ran("git push --tags", "ok"),
        Text("The tag is pushed. The release workflow takes a quarter of an hour to finish."),
    ),
    _turn(
        "fails",
        "Make the linter happy.",
        *_ran("make lint", "3 errors", failed=True),
        Text("The linter still complains about three lines in the parser."),
    ),
    _turn(
        "answers",
        "What does this function return?",
        Text("It returns the smallest index at which both lists differ, or None."),
    ),
)
"""Ends of every kind, so that a change of any of them shows."""


def taken(
    ask: Callable[[Turn], Answer | None], probability: Callable[[Turn, Answer | None], float | None]
) -> Readings:
    """Take the readings. `ask` asks no cache, and gives None where no model is part of the policy.

    Raises what `ask` raises: `JudgeUnavailable`.
    """
    found: dict[str, Reading] = {}
    model: str | None = None
    for turn in TURNS:
        answer = ask(turn)
        model = answer.model if answer else model
        found[turn.id] = Reading(
            answer.logprobs if answer else {}, _logit(probability(turn, answer))
        )
    return Readings(model=model, readings=found)


def _logit(probability: float | None) -> float | None:
    if probability is None:
        return None
    clipped = min(max(probability, 1e-9), 1.0 - 1e-9)
    return math.log(clipped / (1.0 - clipped))


def changed(before: Readings, now: Readings) -> str | None:
    """Say what answers differently; None: nothing beyond the usual jitter."""
    if before.readings.keys() != now.readings.keys():
        return "other turns were asked"
    for name, then in before.readings.items():
        if found := _differs(then, now.readings[name]):
            return f"{name}: {found}"
    moved = [
        by for name, then in before.readings.items() for by in _moves(then, now.readings[name])
    ]
    if moved and not (mean := math.fsum(moved) / len(moved)) <= TOGETHER:
        return f"all together moved by {mean:.2f} on average, more than {TOGETHER}"
    return None


def _moves(before: Reading, now: Reading) -> list[float]:
    """How far each logit moved; both readings have the same ones."""
    moved = [abs(now.logprobs[option] - was) for option, was in before.logprobs.items()]
    if before.logit is not None and now.logit is not None:
        moved.append(abs(now.logit - before.logit))
    return moved


def _differs(before: Reading, now: Reading) -> str | None:
    if before.logprobs.keys() != now.logprobs.keys():
        return "other options were answered"
    if (before.logit is None) != (now.logit is None):
        return "a probability is there only once"
    for by in _moves(before, now):
        if not by <= MOVED:  # what is not a number is a change, too
            return f"a logit moved by {by:.2f}, more than {MOVED}"
    if _flipped(before.logprobs, now.logprobs):
        return "another answer came first"
    return None


def _flipped(before: Mapping[str, float], now: Mapping[str, float]) -> bool:
    """Whether another option leads, and did not nearly lead before."""
    if not before:
        return False
    was, leads = max(before, key=before.__getitem__), max(now, key=now.__getitem__)
    return was != leads and math.exp(before[was]) - math.exp(before[leads]) >= NEAR
