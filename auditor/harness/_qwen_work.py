"""What a session of Qwen Code waits for: calls that wait for somebody, work in the background.

Knows what a call and its result start and end; no turns. `stale` says that something changed that
has not been told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from auditor.events import Event, PendingChanged, TodosChanged
from auditor.harness._qwen_parts import what_is_pending
from auditor.harness._shapes import todos
from auditor.turn import Pending, PendingKind

_WAITS = {
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


class Work:
    """Calls without a result, those among them that wait, and what runs beside the turns."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._calls: dict[str, tuple[str, Any]] = {}
        self._waiting: dict[str, Pending] = {}
        self._background: dict[str, Pending] = {}
        self._stale = False

    def begun(self) -> None:
        """A turn began: calls that never got a result wait for nobody any more."""
        self._calls.clear()
        self._stale = self._stale or bool(self._waiting)
        self._waiting.clear()

    def notified(self, note: str) -> None:
        """A note tells that tasks are over."""
        for task in _TASK.findall(note):
            self.over(task)

    def over(self, task: str) -> None:
        """Something in the background is over."""
        self._stale = self._background.pop(task, None) is not None or self._stale

    def called(self, call: str | None, name: str, given: Any) -> Iterator[Event]:
        """A tool was called: its list is the session's, and it may wait for somebody."""
        match name, given:
            case "todo_write", {"todos": list(items)}:
                yield self._todos(items)
        if call is None:
            return
        self._calls[call] = (name, given)
        if name in _WAITS:
            self._waiting[call] = Pending(_WAITS[name], what_is_pending(given))
            self._stale = True
            yield from self.changes()

    def answered(self, call: str | None, output: str, row: Any) -> Iterator[Event]:
        """The result of a call came, in this row."""
        name, given = self._calls.pop(call or "", ("", None))
        self._stale = self._waiting.pop(call or "", None) is not None or self._stale
        match row:
            case {"toolCallResult": {"resultDisplay": {"type": "todo_list", "todos": list(items)}}}:
                yield self._todos(items)
        self._launched(name, given, output, row)
        yield from self.changes()

    def _launched(self, name: str, given: Any, output: str, row: Any) -> None:
        """Take in what a call left running in the background, or ended."""
        match row, given:
            case {
                "toolCallResult": {
                    "resultDisplay": {"type": "task_execution", "status": "background"}
                }
            }, _:
                self._runs(PendingKind.SUBAGENT, _AGENT.search(output), given)
            case _, {"is_background": True}:
                self._runs(PendingKind.BACKGROUND, _SHELL.search(output), given)
            case _, {"task_id": str(task)} if name == "task_stop":
                self.over(task)

    def _runs(self, kind: PendingKind, id_: re.Match[str] | None, given: Any) -> None:
        if id_ is not None:
            self._background[id_[1]] = Pending(kind, what_is_pending(given))
            self._stale = True

    def changes(self) -> Iterator[Event]:
        """Tell what is pending, if that changed since it was told."""
        if self._stale:
            self._stale = False
            pending = (*self._waiting.values(), *self._background.values())
            yield PendingChanged(self._session, pending)

    def _todos(self, items: list[Any]) -> TodosChanged:
        return TodosChanged(self._session, todos(items, "content") or ())
