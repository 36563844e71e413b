"""Every scenario of the field notes on prior systems is a row of a test, or has a reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.live.not_applicable import ELSEWHERE, NOT_APPLICABLE

TESTS = Path(__file__).parents[1]

SCENARIOS = [
    *(f"AR-T{number:03}" for number in (*range(1, 74), *range(101, 167))),
    *(f"DS-T{number:02}" for number in range(1, 53)),
    *(f"TG-T{number:02}" for number in range(1, 38)),
    *(f"OL-T{number:02}" for number in range(1, 31)),
]

_ID = re.compile(r"\b(AR|DS|TG|OL)[-_]T(\d+)\b|(?<=_)(ar|ds|tg|ol)_t(\d+)(?=_|$)")


def named(source: str) -> Iterator[str]:
    """Give the ids in the strings and the names of tests of a module; comments do not count."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=str(text)) | ast.FunctionDef(name=text):
                for found in _ID.finditer(text):
                    system, number = found[1] or found[3], found[2] or found[4]
                    yield f"{system.upper()}-T{number}"


@cache
def rows() -> dict[str, set[str]]:
    """Which scenarios are named in which file."""
    here = {"not_applicable.py", Path(__file__).name}
    found: dict[str, set[str]] = {}
    for path in sorted(TESTS.rglob("*.py")):
        if path.name not in here:
            for each in named(path.read_text(encoding="utf-8")):
                found.setdefault(each, set()).add(path.name)
    return found


def test_there_are_258() -> None:
    assert len(SCENARIOS) == len(set(SCENARIOS)) == 258


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_is_a_row_or_has_a_reason(scenario: str) -> None:
    held = scenario in rows() or scenario in ELSEWHERE
    assert held is not (scenario in NOT_APPLICABLE), f"{scenario} is held: {held}"


def test_no_row_names_a_scenario_that_there_is_not() -> None:
    assert set(rows()) <= set(SCENARIOS)
    assert {*NOT_APPLICABLE, *ELSEWHERE} <= set(SCENARIOS)


@pytest.mark.parametrize("scenario", ELSEWHERE)
def test_what_holds_it_elsewhere_is_there(scenario: str) -> None:
    path, _, test = ELSEWHERE[scenario].partition("::")
    assert f"def {test}(" in (TESTS.parent / path).read_text(encoding="utf-8")


def test_reasons_are_sentences() -> None:
    assert all(len(reason.split()) >= 5 for reason in NOT_APPLICABLE.values())


NAMED = [
    ('"AR-T001 x"\n', ["AR-T001"]),
    ("def test_ds_t47_x(): pass\n", ["DS-T47"]),
    ('"""TG-T20, TG-T21."""\n', ["TG-T20", "TG-T21"]),
    ("# AR-T001\n", []),
    ("def test_words_t1(): pass\n", []),
]


@pytest.mark.parametrize(("source", "ids"), NAMED)
def test_what_counts_as_a_row(source: str, ids: list[str]) -> None:
    assert list(named(source)) == ids
