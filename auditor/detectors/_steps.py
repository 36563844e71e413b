"""The turn as steps: each call with its result, and what makes two steps the same.

The first shared piece of the detectors that look for calls going round in circles. Knows pairs of
call and result and nothing of what they mean (see `_repeats`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from auditor.detectors._refusals import refused
from auditor.detectors._tool_names import Family, family
from auditor.turn import ToolCall, ToolResult, Turn

_VOLATILE = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"  # a date
    r"|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?\b"  # a time of day; two fields would take line:column
    r"|\b\d+(?:[.,]\d+)?\s?(?:ns|[µu]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b0x[0-9a-f]+\b"
    r"|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"  # a hash or an id
    r"|\b(?:pid|process|session|request[ _-]?id)[ =:#]+\d+"
    r"|/(?:tmp|var/folders)/[^\s'\"]+",
    re.I,
)

COMPARED = 600
"""Characters at either end of an output that are compared without their volatile parts; between
them only figures are left out, which is cheaper (a guess)."""

_LETTERS = 12
"""Letters that must be left without volatile parts: a bare duration is a measurement (a guess)."""

FIGURES = {ord(digit): None for digit in "0123456789.,"}
"""For `str.translate`: figures out, a cheap stand-in for all volatile parts."""


class Step:
    """One call and its result. `batch` counts the calls that were made without a result between."""

    __slots__ = ("__dict__", "batch", "call", "result")

    def __init__(self, call: ToolCall, batch: int) -> None:
        self.call = call
        self.batch = batch
        self.result: ToolResult | None = None

    @cached_property
    def output(self) -> str:
        """The result's text; empty where none came."""
        return self.result.output if self.result else ""

    @cached_property
    def lasting(self) -> str:
        """The output without times, durations and ids; the output itself where little is left."""
        output = self.output
        if len(output) <= 2 * COMPARED:
            left = _VOLATILE.sub("", output)
        else:
            head, tail = output[:COMPARED], output[-COMPARED:]
            inner = output[COMPARED:-COMPARED].translate(FIGURES)
            left = _VOLATILE.sub("", head) + inner + _VOLATILE.sub("", tail)
        return left if sum(map(str.isalpha, left[:COMPARED])) >= _LETTERS else output

    @property
    def certain(self) -> bool:
        """The whole result is known, so that equal results are equal."""
        return self.result is not None and not self.result.clipped

    @cached_property
    def family(self) -> Family | None:
        """What the tool is for."""
        return family(self.call.name)


def same_call(one: Step, other: Step) -> bool:
    """Equal name and arguments, both known in full; no arguments at all are unknown ones."""
    a, b = one.call, other.call
    if not a.arguments or a.clipped or b.clipped:
        return False
    return a.arguments == b.arguments and a.name == b.name


def same_result(one: Step, other: Step) -> bool:
    """Equal outputs, volatile parts aside."""
    if one.result is None or other.result is None or one.result.failed != other.result.failed:
        return False
    if one.output == other.output:
        return True
    return look_alike(one.result, other.result) and one.lasting == other.lasting


def same(one: Step, other: Step) -> bool:
    """The same call with the same result."""
    return same_call(one, other) and same_result(one, other)


def answered(turn: Turn) -> list[Step]:
    """The steps with a result, in order, up to a call that the user refused or interrupted.

    Of equal calls made at once only the first is kept: they are one step of the agent.
    """
    views = turn.__dict__
    found: list[Step] | None = views.get("_steps")
    if found is None:
        found = views["_steps"] = _answered(turn)
    return found


def _answered(turn: Turn) -> list[Step]:
    steps: list[Step] = []
    waiting: dict[str | None, list[Step]] = {}
    at_once: set[tuple[str, str]] = set()
    batch, fresh = 0, True
    for part in turn.parts:
        if type(part) is ToolCall:
            if fresh:
                batch, fresh = batch + 1, False
                at_once.clear()
            step = Step(part, batch)
            waiting.setdefault(part.id, []).append(step)
            if (key := (part.name, part.arguments)) not in at_once:
                at_once.add(key)
                steps.append(step)
        elif type(part) is ToolResult:
            fresh = True
            if open_steps := waiting.get(part.call):
                open_steps.pop(0).result = part
    while steps and (steps[-1].result is None or refused(steps[-1].result)):
        steps.pop()
    return steps


def run(steps: list[Step], fits: Callable[[Step], bool]) -> list[Step]:
    """The steps at the end that all fit, in order."""
    start = len(steps)
    while start and fits(steps[start - 1]):
        start -= 1
    return steps[start:]


def laps(steps: list[Step]) -> int:
    """How many times the agent set out: calls made at once are one lap."""
    return len({step.batch for step in steps})


ALIKE = 40
"""Characters by which equal outputs may differ in length: times and ids (a guess)."""


def late_results(turn: Turn) -> list[ToolResult]:
    """The last three results, the last one first: for cheap looks before steps are built."""
    views = turn.__dict__
    found: list[ToolResult] | None = views.get("_late")
    if found is None:
        found = views["_late"] = []
        for part in reversed(turn.parts):
            if type(part) is ToolResult:
                found.append(part)
                if len(found) == 3:
                    break
    return found


def lately(turn: Turn) -> ToolResult | None:
    """The second last result when the one before it looks the same; None when it does not.

    The last result is left out: it may be an interruption.
    """
    found = late_results(turn)
    return found[1] if len(found) == 3 and look_alike(found[1], found[2]) else None


def look_alike(one: ToolResult, other: ToolResult) -> bool:
    """About as long, and sharing a few characters near the beginning and near the end.

    Two places each, because one may hold a time; short outputs pass.
    """
    a, b = one.output, other.output
    if not a:
        return not b and one.failed is not None  # else the harness may keep no results
    if not -ALIKE <= len(a) - len(b) <= ALIKE:
        return False
    head, tail = b[:64], b[-64:]
    return (a[16:24] in head or a[32:40] in head) and (a[-24:-16] in tail or a[-40:-32] in tail)


def strength(found: int, needed: int) -> float:
    """A half at the first lap that counts, towards one with every further lap."""
    return 1.0 - needed / (2.0 * found)
