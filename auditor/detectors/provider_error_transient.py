"""The provider failed in a way that passes by itself, in the middle of the work.

Rate limits with a short window, overload, 5xx, broken connections and streams. It proves
nothing where the text before it already ended on a question, or where the only word is that some
stream broke and the text had come to its end.
"""

from __future__ import annotations

from auditor.detectors._endings import ending
from auditor.detectors._intent import announcement
from auditor.detectors._provider_errors import Kind, kind_of, printed, said
from auditor.detectors._tool_names import Family, of
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Text, ToolResult, Turn, Verdict

STAGE = Stage.FAILURE

_FULL_STOPS = (".", "!", "?", "…", "。", "！", "？", "؟", "।", "`", "|", ")")
_QUESTIONS = ("?", "？", "؟")


def detect(turn: Turn) -> Signal | None:
    """A provider error of the kind that the next try may not meet."""
    if kind_of(turn) is not Kind.TRANSIENT:
        return None
    line = evidence(said(turn))
    return Signal(0.9, Verdict.UNFINISHED, line, settles=_in_the_middle(turn))


def _done(turn: Turn) -> bool:
    """Whether the text before the error says, in whole sentences, that the work is done."""
    if not turn.tail.endswith(_FULL_STOPS) or not turn.calls or turn.open_todos:
        return False
    end = ending(turn)
    return announcement.find(end.closing, end.near) is None


def _in_the_middle(turn: Turn) -> bool:
    if printed(turn):
        return True
    last = turn.last
    error = turn.error
    explicit = error is not None and bool(error.status or error.message or error.retryable)
    if type(last) is Text:
        end = turn.reply
        if not explicit:
            return not end.endswith(_FULL_STOPS)
        return not end.endswith(_QUESTIONS) and not _done(turn)
    if type(last) is ToolResult and not explicit:
        return of(turn.calls[-1]) is Family.READ if turn.calls else False
    return not turn.calls or of(turn.calls[-1]) not in (Family.ASK, Family.COMPLETE)
