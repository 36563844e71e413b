"""Turn records (JSON Lines, `turn-record/1`) in and out: the interchange format of one turn.

A record is a turn, so nothing is folded here. A line that is no valid record is `Unread`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from auditor.events import Unread
from auditor.files import decode, raw_lines
from auditor.turn import (
    FinishReason,
    Part,
    Pending,
    Reasoning,
    RequestKind,
    Text,
    Todo,
    ToolCall,
    ToolResult,
    Turn,
    TurnError,
    canonical,
)

SCHEMA = "turn-record/1"


class _Call(Struct, tag="tool_call", gc=False):
    """A tool call as written: arguments are any JSON value."""

    name: str = ""
    arguments: Any = ""
    id: str | None = None
    clipped: bool = False


class Label(Struct, frozen=True):
    """The label of a record: whether a nudge would be right, why, who says so, sampling weight."""

    nudge: str
    verdict: str | None = None
    reason: str | None = None
    source: str | None = None
    weight: float = 1.0


class Record(Struct, frozen=True, kw_only=True):
    """One line. `next` and `label` are for evaluation and never reach a detector."""

    id: str
    session: str = ""
    harness: str = ""
    model: str | None = None
    parent: str | None = None
    request: str | None = None
    request_kind: RequestKind = RequestKind.HUMAN
    parts: tuple[Text | Reasoning | _Call | ToolResult, ...] = ()
    finish: FinishReason | None = None
    error: TurnError | None = None
    todos: tuple[Todo, ...] | None = None
    pending: tuple[Pending, ...] | None = None
    started: float | None = None
    ended: float | None = None
    next: str | None = None
    label: Label | None = None
    meta: dict[str, Any] | None = None

    @property
    def turn(self) -> Turn:
        """The turn alone: what detectors and models may see."""
        return Turn(
            id=self.id,
            session=self.session,
            harness=self.harness,
            request=self.request or "",
            request_kind=self.request_kind,
            parts=tuple(
                [
                    ToolCall(part.name, canonical(part.arguments), part.id, part.clipped)
                    if isinstance(part, _Call)
                    else part
                    for part in self.parts
                ]
            ),
            finish=self.finish,
            error=self.error,
            todos=self.todos,
            pending=self.pending or (),
            started=self.started,
            ended=self.ended,
            model=self.model,
            parent=self.parent,
        )


_RECORD = msgspec.json.Decoder(Record)


def record(line: bytes) -> Record:
    """One line as a record. Raises ValueError that says what is wrong and where in the line."""
    try:
        return _RECORD.decode(line)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError):
        pass
    try:
        return msgspec.convert(decode(line), Record)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def records(path: Path) -> Iterator[Record | Unread]:
    """The records of a file; a line that is none is `Unread`."""
    for line in raw_lines(path):
        if isinstance(line, Unread):
            yield line
            continue
        number, raw = line
        try:
            yield record(raw)
        except ValueError as error:
            yield Unread(f"not a turn record: {error}", number)


def written(turn: Turn, **more: Any) -> bytes:
    """One line of a turn, without its end; `more` are the keys that no turn has (`label`, …)."""
    fields = {
        name: getattr(turn, name)
        for name in Record.__struct_fields__
        if name not in ("parts", "next", "label", "meta")
    }
    parts = [_written(part) for part in turn.parts]
    return msgspec.json.encode({"schema": SCHEMA, **fields, "parts": parts, **more})


def _written(part: Part) -> object:
    if type(part) is not ToolCall:
        return part
    fields: dict[str, object] = msgspec.to_builtins(part)
    if part.arguments.startswith(("{", "[")):
        with suppress(ValueError):
            fields["arguments"] = decode(part.arguments.encode())
    return fields


def claims(head: bytes) -> bool:
    """Whether a file that begins so is a file of turn records."""
    first = head.split(b"\n", 1)[0][:4096]
    return b'"turn-record/' in first
