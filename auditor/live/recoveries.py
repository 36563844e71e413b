"""The recoveries: what was found, what is done about it, and how often. One table.

Owns which finding asks for which recovery. The findings are the sieve's (by detector) and what
`planning` sees of a session that runs; the words are `words`'.
"""

from __future__ import annotations

import re

from msgspec import Struct, structs

from auditor.audit import Audit
from auditor.live.situation import Situation
from auditor.turn import NUDGEABLE, Turn, TurnError


class Recovery(Struct, frozen=True, kw_only=True):
    """What is done for one kind of finding.

    `found_by`: detectors. `structural`: seen in what the harness states or in the shape of the
    text, not in its words; `--rules-only` sends nothing else. `abort`: the turn that runs is
    stopped first. `most`: how often without progress. `ladder`: waits as for a rate limit.
    `repeats`: the same words may be said again though they brought nothing. `by_text`: new text is
    progress, elsewhere only a tool that ran is.
    """

    name: str
    found_by: tuple[str, ...] = ()
    structural: bool = True
    abort: bool = False
    most: int = 3
    ladder: bool = False
    repeats: bool = True
    by_text: bool = False


LOOPS = (
    "repeated_tool_call",
    "tool_call_cycle",
    "varied_tool_call",
    "repeated_error",
)
TEXT_LOOPS = ("near_duplicate_paragraphs", "chanted_sentence", "spinning_messages")

TABLE = (
    # A turn that ended too early, by its shape.
    Recovery(name="clipped_ending", found_by=("dangling_ending", "cut_text"), repeats=False),
    Recovery(name="length_limit", found_by=("length_limit",), repeats=False, by_text=True),
    Recovery(name="empty_reply", found_by=("empty_reply",), most=2),
    Recovery(name="reasoning_only", found_by=("reasoning_only_reply",), most=2),
    Recovery(name="raw_tool_text", found_by=("tool_call_as_text",)),
    Recovery(name="tool_text_in_reasoning", found_by=("tool_call_in_reasoning",)),
    Recovery(
        name="unanswered_result",
        found_by=("tool_result_unanswered", "tool_call_unanswered"),
        most=2,
    ),
    # By its words.
    Recovery(
        name="announced_action",
        found_by=("announced_action",),
        structural=False,
        most=2,
        repeats=False,
    ),
    Recovery(
        name="open_todos",
        found_by=("done_claim_open_todos", "open_todos", "unfinished_list", "remaining_work"),
        structural=False,
        repeats=False,
    ),
    Recovery(
        name="false_claim",
        found_by=("claim_after_failure",),
        structural=False,
        most=1,
        repeats=False,
    ),
    Recovery(name="judged", structural=False, most=2, repeats=False),
    # Failures.
    Recovery(name="malformed_call"),
    Recovery(name="stream_failure", found_by=("provider_error_transient",)),
    Recovery(name="rate_limit", found_by=("usage_limit",), ladder=True, most=8),
    Recovery(name="silent_stream", abort=True),
    Recovery(name="orphaned_message", most=2),
    Recovery(name="orphan_parent", abort=True, most=2),
    Recovery(name="stuck_child", abort=True, most=2),
    # Loops: stopped while they run, spoken to when they ended by themselves.
    Recovery(name="tool_loop", found_by=LOOPS, abort=True, most=2),
    Recovery(name="text_loop", found_by=TEXT_LOOPS, abort=True, most=2),
    # On request of the person.
    Recovery(name="autonomous_loop", by_text=True),
    Recovery(name="resume_now", most=1_000),
)

BY_NAME = {recovery.name: recovery for recovery in TABLE}
BY_DETECTOR = {detector: recovery for recovery in TABLE for detector in recovery.found_by}

NULL_NAME = "function.name"
"""In the message of an SDK that a tool call without a name broke (harness.md 2 of the field)."""

TOO_MANY = 429
"""The HTTP status of a rate limit; one that lasts past the harness's own tries is no blip."""

_RATE = re.compile(r"rate[ _-]?limit|too many requests|\b429\b", re.I)

SIGN = 0.5
"""Strength from which a signal beside the model's word names the recovery (a guess)."""

MORE_EXACT = {"reasoning_only_reply": "tool_call_in_reasoning"}
"""Where both are proved: the one that says more about what went wrong."""


def found(audit: Audit, situation: Situation) -> Recovery:
    """Give the recovery for a turn that a nudge is likely right for.

    What is proved by words alone is structural too where the shape of the text proves the same;
    what the model judged never is.
    """
    turn = situation.turn
    error = turn.error if turn is not None else None
    if error is not None and NULL_NAME in error.message:
        return BY_NAME["malformed_call"]
    if error is not None and _rate_limited(error):
        return BY_NAME["rate_limit"]
    if audit.by is None:
        return _judged(audit, turn)
    exact = MORE_EXACT.get(audit.by, audit.by)
    recovery = BY_DETECTOR.get(exact if exact in _proofs(audit) else audit.by, BY_NAME["judged"])
    shaped = any(BY_DETECTOR[name].structural for name in _proofs(audit) if name in BY_DETECTOR)
    return structs.replace(recovery, structural=recovery.structural or shaped)


def _rate_limited(error: TurnError) -> bool:
    """Whether it is a rate limit: the status says so, or where there is none, the words."""
    if error.status is not None:
        return error.status == TOO_MANY
    return _RATE.search(f"{error.name} {error.message}") is not None


def _proofs(audit: Audit) -> list[str]:
    """Detectors that prove that the move is the agent's."""
    return [name for name, s in audit.signals.items() if s.settles and s.points_to in NUDGEABLE]


def _judged(audit: Audit, turn: Turn | None) -> Recovery:
    """What the model found likely, in the words of what was seen beside it."""
    if turn is not None and turn.open_todos:
        return BY_NAME["open_todos"]
    seen = {
        name: s.strength
        for name, s in audit.signals.items()
        if s.points_to in NUDGEABLE and s.strength >= SIGN
    }
    best = max(seen, key=lambda name: seen[name], default="")
    return structs.replace(BY_DETECTOR.get(best, BY_NAME["judged"]), structural=False)
