"""The words of all tables: `turn(say("…"), call("bash", command="ls"), result("ok"))`."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.detectors import DETECTORS
from auditor.turn import (
    FinishReason,
    Part,
    Pending,
    PendingKind,
    Reasoning,
    Text,
    Todo,
    TodoStatus,
    ToolCall,
    ToolResult,
    Turn,
    canonical,
)

BY_NAME = {detector.name: detector for detector in DETECTORS}


def say(text: str) -> Text:
    return Text(text)


def think(text: str) -> Reasoning:
    return Reasoning(text)


def call(name: str, arguments: Any = None, /, **named: Any) -> ToolCall:
    """A call; its arguments as keywords, or any JSON value."""
    return ToolCall(name, canonical(named if arguments is None else arguments))


def result(output: str = "", *, failed: bool | None = False) -> ToolResult:
    """The result of the call before it."""
    return ToolResult(output, failed=failed)


def todo(content: str, status: str = "pending") -> Todo:
    return Todo(content, TodoStatus(status))


def pending(kind: str, what: str = "") -> Pending:
    return Pending(PendingKind(kind), what)


def turn(*parts: Part, finish: str | None = "stop", request: str = "do it", **more: Any) -> Turn:
    """A turn; calls without an id get one, and each result answers the oldest open call."""
    numbered: list[Part] = []
    waiting: list[str] = []
    for number, part in enumerate(parts):
        match part:
            case ToolCall(name, arguments, None, clipped):
                waiting.append(f"c{number}")
                numbered.append(ToolCall(name, arguments, waiting[-1], clipped))
            case ToolResult(output, None, failed, clipped) if waiting:
                numbered.append(ToolResult(output, waiting.pop(0), failed, clipped))
            case _:
                numbered.append(part)
    return Turn(
        id="t1",
        session="s1",
        harness="test",
        request=request,
        parts=tuple(numbered),
        finish=FinishReason(finish) if finish else None,
        **more,
    )


Row = tuple[str, Turn, bool]


def table(name: str, rows: list[Row]) -> Any:
    """The test of one detector: (sentence, turn, whether it fires). Half must not fire."""
    quiet = sum(not fires for _, _, fires in rows)
    assert 2 * quiet >= len(rows), f"{name}: at least half of the rows must not fire"
    assert quiet < len(rows), f"{name}: no row fires"
    assert len({sentence for sentence, _, _ in rows}) == len(rows), f"{name}: two rows alike"

    @pytest.mark.parametrize(
        ("subject", "fires"), [pytest.param(t, f, id=sentence) for sentence, t, f in rows]
    )
    def test(subject: Turn, fires: bool) -> None:
        signal = BY_NAME[name].detect(subject)
        assert (signal is not None) is fires, signal
        if signal is not None:
            assert 0.0 <= signal.strength <= 1.0
            assert signal.evidence

    return test
