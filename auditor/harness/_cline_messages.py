"""`ui_messages.json` of Cline and Roo Code -> events: what the panel showed, row by row.

Owns which row begins a turn and which leaves the panel waiting. A row is `say` (told) or `ask`
(asked, and the loop halts); rows are rewritten in place, so `partial` says nothing once on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from auditor.events import (
    Compacted,
    Event,
    PartAdded,
    PendingChanged,
    TodosChanged,
    TurnEnded,
    TurnStarted,
    Unread,
)
from auditor.harness import _cline_rows as says
from auditor.harness import _cline_tools as tools
from auditor.harness._cline_rows import Row
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
    TurnError,
    canonical,
)

HARNESS = "cline"

_CANCELLED = {
    "user_cancelled": FinishReason.ABORTED,
    "streaming_failed": FinishReason.ERROR,
    "retries_exhausted": FinishReason.ERROR,
}
_NO_TOOL = "[ERROR] You did not use a tool"
"""How the harness asks again by itself when an answer holds no call."""

_CHANGES = "HAS_CHANGES"
"""What Cline appends to a result for its buttons."""

_QUESTION = "?"
"""Marks the id of a call that only a person answers."""

_BESIDE = frozenset({"task_progress", "checkpoint_created", "checkpoint_saved", "resume_task"})
"""Rows that can follow a question without answering it."""


class Messages:
    """The rows of one task, in order; `end` after the last one."""

    def __init__(self, session: str) -> None:
        self.id = session
        self._begun = False
        self._over = False
        self._open: dict[str, list[str]] = {}  # output so far by the id of an open call
        self._pending: tuple[Pending, ...] = ()
        self._cut: TurnEnded | None = None  # how the request under way was cut short
        self._todos: tuple[Todo, ...] = ()

    def step(self, row: Row, line: int | None = None) -> Iterator[Event]:
        """The events of one row."""
        handle = self._handlers.get(row.kind)
        if handle is not None:
            yield from handle(self, row)
        elif row.kind not in says.SILENT:
            yield Unread(f"{row.way} {row.kind}", line)
        pending = says.pending(row)
        if pending != self._pending and (pending or row.kind not in _BESIDE):
            self._pending = pending
            yield PendingChanged(self.id, pending)

    def end(self) -> Iterator[Event]:
        """What the last request came to."""
        if self._cut is not None:
            yield self._cut
            self._cut = None

    def _start(self, row: Row, request: str, kind: RequestKind = RequestKind.HUMAN) -> TurnStarted:
        self._begun, self._over = True, False
        self._open.clear()
        return TurnStarted(
            session=self.id,
            turn=f"{self.id}#{row.id}",
            harness=HARNESS,
            request=request,
            kind=kind,
            model=row.model,
            at=row.at,
        )

    def _text(self, row: Row) -> Iterator[Event]:
        if self._begun:
            yield from self._part(row, Text(says.words(row)))
        else:
            yield self._start(row, row.text)

    def _reasoning(self, row: Row) -> Iterator[Event]:
        yield from self._part(row, Reasoning(row.text))

    def _part(self, row: Row, part: Part) -> Iterator[Event]:
        if not isinstance(part, Text | Reasoning) or part.text.strip():
            self._over = False
            yield PartAdded(self.id, part, row.at, row.model)

    def _feedback(self, row: Row) -> Iterator[Event]:
        """A message of the person: the answer to an open call, or the next request."""
        yield from self.end()
        if self._open:
            yield from self._answer(row, row.text)
        else:
            yield self._start(row, row.text)

    def _request(self, row: Row) -> Iterator[Event]:
        """The next request carries the results of the calls before it, and later how it went."""
        yield from self.end()
        told = tools.decoded(row.text)
        sent = ""
        match told:
            case {"request": str(sent)}:
                pass
        if self._open:
            yield from self._results(row, sent)
        elif sent.startswith(_NO_TOOL):
            yield self._start(row, tools.without_details(sent), RequestKind.NUDGE)
        match told:
            case {"cancelReason": str(reason), **more}:
                self._cut = self._cancelled(reason, more.get("streamingFailedMessage"))

    def _cancelled(self, reason: str, said: object) -> TurnEnded:
        finish = _CANCELLED.get(reason, FinishReason.UNKNOWN)
        error = None
        if finish is FinishReason.ERROR:
            error = says.error(reason, said if isinstance(said, str) else "")
        return TurnEnded(session=self.id, finish=finish, error=error)

    def _results(self, row: Row, sent: str) -> Iterator[Event]:
        outputs = tools.results(sent, len(self._open))
        for number, (call, shown) in enumerate(self._open.items()):
            output = outputs[number] if number < len(outputs) else "\n".join(shown)
            yield PartAdded(self.id, ToolResult(output, call, tools.failed(output)), row.at)
        self._open.clear()

    def _answer(self, row: Row, words: str) -> Iterator[Event]:
        """The person answered a question, or said something to a call before it ran."""
        call, shown = next(reversed(self._open.items()))
        if call.endswith(_QUESTION):
            del self._open[call]
            yield PartAdded(self.id, ToolResult(words, call), row.at)
        else:
            shown.append(words)

    def _output(self, row: Row) -> Iterator[Event]:
        for shown in list(self._open.values())[-1:]:
            shown.append(row.text)
        yield from ()

    def _call(self, row: Row) -> Iterator[Event]:
        call = says.called(row)
        if call is None:
            yield Unread(f"{row.way} {row.kind}")
            return
        self._open[row.id] = []
        yield from self._part(row, call)
        if call.name == "updateTodoList":
            yield from self._listed(row)
        elif call.name == "summarizeTask":
            yield Compacted(self.id)

    def _ask(self, row: Row) -> Iterator[Event]:
        id_ = row.id + _QUESTION
        self._open[id_] = []
        yield from self._part(row, ToolCall(tools.ASK, canonical(row.text), id_))
        match tools.decoded(row.text):
            case {"selected": str(answer)}:
                yield from self._answer(row, answer)

    def _plan(self, row: Row) -> Iterator[Event]:
        yield from self._part(row, Text(says.words(row)))
        yield self._stop(row, FinishReason.STOP)

    def _completed(self, row: Row) -> Iterator[Event]:
        text = row.text.removesuffix(_CHANGES).rstrip()
        if text:
            yield from self._part(row, ToolCall(tools.COMPLETE, "", row.id))
            yield from self._part(row, ToolResult("", row.id))
            yield from self._part(row, Text(text))
        self._open.clear()
        yield self._stop(row, FinishReason.STOP)

    def _listed(self, row: Row) -> Iterator[Event]:
        found = says.todos(row)
        if found != self._todos:
            self._todos = found
            yield TodosChanged(self.id, found)

    def _compacted(self, _: Row) -> Iterator[Event]:
        yield Compacted(self.id)

    def _failed(self, row: Row) -> Iterator[Event]:
        yield self._stop(row, FinishReason.ERROR, says.error(row.kind, row.text))

    def _resumed(self, _: Row) -> Iterator[Event]:
        """The panel offers to go on: the person had stopped the turn, or closed the editor."""
        yield from self.end()
        self._open = {call: [] for call in self._open if call.endswith(_QUESTION)}
        if self._begun and not self._over and not self._open:
            self._over = True
            yield TurnEnded(session=self.id, finish=FinishReason.ABORTED)

    def _stop(self, row: Row, finish: FinishReason, error: TurnError | None = None) -> TurnEnded:
        self._over, self._cut = True, None
        return TurnEnded(session=self.id, finish=finish, error=error, at=row.at)

    _handlers: ClassVar[dict[str, Callable[[Any, Row], Iterator[Event]]]] = {
        "act_mode_respond": _text,
        "api_req_failed": _failed,
        "api_req_started": _request,
        "browser_action": _call,
        "browser_action_launch": _call,
        "command": _call,
        "command_output": _output,
        "completion_result": _completed,
        "condense": _compacted,
        "condense_context": _compacted,
        "followup": _ask,
        "mcp_server_response": _output,
        "mistake_limit_reached": _failed,
        "plan_mode_respond": _plan,
        "reasoning": _reasoning,
        "resume_task": _resumed,
        "sliding_window_truncation": _compacted,
        "subtask_result": _output,
        "summarize_task": _compacted,
        "task": _text,
        "task_progress": _listed,
        "text": _text,
        "tool": _call,
        "use_mcp_server": _call,
        "user_edit_todos": _listed,
        "user_feedback": _feedback,
    }
