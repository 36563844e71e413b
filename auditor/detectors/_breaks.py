"""How surely a reply breaks off: on punctuation, inside a block, in mid-sentence. Text only."""

from __future__ import annotations

import re

from auditor import text as texts

SURE = 0.9
"""Strength from which a break is proof (46 of 46 and 2 of 2 labelled turns were `yes`)."""

# How surely a last character promises more; the ones below 1 also end what is whole.
_BROKEN = {
    ":": 1.0, "：": 1.0, "—": 1.0, "–": 1.0, ",": 1.0, "，": 1.0, "、": 1.0, "،": 1.0, "(": 1.0,
    "（": 1.0, "[": 1.0, "{": 1.0, "=": 0.8, "\\": 0.8, "/": 0.5, ";": 0.5, "…": 0.5, "-": 0.5,
}  # fmt: skip
_ELLIPSIS = 0.5
_HEADING_ENDS = 0.9
_UNSURE_FENCE = 0.4  # a bare fence may be the end of a block as well as its beginning
_HEADING = re.compile(r"#{2,6} [^:：]+[:：]?\Z")  # "### Files: 8 changed" says something itself
_RULE = re.compile(r"[-—–_*=\s]+\Z")


def breaks_off(reply: str) -> float:
    """How surely the reply breaks off on punctuation, on a heading or inside a code block, 0..1."""
    if not reply:
        return 0.0
    if "```" in reply and (opened := texts.open_fence(reply)) is not None:
        return 1.0 if opened else _UNSURE_FENCE
    last = texts.last_line(reply)
    if last.startswith("#") and _HEADING.match(last):
        return _HEADING_ENDS
    end = last[-40:].rstrip("*_` ")
    broken = _ELLIPSIS if end.endswith("...") else _BROKEN.get(end[-1:], 0.0)
    return 0.0 if broken and _RULE.match(last) else broken


# Words that no sentence ends on: conjunctions, articles, prepositions that cannot be stranded.
_NEVER_LAST = frozenset(
    "the a an and or but if because although while whether than which whose into onto from of "
    "your my our their its every is are was were let's i'll we'll i'm the y e o el los las una "
    "que para con del le les des une et ou dans pour avec sur der die das und oder ein eine den "
    "dem mit и или но что чтобы если для с на по не ve veya için bir ile".split()
)
_SHORT = 40  # characters of a last sentence below which it may be a label or a title (a guess)
LISTED = re.compile(r"(?:[-*+•|>#]|\d+[.)])\s|\*\*")
_RUNNING = re.compile(r"[^\W\d_]{2}[.!?] [^\W\d_a-zà-ÿа-я`]?[^.!?:\n]{12,} [a-zà-öø-ÿа-я]{2,}\Z")
_LETTER_END = re.compile(r"([^\W\d_]{2,})\Z")
_WORD = 40  # characters of a last word that are looked at; those never last are short
_WHOLE = (".", "!", "?", "。", "！", "？", ":", "：", "```", "؟", "।")
_UNPUNCTUATED = 0.3  # many good replies end without a full stop


def cut_off(reply: str) -> float:
    """How surely the reply is cut in mid-sentence or mid-word, 0..1."""
    if not reply or reply.endswith(_WHOLE):
        return 0.0
    last = texts.last_line(reply)
    found = _LETTER_END.search(last, max(0, len(last) - _WORD))
    if found is None:
        return SURE if _unbalanced(last) else 0.0
    if found.group(1).lower() in _NEVER_LAST and " " in last and not last.startswith("#"):
        return SURE
    if len(last) < _SHORT or LISTED.match(last):
        return 0.0
    return SURE if _RUNNING.search(last[-texts.SENTENCE :]) else _UNPUNCTUATED


def _unbalanced(line: str) -> bool:
    """A bracket that opens, with the line ending right after an opening mark."""
    return line.count("(") > line.count(")") and line.endswith(("`", "(", '"'))
