"""Which remedy fits which finding. The words themselves are sent by whoever acts, never here."""

from __future__ import annotations

from enum import StrEnum

from auditor.sieve import Settled, Signals
from auditor.turn import NUDGEABLE


class Remedy(StrEnum):
    """What to do for a turn that deserves a nudge."""

    CONTINUE = "continue"
    FINISH_TODOS = "finish_todos"
    ANSWER_RESULT = "answer_tool_result"
    REPAIR_CALL = "repair_tool_call"
    BREAK_LOOP = "break_loop"
    RESUME_TEXT = "resume_cut_text"
    RESUME_AFTER_ERROR = "resume_after_error"
    RESTART_STREAM = "restart_stream"
    VERIFY = "verify_claim"


REMEDIES: dict[str, Remedy] = {
    "tool_call_as_text": Remedy.REPAIR_CALL,
    "tool_call_in_reasoning": Remedy.REPAIR_CALL,
    "repeated_tool_call": Remedy.BREAK_LOOP,
    "tool_call_cycle": Remedy.BREAK_LOOP,
    "varied_tool_call": Remedy.BREAK_LOOP,
    "repeated_error": Remedy.BREAK_LOOP,
    "near_duplicate_paragraphs": Remedy.BREAK_LOOP,
    "chanted_sentence": Remedy.BREAK_LOOP,
    "spinning_messages": Remedy.BREAK_LOOP,
    "provider_error_transient": Remedy.RESUME_AFTER_ERROR,
    "stalled_stream": Remedy.RESTART_STREAM,
    "length_limit": Remedy.RESUME_TEXT,
    "cut_text": Remedy.RESUME_TEXT,
    "tool_result_unanswered": Remedy.ANSWER_RESULT,
    "tool_call_unanswered": Remedy.ANSWER_RESULT,
    "done_claim_open_todos": Remedy.FINISH_TODOS,
    "claim_after_failure": Remedy.VERIFY,
    "usage_limit": Remedy.RESUME_AFTER_ERROR,
}
"""The remedy a detector asks for; a detector that is not here asks for a plain continuation."""


def remedy(signals: Signals, proof: Settled | None) -> Remedy:
    """The remedy of what settled the turn, else of the strongest signal for a nudge."""
    by = proof.by if proof else _strongest(signals)
    return REMEDIES.get(by, Remedy.CONTINUE)


def _strongest(signals: Signals) -> str:
    names = [name for name, signal in signals.items() if signal.points_to in NUDGEABLE]
    return max(names, key=lambda name: signals[name].strength, default="")
