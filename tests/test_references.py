"""The plain references: what each does with a turn."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from msgspec import structs

from auditor.evaluating.references import REFERENCES, agents, dangling
from auditor.judge import Answer
from auditor.turn import Turn, TurnError
from tests.evaluation_words import ASKED, OPEN, PROVED, examples, line
from tests.words import call, result, say, turn

BY_NAME = {way.name: way for way in REFERENCES}

ROWS = [
    ("a colon", turn(say("The next step is this:")), True),
    ("a dash", turn(say("I looked at it —")), True),
    ("an announcement", turn(say("It is read. I'll change it now.")), True),
    ("a tool without an answer", turn(say("Reading."), call("bash", command="ls")), True),
    ("a result that nobody answered", turn(call("bash", command="ls"), result("a")), True),
    ("an error", turn(say("All done."), error=TurnError("api_error")), True),
    ("a report", turn(say("All tests pass.")), False),
    ("let me know", turn(say("It is done. Let me know what you think.")), False),
    ("a question that says let me", turn(say("Should I go on, or let me stop here?")), False),
    (
        "the tool that ends the task",
        turn(call("attempt_completion", result="x"), result("")),
        False,
    ),
    ("the tool that asks", turn(call("AskUserQuestion", question="x"), result("")), False),
    ("an announcement that is followed", turn(say("I'll change it. It is changed.")), False),
]


@pytest.mark.parametrize(
    ("subject", "open_"), [pytest.param(t, o, id=sentence) for sentence, t, o in ROWS]
)
def test_the_dangling_rule(subject: Turn, open_: bool) -> None:
    assert dangling(subject) is open_


def test_always_silent_and_the_sieve_alone(tmp_path: Path) -> None:
    found = examples(
        tmp_path, [line(1, "yes", PROVED), line(2, "no", ASKED), line(3, "no", OPEN)]
    ).examples
    assert [BY_NAME["always silent"].nudges(each) for each in found] == [False] * 3
    sieve = BY_NAME["sieve alone"]
    assert [sieve.nudges(each) for each in found] == [True, False, False]
    assert sieve.order is not None
    assert [sieve.order(each) for each in found] == [each.audit.score for each in found]


def test_the_question_alone_speaks_only_where_it_was_answered(tmp_path: Path) -> None:
    (silent,) = examples(tmp_path, [line(1, "yes", OPEN)]).examples
    answer = Answer(
        {"agent": math.log(0.7), "user": math.log(0.2), "nobody": math.log(0.1)},
        *(0.9, 0.1, 3, "m", {}, 10, 1.0),
    )
    answered = structs.replace(silent, audit=structs.replace(silent.audit, answer=answer))
    way = BY_NAME["the model's question alone"]
    assert (way.knows(silent), way.knows(answered)) == (False, True)
    assert agents(answered) == pytest.approx(0.7)
    assert (way.nudges(silent), way.nudges(answered)) == (False, True)
