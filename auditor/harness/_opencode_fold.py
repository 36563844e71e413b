"""OpenCode messages `{info, parts}` -> events: one fold for every place that keeps them.

Owns which user message begins a turn, which step ends it, and what is pending meanwhile. Knows
nothing of files, databases or the server: whoever reads those feeds `Session.message`. The facts
are those of OpenCode 1.18, driven and read; older releases leave fields out, and what is left out
stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

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
from auditor.harness import _opencode_parts as says
from auditor.harness._opencode_parts import Json
from auditor.turn import (
    FinishReason,
    Pending,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    Todo,
    ToolCall,
    TurnError,
    canonical,
)

HARNESS = "opencode"

_FINISH = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content-filter": FinishReason.CONTENT_FILTER,
    "error": FinishReason.ERROR,
}
"""Every other reason but `tool-calls` is `UNKNOWN`."""

_ASKING = frozenset({"question", "plan_exit", "plan_enter"})
"""Tools that wait for the user while they run."""

_AFTER_SUBTASK = "Summarize the task tool output above"
_NOTIFICATION = '<task id="'


class Session:
    """One session, fed its messages oldest first."""

    def __init__(self, session: str, parent: str | None = None) -> None:
        self.id, self.parent = session, parent
        self._turns = 0
        self._request = ""
        self._over = True  # no turn is under way
        self._stepping: says.Number | None = None  # when the last step ended, another to follow
        self._shell = False  # the next assistant message is the user's own `!` command
        self._inside = False  # the compaction came from the harness, inside a turn
        self._summarized = False
        self._todos: tuple[Todo, ...] = ()
        self._pending: tuple[Pending, ...] = ()
        self._background: dict[str, Pending] = {}

    def message(self, info: object, parts: object, line: int | None = None) -> Iterator[Event]:
        """The events of one message."""
        found = parts if isinstance(parts, list) else []
        if not isinstance(info, dict):
            info = {}
        match info:
            case {"role": "user"}:
                yield from self._user(info, found, line)
            case {"role": "assistant", "summary": True} | {
                "role": "assistant",
                "mode": "compaction",
            }:
                yield from self._summary(info)
            case {"role": "assistant"} if self._shell:
                self._shell = False
            case {"role": "assistant"}:
                yield from self._assistant(info, found, line)
            case _:
                yield Unread("message without a role", line)

    def todos(self, items: object) -> Iterator[Event]:
        """The session's to-do list is now this."""
        if isinstance(items, list):
            found = tuple([todo for item in items if (todo := says.todo(item)) is not None])
            if found != self._todos:
                self._todos = found
                yield TodosChanged(self.id, found)

    def _user(self, info: Json, parts: list[object], line: int | None) -> Iterator[Event]:
        ask = says.ask(parts)
        for part in ask.unknown:
            yield says.unknown(part, line)
        match ask.special:
            case {"type": "compaction", "auto": False}:
                self._inside = False  # the user's own, between two turns
            case {"type": "compaction"}:
                self._inside = True
                yield Compacted(self.id)
            case dict(part):
                yield self._start(info, says.command(part), RequestKind.COMMAND)
            case _ if ask.words or ask.attached:
                yield from self._human(info, "\n\n".join(ask.words))
            case _ if ask.injected:
                yield from self._injected(info, ask.injected[0])

    def _human(self, info: Json, request: str) -> Iterator[Event]:
        if self._queued(info):
            return
        if self._summarized and self._request and request.startswith(self._request):
            return  # the harness sends the request again after it compacted
        kind = RequestKind.HUMAN if self.parent is None else RequestKind.AGENT
        yield self._start(info, request, kind)

    def _queued(self, info: Json) -> bool:
        """Whether it was sent while the turn ran, and taken in between two of its steps."""
        created = says.stamp(info, "created")
        ended = self._stepping
        return created is not None and ended is not None and created <= ended

    def _injected(self, info: Json, part: Json) -> Iterator[Event]:
        """A message nobody typed: it begins a turn only where none is under way."""
        text = says.string(part, "text") or ""
        match part:
            case {"metadata": {"compaction_continue": True}}:
                return
            case _ if text == says.SHELL:
                self._shell = True
            case _ if text.startswith(_NOTIFICATION):
                if self._over:
                    yield self._start(info, text, RequestKind.NOTIFICATION)
                # Only now: the turn before ended while the sub-agent ran.
                self._background.pop(text[len(_NOTIFICATION) :].split('"', 1)[0], None)
                yield from self._waits([])
            case _ if self._over and not text.startswith(_AFTER_SUBTASK):
                yield self._start(info, text, RequestKind.NUDGE)

    def _start(self, info: Json, request: str, kind: RequestKind) -> Event:
        self._turns += 1
        self._request, self._over, self._stepping, self._summarized = request, False, None, False
        id_ = says.string(info, "id") or ""
        return TurnStarted(
            session=self.id,
            # A sanitized export has ids that are all alike.
            turn=id_ if id_.startswith("msg_") else f"{self.id}#{self._turns}",
            harness=HARNESS,
            request=request,
            kind=kind,
            model=says.model(info),
            parent=self.parent,
            at=says.when(info, "created"),
        )

    def _assistant(self, info: Json, parts: list[object], line: int | None) -> Iterator[Event]:
        self._summarized = False
        model, at = says.model(info), says.when(info, "created")
        waiting: list[Pending] = []
        for part in parts:
            match part:
                case {"type": "text" | "reasoning", "text": ""} | {"type": "text", "ignored": True}:
                    pass  # a failed attempt leaves its text part behind, emptied
                case {"type": "text", "text": str(text)}:
                    yield PartAdded(self.id, Text(text), says.ended(part, at), model)
                case {"type": "reasoning", "text": str(text)}:
                    yield PartAdded(self.id, Reasoning(text), says.ended(part, at), model)
                case {"type": "tool", "tool": str(name), "state": {"status": str()} as state}:
                    call = says.string(part, "callID")
                    yield from self._tool(name, state, call, at, model)
                    self._note(name, state, waiting)
                case {"type": "file" | "agent"}:
                    pass
                case _ if not says.silent(part):
                    yield says.unknown(part, line)
        yield from self._waits(waiting)
        yield from self._end(info, parts)

    def _tool(
        self, name: str, state: Json, id_: str | None, at: float | None, model: str | None
    ) -> Iterator[Event]:
        call = ToolCall(name, canonical(state.get("input") or {}), id_)
        yield PartAdded(self.id, call, at, model)
        result = says.result(name, state, id_)
        if result is not None:
            yield PartAdded(self.id, result, says.ended(state, at), model)
        match state:
            case {"status": "completed", "input": {"todos": items}} if name == "todowrite":
                yield from self.todos(items)

    def _note(self, name: str, state: Json, waiting: list[Pending]) -> None:
        match state:
            case {"status": "pending" | "running"} if name in _ASKING:
                waiting.append(Pending(PendingKind.QUESTION, name))
            case {"status": "pending" | "running"} if name == "task":
                waiting.append(Pending(PendingKind.SUBAGENT, says.child(state)))
            case {"status": "completed", "metadata": {"background": True}} if name == "task":
                child = says.child(state)
                self._background[child] = Pending(PendingKind.SUBAGENT, child)

    def _waits(self, waiting: list[Pending]) -> Iterator[Event]:
        pending = (*self._background.values(), *waiting)
        if pending != self._pending:
            self._pending = pending
            yield PendingChanged(self.id, pending)

    def _summary(self, info: Json) -> Iterator[Event]:
        match info:
            case {"error": dict(error)}:
                if self._inside:
                    yield self._stop(info, *says.failed(error))
            case _:
                self._summarized = self._inside

    def _end(self, info: Json, parts: list[object]) -> Iterator[Event]:
        self._over, self._stepping = False, None
        reason, stepped = says.reason(info, parts)
        completed = says.stamp(info, "completed")
        match info:
            case {"error": dict(error)}:
                yield self._stop(info, *says.failed(error))
            case _ if reason == "tool-calls" and any(says.refused(part) for part in parts):
                yield self._stop(info, FinishReason.ABORTED)
            case _ if reason is not None:
                self._stepping = completed if reason in says.GOES_ON else None
                if reason != "tool-calls":
                    yield self._stop(info, _FINISH.get(reason, FinishReason.UNKNOWN))
            case _ if completed is None and parts and all(map(says.says_nothing, parts)):
                # Still running, or the harness died here: text under way is never stored.
                yield PartAdded(self.id, Text(""), says.when(info, "created"), says.model(info))
            case _ if completed is not None and not stepped:
                yield self._stop(info, FinishReason.ABORTED)  # stopped while waiting to retry

    def _stop(self, info: Json, finish: FinishReason, error: TurnError | None = None) -> Event:
        self._over = finish is not FinishReason.UNKNOWN
        at = says.when(info, "completed")
        return TurnEnded(session=self.id, finish=finish, error=error, at=at)
