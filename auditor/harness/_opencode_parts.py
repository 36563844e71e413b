"""What one OpenCode message or part says: pure readings of decoded JSON, no state.

Knows the wire shapes of `info` and `parts`, nothing of turns. A key that is missing, or holds
another type than expected, reads as None.
"""

from __future__ import annotations

from typing import NamedTuple

from auditor.events import Unread
from auditor.turn import FinishReason, Todo, TodoStatus, ToolResult, TurnError

Json = dict[str, object]
Number = int | float

ERRORS = {
    "MessageAbortedError": FinishReason.ABORTED,
    "ContentFilterError": FinishReason.CONTENT_FILTER,
    "MessageOutputLengthError": FinishReason.LENGTH,
}
GOES_ON = frozenset({"tool-calls", "unknown"})
"""Reasons after which the harness asks the model again by itself."""

SHELL = "The following tool was executed by the user"
"""What a user message says whose answer is the user's own `!` command."""

LATEST = 253_402_300_800_000
"""Milliseconds until the year 10000: no clock and no `datetime` shows more."""

REJECTED = "The user rejected permission to use this specific tool call"
WITH_FEEDBACK = "with the following feedback"
DISMISSED = "The user dismissed this question"
SILENT = frozenset({"step-start", "step-finish", "snapshot", "patch", "retry"})
"""Parts that are bookkeeping."""

_STATUS = {status.value: status for status in TodoStatus}


class Ask(NamedTuple):
    """A user message sorted: the person's words, what was put in beside them, what it is."""

    words: list[str]
    injected: list[Json]
    attached: bool
    special: Json | None
    unknown: list[object]


def ask(parts: list[object]) -> Ask:
    """Sort the parts of a user message; `special` is its compaction or subtask part."""
    words: list[str] = []
    injected: list[Json] = []
    unknown: list[object] = []
    attached = False
    special: Json | None = None
    for part in parts:
        if not isinstance(part, dict):
            unknown.append(part)
            continue
        match part:
            case {"type": "compaction"} | {"type": "subtask", "prompt": str()}:
                special = part
            case {"type": "text", "ignored": True}:
                pass  # shown to the person, never sent to the model
            case {"type": "text", "synthetic": True, "text": str()} | {
                "type": "text",
                "metadata": {"auditor": dict()},
                "text": str(),
            }:
                injected.append(part)
            case {"type": "text", "text": str(text)}:
                words.append(text)
            case {"type": "file" | "agent"}:
                attached = True
            case _ if not silent(part):
                unknown.append(part)
    return Ask(words, injected, attached, special, unknown)


def silent(part: object) -> bool:
    """Whether the part is bookkeeping."""
    match part:
        case {"type": str(kind)}:
            return kind in SILENT
    return False


def reason(info: Json, parts: list[object]) -> tuple[str | None, bool]:
    """Why the message finished, and whether its last step ran to its end.

    Early releases say the reason only in the step-finish part, or nowhere.
    """
    said, stepped = string(info, "finish"), False
    for part in parts:
        match part:
            case {"type": "step-finish"}:
                said, stepped = string(info, "finish") or string(part, "reason"), True
    return said, stepped


def failed(error: Json) -> tuple[FinishReason, TurnError | None]:
    """How a message that carries an error ended; the user's own stop is no error."""
    name = string(error, "name") or ""
    data = error.get("data")
    message = string(data, "message") or ""
    if name == "MessageAbortedError" or _is_refusal(message):
        return FinishReason.ABORTED, None
    status: int | None = None
    retryable: bool | None = None
    match data:
        case {"statusCode": int(code)}:
            status = code
    match data:
        case {"isRetryable": bool(again)}:
            retryable = again
    return ERRORS.get(name, FinishReason.ERROR), TurnError(name, message, status, retryable)


def result(name: str, state: Json, call: str | None) -> ToolResult | None:
    """The result in a tool part's state, None while the call is open."""
    match state:
        case {"status": "completed", "metadata": {"exit": int(code)}} if code:
            return ToolResult(string(state, "output") or "", call, failed=True)
        case {"status": "completed"}:
            # Arguments that do not parse and unknown tools become a call of the tool `invalid`.
            return ToolResult(string(state, "output") or "", call, failed=name == "invalid")
        case {"status": "error"}:
            return ToolResult(string(state, "error") or "", call, failed=True)
    return None


def refused(part: object) -> bool:
    """Whether the part is a call that the user refused without a word more."""
    match part:
        case {"type": "tool", "state": {"status": "error", "error": str(error)}}:
            return _is_refusal(error)
    return False


def _is_refusal(said: str) -> bool:
    """A refusal with feedback goes back to the model and ends nothing."""
    return said.startswith(DISMISSED) or (said.startswith(REJECTED) and WITH_FEEDBACK not in said)


def says_nothing(part: object) -> bool:
    """Whether the part shows only that a step began."""
    match part:
        case {"type": "step-start"} | {"text": ""}:
            return True
    return False


def command(part: Json) -> str:
    """A subtask part as a request: the command's name over what it expands to."""
    name, prompt = string(part, "command"), string(part, "prompt") or ""
    return f"/{name}\n\n{prompt}" if name else prompt


def child(state: Json) -> str:
    """The session of a sub-agent, or what it was asked to do."""
    match state:
        case {"metadata": {"sessionId": str(session)}}:
            return session
        case {"input": {"description": str(description)}}:
            return description
    return ""


def todo(item: object) -> Todo | None:
    """One item of a to-do list."""
    match item:
        case {"content": str(content), "status": str(status)}:
            return Todo(content, _STATUS.get(status, TodoStatus.PENDING))
        case {"content": str(content)}:
            return Todo(content)
    return None


def model(info: Json) -> str | None:
    """The model of a message, the answer's or the one asked for."""
    match info:
        case {"modelID": str(name)} | {"model": {"modelID": str(name)}}:
            return name
    return None


def unknown(part: object, line: int | None) -> Unread:
    """Say which part nobody understood."""
    kind = string(part, "type")
    return Unread(f"part type {kind}" if kind else "part", line)


def string(value: object, key: str) -> str | None:
    """A text under a key."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def stamp(info: object, key: str) -> Number | None:
    """A time as OpenCode writes it: milliseconds."""
    match info:
        case {"time": dict(time)}:
            return _time(time.get(key))
    return None


def when(info: object, key: str) -> float | None:
    """A time in Unix seconds."""
    return seconds(stamp(info, key))


def seconds(milliseconds: object) -> float | None:
    """A time in Unix seconds, of what should be one in milliseconds."""
    found = _time(milliseconds)
    return None if found is None else found / 1000


def _time(said: object) -> Number | None:
    match said:
        case bool():
            return None
        case int() | float() if 0 <= said < LATEST:
            return said
    return None


def ended(part: object, otherwise: float | None) -> float | None:
    """When a part ended."""
    found = when(part, "end")
    return otherwise if found is None else found
