"""The end of a reply as several text detectors look at it, made once per turn."""

from __future__ import annotations

import re
from typing import NamedTuple
from unicodedata import category

from auditor import text as texts
from auditor.detectors._breaks import SURE, breaks_off, cut_off
from auditor.detectors._languages import Phrases, Spoken, spoken
from auditor.signals import Signal, evidence
from auditor.turn import Turn, Verdict

REACH = 320
"""Characters before the end in which a hand-off phrase still speaks of the end (measured on the
labelled turns: 120 misses a tenth of the offers, 600 starts to silence announcements)."""

_CLOSERS = " \n\t*_~`\"'”’»)]）」』>\ufe0f\u200d"
_FIRST_SYMBOL = "\u2190"
"""From here on (arrows, dingbats, emoji; not CJK) a last character is decoration."""
QUESTION_MARKS = ("?", "？", "؟", "⸮", "‽", "\u037e")


def last_question(text: str) -> int:
    """Where the last question mark stands, or -1."""
    if text.isascii():
        return text.rfind("?")
    return max(text.rfind(mark) for mark in QUESTION_MARKS)


_QUOTED = re.compile(r"[\"“«「][^\"”»」\n]{1,80}[\"”»」]")


class Ending(NamedTuple):
    """`near`: the last `REACH` characters of prose. `closing`: the last sentence, unquoted.

    Both in lower case; `said` is the last sentence as it stands. `broken`: how surely the reply
    breaks off on punctuation or inside a code block, `cut`: in mid-sentence. Then its last words
    are no considered ending.
    """

    near: Spoken
    closing: str
    said: str
    broken: float
    cut: float

    @property
    def considered(self) -> bool:
        """Whether the reply ends as something that the agent meant to end."""
        return not self.broken and self.cut < SURE


def ending(turn: Turn) -> Ending:
    """The end of the turn's reply; its fields are empty when there is no reply."""
    views = turn.__dict__
    found: Ending | None = views.get("_ending")
    if found is None:
        closing = turn.closing.lower().replace("’", "'")
        if '"' in closing or not closing.isascii():
            closing = _QUOTED.sub("", closing)
        near = spoken(turn.tail[-REACH:])
        reply = turn.reply
        found = Ending(near, closing, turn.closing, breaks_off(reply), cut_off(reply))
        views["_ending"] = found
    return found


def bare(text: str) -> str:
    """The text without closing quotes, brackets, emphasis, emoji and white space at its end."""
    text = text.rstrip(_CLOSERS)
    while (
        text
        and text[-1] >= _FIRST_SYMBOL
        and not text[-1].isalnum()
        and category(text[-1])[0] == "S"
    ):
        text = text[:-1].rstrip(_CLOSERS)
    return text


_OF_USER = re.compile(r"\b(?:you|your|i|we|me|us|okay|ok|fine|right|correct)\b")


def asks_user(end: Ending) -> bool:
    """Whether the user is asked something near the end; what an agent asks itself is spared."""
    near = end.near.text
    if last_question(near) < 0:
        return False
    asked = [
        part
        for line in near.splitlines()
        for part in texts.sentences(line)
        if part.rstrip(_CLOSERS).endswith(QUESTION_MARKS)
    ]
    if end.near.languages != ("en",):
        return bool(asked)
    return any(_OF_USER.search(part) for part in asked)


NEAR = 0.5  # strength of a phrase that is near the end but not in the last sentence: no proof


def phrased(phrases: Phrases, end: Ending) -> tuple[str, float] | None:
    """What was found and how close to the end: 1 in the last sentence, `NEAR` before it."""
    near = phrases.find(end.near.text, end.near)
    if near is None:  # then only a phrase that has to begin the last sentence can be in it
        return (end.said, 1.0) if phrases.begins(end.closing, end.near) else None
    return (end.said, 1.0) if phrases.find(end.closing, end.near) else (near, NEAR)


def handed_over(turn: Turn, phrases: Phrases, verdict: Verdict) -> Signal | None:
    """The signal of a phrase that hands the move over: proof in the last sentence, else a hint."""
    if not turn.tail:
        return None
    end = ending(turn)
    found = phrased(phrases, end)
    if found is None:
        return None
    words, strength = found
    return Signal(strength, verdict, evidence(words), settles=strength == 1.0 and end.considered)
