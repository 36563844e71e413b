"""When signals prove a verdict, and when they do not."""

from __future__ import annotations

import pytest

from auditor.detectors import DETECTORS
from auditor.sieve import Settled, settled, sieve
from auditor.signals import Signal, Stage
from auditor.turn import Verdict
from tests.words import call, result, say, turn

STAGE = {detector.name: detector.stage for detector in DETECTORS}


def proof(verdict: str, strength: float = 1.0, *, settles: bool = True) -> Signal:
    return Signal(strength, Verdict(verdict), "seen", settles)


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        pytest.param({}, None, id="no signal settles nothing"),
        pytest.param(
            {"offer": proof("finished", settles=False)}, None, id="a signal that is no proof"
        ),
        pytest.param({"offer": proof("finished")}, ("finished", "offer"), id="one proof"),
        pytest.param(
            {"offer": proof("finished"), "dangling_ending": proof("unfinished")},
            None,
            id="proofs of one stage that disagree settle nothing",
        ),
        pytest.param(
            {"user_stopped": proof("awaiting_user"), "dangling_ending": proof("unfinished")},
            ("awaiting_user", "user_stopped"),
            id="the user's stop beats the text",
        ),
        pytest.param(
            {"announced_action": proof("unfinished", 0.9), "dangling_ending": proof("unfinished")},
            ("unfinished", "dangling_ending"),
            id="the strongest of agreeing proofs is named",
        ),
    ],
)
def test_settled(signals: dict[str, Signal], expected: tuple[str, str] | None) -> None:
    found = settled(signals)
    assert found == (Settled(Verdict(expected[0]), expected[1]) if expected else None)


def test_signals_come_in_order_of_evidence() -> None:
    found = sieve(
        turn(call("bash", command="ls"), result("a"), say("Now I'll run it:"), finish="aborted")
    )
    stages = [STAGE[name] for name in found]
    assert stages == sorted(stages)
    assert stages[0] is Stage.USER
    assert stages[-1] is Stage.TEXT
