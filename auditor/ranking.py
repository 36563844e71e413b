"""Signals -> one score that orders turns by how right a nudge would be. Arithmetic only.

A logistic regression over the strengths of the closed set of detectors. A proof moves the score
into a band of its own, so that proved turns order before and after everything that is residue.
"""

from __future__ import annotations

from math import exp

from auditor.sieve import Settled, Signals
from auditor.turn import NUDGEABLE

INTERCEPT = -2.69
WEIGHTS: dict[str, float] = {
    "announced_action": 4.72,
    "approval_gate": -1.83,
    "background_work": -0.71,
    "blocked_on_user": -0.65,
    "chanted_sentence": 0.75,
    "claim_after_failure": 0.63,
    "completion_claim": -2.89,
    "completion_tool": -1.04,
    "context_overflow": 0.14,
    "cut_text": 1.28,
    "dangling_ending": 2.02,
    "deferred_work": -0.86,
    "done_claim_open_todos": 0.75,
    "empty_reply": 0.75,
    "length_limit": 1.08,
    "near_duplicate_paragraphs": 0.75,
    "offer": -1.51,
    "open_todos": 2.09,
    "permission_open": -0.05,
    "provider_error_permanent": -0.44,
    "provider_error_transient": 2.88,
    "question_open": -3.51,
    "question_to_user": -1.30,
    "reasoning_only_reply": 0.75,
    "remaining_work": 1.87,
    "repeated_error": 0.75,
    "repeated_tool_call": 0.75,
    "scheduled_work": -0.05,
    "spinning_messages": 0.75,
    "stalled_stream": 0.75,
    "subagent_running": 0.89,
    "tool_call_as_text": 3.57,
    "tool_call_cycle": 0.75,
    "tool_call_in_reasoning": 0.75,
    "tool_call_unanswered": 4.93,
    "tool_in_flight": -0.05,
    "tool_result_unanswered": 5.95,
    "unfinished_list": 0.75,
    "usage_limit": 4.26,
    "user_stopped": -0.12,
    "varied_tool_call": 0.75,
}

BAND = 0.1
"""Width of the bands of proved turns at both ends of the scale (a convention)."""


def ranked(signals: Signals, proof: Settled | None) -> float:
    """The score, 0..1: proved silent lowest, proved nudgeable highest, residue between."""
    weight = WEIGHTS.get
    logit = INTERCEPT + sum(weight(name, 0.0) * s.strength for name, s in signals.items())
    raw = 1.0 / (1.0 + exp(-logit))
    if proof is None:
        return BAND + (1.0 - 2.0 * BAND) * raw
    return 1.0 - BAND + BAND * raw if proof.verdict in NUDGEABLE else BAND * raw
