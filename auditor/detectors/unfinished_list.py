"""The reply ends on a list of what is still to do, or on a count that falls short of the whole.

Such a list proves it where the request itself names every item: what is left was asked for.
"""

from __future__ import annotations

import re

from auditor.detectors import _progress
from auditor.detectors._endings import ending
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT

LIST = 0.9
COUNT = 0.9

_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)]|\[ \])\s")
_HEADINGS = (
    r"still (?:to do|open|left|missing|needed|pending)",
    r"left to do",
    r"not (?:yet )?done(?: yet)?",
    r"(?:remaining|outstanding|open|unfinished)(?: (?:work|items?|tasks?|to-?dos?|steps?))?",
    r"to-?do",
    r"剩余(?:工作|任务)?|待完成|未完成",
    r"残り(?:の作業)?|未完了",
    r"남은 작업",
    r"осталось(?: сделать)?",
    r"pendientes?|por hacer|pendências",
    r"reste à faire",
    r"noch (?:offen|zu tun)",
    r"المتبقي",
    r"बाकी",
    r"kalan(?: işler)?",
)
_OWED = re.compile(rf"\W*(?:{'|'.join(_HEADINGS)})\W*\Z", re.I)
_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
_NUMBER = r"(\d{1,3}|" + "|".join(_WORDS) + r")"
_WORD = re.compile(r"[^\W\d_]{4,}")
_OF = re.compile(rf"\b{_NUMBER} (?:out )?of (?:the )?{_NUMBER}\b")
_REST = re.compile(r"the(?<!\wthe) (?:other|remaining|rest)\b")  # the literal first is faster


def detect(turn: Turn) -> Signal | None:
    if not turn.tail:
        return None
    lead, items = _list(turn.tail)
    end = ending(turn)
    if lead and _OWED.match(lead):
        owed = end.considered and _asked_for(turn.request, items)
        return Signal(LIST, Verdict.UNFINISHED, evidence(lead), settles=owed)
    if "of" not in end.near.words or "the" not in end.near.words:
        return None
    last = end.near.text.rsplit("\n", 1)[-1]
    if not _falls_short(last) or _progress.claim.find(end.closing, end.near):
        return None
    return Signal(COUNT, Verdict.UNFINISHED, evidence(last), settles=end.considered)


def _list(tail: str) -> tuple[str, list[str]]:
    """The list that the text ends on, and the line above it; empty where there is none."""
    items: list[str] = []
    if not _ITEM.match(tail, tail.rfind("\n") + 1):
        return "", items
    lines = tail.rsplit("\n", 12)
    while lines and (_ITEM.match(lines[-1]) or not lines[-1].strip()):
        items.append(lines.pop())
    return (lines[-1].strip() if lines else ""), [item for item in items if item.strip()]


def _asked_for(request: str, items: list[str]) -> bool:
    """Whether each item shares a word with the request; short words are shared by chance."""
    asked = set(_WORD.findall(request.casefold()))
    return bool(asked) and all(asked.intersection(_WORD.findall(item.casefold())) for item in items)


def _falls_short(near: str) -> bool:
    if not _REST.search(near) or (found := _OF.search(near)) is None:
        return False
    done, whole = (_WORDS.index(n) + 1 if n in _WORDS else int(n) for n in found.groups())
    return done < whole
