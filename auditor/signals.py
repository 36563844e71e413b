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


EVIDENCE_SHOWN = 120
"""Characters of evidence that are kept in the end: one terminal line (a guess)."""

EVIDENCE_LENGTH = 720
"""Characters that a detector hands over: room around the line that is shown, so that a secret is
whole when it is looked for and only then cut away (longer than any key that is recognised)."""


def evidence(text: str) -> str:
    """The end of `text` as one line of at most `EVIDENCE_LENGTH` characters."""
    return shortened(" ".join(text[-2 * EVIDENCE_LENGTH :].split()), EVIDENCE_LENGTH)


def shortened(line: str, length: int = EVIDENCE_SHOWN) -> str:
    """The end of a line, at most `length` characters of it."""
    return line if len(line) <= length else "…" + line[1 - length :]
