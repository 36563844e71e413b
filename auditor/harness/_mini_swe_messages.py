"""Single messages of a mini-swe-agent trajectory: their text, calls, result, time and model.

Knows every shape in which its versions keep a message; no turns. Never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from auditor.harness import _litellm
from auditor.harness._shapes import texts
from auditor.turn import FinishReason, TurnError

_CODE = re.compile(r"<returncode>(-?\d+)</returncode>")
_REFUSED = "Command not executed."  # said in the user's name: minisweagent/agents/interactive.py

# Ends that are no error of the model's provider -> (finish reason, whether a later try can help).
_EXITS: dict[str, tuple[FinishReason, bool | None]] = {
    "Submitted": (FinishReason.STOP, None),
    "LimitsExceeded": (FinishReason.ERROR, False),
    "TimeExceeded": (FinishReason.ERROR, False),
    "FormatError": (FinishReason.ERROR, True),
    "RepeatedFormatError": (FinishReason.ERROR, True),
    "RetryError": (FinishReason.ERROR, True),
    "UserInterruption": (FinishReason.ABORTED, None),
    "KeyboardInterrupt": (FinishReason.ABORTED, None),
}


def ended(status: str, message: str) -> tuple[FinishReason, TurnError | None]:
    """Finish reason and error of an `exit_status`: a name of the table or of an exception."""
    if status in _EXITS:
        finish, retryable = _EXITS[status]
        wrong = finish is FinishReason.ERROR
        return finish, TurnError(status, message, None, retryable) if wrong else None
    if _litellm.known(status) or status.endswith(("Error", "Exception")):
        return FinishReason.ERROR, _litellm.error(status, message)
    return FinishReason.UNKNOWN, TurnError(status, message)


def content(message: dict[str, object]) -> str:
    match message:
        case {"content": str(text)} | {"output": str(text)}:
            return text
        case {"content": [*blocks]}:
            return "\n\n".join(texts(blocks))
        case {"output": [*items]}:
            said = [item.get("content") for item in items if isinstance(item, dict)]
            return "\n\n".join(text for content in said for text in texts(content))
    return ""


def calls(message: dict[str, object]) -> Iterator[tuple[str, object, str]]:
    """(name, arguments, id) of the calls of the API."""
    match message:
        case {"tool_calls": [*found]} | {"output": [*found]}:
            for call in found:
                match call:
                    case {"id": str(id_), "function": {"name": str(name), "arguments": arguments}}:
                        yield name, arguments, id_
                    case {"call_id": str(id_), "name": str(name), "arguments": arguments}:
                        yield name, arguments, id_


def failed(message: dict[str, object]) -> bool | None:
    match message:
        case {"extra": {"returncode": int(code)}}:
            return code != 0
    text = content(message)
    if text.startswith(_REFUSED):
        return True
    found = _CODE.search(text[:400])
    return found[1] != "0" if found else None


def at(message: dict[str, object]) -> float | None:
    match message:
        case {"extra": {"timestamp": int(at) | float(at)}} | {"timestamp": int(at) | float(at)}:
            return float(at)
    return None


def model(message: dict[str, object]) -> str | None:
    match message:
        case {"extra": {"response": {"model": str(name)}}}:
            return name
    return None
