"""The agent called the tool that ends the task.

Its word is final unless its own list says otherwise, or the tool did not accept it. A checker
that answers "wrong" has not ended it.
"""

from __future__ import annotations

import re

from auditor.detectors._last_call import answer, last_call
from auditor.detectors._refusals import refused
from auditor.detectors._tool_names import Family, of
from auditor.signals import Signal, Stage, evidence
from auditor.turn import ToolResult, Turn, Verdict

STAGE = Stage.COMPLETION

_NO = re.compile(r"\W*(?:wrong|incorrect|invalid|not accepted|rejected|failed|error)\b", re.I)
"""How the answers of checkers begin that did not accept a submission."""


def detect(turn: Turn) -> Signal | None:
    """A completion tool as the last call, accepted or not yet answered."""
    call = last_call(turn)
    if call is None or of(call) is not Family.COMPLETE:
        return None
    result = answer(turn, call)
    if result is not None and _turned_down(result):
        return None
    if turn.open_todos:
        said = f"{call.name} called with {len(turn.open_todos)} to-dos open"
        return Signal(0.5, Verdict.FINISHED, said)
    return Signal(
        1.0, Verdict.FINISHED, evidence(f"{call.name} ended the task"), settles=not _goes_on(turn)
    )


def _turned_down(result: ToolResult) -> bool:
    return result.failed is True or _NO.match(result.output) is not None or refused(result)


def _goes_on(turn: Turn) -> bool:
    return turn.reply.endswith((":", "："))
