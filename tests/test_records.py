"""Turn records in and out: what is written is read, and a line that is none is counted."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.events import Unread
from auditor.records import Label, Record, claims, record, records, written
from auditor.turn import (
    FinishReason,
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
    canonical,
)

WHOLE = {
    "schema": "turn-record/1",
    "id": "t1",
    "session": "s1",
    "harness": "claude-code",
    "model": "sample-1",
    "parent": "s0",
    "request": "do it",
    "request_kind": "notification",
    "parts": [
        {"type": "text", "text": "Let me look."},
        {"type": "reasoning", "text": "hm", "clipped": True},
        {"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"b": 1, "a": [2]}},
        {"type": "tool_result", "call": "c1", "output": "no", "failed": True},
    ],
    "finish": "error",
    "error": {"name": "APIError", "message": "slow down", "status": 429, "retryable": True},
    "todos": [{"content": "look", "status": "in_progress"}],
    "pending": [{"kind": "background", "what": "make"}],
    "started": 1.5,
    "ended": 2,
    "next": "thanks",
    "label": {"nudge": "yes", "verdict": "unfinished", "reason": "announced", "weight": 2.5},
    "meta": {"repo": "a/b", "deep": [1, {"x": None}]},
}


def line(**changes: Any) -> bytes:
    return json.dumps({**WHOLE, **changes}).encode()


def test_every_field_is_read() -> None:
    found = record(line())
    assert found.turn == Turn(
        id="t1",
        session="s1",
        harness="claude-code",
        request="do it",
        request_kind=RequestKind.NOTIFICATION,
        parts=(
            Text("Let me look."),
            Reasoning("hm", clipped=True),
            ToolCall("bash", '{"a":[2],"b":1}', "c1"),
            ToolResult("no", "c1", failed=True),
        ),
        finish=FinishReason.ERROR,
        error=TurnError("APIError", "slow down", 429, retryable=True),
        todos=(Todo("look", TodoStatus.IN_PROGRESS),),
        pending=(Pending(PendingKind.BACKGROUND, "make"),),
        started=1.5,
        ended=2.0,
        model="sample-1",
        parent="s0",
    )
    assert found.next == "thanks"
    assert found.label == Label("yes", "unfinished", "announced", None, 2.5)
    assert found.meta == WHOLE["meta"]


def test_an_id_is_enough_and_what_is_absent_is_unknown() -> None:
    found = record(b'{"id": "t1"}').turn
    assert found == Turn(id="t1", session="", harness="")
    assert (found.finish, found.todos, found.pending) == (None, None, ())
    nulls = dict.fromkeys(("request", "finish", "todos", "pending", "error", "model"))
    assert record(json.dumps({"id": "t1", **nulls}).encode()).turn == found


def test_unknown_keys_are_ignored_everywhere() -> None:
    odd = line(
        colour="blue",
        parts=[{"type": "text", "text": "x", "odd": [1]}],
        error={"name": "E", "odd": 1},
        todos=[{"content": "x", "odd": 1}],
        label={"nudge": "no", "odd": 1},
    )
    assert record(odd).turn.parts == (Text("x"),)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"b": 1, "a": 2}, '{"a":2,"b":1}'),
        ('{"b": 1, "a": 2}', '{"a":2,"b":1}'),
        ("ls -a", "ls -a"),
        ("{not json", "{not json"),
        ("", ""),
        (None, "null"),
        (7, "7"),
        ([1, "x"], '[1,"x"]'),
    ],
)
def test_arguments_are_any_json_value(arguments: object, text: str) -> None:
    part = {"type": "tool_call", "name": "x", "arguments": arguments}
    assert record(line(parts=[part])).turn.calls[0].arguments == text


def test_a_call_may_have_no_arguments_and_no_id() -> None:
    assert record(line(parts=[{"type": "tool_call", "name": "x"}])).turn.calls == (ToolCall("x"),)


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        (b'{"id":"t","parts":[{"type":"tool_call","arguments":{"a":"\xff"}}]}', '{"a":"\ufffd"}'),
        (
            rb'{"id":"t","parts":[{"type":"tool_call","arguments":{"a":"\ud83d"}}]}',
            '{"a":"\ufffd"}',
        ),
        (b'\x00{"id":"t","parts":[{"type":"tool_call","arguments":[1]}]}\x00', "[1]"),
        (b'\xef\xbb\xbf{"id":"t","parts":[{"type":"tool_call","arguments":[1]}]}', "[1]"),
    ],
)
def test_broken_text_is_repaired(raw: bytes, arguments: str) -> None:
    assert record(raw).turn.calls[0].arguments == arguments


BAD = [
    pytest.param(b"{", "malformed|truncated", id="cut"),
    pytest.param(b"[1]", "Expected `object`", id="no object"),
    pytest.param(b"null", "Expected `object`", id="null"),
    pytest.param(b"{}", "missing required field `id`", id="no id"),
    pytest.param(b'{"id": 7}', r"Expected `str`.*\$\.id", id="an id that is no text"),
    pytest.param(line(parts=[{"type": "image"}]), "image", id="an unknown part"),
    pytest.param(line(parts=[{"text": "x"}]), "type", id="a part without a type"),
    pytest.param(line(parts="x"), r"\$\.parts", id="parts that are no list"),
    pytest.param(line(finish="done"), "done", id="an unknown finish reason"),
    pytest.param(line(request_kind="owl"), "owl", id="an unknown kind of request"),
    pytest.param(line(todos=[{"status": "pending"}]), "content", id="a to-do without content"),
    pytest.param(line(label={}), "nudge", id="a label without its answer"),
    pytest.param(
        b'{"id":"t","meta":{"x":' + b"[" * 99_999 + b"]" * 99_999 + b"}}", "nested", id="too deep"
    ),
]


@pytest.mark.parametrize(("bad", "why"), BAD)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_bad_line_is_counted_with_its_number_and_costs_only_itself(
    tmp_path: Path, bad: bytes, why: str, pack
) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_bytes(pack(b"\n".join([line(id="a"), b"", bad, line(id="b")])))
    first, unread, last = records(path)
    assert isinstance(first, Record)
    assert isinstance(last, Record)
    assert (first.id, last.id) == ("a", "b")
    assert isinstance(unread, Unread)
    assert unread.line == 3
    assert unread.kind.startswith("not a turn record: ")
    with pytest.raises(ValueError, match=why):
        record(bad)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda x: x.encode("utf-8", "replace")))
def test_reading_a_line_is_total(raw: bytes) -> None:
    try:
        found = record(raw)
    except ValueError:
        return
    assert isinstance(found.turn, Turn)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(json_values, st.data())
def test_any_json_value_in_the_place_of_any_field_never_raises_anything_else(value, data) -> None:
    field = data.draw(st.sampled_from(sorted(WHOLE)))
    try:
        assert isinstance(record(line(**{field: value})).turn, Turn)
    except ValueError:
        assert field != "schema"


texts = st.text(max_size=12)
some = st.none() | st.text(max_size=6)
parts = st.one_of(
    st.builds(Text, texts, st.booleans()),
    st.builds(Reasoning, texts, st.booleans()),
    st.builds(ToolCall, texts, json_values.map(canonical), some, st.booleans()),
    st.builds(ToolResult, texts, some, st.none() | st.booleans(), st.booleans()),
)
turns_ = st.builds(
    Turn,
    id=texts,
    session=texts,
    harness=texts,
    request=texts,
    request_kind=st.sampled_from(RequestKind),
    parts=st.lists(parts, max_size=5).map(tuple),
    finish=st.none() | st.sampled_from(FinishReason),
    error=st.none() | st.builds(TurnError, texts, texts, st.none() | st.integers(100, 599)),
    todos=st.none()
    | st.lists(st.builds(Todo, texts, st.sampled_from(TodoStatus)), max_size=3).map(tuple),
    pending=st.lists(st.builds(Pending, st.sampled_from(PendingKind), texts), max_size=2).map(
        tuple
    ),
    started=st.none() | st.floats(0, 4e9),
    ended=st.none() | st.floats(0, 4e9),
    model=some,
    parent=some,
)


@given(turns_)
def test_what_is_written_is_read(turn: Turn) -> None:
    raw = written(turn, next="and now?", label={"nudge": "no"}, colour="blue")
    found = record(raw)
    assert found.turn == turn
    assert (found.next, found.label) == ("and now?", Label("no"))
    assert b"\n" not in raw
    assert claims(raw)


def test_what_is_written_follows_the_schema() -> None:
    call = ToolCall("bash", '{"command":"ls"}', "c1")
    found = msgspec.json.decode(written(Turn(id="t", session="s", harness="h", parts=(call,))))
    assert found["schema"] == "turn-record/1"
    assert found["parts"][0]["arguments"] == {"command": "ls"}
    assert "label" not in found
    assert "next" not in found


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (line(), True),
        (line()[:60], True),
        (b'{"schema": "turn-record/2"}', True),
        (b'{"id": "t1"}\n{"schema": "turn-record/1"}', False),
        (b'{"type": "user"}', False),
        (b"", False),
    ],
)
def test_claims(head: bytes, claimed: bool) -> None:
    assert claims(head) is claimed
