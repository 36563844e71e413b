"""One session of Qwen Code: its rows to events, the turn under way, its list and what it waits for.

Knows what every kind of row means; no files and no other sessions. Wire words are those of
versions 0.15.10 and 0.24.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from auditor.harness._qwen_parts import (
    arguments_of,
    error_of,
    response_of,
    texts_of,
    what_is_pending,
)
from auditor.harness._shapes import seconds, todos
from auditor.turn import (
    Compacted,
    Event,
    FinishReason,
    Part,
    PartAdded,
    Pending,
    PendingChanged,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    TodosChanged,
    ToolCall,
    ToolResult,
    TurnEnded,
    TurnError,
    TurnStarted,
    Unread,
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

WAITS = {
    "ask_user_question": PendingKind.QUESTION,
    "exit_plan_mode": PendingKind.PERMISSION,
    "agent": PendingKind.SUBAGENT,
    "task": PendingKind.SUBAGENT,
}
"""Tools whose call waits for somebody else until its result comes."""

_TASK = re.compile(r"<task-id>([^<]+)</task-id>")
_AGENT = re.compile(r"^task_id: (\S+)", re.MULTILINE)
_SHELL = re.compile(
    r"\A(?:Background shell started|Background command).*?^id: (\S+)", re.DOTALL | re.MULTILINE
)


class Session:
    """One session: the turn under way, its list and what it waits for."""

    def __init__(self, id_: str, parent: str | None = None) -> None:
        self.id, self.parent = id_, parent
        self.turns = 0
        self.calls: dict[str, tuple[str, Any]] = {}
        self.waiting: dict[str, Pending] = {}
        self.background: dict[str, Pending] = {}
        self.stale = False  # something ended that has not been told yet

    def row(self, row: Any, kind: str) -> Iterator[Event]:
        match kind, row:
            case "user", {"message": {"parts": list(parts)}}:
                yield from self._asked(row, "\n\n".join(texts_of(parts)))
            case "assistant", {"message": {"parts": list(parts)}}:
                for part in parts:
                    yield from self._spoke(row, part)
            case "tool_result", {"message": {"parts": list(parts)}}:
                for part in parts:
                    yield from self._result(row, part)
                yield from self._refused(row)
            case "system", {"subtype": str(subtype)}:
                yield from self._system(row, subtype)
            case "assistant", {"usageMetadata": _}:
                pass  # an answer without any part
            case "user" | "assistant" | "tool_result", _:
                yield Unread(f"{kind} row without parts")
            case _:
                yield Unread(f"row type {kind[:40]}")

    def _system(self, row: Any, subtype: str) -> Iterator[Event]:
        match subtype, row:
            case "ui_telemetry", {"systemPayload": {"uiEvent": dict(event)}}:
                yield from self._told(event, seconds(row.get("timestamp")))
            case "turn_result", {"systemPayload": dict(result)}:
                yield from self._ended(result, seconds(row.get("timestamp")))
            case "background_task_completed", {
                "systemPayload": {"backgroundTask": {"taskId": str(task)}}
            }:
                # Told with the next thing that happens: the turn before ended with it running.
                self.stale = self.background.pop(task, None) is not None or self.stale
            case "chat_compression", _:
                yield Compacted(self.id)
            case _ if subtype not in IGNORED:
                yield Unread(f"system row {subtype[:40]}")

    def _asked(self, row: Any, request: str) -> Iterator[Event]:
        kind = RequestKind.AGENT if self.parent else RequestKind.HUMAN
        match row:
            case {"subtype": str(subtype)} if subtype in QUEUED:
                return
            case {"subtype": str(subtype)}:
                kind = KINDS.get(subtype, kind)
        yield from self._begin(row, kind, request)
        over = _TASK.findall(request) if kind is RequestKind.NOTIFICATION else []
        for task in over:
            self.background.pop(task, None)
        if over or self.waiting or self.stale:
            self.waiting.clear()  # calls that never got a result wait for nobody any more
            yield self._pending()

    def _begin(self, row: Any, kind: RequestKind, request: str) -> Iterator[Event]:
        self.turns += 1
        self.calls.clear()
        match row:
            case {"uuid": str(turn)}:
                pass
            case _:
                turn = f"{self.id}#{self.turns}"
        yield TurnStarted(
            session=self.id,
            turn=turn,
            harness="qwen-code",
            request=request,
            kind=kind,
            parent=self.parent,
            at=seconds(row.get("timestamp")),
        )

    def _part(self, row: Any, part: Part) -> Iterator[Event]:
        if not self.turns:  # the file begins in the middle of a turn
            yield from self._begin(row, RequestKind.AGENT if self.parent else RequestKind.HUMAN, "")
        if self.stale:
            yield self._pending()
        model = row.get("model")
        yield PartAdded(
            self.id, part, seconds(row.get("timestamp")), model if isinstance(model, str) else None
        )

    def _spoke(self, row: Any, part: Any) -> Iterator[Event]:
        match part:
            case {"text": str(text), "thought": True}:
                yield from self._part(row, Reasoning(text))
            case {"text": str(text)}:
                yield from self._part(row, Text(text))
            case {"functionCall": {"name": str(name), **rest}}:
                call = rest.get("id")
                call = call if isinstance(call, str) else None
                given = rest.get("args")
                yield from self._part(row, ToolCall(name, arguments_of(given), call))
                yield from self._called(call, name, given)
            case {"inlineData": _} | {"fileData": _} | {"thoughtSignature": _}:
                pass
            case _:
                yield Unread("assistant part")

    def _called(self, call: str | None, name: str, given: Any) -> Iterator[Event]:
        if call is not None:
            self.calls[call] = (name, given)
        match name, given:
            case "todo_write", {"todos": list(items)}:
                yield self._todos(items)
        if call is not None and name in WAITS:
            self.waiting[call] = Pending(WAITS[name], what_is_pending(given))
            yield self._pending()

    def _result(self, row: Any, part: Any) -> Iterator[Event]:
        match part:
            case {"functionResponse": {"response": dict(response), **rest}}:
                pass
            case {"inlineData": _} | {"fileData": _} | {"text": _}:
                return  # a picture or a note beside its result
            case _:
                yield Unread("tool result part")
                return
        call = rest.get("id")
        call = call if isinstance(call, str) else None
        output, failed = response_of(response, row)
        yield from self._part(row, ToolResult(output, call, failed))
        name, given = self.calls.pop(call or "", ("", None))
        waited = self.waiting.pop(call or "", None)
        match row:
            case {"toolCallResult": {"resultDisplay": {"type": "todo_list", "todos": list(items)}}}:
                yield self._todos(items)
        launched = self._launched(name, given, output, row)
        if waited or launched:
            yield self._pending()

    def _launched(self, name: str, given: Any, output: str, row: Any) -> bool:
        """Whether the call left something running in the background, or ended it."""
        match row, given:
            case {
                "toolCallResult": {
                    "resultDisplay": {"type": "task_execution", "status": "background"}
                }
            }, _:
                kind, found = PendingKind.SUBAGENT, _AGENT.search(output)
            case _, {"is_background": True}:
                kind, found = PendingKind.BACKGROUND, _SHELL.search(output)
            case _, {"task_id": str(task)} if name == "task_stop":
                return self.background.pop(task, None) is not None
            case _:
                return False
        if found is None:
            return False
        self.background[found[1]] = Pending(kind, what_is_pending(given))
        return True

    def _refused(self, row: Any) -> Iterator[Event]:
        """The person refused or cancelled the call: the agent halts unless it goes on after all."""
        match row:
            case {"toolCallResult": {"status": "cancelled"}}:
                yield TurnEnded(
                    session=self.id, finish=FinishReason.ABORTED, at=seconds(row.get("timestamp"))
                )

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

    def _todos(self, items: list[Any]) -> TodosChanged:
        return TodosChanged(self.id, todos(items, "content") or ())

    def _pending(self) -> PendingChanged:
        self.stale = False
        return PendingChanged(self.id, (*self.waiting.values(), *self.background.values()))
