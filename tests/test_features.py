from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.detectors import DETECTORS
from auditor.features import (
    ANSWERED,
    DETECTED,
    FACTS,
    SENSES,
    SILENT,
    facts,
    features,
    fingerprint,
    logit,
)
from auditor.judge import Answer
from auditor.sieve import settled, sieve
from tests.words import call, result, say, turn

ANSWER = Answer(
    {"agent": -0.5, "user": -1.5, "nobody": -1.8},
    0.9,
    0.1,
    3,
    "m",
    {"end_of_turn_surprise": 5},
    9,
    1,
)


def seen(subject, answer=None):
    signals = sieve(subject)
    return features(signals, settled(signals), answer, facts(subject))


@pytest.mark.parametrize(
    ("subject", "fact", "value"),
    [
        (turn(say("")), "reply_length", 0.0),
        (turn(say("Shall I go on?")), "asks", 1.0),
        (turn(say("I went on.")), "asks", 0.0),
        (turn(say("Next comes")), "no_full_stop", 1.0),
        (turn(say("That was it.")), "no_full_stop", 0.0),
        (turn(say("")), "no_full_stop", 0.0),
        (turn(say("Run it:\n```\nls\n```")), "ends_on_code", 1.0),
        (turn(say("`ls` is what I ran.")), "ends_on_code", 0.0),
        (turn(say("It is done.")), "calls", 0.0),
    ],
)
def test_facts(subject, fact, value) -> None:
    assert facts(subject)[fact] == value


def test_more_calls_are_a_larger_number() -> None:
    one = turn(call("ls"), result(), say("So."))
    three = turn(call("ls"), result(), call("ls"), result(), call("ls"), result(), say("So."))
    assert 0 < facts(one)["calls"] < facts(three)["calls"] < 1


def test_the_set_is_closed() -> None:
    everything = seen(turn(call("ls"), result(), say("Next:")), ANSWER)
    assert set(everything) <= set(SENSES)
    assert set(facts(turn())) == set(FACTS)
    assert set(DETECTED) == {detector.name for detector in DETECTORS}
    assert set(DETECTED) > SILENT


def test_an_answer_adds_its_readings_and_nothing_else_changes() -> None:
    subject = turn(say("The module is there."))
    without, with_answer = seen(subject), seen(subject, ANSWER)
    assert set(with_answer) - set(without) == set(ANSWERED)
    assert {name: with_answer[name] for name in without} == without
    assert with_answer["end_of_turn_surprise"] == 0.5
    assert with_answer["agent_logit"] > with_answer["user_logit"]


def test_a_proof_is_marked() -> None:
    asks = seen(turn(call("ls"), result("a"), finish="error"))
    plain = seen(turn(say("The module is there.")))
    assert "proved_nudge" in asks or "proved_silence" in asks
    assert not {"proved_nudge", "proved_silence"} & set(plain)


def test_the_fingerprint_names_the_model_only_where_there_is_one() -> None:
    assert set(fingerprint()) == {"features", "detectors"}
    assert fingerprint("abc")["model"] == "abc"
    assert fingerprint() == fingerprint()


@given(st.floats(0, 1))
def test_log_odds_are_finite(probability) -> None:
    assert -9.3 < logit(probability) < 9.3
