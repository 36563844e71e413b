"""One session of Qwen Code: its rows to events, the turn under way, its list and what it waits for.

Knows what every kind of row means; no files and no other sessions. Wire words are those of
versions 0.15.10 and 0.24.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from auditor.events import Compacted, Event, PartAdded, TurnEnded, TurnStarted, Unread
from auditor.harness._qwen_parts import error_of, response_of, texts_of
from auditor.harness._qwen_work import Work
from auditor.harness._shapes import arguments, seconds, text_or_none
from auditor.turn import (
    FinishReason,
    Part,
    Reasoning,
    RequestKind,
    Text,
    ToolCall,
    ToolResult,
    TurnError,
)

_BOOKS = (
    "at_command attribution_snapshot branch_checkpoint custom_title file_history_snapshot"
    " goal_state goal_turn_end omni_recall parent_session rewind session_artifact_event"
    " session_artifact_snapshot session_model session_recording_degraded session_source"
    " session_sources_snapshot slash_command user_text_elements"
)
IGNORED = frozenset(_BOOKS.split())
"""Subtypes of system rows that change nothing for a turn."""

KINDS = {
    "notification": RequestKind.NOTIFICATION,
    "cron": RequestKind.NOTIFICATION,
    "goal_runtime": RequestKind.NUDGE,
}
"""What a user row's subtype says about who asked; without one it is the person."""

FINISH = {
    "end_turn": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "refusal": FinishReason.CONTENT_FILTER,
    "cancelled": FinishReason.ABORTED,
}
"""`stopReason` of the Agent Client Protocol, in the `turn_result` rows of sessions run over it."""

QUEUED = frozenset(["mid_turn_user_message"])
"""Subtypes of user rows that go into the turn under way."""


class Session:
    """One session: the turn under way, its list and what it waits for."""

    def __init__(self, id_: str, parent: str | None = None) -> None:
        self.id, self.parent = id_, parent
        self._turns = 0
        self._work = Work(id_)

    def row(self, row: Any, kind: str) -> Iterator[Event]:
        """The events of one row."""
        take = _SPEAKERS.get(kind)
        match row:
            case {"message": {"parts": list(parts)}} if take:
                yield from take(self, row, parts)
            case {"subtype": str(subtype)} if kind == "system":
                yield from self._system(row, subtype)
            case {"usageMetadata": _} if kind == "assistant":
                pass  # an answer without any part
            case _:
                yield Unread(f"{kind} row without parts" if take else f"row type {kind[:40]}")

    def _system(self, row: Any, subtype: str) -> Iterator[Event]:
        match subtype, row:
            case "ui_telemetry", {"systemPayload": {"uiEvent": dict(event)}}:
                yield from self._told(event, _at(row))
            case "turn_result", {"systemPayload": dict(result)}:
                yield from self._ended(result, _at(row))
            case "background_task_completed", {
                "systemPayload": {"backgroundTask": {"taskId": str(task)}}
            }:
                # Told with the next thing that happens: the turn before ended with it running.
                self._work.over(task)
            case "chat_compression", _:
                yield Compacted(self.id)
            case _ if subtype not in IGNORED:
                yield Unread(f"system row {subtype[:40]}")

    def asked(self, row: Any, parts: list[Any]) -> Iterator[Event]:
        kind, subtype = RequestKind.AGENT if self.parent else RequestKind.HUMAN, row.get("subtype")
        if isinstance(subtype, str):
            if subtype in QUEUED:
                return
            kind = KINDS.get(subtype, kind)
        request = "\n\n".join(texts_of(parts))
        yield self._begin(row, kind, request)
        if kind is RequestKind.NOTIFICATION:
            self._work.notified(request)
        yield from self._work.changes()

    def _begin(self, row: Any, kind: RequestKind, request: str) -> TurnStarted:
        self._turns += 1
        self._work.begun()
        turn = row.get("uuid")
        return TurnStarted(
            session=self.id,
            turn=turn if isinstance(turn, str) else f"{self.id}#{self._turns}",
            harness="qwen-code",
            request=request,
            kind=kind,
            parent=self.parent,
            at=_at(row),
        )

    def _part(self, row: Any, part: Part) -> Iterator[Event]:
        if not self._turns:  # the file begins in the middle of a turn
            yield self._begin(row, RequestKind.AGENT if self.parent else RequestKind.HUMAN, "")
        yield from self._work.changes()
        yield PartAdded(self.id, part, _at(row), text_or_none(row.get("model")))

    def spoke(self, row: Any, parts: list[Any]) -> Iterator[Event]:
        for part in parts:
            match part:
                case {"text": str(text), "thought": True}:
                    yield from self._part(row, Reasoning(text))
                case {"text": str(text)}:
                    yield from self._part(row, Text(text))
                case {"functionCall": {"name": str(name), **rest}}:
                    call, given = text_or_none(rest.get("id")), rest.get("args")
                    yield from self._part(row, ToolCall(name, arguments(given), call))
                    yield from self._work.called(call, name, given)
                case {"inlineData": _} | {"fileData": _} | {"thoughtSignature": _}:
                    pass
                case _:
                    yield Unread("assistant part")

    def answered(self, row: Any, parts: list[Any]) -> Iterator[Event]:
        for part in parts:
            match part:
                case {"functionResponse": {"response": dict(response), **rest}}:
                    call = text_or_none(rest.get("id"))
                    output, failed = response_of(response, row)
                    yield from self._part(row, ToolResult(output, call, failed))
                    yield from self._work.answered(call, output, row)
                case {"inlineData": _} | {"fileData": _} | {"text": _}:
                    pass  # a picture or a note beside its result
                case _:
                    yield Unread("tool result part")
        match row:
            case {"toolCallResult": {"status": "cancelled"}}:
                # Refused or cancelled by the person: the agent halts, unless it goes on after all.
                yield TurnEnded(session=self.id, finish=FinishReason.ABORTED, at=_at(row))

    def _told(self, event: Any, at: float | None) -> Iterator[Event]:
        """A failed request of this session's own agent; what it says later reopens the turn."""
        match event:
            case {"subagent_id": _}:
                return
            case {"event.name": "qwen-code.api_error", "prompt_id": str(prompt)} if (
                prompt.startswith(self.id)
            ):
                error = error_of(event)
                yield TurnEnded(session=self.id, finish=FinishReason.ERROR, error=error, at=at)

    def _ended(self, result: Any, at: float | None) -> Iterator[Event]:
        """How a turn settled, as sessions over the Agent Client Protocol record it."""
        match result:
            case {"state": "error", "error": {"message": str(text)}}:
                error = TurnError("error", text)
                yield TurnEnded(session=self.id, finish=FinishReason.ERROR, error=error, at=at)
            case {"state": "cancelled"}:
                yield TurnEnded(session=self.id, finish=FinishReason.ABORTED, at=at)
            case {"stopReason": str(reason)} if reason in FINISH:
                yield TurnEnded(session=self.id, finish=FINISH[reason], at=at)


def _at(row: Any) -> float | None:
    return seconds(row.get("timestamp"))


_SPEAKERS = {"assistant": Session.spoke, "tool_result": Session.answered, "user": Session.asked}
