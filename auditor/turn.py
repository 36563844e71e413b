"""The domain: what an agent did between one request and its next stop.

Owns the parts of a turn and the turn itself. Knows no
harness's format, no clock and no file. Everything here is immutable plain data.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from auditor import text as texts


class FinishReason(StrEnum):
    """Why the harness says the turn stopped, in the wire terms of the field."""

    STOP = "stop"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    ERROR = "error"
    ABORTED = "aborted"
    STALLED = "stalled"  # nobody sends it: silence, said by us
    UNKNOWN = "unknown"


class Verdict(StrEnum):
    """Whose move is next."""

    UNFINISHED = "unfinished"
    STUCK = "stuck"
    AWAITING_USER = "awaiting_user"
    WAITING = "waiting"
    FINISHED = "finished"


NUDGEABLE = frozenset({Verdict.UNFINISHED, Verdict.STUCK})
"""The verdicts that can deserve a nudge; the other three never do."""


class RequestKind(StrEnum):
    """What began the turn."""

    HUMAN = "human"
    COMMAND = "command"
    NOTIFICATION = "notification"
    STOP_HOOK = "stop_hook"
    NUDGE = "nudge"
    AGENT = "agent"


class Text(Struct, frozen=True, tag="text", gc=False):
    """Visible text of the agent."""

    text: str
    clipped: bool = False


class Reasoning(Struct, frozen=True, tag="reasoning", gc=False):
    """Text the model thought and the harness kept apart from the reply."""

    text: str
    clipped: bool = False


class ToolCall(Struct, frozen=True, tag="tool_call", gc=False):
    """A call; `arguments` is canonical JSON text (see `canonical`), so equal calls are equal."""

    name: str
    arguments: str = ""
    id: str | None = None
    clipped: bool = False


class ToolResult(Struct, frozen=True, tag="tool_result", gc=False):
    """A result; `call` is the id of its call, `failed` None where the harness does not say."""

    output: str = ""
    call: str | None = None
    failed: bool | None = None
    clipped: bool = False


Part = Text | Reasoning | ToolCall | ToolResult


class TodoStatus(StrEnum):
    """State of one item of the agent's own list."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class Todo(Struct, frozen=True, gc=False):
    """One item of the agent's own list."""

    content: str
    status: TodoStatus = TodoStatus.PENDING

    @property
    def open(self) -> bool:
        """Neither completed nor cancelled."""
        return self.status in (TodoStatus.PENDING, TodoStatus.IN_PROGRESS)


class PendingKind(StrEnum):
    """What can still be going on, or waited for, when the agent stops."""

    BACKGROUND = "background"
    SUBAGENT = "subagent"
    PERMISSION = "permission"
    QUESTION = "question"
    SCHEDULE = "schedule"


class Pending(Struct, frozen=True, gc=False):
    """One thing the harness knows to be pending."""

    kind: PendingKind
    what: str = ""


class TurnError(Struct, frozen=True, gc=False):
    """The error a turn ended on; `status` is an HTTP status, None where there was none."""

    name: str = ""
    message: str = ""
    status: int | None = None
    retryable: bool | None = None


_T = TypeVar("_T")


class view(Generic[_T]):  # noqa: N801 - a decorator, as `property` is
    """A view of a turn, made when it is first looked at: `cached_property` without its lock."""

    def __init__(self, make: Callable[[Any], _T]) -> None:
        self._make, self.__doc__, self._name = make, make.__doc__, make.__name__

    def __get__(self, turn: Any, owner: type) -> _T:
        made = turn.__dict__[self._name] = self._make(turn)
        return made


class Turn(Struct, frozen=True, dict=True, kw_only=True):
    """One turn: `finish` None = still running or not recorded, `todos` None = harness does not say.

    `parent` is the parent session's id for a sub-agent's turn. Times are Unix seconds, UTC.
    `compacted`: the context was compacted inside the turn.
    """

    id: str
    session: str
    harness: str
    request: str = ""
    request_kind: RequestKind = RequestKind.HUMAN
    parts: tuple[Part, ...] = ()
    finish: FinishReason | None = None
    error: TurnError | None = None
    todos: tuple[Todo, ...] | None = None
    pending: tuple[Pending, ...] = ()
    started: float | None = None
    ended: float | None = None
    model: str | None = None
    parent: str | None = None
    compacted: bool = False

    @view
    def calls(self) -> tuple[ToolCall, ...]:
        """All tool calls, in order."""
        return tuple([part for part in self.parts if type(part) is ToolCall])

    @view
    def results(self) -> dict[str | None, ToolResult]:
        """Tool results by the id of their call."""
        return {part.call: part for part in self.parts if type(part) is ToolResult}

    @view
    def last(self) -> Part | None:
        """The last part that is not reasoning and not blank text."""
        for part in reversed(self.parts):
            if type(part) is Reasoning or (type(part) is Text and not part.text.strip()):
                continue
            return part
        return None

    @view
    def reply(self) -> str:
        """The visible text after the last tool call or result, blocks joined by a blank line."""
        found: list[str] = []
        for part in reversed(self.parts):
            if type(part) is Text:
                found.append(part.text)
            elif type(part) is not Reasoning:
                break
        return "\n\n".join(reversed(found)).rstrip() if len(found) != 1 else found[0].rstrip()

    @view
    def tail(self) -> str:
        """The end of the reply as prose: code, quotes and mark-up taken out (`text.prose`)."""
        return texts.prose(self.reply)

    @view
    def closing(self) -> str:
        """The last sentence of `tail`."""
        return texts.last_sentence(self.tail)

    @view
    def open_todos(self) -> tuple[Todo, ...]:
        """Items neither completed nor cancelled; empty where the harness does not say."""
        return tuple([todo for todo in self.todos if todo.open]) if self.todos else ()

    @property
    def words(self) -> list[str]:
        """Every visible text of the turn, in order."""
        return [part.text for part in self.parts if type(part) is Text]


def canonical(value: object) -> str:
    """JSON text with sorted keys and no spaces, so that equal arguments are equal text.

    A string that holds JSON (several harnesses send arguments so) is taken as that JSON; any
    other string stays as it is.
    """
    if isinstance(value, str):
        if not value.startswith(("{", "[")) or value.rstrip()[-1] not in "}]":
            return value
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return str(value)
    return _sorted(value).decode()


_sorted = msgspec.json.Encoder(order="sorted").encode
