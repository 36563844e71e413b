"""Calls in a row that differ and bring nothing new: one question respelled, or vain searches.

Owns two ways to vary: spelling (blanks, quotes, `./`, an absolute path, `offset` 0, another
description) with the same result, and many searches of which none finds anything. Calls that
name different things and succeed alike are a batch, never a loop.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from auditor.detectors._repeats import at_it, batch, spared, telling, wish, wrong
from auditor.detectors._steps import (
    COMPARED,
    FIGURES,
    Step,
    answered,
    laps,
    late_results,
    lately,
    run,
    same_result,
    strength,
)
from auditor.detectors._tool_names import Family
from auditor.signals import Signal, Stage, evidence
from auditor.turn import ToolCall, ToolResult, Turn, Verdict

STAGE = Stage.TEXT

LAPS = 4
"""Spellings of one call in a row, as for equal calls."""

SETTLED = 5
"""As for equal calls."""

SEARCHES = 8
"""Empty searches in a row: somebody who looks for a name tries a handful (a guess)."""

EMPTY = 160
"""Characters of an output that may still say "nothing found" (a guess)."""

LONG = 2000
"""Characters of a value that is content rather than a spelling of something (a guess)."""

_WORDING = frozenset(
    {"description", "explanation", "reason", "thought", "title", "summary", "justification"}
)
"""Arguments that only say why."""

_AMOUNTS = frozenset({"limit", "timeout", "max_lines", "max_results", "head_limit"})
"""Arguments that say how much; after an error another amount is another try."""

_NOTHING = (
    "no such", "not found", "is empty", "does not exist", "did not match any", "nothing found",
    "nothing matched", "no match",
)  # fmt: skip
_NONE = re.compile(
    r"(?<![\w.,])(?:no|0|zero) (?:\w+ ){0,2}(?:found|match|result|hit|file|entr"
    r"|occurrence|reference)"
)
_BARE = re.compile(
    r"\s*(?:\[\]|\{\}|null|none|0|.{0,80}exit(?:ed with)? code:? [01]|.{0,80}output:)?\s*\Z", re.S
)
_SEARCH = re.compile(
    r"\A\W*(?:cd \S+ && )?(?:sudo )?(?:grep|rg|ag|ack|find|fd|ls|git grep|git log|locate|which)\b"
)
_ABSENCE = re.compile(
    r"\b(?:no longer|unused|usages?|any|none|whether|which|leftover|remain\w*|anymore|make sure"
    r"|verify|audit|confirm|still|dead|orphan\w*|obsolete|deprecated|stale|secrets?|leak\w*|in use"
    r"|(?:is|are|ever|not) used|exists?)\b|残|没有|是否|不再|не осталось|\bkeine?r?\b|plus aucun",
    re.I,
)
"""A request for which an empty search is the answer (a guess at its wordings)."""


def detect(turn: Turn) -> Signal | None:
    calls = turn.calls
    if len(calls) < LAPS:
        return None
    if _respelled(turn):
        return _spellings(turn, answered(turn))
    if len(calls) >= SEARCHES and _in_vain(turn):
        return _searches(turn, answered(turn))
    return None


def _respelled(turn: Turn) -> bool:
    """Whether two calls near the end ask the same in other words: a cheap look."""
    one, other = turn.calls[-2:-4:-1]
    if one.name != other.name or one.arguments == turn.calls[-4].arguments == other.arguments:
        return False  # equal calls have their own detector
    return lately(turn) is not None and _same_but_figures(turn) and plain(one) == plain(other)


def _same_but_figures(turn: Turn) -> bool:
    _, one, other = late_results(turn)
    a, b = one.output, other.output
    return a == b or (len(a) <= 20 * COMPARED and a.translate(FIGURES) == b.translate(FIGURES))


def _in_vain(turn: Turn) -> bool:
    """Whether two results near the end say that nothing was found: a cheap look."""
    late = late_results(turn)
    return len(late) == 3 and _nothing(late[1]) and _nothing(late[2])


def _nothing(result: ToolResult) -> bool:
    """The result is a short "nothing found", or empty by the harness's own word."""
    output = result.output
    if not output:
        return result.failed is not None  # else the harness may keep no results
    if len(output) > EMPTY:
        return False
    said = output.lower()
    if any(phrase in said for phrase in _NOTHING) or _BARE.match(said):
        return True
    return _NONE.search(said) is not None


def _spellings(turn: Turn, steps: list[Step]) -> Signal | None:
    if not steps or (last := steps[-1]).call.clipped or not telling(last):
        return None
    if not last.certain:
        return None
    asked = _asks(last)
    again = run(steps, lambda step: same_result(step, last) and _asks(step) == asked)
    found = laps(again)
    if found < LAPS or not at_it(turn) or spared(turn):
        return None
    return Signal(
        strength(found, LAPS),
        Verdict.STUCK,
        evidence(f"{found} spellings of {last.call.name} {last.call.arguments[:60]}, same result"),
        settles=found >= SETTLED,
    )


def _asks(step: Step) -> tuple[str, ...]:
    return () if step.call.clipped else plain(step.call, amounts=wrong(step))


def _searches(turn: Turn, steps: list[Step]) -> Signal | None:
    vain = run(steps, _found_nothing)
    found = laps(vain)
    asked = {step.call.arguments for step in vain}
    if found < SEARCHES or 2 * len(asked) < found or not vain[-1].certain:
        return None
    if not at_it(turn) or spared(turn):
        return None
    if batch(turn) or _ABSENCE.search(wish(turn)) or not all(_looks(step) for step in steps):
        return None  # after work of its own an empty search may be the proof that it is done
    return Signal(
        strength(found, SEARCHES),
        Verdict.STUCK,
        evidence(f"{found} searches in a row found nothing"),
        settles=True,
    )


def _looks(step: Step) -> bool:
    """The step only looks at something."""
    if step.family is Family.SHELL:
        return _SEARCH.match(_command(step.call)) is not None
    return step.family is Family.READ


def _found_nothing(step: Step) -> bool:
    return step.result is not None and _looks(step) and _nothing(step.result)


def _command(call: ToolCall) -> str:
    match _decoded(call):
        case {"command": str(command)} | {"cmd": str(command)} | {"script": str(command)}:
            return command
        case _:
            return call.arguments


def _decoded(call: ToolCall) -> Any:
    try:
        return msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, RecursionError):
        return call.arguments


_SPELLING = re.compile(r"[\"'`]|\|\s*cat\b|2>&1|(?<![\w.])\./|/(?=/)")
_PATH = re.compile(r"(?<![\w.@+/-])(?:[\w.@+-]*/)+([\w.@+-]+/[\w.@+-]+)")


def plain(call: ToolCall, *, amounts: bool = False) -> tuple[str, ...]:
    """What the call asks, without spelling: values that matter, paths by their last two names."""
    free = _WORDING if amounts else _WORDING | _AMOUNTS
    match _decoded(call):
        case dict(fields):
            values = [
                f"{name}={_spelled(value)}"
                for name, value in sorted(fields.items())
                if name.lower() not in free and value not in (0, 1, "", None, False, [])
            ]
        case value:
            values = [_spelled(value)]
    return (call.name, *values)


def _spelled(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    if len(text) > LONG:
        return text
    return _PATH.sub(r"\1", " ".join(_SPELLING.sub("", text).split()))
