"""The text a turn ends on, and which repeats in it are form rather than content.

The shared piece of the detectors that look for text going round in circles. Only the end counts:
text before the last call was followed by work, so whatever it repeated is over.
"""

from __future__ import annotations

import re

from auditor.detectors._repeats import wish
from auditor.turn import Reasoning, Text, Turn

_ASKED = re.compile(
    r"(?<!\d)\d{1,6}\s{0,3}(?:x\b|times\b|mal\b|fois\b|veces\b|vezes\b|volte\b|次|回|번|遍)"
    r"|\b(?:repeat\w*|chorus|refrain|song|lyrics|poem|verse|rhyme|chant|mantra|lorem|placeholder"
    r"|dummy|filler|sample (?:text|data)|verbatim|word for word|paste|wiederhol\w+|lied|gedicht"
    r"|r[ée]p[èée]t\w+|chanson|canci[óo]n|poema|repit\w+|повтор\w+|песн\w+)\b"
    r"|歌|诗|重复|繰り返|노래",
    re.I,
)
"""A request whose answer repeats itself by nature (a guess at its wordings)."""


SHORTEST = 300
"""Characters of text below which nothing is looked at (a guess: eight short sentences)."""

WINDOW = 24
"""Characters looked for again (a guess: long enough to be rare, short enough to fit a sentence)."""

OFTEN = 3
"""Times it must stand there; repeats with an exchanged word need not all have the same piece."""

_PLACES = (36, 68, 216)
"""Where the windows begin, counted from the end of the text: several, because one may hold a
number that counts up (a guess)."""


def recurs(turn: Turn) -> bool:
    """Whether a piece near the end of the last words stands there often: a cheap look."""
    views = turn.__dict__
    found: bool | None = views.get("_recurs")
    if found is None:
        text = turn.reply or _thoughts(turn)
        found = views["_recurs"] = len(text) >= SHORTEST and _stands_often(text)
    return found


def _stands_often(text: str) -> bool:
    end = len(text)
    for place in _PLACES:
        start = end - place
        piece = text[start : start + WINDOW]
        if text.find(piece, 0, start) >= 0 and text.count(piece) >= OFTEN:
            return True
    return False


def _thoughts(turn: Turn) -> str:
    """What the agent thought after the last call or result."""
    found: list[str] = []
    for part in reversed(turn.parts):
        if type(part) is Reasoning:
            found.append(part.text)
        elif type(part) is not Text:
            break
    return "\n\n".join(reversed(found)).rstrip()


def last_words(turn: Turn) -> str:
    """The text after the last call or result; the thoughts there where no text follows."""
    text = turn.reply or _thoughts(turn)
    clipped = any(type(part) is Text and part.clipped for part in turn.parts)
    if clipped and text.count("```") % 2:
        return text[text.find("```") + 3 :]  # its beginning was cut off inside a code block
    return text


def spared(turn: Turn) -> bool:
    """The user asked for something that repeats itself."""
    return _ASKED.search(wish(turn)) is not None


_FENCE = re.compile(
    r"(^[ \t>]*(?:```|~~~)[^\n]*\n.*?(?:^[ \t>]*(?:```|~~~)[ \t]*$|\Z))", re.M | re.S
)


def fences(text: str) -> list[str]:
    """The text cut at its code blocks: prose, code, prose, code … The last may never close."""
    return _FENCE.split(text) if "```" in text or "~~~" in text else [text]


def open_fence(text: str) -> bool:
    """The text ends inside a code block."""
    return text.count("```") % 2 == 1 or text.count("~~~") % 2 == 1


def strength(found: int, needed: int) -> float:
    """A half at the first repeat that counts, towards one with every further one."""
    return 1.0 - needed / (2.0 * found)
