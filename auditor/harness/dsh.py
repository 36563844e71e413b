"""DeepSeek Harness sessions: `$DSH_HOME/sessions/--<cwd>--/session-<uuid>/session.jsonl.zstd`.

Owns rows of `{type, seq, time, data}`. Messages are read whole; their chunks and the `tool/call`
rows say the same again. `turn/end` gives a typed reason, so nothing about the end is guessed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from auditor.files import Line, json_lines
from auditor.harness._shapes import parsed, texts, todos
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
    canonical,
)

NAME = "dsh"

_FIRST = re.compile(rb'\s*\{"type":\s*"session",[^\n]*?"createdAt":')
_ZSTD = b"\x28\xb5\x2f\xfd"
_FIRST_ROW = 4096  # bytes unpacked to see the first row; it holds ids and a path (a guess)

_QUIET = frozenset(
    {
        "agent/inbox/spliced",
        "approval/policy",
        "assistant/chunk",
        "llm/retry",
        "llm/retry-started",
        "permission/preset",
        "reasoning-chunks",
        "request/header",
        "sandbox/mode",
        "session/title",
        "session/title-llm-request",
        "step/end",
        "step/start",
        "text-chunks",
        "tool-call-chunks",
        "tool/call",
    }
)
_FINISH = {
    "completed": FinishReason.STOP,
    "max-tokens": FinishReason.LENGTH,
    "content-filter": FinishReason.CONTENT_FILTER,
    "error": FinishReason.ERROR,
    "aborted": FinishReason.ABORTED,
    "cancelled": FinishReason.ABORTED,
    "interrupted": FinishReason.ABORTED,
}  # the first two and `error` were seen; the others are names its code would use (a guess)
_RETRYABLE = frozenset({"EMPTY_RESPONSE", "RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT"})
"""The codes DSH's own retry policy names in its `llm/retry` rows."""

_EXIT = re.compile(r"\[exit code: (-?\d+)\]\s*\Z")
_ENDED = re.compile(r"\[status: (?!running|pending|queued)")
_NAME = re.compile(r"[\w-]*\d[\w-]{3,}")  # what an id of a job or sub-agent looks like (a guess)
_DELEGATES = frozenset({"subagent", "subagent_fork"})


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001 - the contract of all harnesses
    """Whether a file that begins so is a session; a packed head is unpacked as far as needed."""
    if head.startswith(_ZSTD):
        import zstandard  # noqa: PLC0415 - only for packed files

        try:
            head = zstandard.ZstdDecompressor().stream_reader(BytesIO(head)).read(_FIRST_ROW)
        except zstandard.ZstdError:
            return False
    return bool(_FIRST.match(head))


def transcripts() -> Iterator[Path]:
    """All sessions under `$DSH_HOME` (default `~/.dsh`)."""
    home = Path(os.environ.get("DSH_HOME") or Path.home() / ".dsh")
    yield from sorted((home / "sessions").glob("*/*/session.jsonl*"))


def read(path: Path) -> Iterator[Event]:
    """Read one session."""
    return events(json_lines(path), path.parent.name)


def events(lines: Iterable[Line | Unread], session: str = "") -> Iterator[Event]:
    """Fold rows into events; `session` is the id until the session row says its own."""
    row: Any
    state = _Session(session)
    for line in lines:
        if isinstance(line, Unread):
            yield line
            continue
        number, row = line
        match row:
            case {"type": str(kind)} if kind in _QUIET:
                pass
            case {"type": "session", "id": str(id_)}:
                state.begin(id_, row)
            case {"type": str(kind), "data": dict(data)} if kind in _ROWS:
                time = row.get("time")
                at = time / 1000 if isinstance(time, int | float) else None
                yield from _ROWS[kind](state, data, at, number)
            case {"type": str(kind)} if "compact" in kind:
                yield Compacted(state.session)
            case {"type": str(kind)}:
                yield Unread(f"row type {kind}", number)
            case _:
                yield Unread("row without type", number)


class _Session:
    """What one session needs remembered between rows."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.parent: str | None = None
        self.agent = False
        self.model: str | None = None
        self.turn: object = None  # the number of the turn under way
        self.begun = False  # its request was seen
        self.bare = False  # …and nothing after it
        self.notice = ""  # what a plugin wrote before anybody asked for anything
        self.calls: dict[str, tuple[str, str]] = {}
        self.pending: dict[frozenset[str], Pending] = {}

    def begin(self, id_: str, row: dict[str, Any]) -> None:
        self.session = id_
        depth, parent = row.get("delegationDepth"), row.get("parentSessionId")
        self.agent = isinstance(depth, int) and depth > 0
        self.parent = parent if isinstance(parent, str) else None

    def turn_start(self, data: dict[str, Any], _at: float | None, _number: int) -> Iterator[Event]:
        self.turn, self.begun, self.notice = data.get("turn"), False, ""
        self.calls.clear()
        yield from ()

    def context(self, data: dict[str, Any], _at: float | None, _number: int) -> Iterator[Event]:
        model = data.get("model")
        self.model = model if isinstance(model, str) else self.model
        yield from ()

    def start(self, request: str, kind: RequestKind, at: float | None) -> Iterator[Event]:
        self.begun = self.bare = True
        yield TurnStarted(
            session=self.session,
            turn=f"{self.session}#{self.turn}",
            harness=NAME,
            request=request,
            kind=RequestKind.AGENT if self.agent else kind,
            model=self.model,
            parent=self.parent,
            at=at,
        )

    def add(self, part: Part, at: float | None) -> Iterator[Event]:
        if not self.begun:  # nobody asked: a plugin set the turn going
            kind = RequestKind.NOTIFICATION if self.notice else RequestKind.NUDGE
            yield from self.start(self.notice, kind, at)
            yield from self.done(
                self.notice
            )  # only now: the turn before ended while it was pending
        self.bare = False
        yield PartAdded(self.session, part, at, self.model)

    def user(self, data: dict[str, Any], at: float | None, _number: int) -> Iterator[Event]:
        request = "\n\n".join(texts(data.get("content")))
        match data:
            case {"source": {"kind": "user"}}:
                if not self.begun or self.bare:  # else queued: the turn goes on
                    yield from self.start(request, RequestKind.HUMAN, at)
            case {"source": {"form": "snapshot"}}:
                pass
            case _ if self.begun:
                yield from self.done(request)
            case _:
                self.notice = request

    def message(self, data: dict[str, Any], at: float | None, number: int) -> Iterator[Event]:
        match data:
            case {"message": {"content": list(blocks), "source": {"model": str(model)}}}:
                self.model = model
            case {"message": {"content": list(blocks)}}:
                pass
            case _:
                blocks = []
        for block in blocks:
            match block:
                case {"type": "text", "text": str(text)}:
                    yield from self.add(Text(text), at)
                case {"type": "reasoning", "text": str(text)}:
                    yield from self.add(Reasoning(text), at)
                case {"type": "tool-call", "id": str(id_), "name": str(name)}:
                    arguments = canonical(block.get("arguments", ""))
                    self.calls[id_] = name, arguments
                    yield from self.add(ToolCall(name, arguments, id_), at)
                case _:
                    yield Unread("assistant block", number)

    def result(self, data: dict[str, Any], at: float | None, number: int) -> Iterator[Event]:
        match data:
            case {
                "message": {"content": [{"type": "tool-result", "toolCallId": str(id_)} as block]}
            }:
                text = "\n".join(texts(block.get("content")))
            case _:
                yield Unread("tool result", number)
                return
        error, code = block.get("isError"), _EXIT.search(text)
        failed = error if isinstance(error, bool) else None
        if code and not failed:
            failed = code[1] != "0"
        yield from self.add(ToolResult(text, id_, failed), at)
        name, arguments = self.calls.pop(id_, ("", ""))
        if not error:
            yield from self.settle(name, parsed(arguments), text)

    def settle(self, name: str, arguments: object, text: str) -> Iterator[Event]:
        """Tell what a call that went well changed beside the project."""
        match name, arguments:
            case "todo_write", {"todos": items} if (found := todos(items, "content")) is not None:
                yield TodosChanged(self.session, found)
            case ("job_kill", {"job_id": str(job)}):
                yield from self.done(job)
            case ("job_output", {"job_id": str(job)}) if _ENDED.search(text):
                yield from self.done(job)
            case _, dict(named) if named.get("run_in_background", name == "subagent") is True:
                delegated = name in _DELEGATES
                kind = PendingKind.SUBAGENT if delegated else PendingKind.BACKGROUND
                what = named.get("description")
                pending = Pending(kind, what if isinstance(what, str) else name)
                self.pending[frozenset(_NAME.findall(text))] = pending
                yield PendingChanged(self.session, tuple(self.pending.values()))

    def done(self, text: str) -> Iterator[Event]:
        """Tell that the background work which a text names by its id is over."""
        named = set(_NAME.findall(text)) if self.pending else set()
        if over := [ids for ids in self.pending if ids & named]:
            for ids in over:
                del self.pending[ids]
            yield PendingChanged(self.session, tuple(self.pending.values()))

    def turn_end(self, data: dict[str, Any], at: float | None, _number: int) -> Iterator[Event]:
        match data:
            case {"reason": {"kind": str(kind)} as reason}:
                finish, error = _FINISH.get(kind, FinishReason.UNKNOWN), reason.get("error")
            case _:
                finish, error = FinishReason.UNKNOWN, None
        if self.begun:
            yield TurnEnded(session=self.session, finish=finish, error=_error(error), at=at)


def _error(error: Any) -> TurnError | None:
    match error:
        case {"message": str(message)}:
            code, status = str(error.get("code") or ""), error.get("status")
            return TurnError(
                code,
                message,
                status if isinstance(status, int) else None,
                True if code in _RETRYABLE else None,
            )
    return None


_Row = Callable[[_Session, dict[str, Any], float | None, int], Iterator[Event]]
_ROWS: dict[str, _Row] = {
    "assistant/message": _Session.message,
    "request/context": _Session.context,
    "tool/result": _Session.result,
    "turn/end": _Session.turn_end,
    "turn/start": _Session.turn_start,
    "user/message": _Session.user,
}
