"""What all detectors promise: a table each, total, deterministic, bounded, blind to identities."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from auditor import detectors
from auditor.detectors import DETECTORS
from auditor.sieve import settled, sieve
from auditor.signals import EVIDENCE_LENGTH, Stage
from auditor.turn import (
    FinishReason,
    Part,
    Pending,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    Todo,
    TodoStatus,
    ToolCall,
    ToolResult,
    Turn,
    TurnError,
)
from tests.words import BY_NAME

HERE = Path(__file__).parent
FILES = sorted(
    path.stem for path in Path(detectors.__file__).parent.glob("*.py") if path.stem[0] != "_"
)


def test_every_file_is_a_detector_and_every_detector_a_file() -> None:
    assert sorted(BY_NAME) == FILES


@pytest.mark.parametrize("name", FILES)
def test_every_detector_has_a_stage_and_a_table_of_its_own(name: str) -> None:
    assert isinstance(BY_NAME[name].stage, Stage)
    tests = HERE / f"test_{name}.py"
    assert tests.exists(), f"no {tests.name}"
    assert re.search(rf'\btable\(\s*"{name}"', tests.read_text()), f"{tests.name} has no table"


# Whole turns: every kind of part, weird text, and words that detectors look for.
WORDS = st.sampled_from(
    [
        "Let me check", "I'll ", "please ", "Done", ". ", ": ", "? ", "\n", "\n\n", "```", "`",
        "- ",
        "1 failed", "API Error: 529 ", "<tool_call>", '{"name": "a", "arguments": {}}',
        "once you ", "我来检查", "。", "ましょう", "겠습니다", "Запускаю ", "سأقوم ", "मैं ",
        "für ", "şimdi ",
        "running in the background ", "2 of the five, the rest ", "\u200d", "👩\u200d🚀", "\x00",
        "İ",
    ]
)  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60) | st.lists(
    WORDS, max_size=12
).map("".join)
IDS = st.sampled_from(["a", "b", "c"])
NAMES = st.sampled_from(
    ["bash", "Edit", "Read", "AskUserQuestion", "Task", "attempt_completion", "TodoWrite", ""]
)
JSON = st.sampled_from(["{}", "[]", "", "{", '{"command":"ls"}', '{"run_in_background":true}', "7"])
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, TEXTS, st.booleans()),
    st.builds(Reasoning, TEXTS, st.booleans()),
    st.builds(ToolCall, NAMES | TEXTS, JSON | TEXTS, st.none() | IDS, st.booleans()),
    st.builds(ToolResult, TEXTS, st.none() | IDS, st.none() | st.booleans(), st.booleans()),
)
ERRORS = st.builds(
    TurnError,
    TEXTS,
    TEXTS,
    st.none() | st.integers(0, 999),
    st.none() | st.booleans(),
)
TURNS = st.builds(
    Turn,
    id=st.just("t"),
    session=st.just("s"),
    harness=st.just("h"),
    request=TEXTS,
    request_kind=st.sampled_from(RequestKind),
    parts=st.lists(PARTS, max_size=10).map(tuple),
    finish=st.none() | st.sampled_from(FinishReason),
    error=st.none() | ERRORS,
    todos=st.none()
    | st.lists(st.builds(Todo, TEXTS, st.sampled_from(TodoStatus)), max_size=3).map(tuple),
    pending=st.lists(st.builds(Pending, st.sampled_from(PendingKind), TEXTS), max_size=2).map(
        tuple
    ),
    compacted=st.booleans(),
)
EXAMPLES = settings(max_examples=300, deadline=None)


def fresh(turn: Turn, **changes: Any) -> Turn:
    """The same turn without what was looked up before, and with changes."""
    return replace(turn, **changes)


@EXAMPLES
@given(TURNS)
def test_every_detector_is_total_bounded_and_deterministic(turn: Turn) -> None:
    for detector in DETECTORS:
        signal = detector.detect(fresh(turn))
        assert signal == detector.detect(fresh(turn)) == detector.detect(turn), detector.name
        if signal is not None:
            assert 0.0 <= signal.strength <= 1.0, detector.name
            assert signal.evidence, detector.name
            assert len(signal.evidence) <= EVIDENCE_LENGTH, detector.name


@EXAMPLES
@given(TURNS)
def test_identities_and_times_do_not_matter(turn: Turn) -> None:
    other = fresh(
        turn, id="other", session="other", harness="other", started=5.0, ended=9.0, model="other"
    )
    assert sieve(other) == sieve(fresh(turn))


RENAMED = {"a": "call_9", "b": "call_2", "c": "call_5", None: None}


@EXAMPLES
@given(TURNS)
def test_the_ids_of_tool_calls_do_not_matter(turn: Turn) -> None:
    assert sieve(fresh(turn, parts=tuple(map(renamed, turn.parts)))) == sieve(fresh(turn))


def renamed(part: Part) -> Part:
    match part:
        case ToolCall(id=id_):
            return replace(part, id=RENAMED[id_])
        case ToolResult(call=id_):
            return replace(part, call=RENAMED[id_])
        case _:
            return part


@EXAMPLES
@given(TURNS)
def test_what_settles_is_the_verdict_of_a_signal_that_settles(turn: Turn) -> None:
    signals = sieve(turn)
    found = settled(signals)
    if found is not None:
        assert signals[found.by].settles
        assert signals[found.by].points_to is found.verdict
