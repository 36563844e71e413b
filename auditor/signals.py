"""What one detector saw, and in which order of evidence it counts."""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct

from auditor.turn import Verdict


class Stage(IntEnum):
    """Order of evidence: a proof of an earlier stage beats every proof of a later one."""

    USER = 1  # the user's will to stop: abort, permission or question open
    STRUCTURE = 2  # background work, sub-agents, tool in flight
    COMPLETION = 3  # a completion tool was called
    FAILURE = 4  # clipped, dead stream, provider error
    TEXT = 5  # endings, questions, loops


class Signal(Struct, frozen=True, gc=False):
    """`strength` 0..1 is a feature, no probability; `settles` is earned by measured precision."""

    strength: float
    points_to: Verdict
    evidence: str
    settles: bool = False


EVIDENCE_LENGTH = 120
"""Characters of evidence kept: one terminal line (a guess)."""


def evidence(text: str) -> str:
    """The end of `text` as one line of at most `EVIDENCE_LENGTH` characters."""
    line = " ".join(text[-4 * EVIDENCE_LENGTH :].split())
    return line if len(line) <= EVIDENCE_LENGTH else "…" + line[1 - EVIDENCE_LENGTH :]
