"""Prose out of a reply: code, quotes and mark-up removed, the tail, the last sentence.

Knows nothing of turns. Every text rule of the detectors runs on what these functions return,
so that an example inside a code block is never taken for the agent's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

WINDOW = 6000
"""Characters of a reply that are looked at for prose; endings never need more (a guess)."""

TAIL = 700
"""Characters of prose kept: more than twice the reach of any hand-off phrase (a guess)."""

SENTENCE = 300
"""Characters of a last sentence that are looked at; a longer one is no announcement (a guess)."""

_TICKS = re.compile("```")
_FENCE = re.compile("```|~~~")
_FENCE_LINE = re.compile(r"[ \t>]*(?:```+|~~~+)[ \t]*([^\n`]*)$", re.M)
_INLINE = re.compile(r"``[^`\n]{1,300}``|`[^`\n]{1,300}`")
_QUOTED = re.compile(r"^[ \t]*>[^\n]*(?:\n|\Z)", re.M)
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{0,300}\)")

CODE = "`x`"
"""Stands where inline code stood, so that the sentence around it stays a sentence."""

_MARKS = (". ", "! ", "? ", '." ', ".) ", ".* ")
_WIDE_MARKS = ("… ", "。", "！", "？", "；", "।", "؟ ")
"""What ends a sentence before another one; the same as `_END` without looking at each sign."""

_END = re.compile(r"(?<=[.!?…])[\"'”’»)*_]*\s+(?=\S)|(?<=[。！？；।؟])[\"'”’»）」』]*\s*(?=\S)")


def fences(text: str) -> tuple[list[tuple[int, int]], int | None]:
    """Spans of the fenced blocks, and where a block opens that nothing closes (else None).

    A fence with an info string always opens, one without closes what is open: so a Markdown file
    quoted with fences inside it reads right.
    """
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    for line in _fence_lines(text):
        if line.group(1).strip() or not opened:
            opened.append(line.start())
        else:
            start = opened.pop()
            if not opened:
                spans.append((start, line.end()))
    return spans, opened[0] if opened else None


def _fence_lines(text: str, after: int = 0) -> Iterator[re.Match[str]]:
    """The lines that are fences, found by their marks: that is faster than to look at each line."""
    fence = _FENCE if "~~~" in text else _TICKS  # one literal is searched for much faster than two
    while mark := fence.search(text, after):
        line = _FENCE_LINE.match(text, text.rfind("\n", 0, mark.start()) + 1)
        if line:
            yield line
        after = text.find("\n", mark.end())
        if after < 0:
            return


def open_fence(text: str) -> str | None:
    """The info string of the last fence when the text ends inside a code block, else None.

    It is empty for a bare fence, which may as well be the end of a block that is misread.
    """
    if text.count("```") % 2 == 0:
        return None
    _, unclosed = fences(text)
    if unclosed is None:
        return None
    last = text.rfind("\n```") + 1
    found = next(chain(_fence_lines(text, last), _fence_lines(text)), None)
    return found.group(1).strip() if found else None


def without_fences(text: str) -> str:
    """The text without fenced code blocks; an unclosed fence takes everything after it."""
    if "```" not in text and "~~~" not in text:
        return text
    spans, unclosed = fences(text)
    kept, place = [], 0
    for start, end in spans:
        if unclosed is not None and start > unclosed:
            break
        kept.append(text[place:start])
        place = end
    kept.append(text[place:] if unclosed is None else text[place : max(place, unclosed)])
    return "".join(kept)


def without_code(text: str) -> str:
    """The text without fenced blocks, and with `CODE` in the place of inline code."""
    text = without_fences(text)
    return _INLINE.sub(CODE, text) if "`" in text else text


def without_quotes(text: str) -> str:
    """The text without quoted lines (`> …`)."""
    return _QUOTED.sub("", text)


def prose(reply: str) -> str:
    """The last `TAIL` characters of the reply's prose, without trailing white space."""
    fence = max(reply.rfind("```"), reply.rfind("~~~"))
    if fence >= 0 and (len(reply) - fence < TAIL or reply.count("```") % 2):
        reply = without_fences(reply[-WINDOW:])
    text = reply[-TAIL:]
    if "`" in text:
        text = _INLINE.sub(CODE, text)
    if ">" in text and ("\n>" in text or text.startswith(">")):
        text = without_quotes(text)
    if "]" in text and "](" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text:
        text = text.replace("**", "")
    return text.rstrip()


def last_line(text: str) -> str:
    """The last line that is not blank, stripped."""
    text = text.rstrip()
    return text[text.rfind("\n") + 1 :].strip()


def sentences(line: str) -> list[str]:
    """The sentences of one line; a full stop inside a word or a number ends none."""
    return [part for part in _END.split(line) if part]


def last_sentence(text: str) -> str:
    """The last sentence of the last line, at most `SENTENCE` characters of it."""
    line = last_line(text)[-SENTENCE:]
    begins = 0
    for mark in _MARKS if line.isascii() else _MARKS + _WIDE_MARKS:
        if (found := line.rfind(mark, begins, -1)) >= 0:
            begins = found + len(mark)
    return line[begins:].strip()
