"""Message after message without any work between, and they say the same.

Owns the messages a turn ends on. Messages with a call between are narration, however alike they
are; many messages that all say something new are somebody who explains. When they all say that the
work is done, it spins, but there is nothing to go on with: that is no proof.
"""

from __future__ import annotations

import re
from collections import Counter

from auditor.detectors._languages import spoken
from auditor.detectors._progress import claim
from auditor.detectors._repetition import spared, strength
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Reasoning, Text, ToolCall, ToolResult, Turn, Verdict

STAGE = Stage.TEXT

EQUAL = 4
"""Equal messages in a row (the count of DSH)."""

MESSAGES = 8
"""Messages of which half were said before (a guess; DSH counts 12 short ones of any text)."""

_WORK = frozenset({ToolCall, ToolResult})
_NOISE = re.compile(r"[\W\d_]+")


def detect(turn: Turn) -> Signal | None:
    parts = turn.parts
    if len(parts) < EQUAL or not _WORK.isdisjoint(map(type, parts[-3:])):
        return None
    said = [words for text in _messages(turn) if (words := _NOISE.sub(" ", text.lower()).strip())]
    if len(said) < EQUAL:
        return None
    often, times = Counter(said).most_common(1)[0]
    round_and_round = len(said) >= MESSAGES and 2 * len(set(said)) <= len(said)
    if not (round_and_round or len(set(said[:EQUAL])) == 1) or turn.pending or spared(turn):
        return None
    return Signal(
        strength(len(said), EQUAL),
        Verdict.STUCK,
        evidence(f"{len(said)} messages without a call, {times}× “{often[:60]}”"),
        settles=turn.open_todos != () or not _says_done(said),
    )


def _says_done(said: list[str]) -> bool:
    claims = sum(claim.find(text, spoken(text)) is not None for text in said)
    return 2 * claims > len(said)


def _messages(turn: Turn) -> list[str]:
    """The texts after the last call or result, the last one first."""
    found: list[str] = []
    for part in reversed(turn.parts):
        if type(part) is Text:
            found.append(part.text)
        elif type(part) is not Reasoning:
            break
    return found
