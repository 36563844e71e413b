"""Gemini CLI sessions: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.json` or `.jsonl`.

Owns the older form, one JSON document, and the newer one: a header line, records, and patch lines
`{"$set": …}` / `{"$rewindTo": …}`. A record comes again under its id when tool calls are added;
what it adds is told, so the last one wins. The files name no finish reason and no turn end: an info
or error record is the only word about it. What was rewound did happen and stays told.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from auditor.files import Line, json_document, json_lines, opened
from auditor.harness._shapes import TRANSIENT, seconds, texts, todos
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

NAME = "gemini-cli"

_HEAD = re.compile(rb'\s*\{\s*"sessionId":\s*"[^"]*",\s*"projectHash":')

_CONTEXT = ("<session_context>", "I ran the following shell command:")
_AUTO_CONTINUE = "System: Please continue."
_SYSTEM = "System: "  # Gemini CLI's own word to the model inside a turn (its loop warning)

_WORDS: tuple[tuple[str, FinishReason | None], ...] = (
    ("request cancelled", FinishReason.ABORTED),
    ("cancelled the request", FinishReason.ABORTED),
    ("token limits", FinishReason.LENGTH),
    ("safety reasons", FinishReason.CONTENT_FILTER),
    ("prohibited content", FinishReason.CONTENT_FILTER),
    ("loop was detected", FinishReason.ERROR),
    ("compress", None),
)  # what info records say, lower case: the first was seen, the others are Gemini CLI's own messages
_STATUS = re.compile(r"(?:\"code\"|\bstatus)\"?:? ?\(?(\d{3})\b")
_EXIT = re.compile(r"^Exit Code: (-?\d+)$", re.MULTILINE)
_VARYING = re.compile(r"^Process Group PGID: \d+\n?", re.MULTILINE)  # differs for equal results
_ASKED = {"ask_user": PendingKind.QUESTION, "exit_plan_mode": PendingKind.PERMISSION}
_ALL = 1 << 30  # parts told of a record that has no more to tell
_WAITING = frozenset({"awaiting_approval", "validating", "scheduled", "executing"})


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001 - the contract of all harnesses
    """Whether a file that begins so is a session, of either form."""
    return bool(_HEAD.match(head))


def transcripts() -> Iterator[Path]:
    """All sessions under `$GEMINI_CLI_HOME` (default the home folder), sub-agents' too."""
    home = Path(os.environ.get("GEMINI_CLI_HOME") or Path.home()) / ".gemini" / "tmp"
    yield from sorted(home.glob("*/chats/**/*.json*"))


def read(path: Path) -> Iterator[Event]:
    """Read one session. A sub-agent's lies in a folder named after its parent's session."""
    parent = path.parent.name if path.parent.parent.name == "chats" else None
    lines: Iterable[Line | Unread] = json_lines(path)
    if _is_document(path):
        lines = [(1, json_document(path))]
    yield from events(lines, path.stem, parent)


def _is_document(path: Path) -> bool:
    """Whether the first line is a lone brace: an indented document, not JSON Lines."""
    try:
        with opened(path) as file:
            return file.read(64).split(b"\n", 1)[0].strip() == b"{"
    except OSError:
        return False


def events(
    lines: Iterable[Line | Unread], session: str = "", parent: str | None = None
) -> Iterator[Event]:
    """Fold rows into events; `session` is the id until the header says its own."""
    state = _Session(session, parent)
    row: Any
    for line in lines:
        if isinstance(line, Unread):
            yield line
            continue
        number, row = line
        match row:
            case {"type": str(), "id": str()}:
                yield from state.record(row, number)
            case {"$set": {"messages": messages}}:
                yield from state.unseen(messages, number)
            case {"$set": _} | {"$rewindTo": _}:
                pass
            case {"sessionId": str(id_)}:
                state.session, state.agent = id_, row.get("kind") == "subagent"
                yield from state.unseen(row.get("messages"), number)
            case _:
                yield Unread("row without type", number)


class _Session:
    """What one session needs remembered between records."""

    def __init__(self, session: str, parent: str | None) -> None:
        self.session = session
        self.parent = parent
        self.agent = False
        self.last: str | None = None  # id of the newest record
        self.told: dict[str, int] = {}  # how many parts of each record of the turn were told
        self.open: set[str] = set()  # calls of the turn without a result
        self.begun = False  # a turn began and nothing said that it ended
        self.shown = ""  # the request as the person typed it
        self.pending: dict[str, Pending] = {}

    def unseen(self, messages: object, number: int) -> Iterator[Event]:
        """Tell the records of a whole list that are newer than the newest one known."""
        found = messages if isinstance(messages, list) else []
        ids = [item.get("id") if isinstance(item, dict) else None for item in found]
        known = self.last is not None
        since = ids.index(self.last) + 1 if self.last in ids else len(ids) if known else 0
        for item in found[since:]:
            yield from self.record(item, number)
        if known and since == len(ids) and ids and isinstance(ids[-1], str):
            self.last = ids[-1]  # the newest were taken back
            self.told[ids[-1]] = _ALL

    def record(self, row: Any, number: int) -> Iterator[Event]:
        match row:
            case {"type": str(kind), "id": str(id_)}:
                again = id_ in self.told
                self.last = self.last if again else id_
                self.told.setdefault(id_, 0)
            case _:
                yield Unread("record without type", number)
                return
        at = seconds(row.get("timestamp"))
        match kind:
            case "gemini":
                yield from self.answer(id_, row, at)
            case _ if again:
                pass
            case "user":
                yield from self.user(id_, row, at)
            case "info" | "error" | "warning":
                yield from self.word(kind, "\n".join(texts(row.get("content"))), at)
            case _:
                yield Unread(f"record type {kind}", number)

    def user(self, id_: str, row: dict[str, Any], at: float | None) -> Iterator[Event]:
        content = row.get("content")
        for block in content if isinstance(content, list) else []:
            match block:
                case {"functionResponse": {"id": str(call), "response": response}}:
                    if call in self.open:
                        yield from self.answered(call, _said(response), None, at)
        request, shown = "\n".join(texts(content)), "\n".join(texts(row.get("displayContent")))
        if not request and content:
            return  # tool results
        if request.startswith(_CONTEXT):
            return
        kind = RequestKind.HUMAN
        if request == _AUTO_CONTINUE:
            kind = RequestKind.NUDGE
        elif request.startswith(_SYSTEM):
            return
        elif shown and shown == self.shown and shown not in request:
            # An AfterAgent hook's reason, shown under the request that it is about.
            kind = RequestKind.STOP_HOOK
            yield from self.end(FinishReason.STOP, None, at)
        else:
            request = self.shown = shown or request
        self.begun, self.told = True, {id_: _ALL}
        self.open.clear()
        yield TurnStarted(
            session=self.session,
            turn=id_,
            harness=NAME,
            request=request,
            kind=RequestKind.AGENT if self.agent else kind,
            parent=self.parent if self.agent else None,
            at=at,
        )

    def answer(self, id_: str, row: dict[str, Any], at: float | None) -> Iterator[Event]:
        model = row.get("model")
        name = model if isinstance(model, str) else None
        calls = row.get("toolCalls")
        calls = (
            [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        )
        known = self.told[id_]
        parts = _written(row)
        parts += [_call(call) for call in calls]
        for part in parts[known:]:
            self.begun = True
            yield PartAdded(self.session, part, at, name)
            if isinstance(part, ToolCall):
                self.open.add(part.id or "")
        self.told[id_] = max(known, len(parts))
        if self.open:
            for call in calls:
                yield from self.outcome(call, at)
        if calls and all(call.get("status") == "cancelled" for call in calls):
            yield from self.end(FinishReason.ABORTED, None, at)  # refused: nothing goes back

    def outcome(self, call: dict[str, Any], at: float | None) -> Iterator[Event]:
        id_, name, status = _call(call).id or "", call.get("name"), str(call.get("status") or "")
        if id_ not in self.open:
            return
        if status in _WAITING:
            asks = status == "awaiting_approval"
            if kind := _ASKED.get(str(name), PendingKind.PERMISSION if asks else None):
                yield from self.wait(id_, Pending(kind, str(name)))
            return
        said = "\n".join(_said(item) for item in _responses(call.get("result")))
        failed = {"success": False, "error": True, "cancelled": True}.get(status)
        if code := _EXIT.search(said) if name == "run_shell_command" and not failed else None:
            failed = code[1] != "0"
        if status or said:
            yield from self.answered(id_, said, failed, at)
        match call:
            case {"name": "write_todos", "status": "success", "args": {"todos": items}}:
                if (found := todos(items, "description")) is not None:
                    yield TodosChanged(self.session, found)

    def answered(
        self, call: str, said: str, failed: bool | None, at: float | None
    ) -> Iterator[Event]:
        self.open.discard(call)
        yield PartAdded(self.session, ToolResult(_VARYING.sub("", said), call, failed), at)
        yield from self.wait(call, None)

    def wait(self, key: str, pending: Pending | None) -> Iterator[Event]:
        if pending is not None and self.pending.get(key) != pending:
            self.pending[key] = pending
        elif pending is not None or self.pending.pop(key, None) is None:
            return
        yield PendingChanged(self.session, tuple(self.pending.values()))

    def word(self, kind: str, text: str, at: float | None) -> Iterator[Event]:
        """Take a line that Gemini CLI shows the person."""
        lower = text.lower()
        for words, finish in _WORDS:
            if words in lower:
                if finish is None:
                    yield Compacted(self.session)
                else:
                    error = TurnError("", text) if finish is FinishReason.ERROR else None
                    yield from self.end(finish, error, at)
                return
        if kind == "error":
            found = _STATUS.search(text)
            status = int(found[1]) if found else None
            retryable = status in TRANSIENT if status else None
            error = TurnError("", text, status, retryable)
            yield from self.end(FinishReason.ERROR, error, at)

    def end(
        self, finish: FinishReason, error: TurnError | None, at: float | None
    ) -> Iterator[Event]:
        if self.begun:
            self.begun = False
            yield TurnEnded(session=self.session, finish=finish, error=error, at=at)
            for key in list(self.pending):
                yield from self.wait(key, None)


def _written(row: dict[str, Any]) -> list[Part]:
    """Return thoughts and text of an answer. Thoughts streamed word by word have no subject."""
    thoughts = row.get("thoughts")
    found: list[str] = []
    streamed = True
    for thought in thoughts if isinstance(thoughts, list) else []:
        match thought:
            case {"description": str(text)}:
                subject = thought.get("subject")
                streamed = streamed and not subject
                found.append(f"{subject}: {text}" if subject else text)
    parts: list[Part] = [Reasoning((" " if streamed else "\n\n").join(found))] if found else []
    if text := "".join(texts(row.get("content"))):
        parts.append(Text(text))
    return parts


def _call(call: dict[str, Any]) -> ToolCall:
    name, id_ = call.get("name"), call.get("id")
    return ToolCall(
        name if isinstance(name, str) else "",
        canonical(call.get("args", "")),
        id_ if isinstance(id_, str) else None,
    )


def _responses(result: object) -> list[object]:
    """Return what the tool gave back, one response each; a result of another shape as it is."""
    found: list[object] = []
    for item in result if isinstance(result, list) else [result]:
        match item:
            case {"functionResponse": {"response": response}}:
                found.append(response)
            case str() | {"text": str()}:
                found.append(item)
    return found


def _said(response: object) -> str:
    match response:
        case str(text) | {"output": str(text)} | {"error": str(text)} | {"text": str(text)}:
            return text
        case None:
            return ""
    return canonical(response)
