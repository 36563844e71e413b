"""The plain ways to decide that ours has to beat: what a reader would try first.

Owns what each does with one turn. None of them reads a label, and none is fitted here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import exp

from msgspec import Struct

from auditor.detectors._tool_names import Family, family
from auditor.fitting.labelled import Example
from auditor.turn import NUDGEABLE, ToolCall, ToolResult, Turn

LIKELY = 0.5
"""Probability of the agent's move from which a question alone would nudge: what its best known
user takes (section 0 of the field's decisions.md, [S])."""

_ANNOUNCED = re.compile(r"\b(?:let me|i'll|i will)\b(?! know)")
_DANGLING = (":", "—", "–")


class Reference(Struct, frozen=True):
    """One way to decide. `order`: the number it ranks turns by, None: it ranks none.

    `knows`: whether it can say anything about a turn; it is judged only where it can about all.
    """

    name: str
    nudges: Callable[[Example], bool]
    order: Callable[[Example], float] | None = None
    knows: Callable[[Example], bool] = lambda _: True


def dangling(turn: Turn) -> bool:
    """The dangling rule: the reply ends open, on an announcement, an error or a lone tool call.

    An ending counts as open on a colon or a dash; "let me know" announces nothing, a question
    neither. A tool that asks or that completes the task ends a turn well.
    """
    if turn.error is not None:
        return True
    if isinstance(turn.last, ToolCall | ToolResult):
        return not turn.calls or family(turn.calls[-1].name) not in {Family.ASK, Family.COMPLETE}
    closing = turn.closing.lower()
    return turn.reply.endswith(_DANGLING) or (
        "?" not in closing and bool(_ANNOUNCED.search(closing))
    )


def proved(example: Example) -> bool:
    """Whether a proof says that the move is the agent's."""
    return example.audit.verdict in NUDGEABLE


def agents(example: Example) -> float:
    """Probability, by the model's question alone, that the move is the agent's; 0 unanswered."""
    answer = example.audit.answer
    return exp(answer.logprobs.get("agent", float("-inf"))) if answer else 0.0


REFERENCES = (
    Reference("always silent", lambda _: False),
    Reference(
        "dangling rule",
        lambda example: example.turn is not None and dangling(example.turn),
        knows=lambda example: example.turn is not None,
    ),
    Reference("sieve alone", proved, lambda example: example.audit.score),
    Reference(
        "the model's question alone",
        lambda example: agents(example) > LIKELY,
        agents,
        lambda example: example.audit.answer is not None,
    ),
)
"""Always silent: what everything is compared with. The sieve alone: ours without any calibration.
The question is put to the residue only, so on all turns it is judged only where all were asked."""
