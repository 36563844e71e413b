"""(opinion, past, policy) -> decision, as a table."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.policy import (
    OBSERVE,
    Action,
    Judged,
    Opinion,
    Past,
    Policy,
    Residue,
    decide,
)
from auditor.sieve import Settled
from auditor.turn import Verdict
from tests.words import say, turn

NUDGING = Policy(may_nudge=True)
STALL = Settled(Verdict.UNFINISHED, "dangling_ending")
LOOP = Settled(Verdict.STUCK, "tool_call_cycle")


@pytest.mark.parametrize(
    ("opinion", "policy", "past", "more", "action", "reason"),
    [
        pytest.param(STALL, OBSERVE, Past(), {}, "log", "observing only", id="observing logs"),
        pytest.param(
            STALL, NUDGING, Past(), {}, "nudge", "settled by dangling_ending", id="a proved stall"
        ),
        pytest.param(LOOP, NUDGING, Past(), {}, "nudge", "settled by tool_call_cycle", id="a loop"),
        pytest.param(
            Settled(Verdict.FINISHED, "offer"), NUDGING, Past(), {}, "silent", "settled by offer",
            id="a proved end is silence, with its reason",
        ),
        pytest.param(
            STALL, NUDGING, Past(nudges=3), {}, "log", "enough nudges in this session", id="budget"
        ),
        pytest.param(
            STALL, NUDGING, Past(1, 90.0), {"ended": 100.0}, "log", "nudged just now", id="cooldown"
        ),
        pytest.param(
            STALL, NUDGING, Past(1, 90.0), {"ended": 400.0}, "nudge",
            "settled by dangling_ending", id="after the cooldown",
        ),
        pytest.param(
            STALL, NUDGING, Past(1, 90.0), {}, "nudge", "settled by dangling_ending",
            id="a turn without a time is not held by the cooldown",
        ),
        pytest.param(
            STALL, NUDGING, Past(), {"parent": "s0"}, "log", "a sub-agent's turn",
            id="a sub-agent is observed, never nudged",
        ),
        pytest.param(
            Residue(), NUDGING, Past(), {}, "silent", "nothing proves it", id="residue is silence"
        ),
        pytest.param(
            Residue(answered=True), NUDGING, Past(), {}, "silent", "the answer is not calibrated",
            id="an answer that nothing calibrates",
        ),
        pytest.param(
            Judged(0.95, "c", 0.9), NUDGING, Past(), {}, "nudge", "judged likely", id="likely"
        ),
        pytest.param(
            Judged(0.4, "c", 0.9), NUDGING, Past(), {}, "silent", "judged unlikely", id="in doubt"
        ),
        pytest.param(
            Judged(0.7, "c", 0.9), Policy(may_nudge=True, probability=0.6), Past(), {}, "nudge",
            "judged likely", id="a frozen threshold beats the recommended one",
        ),
    ],
)  # fmt: skip
def test_decide(  # noqa: PLR0917
    opinion: Opinion, policy: Policy, past: Past, more: dict[str, Any], action: str, reason: str
) -> None:
    decision = decide(turn(say("x"), **more), opinion, past, policy)
    assert (decision.action, decision.reason) == (Action(action), reason)
    assert decision.would_nudge is (action != "silent")


def test_a_higher_probability_never_weakens_a_decision() -> None:
    order = [Action.SILENT, Action.LOG, Action.NUDGE]
    for policy in (OBSERVE, NUDGING):
        actions = [
            decide(turn(say("x")), Judged(step / 100, "c", 0.9), Past(), policy).action
            for step in range(101)
        ]
        assert [order.index(a) for a in actions] == sorted(order.index(a) for a in actions)
        assert policy.may_nudge is (Action.NUDGE in actions)
