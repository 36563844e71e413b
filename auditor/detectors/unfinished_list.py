"""The reply ends on a list of what is still to do, or on a count that falls short of the whole."""

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
_OF = re.compile(rf"\b{_NUMBER} (?:out )?of (?:the )?{_NUMBER}\b")
_REST = re.compile(r"the(?<!\wthe) (?:other|remaining|rest)\b")  # the literal first is faster


def detect(turn: Turn) -> Signal | None:
    if not turn.tail:
        return None
    lead = _lead(turn.tail)
    if lead and _OWED.match(lead):
        return Signal(LIST, Verdict.UNFINISHED, evidence(lead))
    end = ending(turn)
    if "of" not in end.near.words or "the" not in end.near.words:
        return None
    last = end.near.text.rsplit("\n", 1)[-1]
    if not _falls_short(last) or _progress.claim.find(end.closing, end.near):
        return None
    return Signal(COUNT, Verdict.UNFINISHED, evidence(last), settles=end.considered)


def _lead(tail: str) -> str:
    """The line above the list that the text ends on, or nothing."""
    if not _ITEM.match(tail, tail.rfind("\n") + 1):
        return ""
    lines = tail.rsplit("\n", 12)
    while lines and (_ITEM.match(lines[-1]) or not lines[-1].strip()):
        lines.pop()
    return lines[-1].strip() if lines else ""


def _falls_short(near: str) -> bool:
    if not _REST.search(near) or (found := _OF.search(near)) is None:
        return False
    done, whole = (_WORDS.index(n) + 1 if n in _WORDS else int(n) for n in found.groups())
    return done < whole
