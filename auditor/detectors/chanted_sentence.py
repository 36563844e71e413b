"""One sentence, line or phrase over and over until the text ends.

Two cheap looks: whether the end of the text is periodic (any unit, from a word to a function in
an open code block), and whether the same sentences make up all of the text from some point on
(a list that counts up with one content). Tables, closed code blocks and rules made of signs are
form. Grows linearly. Repeats with changed words belong to `near_duplicate_paragraphs`.
"""

from __future__ import annotations

import re
from collections import Counter

from auditor.detectors._repetition import (
    fences,
    last_words,
    open_fence,
    recurs,
    spared,
    strength,
)
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT

CHANTED = 240
"""Characters that must be chanted (a guess)."""

PROBE = 32
"""Characters at the end whose earlier occurrence gives the period (a guess)."""

PERIOD = 2048
"""Longest period looked for, in characters (a guess; a long paragraph)."""

REPEATS = 8
"""Times a unit or a sentence must stand there (Gemini CLI: 10 chunks of 50 characters)."""

COVER = 0.8
"""Share of the text, from the first chanted sentence on, that is chanted (a guess)."""

_MARKS = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,4}[.)、]|[a-z][.)])[ \t]+", re.M)
_ROW = re.compile(r"^[ \t]*[|>].*$", re.M)


def detect(turn: Turn) -> Signal | None:
    if not recurs(turn):
        return None
    text = last_words(turn)
    found = _periodic(text) or _sentences(text)
    if found is None or spared(turn):
        return None
    unit, times = found
    return Signal(
        strength(times, REPEATS),
        Verdict.STUCK,
        evidence(f"{times}× “{unit.strip()[:80]}”"),
        settles=True,
    )


def _periodic(text: str) -> tuple[str, int] | None:
    """The unit the text ends on, and how often it stands there."""
    text = text.rstrip()
    end = len(text)
    at = text.rfind(text[-PROBE:], max(0, end - PERIOD - PROBE), end - 1)
    if at < 0:
        return None
    period = end - PROBE - at
    length = _periodic_length(text, period)
    times = length // period
    unit = text[-period:]
    if times < REPEATS or length < CHANTED or not _speaks(unit):
        return None
    if open_fence(text) and (times < 2 * REPEATS or not _says_much(unit)):
        return None  # equal short lines are common in code that is still being written
    return unit, times


def _periodic_length(text: str, period: int) -> int:
    """Characters at the end that equal the character one period earlier; by doubling steps."""
    end, step, length = len(text), period, period
    while step:
        reach = length + step
        if (
            reach <= end
            and text[end - reach : end - length]
            == text[end - reach + period : end - length + period]
        ):
            length, step = reach, step * 2
        else:
            step //= 2
    return length


def _speaks(unit: str) -> bool:
    """Words, not a rule of signs or a table's row."""
    letters = sum(map(str.isalpha, unit[:PERIOD]))
    return (
        letters >= 2 and letters * 3 >= len(unit.strip()) and "|" not in unit and "\n>" not in unit
    )


def _says_much(unit: str) -> bool:
    return sum(map(str.isalpha, unit)) >= 20


def _sentences(text: str) -> tuple[str, int] | None:
    """The sentence chanted most, and its count, where chanted sentences make up the end."""
    prose = _ROW.sub("", "\n".join(fences(text)[::2]))
    units = [unit for piece in _pieces(_MARKS.sub("", prose)) if (unit := piece.strip(" .。!！"))]
    counts = Counter(units)
    chanted = {unit for unit, times in counts.items() if times >= REPEATS // 2 and _speaks(unit)}
    first = next((place for place, unit in enumerate(units) if unit in chanted), None)
    if first is None:
        return None
    reach = units[first:]
    covered = sum([len(unit) for unit in reach if unit in chanted])
    total = sum(map(len, reach)) - (0 if reach[-1] in chanted else len(reach[-1]))
    often = max(chanted, key=lambda unit: counts[unit] * len(unit))
    many = sum([unit in chanted for unit in reach])
    if counts[often] < REPEATS or covered < CHANTED:
        return None
    if covered < COVER * total or many < COVER * (len(reach) - 1):
        return None  # headings, names or numbers between: a report in one shape
    return often, counts[often]


def _pieces(text: str) -> list[str]:
    """Sentences and lines, roughly: what stands between full stops and line ends."""
    text = text.replace("\n", ". ")
    if not text.isascii():
        text = text.replace("。", ". ").replace("！", ". ").replace("？", ". ")
    return text.split(". ")
