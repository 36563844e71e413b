"""Prose out of a reply: code, quotes and mark-up removed, the tail, the last sentence.

Knows nothing of turns. Every text rule of the detectors runs on what these functions return,
so that an example inside a code block is never taken for the agent's own words.
"""

from __future__ import annotations

import re

WINDOW = 6000
"""Characters of a reply that are looked at for prose; endings never need more (a guess)."""

TAIL = 1200
"""Characters of prose kept: twelve lines or so, the reach of a hand-off phrase (a guess)."""

_FENCE = re.compile(r"^[ \t>]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_INLINE = re.compile(r"(`+)[^`\n]{1,300}?\1")
_QUOTED = re.compile(r"^[ \t]*>[^\n]*(?:\n|\Z)", re.M)
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{0,300}\)")

CODE = "‹code›"
"""Stands where inline code stood, so that the sentence around it stays a sentence."""

_END = re.compile(r"(?<=[.!?…])[\"'”’»)*_]*\s+(?=\S)|(?<=[。！？；।؟])[\"'”’»）」』]*\s*(?=\S)")


def without_fences(text: str) -> str:
    """The text without fenced code blocks; an unclosed fence takes everything after it."""
    if "```" in text or "~~~" in text:
        return _FENCE.sub("", text)
    return text


def without_code(text: str) -> str:
    """The text without fenced blocks, and with `CODE` in the place of inline code."""
    text = without_fences(text)
    return _INLINE.sub(CODE, text) if "`" in text else text


def prose(reply: str) -> str:
    """The last `TAIL` characters of the reply's prose, without trailing white space."""
    text = without_code(reply if len(reply) <= WINDOW else reply[-WINDOW:])
    if len(text) > TAIL:
        text = text[-TAIL:]
    if ">" in text:
        text = _QUOTED.sub("", text)
    if "](" in text:
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
    """The last sentence of the last line."""
    line = last_line(text)
    found = sentences(line)
    return found[-1].strip() if found else ""


def paragraphs(text: str) -> list[str]:
    """Blocks separated by blank lines, stripped, empty ones left out."""
    return [block for block in (raw.strip() for raw in re.split(r"\n[ \t]*\n", text)) if block]
