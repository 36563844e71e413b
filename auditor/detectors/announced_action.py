"""The reply ends by announcing the agent's own next step, and no call follows."""

from __future__ import annotations

import re

from auditor import text as texts
from auditor.detectors import _handoff, _intent
from auditor.detectors._breaks import LISTED
from auditor.detectors._endings import QUESTION_MARKS, Ending, asks_user, bare, ending
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT

SPARED = 0.2  # the announcement is conditional, or speaks to the user or of later
DOUBTED = 0.6  # an item of a list, or the user is asked or told something close by

_OWN_HAND = re.compile(r"\b(?:let me|i'll|i will|i need to)\b").search
""""Let's deploy it:" with a command block is as often for the user to run as for the agent."""

_COMMANDS = frozenset(("", *"bash sh shell zsh console powershell cmd terminal".split()))
"""Info strings of blocks that hold a command; any other block may be the thing announced."""


def detect(turn: Turn) -> Signal | None:
    if not turn.tail:
        return None
    end = ending(turn)
    if end.closing.startswith("#") or bare(end.closing).endswith(QUESTION_MARKS):
        return None
    if not _intent.announcement.find(end.closing, end.near):
        return None
    strength = _strength(turn, end)
    return Signal(strength, Verdict.UNFINISHED, evidence(turn.closing), settles=strength == 1.0)


def _strength(turn: Turn, end: Ending) -> float:
    if _intent.spare.find(end.closing, end.near) or _handoff.offer.find(end.closing, end.near):
        return SPARED
    if _handoff.asks_back.find(end.closing, end.near):
        return SPARED
    if LISTED.match(texts.last_line(turn.tail)) or asks_user(end):
        return DOUBTED
    if _handoff.deferred.find(end.closing, end.near):
        return DOUBTED
    if _handoff.request_of_user.find(end.near.text, end.near):
        return DOUBTED
    if turn.reply.endswith("```") and not _own_command(turn, end):
        return DOUBTED
    return 1.0


def _own_command(turn: Turn, end: Ending) -> bool:
    """The code block that the reply ends on is a command which the agent says it runs itself."""
    opening = turn.reply.rfind("\n```", 0, -3)
    info = turn.reply[opening + 4 :].split("\n", 1)[0].strip().lower()
    return info in _COMMANDS and end.near.languages == ("en",) and bool(_OWN_HAND(end.closing))
