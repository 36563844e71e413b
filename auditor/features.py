"""What a calibration may look at: a closed set of named numbers about a turn.

Owns the names, which way each may pull, and the version of the set. A calibration that names
another set is refused (`calibration`). Text is measured here, never kept.
"""

from __future__ import annotations

import hashlib
from math import exp, log, log1p

from auditor.detectors import DETECTORS
from auditor.judge import WHOSE_MOVE, Answer, Question
from auditor.ranking import ranked
from auditor.sieve import Settled, Signals
from auditor.turn import NUDGEABLE, Turn

VERSION = "turn-features/1"
"""Changes with what any name below means; the detectors are named in the fingerprint beside it."""

CLIP = 1e-4
"""How near to 0 and 1 a probability may come before its logit is taken (decisions.md 7.4)."""

TAIL = 300
"""Characters of the tail in which a question mark counts: the last sentences (a guess)."""

SILENT = frozenset(
    {
        "approval_gate",
        "background_work",
        "blocked_on_user",
        "completion_claim",
        "completion_tool",
        "context_overflow",
        "deferred_work",
        "offer",
        "permission_open",
        "provider_error_permanent",
        "question_open",
        "question_to_user",
        "scheduled_work",
        "subagent_running",
        "tool_in_flight",
        "user_stopped",
    }
)
"""Detectors that see a reason for silence; all others see one for a nudge."""

DETECTED = {found.name: -1 if found.name in SILENT else 1 for found in DETECTORS}
"""Strengths of the signals, 0 where a detector saw nothing, by name; and which way each may pull:
1 towards a nudge, -1 towards silence."""

FACTS = {
    "reply_length": -1,  # log1p(characters) / 10; a long reply is a report
    "closing_length": -1,  # log1p(characters of the last sentence) / 6; 0: no prose at the end
    "asks": -1,  # a question mark in the tail
    "calls": 1,  # log1p(tool calls) / 5; work was under way
    "no_full_stop": 1,  # the prose ends on something that ends no sentence
    "ends_on_code": 1,  # the reply ends on a code block
}
"""Plain facts about a turn, all 0 to about 1, which every harness can tell; 1 and -1 as above."""

PROOFS = {"proved_nudge": 1, "proved_silence": -1}
"""1 where the sieve settles the turn, and how."""

ANSWERED = {
    "answered": 0,  # 1 where the model answered: what the other ones below are 0 for otherwise
    "agent_logit": 1,
    "user_logit": -1,
    "entropy": 0,  # of the options, in nats
    "spread": 0,
    "coverage": 0,
    "end_of_turn_surprise": 1,  # / 10; how little the model expects a reply to end here
}
"""What a decision model's answer adds; 0: it may pull either way."""

RANKED = {"score_logit": 1}
"""The logit of the score that orders turns: all that a calibration from few labels looks at."""

SENSES = DETECTED | FACTS | PROOFS | ANSWERED | RANKED
"""The closed set: every name, and which way its weight may point."""

_SENTENCE_ENDS = ".!?…。！？)\"'`”»"


def facts(turn: Turn) -> dict[str, float]:
    """Give the `FACTS` of a turn; all a calibration needs beside its audit."""
    tail = turn.tail.rstrip()
    return {
        "reply_length": log1p(len(turn.reply)) / 10,
        "closing_length": log1p(len(turn.closing)) / 6,
        "asks": float("?" in tail[-TAIL:]),
        "calls": log1p(len(turn.calls)) / 5,
        "no_full_stop": float(bool(tail) and tail[-1] not in _SENTENCE_ENDS),
        "ends_on_code": float(turn.reply.endswith("```")),
    }


def features(
    signals: Signals, proof: Settled | None, answer: Answer | None, known: dict[str, float]
) -> dict[str, float]:
    """All features that are not 0; `known` are the `facts` of the turn."""
    found = {name: signal.strength for name, signal in signals.items()}
    found |= known
    found["score_logit"] = logit(ranked(signals, proof))
    if proof is not None:
        found["proved_nudge" if proof.verdict in NUDGEABLE else "proved_silence"] = 1.0
    return found | _answered(answer) if answer is not None else found


def _answered(answer: Answer) -> dict[str, float]:
    logs = answer.logprobs
    return {
        "answered": 1.0,
        "agent_logit": logit(exp(logs.get("agent", -99.0))),
        "user_logit": logit(exp(logs.get("user", -99.0))),
        "entropy": -sum(exp(chance) * chance for chance in logs.values()),
        "spread": answer.spread or 0.0,
        "coverage": answer.coverage or 0.0,
        "end_of_turn_surprise": answer.scalars.get("end_of_turn_surprise", 0.0) / 10,
    }


def logit(probability: float) -> float:
    """Log odds; the probability is kept `CLIP` away from 0 and 1."""
    held = min(max(probability, CLIP), 1.0 - CLIP)
    return log(held / (1.0 - held))


def fingerprint(model: str | None = None, question: Question = WHOSE_MOVE) -> dict[str, str]:
    """Say what a probability depends on here; `model` is the digest that answers name."""
    names = "\n".join(sorted(DETECTED))
    found = {"features": VERSION, "detectors": hashlib.sha256(names.encode()).hexdigest()[:16]}
    if model is not None:
        found |= {"question": f"{question.id}/{question.version}", "model": model}
    return found
