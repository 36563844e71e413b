"""The turn ends on a tool result, and the agent says nothing to it.

What the result was decides. Something looked up, a failure, a command's output call for a next
step. A list brought up to date, a commit, a file written may have been the last step, so those
prove nothing unless the agent's own list is open. A call that asks, ends the task or was refused
is no finding here.
"""

from __future__ import annotations

import re

from auditor.detectors._last_call import last_call
from auditor.detectors._provider_errors import PASSING, kind_of
from auditor.detectors._refusals import last_refusal
from auditor.detectors._tool_names import Family, of
from auditor.signals import Signal, Stage, evidence
from auditor.turn import FinishReason, ToolCall, ToolResult, Turn, Verdict

STAGE = Stage.FAILURE

OWED = 0.95  # 143 of 143 labelled turns were `yes`
INTRODUCED = 0.75  # an edit right after "let me fix these:" (8 of 9)
PERHAPS_LAST = 0.5  # a step that often is the last one (6 of 15)
TICKED = 0.3  # the agent's own list or topic brought up to date (3 of 11)


_LAST_STEP = re.compile(
    r"\bgit\b[^|;&\n]{0,60}?\b(?:commit|push|tag|merge|status)\b"
    r"|\bgh (?:pr|release|issue) (?:create|merge|close|comment|edit)\b"
    r"|\b(?:lint|format|prettier|fmt)\b"
    r"|>>|\b(?:cat|echo|printf)\b[^|;&\n]{0,200}[^0-9&-]>"
)
"""Commands that often end a piece of work (each seen as the last thing of a finished turn)."""

_BACKGROUND = re.compile(
    r"run_in_background\W{1,4}true|running in (?:the )?background|launched", re.I
)


def detect(turn: Turn) -> Signal | None:
    """A result as the last part, strong where the call can hardly have been the last step."""
    last = turn.last
    if type(last) is not ToolResult or turn.finish is FinishReason.ABORTED or turn.pending:
        return None
    call = last_call(turn)
    if call is None or kind_of(turn) not in PASSING or last_refusal(turn) is not None:
        return None
    if turn.error is not None and turn.error.retryable is False:
        return None  # the harness says that going on does not help: a limit the user has set
    return _judged(turn, call, last)


def _judged(turn: Turn, call: ToolCall, last: ToolResult) -> Signal | None:
    family = of(call)
    if family is Family.COMPLETE or (family is Family.ASK and not last.output.strip()):
        return None
    owed = _owed(family, turn, call, last)
    said = evidence(f"{call.name} → {last.output[:60]}")
    strength = OWED if owed else _unproved(family, turn)
    return Signal(strength, Verdict.UNFINISHED, said, settles=owed)


def _unproved(family: Family | None, turn: Turn) -> float:
    if family is Family.BOOKKEEPING:
        return TICKED
    words = turn.words
    introduced = bool(words) and words[-1].rstrip().endswith((":", "："))
    return INTRODUCED if introduced and family is Family.EDIT else PERHAPS_LAST


def _owed(family: Family | None, turn: Turn, call: ToolCall, last: ToolResult) -> bool:
    """Whether the result calls for a next step, by the family of its call."""
    match family:
        case Family.READ | Family.ASK:
            return True
        case Family.SHELL:
            return (
                last.failed is True
                or bool(turn.open_todos)
                or not (
                    _LAST_STEP.search(call.arguments)
                    or _BACKGROUND.search(call.arguments)
                    or _BACKGROUND.search(last.output[:200])
                )
            )
        case Family.EDIT:
            return last.failed is True or bool(turn.open_todos)
        case Family.SUBAGENT:
            return not _BACKGROUND.search(last.output[:200])
        case _:
            return False
