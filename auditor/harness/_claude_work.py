"""What one session of Claude Code has open: its to-do list, calls that wait, background work.

Owns the tools that say so and the shapes of their results (`toolUseResult`). Knows no rows. Both
lists outlive a turn; work in the background ends with its notification, or when the agent stops
it or sees that it is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from auditor.events import Event, PendingChanged, TodosChanged
from auditor.harness._shapes import todos
from auditor.turn import Pending, PendingKind, Todo, TodoStatus

WAITS = {
    "AskUserQuestion": PendingKind.QUESTION,
    "ExitPlanMode": PendingKind.PERMISSION,
    "exit_plan_mode": PendingKind.PERMISSION,
    "Task": PendingKind.SUBAGENT,
    "Agent": PendingKind.SUBAGENT,
}
"""Tools whose call waits for somebody else until its result comes."""

_WHAT = 200
"""Characters kept of what is pending: one command (a guess)."""

_RUNNING = frozenset({"running", "pending"})
_BACKGROUND = re.compile(r"running in background with ID: ([\w-]+)")
_TASK = re.compile(r"<task-id>([^<]+)</task-id>")
_CREATED = re.compile(r"Task #(\S+) created successfully: (.*)")
_WAKEUP = "wakeup"
_STATUS = {status.value: status for status in TodoStatus}


class Work:
    """The state; `changes` says what is new since it was last asked."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._calls: dict[str, tuple[str, object]] = {}
        self._waiting: dict[str, Pending] = {}
        self._background: dict[str, Pending] = {}
        self._over: set[str] = set()
        self._tasks: dict[str, Todo] = {}
        self._todos: tuple[Todo, ...] | None = None
        self._changed: list[Event] = []

    def called(self, call: str, name: str, given: object) -> None:
        """A tool was called."""
        self._calls[call] = (name, given)
        if name == "TodoWrite":
            match given:
                case {"todos": list(items)}:
                    self.listed(items)
        elif name in WAITS:
            self._waiting[call] = Pending(WAITS[name], _what(given))
            self._tell()

    def answered(self, call: str, output: str, failed: bool, detail: object) -> None:
        """The result of a call; `detail` is the row's `toolUseResult`."""
        name, given = self._calls.pop(call, ("", None))
        if self._waiting.pop(call, None) is not None:
            self._tell()
        if not failed:
            self._launched(name, given, output, detail)
            self._looked(name, given, detail)
            self._planned(name, given, output, detail)

    def _launched(self, name: str, given: object, output: str, detail: object) -> None:
        match detail:
            case {"backgroundTaskId": str(task)}:
                self._run(task, PendingKind.BACKGROUND, given)
            case {"status": "async_launched", "agentId": str(task)}:
                self._run(task, PendingKind.SUBAGENT, given)
            case {"id": str(task)} if name == "CronCreate":
                self._run(task, PendingKind.SCHEDULE, given)
            case _ if name == "ScheduleWakeup":
                self._run(_WAKEUP, PendingKind.SCHEDULE, given)
            case None if name == "Bash" and (found := _BACKGROUND.search(output[:400])):
                self._run(found[1], PendingKind.BACKGROUND, given)

    def _looked(self, name: str, given: object, detail: object) -> None:
        """The agent asked for the state of background work, or stopped it."""
        match detail:
            case {"task": {"task_id": str(task), "status": str(status)}} if status not in _RUNNING:
                self._end(task)
            case {"shellId": str(task), "status": str(status)} if status not in _RUNNING:
                self._end(task)
            case {"message": str(), "task_id": str(task)} | {
                "message": str(),
                "shell_id": str(task),
            }:
                self._end(task)
            case _ if name == "CronDelete":
                match given:
                    case {"id": str(task)}:
                        self._end(task)

    def _planned(self, name: str, given: object, output: str, detail: object) -> None:
        match name, detail, given:
            case "TaskCreate", {"task": {"id": str(id_), "subject": str(subject)}}, _:
                self._tasks[id_] = Todo(subject)
            case "TaskCreate", _, _ if found := _CREATED.search(output):
                self._tasks[found[1]] = Todo(found[2])
            case "TaskUpdate", {"success": False}, _:
                return
            case "TaskUpdate", _, {"taskId": str(id_)}:
                self._update(id_, given)
            case "TaskList", {"tasks": list(items)}, _:
                self._tasks = {id_: todo for item in items for id_, todo in _task(item)}
            case _:
                return
        self._set(tuple(self._tasks.values()))

    def _update(self, id_: str, given: object) -> None:
        before = self._tasks.get(id_, Todo(f"#{id_}"))
        match given:
            case {"status": "deleted"}:
                self._tasks.pop(id_, None)
                return
            case {"status": str(status)}:
                before = Todo(before.content, _STATUS.get(status, before.status))
        match given:
            case {"subject": str(subject)}:
                before = Todo(subject, before.status)
        self._tasks[id_] = before

    def listed(self, items: list[object]) -> None:
        """The old to-do list as a whole; it says nothing where tasks are in use."""
        if not self._tasks:
            self._set(todos(items, "content") or ())

    def notified(self, text: str) -> None:
        """A notification that a task is over, or reports progress; see `settle`."""
        if "<status>" in text and "<status>running" not in text:
            self._over.update(_TASK.findall(text))

    def settle(self) -> None:
        """The session moved on: only now is over what was notified, not in the turn before."""
        if self._over:
            for task in self._over:
                self._end(task)
            self._over.clear()

    def begun(self) -> None:
        """A turn began: calls that never got a result wait for nobody any more."""
        self._calls.clear()
        self._background.pop(_WAKEUP, None)
        self._waiting.clear()
        self._tell()

    def halted(self) -> None:
        """The person stopped the agent; what runs in the background runs on."""
        if self._waiting:
            self._waiting.clear()
            self._tell()

    def killed(self) -> None:
        """The person stopped all background agents."""
        self._background = {
            task: what
            for task, what in self._background.items()
            if what.kind is not PendingKind.SUBAGENT
        }
        self._tell()

    def changes(self) -> Iterator[Event]:
        """What changed since the last time."""
        if self._changed:
            changed, self._changed = self._changed, []
            yield from changed

    def _run(self, task: str, kind: PendingKind, given: object) -> None:
        self._background[task] = Pending(kind, _what(given))
        self._tell()

    def _end(self, task: str) -> None:
        if self._background.pop(task, None) is not None:
            self._tell()

    def _tell(self) -> None:
        now = (*self._waiting.values(), *self._background.values())
        self._changed.append(PendingChanged(self._session, now))

    def _set(self, now: tuple[Todo, ...]) -> None:
        if now != self._todos:
            self._todos = now
            self._changed.append(TodosChanged(self._session, now))


def _what(given: object) -> str:
    match given:
        case (
            {"command": str(text)}
            | {"description": str(text)}
            | {"questions": [{"question": str(text)}, *_]}
            | {"plan": str(text)}
            | {"prompt": str(text)}
            | {"reason": str(text)}
        ):
            return " ".join(text[:_WHAT].split())
        case _:
            return ""


def _task(item: object) -> Iterator[tuple[str, Todo]]:
    match item:
        case {"id": str(id_), "subject": str(subject), "status": str(status)}:
            yield id_, Todo(subject, _STATUS.get(status, TodoStatus.PENDING))
