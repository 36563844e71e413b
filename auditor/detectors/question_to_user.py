"""The reply ends by asking the user something, in any script."""

from __future__ import annotations

from auditor.detectors._endings import NEAR, QUESTION_MARKS, bare, ending, last_question
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT


def detect(turn: Turn) -> Signal | None:
    tail = turn.tail
    if not tail:
        return None
    end = bare(tail)
    if end.endswith(QUESTION_MARKS) or _unmarked(end):
        return Signal(1.0, Verdict.AWAITING_USER, evidence(end), settles=True)
    near = ending(turn).near.text
    place = last_question(near)
    if place < 0:
        return None
    return Signal(NEAR, Verdict.AWAITING_USER, evidence(near[: place + 1]))


# Languages whose questions often end without a question mark.
_UNMARKED = {
    "ja": ("ますか", "ですか", "でしょうか", "ましょうか"),
    "ko": ("까요", "나요", "습니까"),
    "zh": ("吗", "呢"),
}
_ALL_UNMARKED = tuple(mark for marks in _UNMARKED.values() for mark in marks)


def _unmarked(end: str) -> bool:
    """A question by its last word, or by the semicolon that Greek asks with."""
    if end.isascii():
        return False
    greek = end.endswith(";") and "\u0370" <= end[-2:-1] <= "\u03ff"
    return greek or end.rstrip("。.").endswith(_ALL_UNMARKED)
