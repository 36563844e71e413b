"""A list of what is owed, or a count that falls short."""

from __future__ import annotations

import pytest

from auditor.detectors.unfinished_list import detect
from tests.words import say, table, turn

test_detector = table(
    "unfinished_list",
    [
        ("still to do", turn(say("Parser in.\n\nStill to do:\n- tests\n- docs")), True),
        ("remaining, numbered", turn(say("Remaining work:\n1. tests\n2. docs")), True),
        ("in bold", turn(say("**Remaining:**\n\n- tests")), True),
        ("Chinese", turn(say("剩余任务：\n- 测试")), True),
        ("Russian", turn(say("Осталось:\n- тесты")), True),
        ("Spanish", turn(say("Pendientes:\n- pruebas")), True),
        ("two of five", turn(say("I did 2 of 5 files, now the rest.")), True),
        (
            "two of five in words",
            turn(say("Two of the five files are ported, the other three follow.")),
            True,
        ),
        ("an empty reply", turn(say("")), False),
        ("done", turn(say("Done:\n- parser\n- tests")), False),
        ("no list", turn(say("Still to do")), False),
        (
            "a list, then a sentence",
            turn(say("Still to do:\n- tests\n\nNothing blocks it.")),
            False,
        ),
        ("changes", turn(say("What changed:\n- remaining rows are read")), False),
        ("all of them", turn(say("I did 5 of 5 files, with the other tests.")), False),
        ("a count without a rest", turn(say("I did 2 of 5 files the user named.")), False),
        ("in a fence", turn(say("So:\n\n```\nStill to do:\n- tests\n```\n\nis printed.")), False),
        ("a list alone", turn(say("- tests\n- docs")), False),
    ],
)


@pytest.mark.parametrize(
    ("request_", "reply", "proved"),
    [
        pytest.param(
            "Add a filter, its tests and the docs page.",
            "Filter added.\n\nStill to do:\n- tests\n- docs page",
            True,
            id="every item was asked for",
        ),
        pytest.param(
            "Add a filter and its tests.",
            "Filter added.\n\nStill to do:\n- tests\n- a nicer icon",
            False,
            id="one item is an extra",
        ),
        pytest.param(
            "Go on.",
            "Filter added.\n\nStill to do:\n- tests",
            False,
            id="the request names nothing",
        ),
    ],
)
def test_a_list_of_what_was_asked_for_is_a_proof(request_: str, reply: str, proved: bool) -> None:
    found = detect(turn(say(reply), request=request_))
    assert found is not None
    assert found.settles is proved
