"""What single values in Qwen Code's rows say: a tool's answer, a failed request, what waits."""

from __future__ import annotations

from typing import Any

from auditor.harness._shapes import arguments
from auditor.turn import TurnError

_WHAT = 200
"""Characters kept of what is pending: one command (a guess)."""


def response_of(response: Any, row: Any) -> tuple[str, bool | None]:
    """What a tool answered, and whether it failed."""
    match response:
        case {"error": str(output)}:
            return output, True
        case {"output": str(output)}:
            pass
        case _:
            output = arguments(response)
    match row:
        case {"toolCallResult": {"status": "error" | "cancelled"}}:
            return output, True
        case {"toolCallResult": {"status": "success"}}:
            return output, False
    return output, None


def error_of(event: Any) -> TurnError:
    name, message = "api_error", ""
    status: int | None = None
    match event:
        case {"error_type": str(name)}:
            pass
    match event:
        case {"error_message": str(message)}:
            pass
    match event:
        case {"status_code": int(status)}:
            pass
    if status is None or status == 429:  # a lost connection passes, a 429 may be a quota
        return TurnError(name, message, status, None if status else True)
    return TurnError(name, message, status, status >= 500)


def what_is_pending(given: object) -> str:
    match given:
        case (
            {"command": str(text)}
            | {"description": str(text)}
            | {"questions": [{"question": str(text)}, *_]}
            | {"plan": str(text)}
            | {"prompt": str(text)}
        ):
            return " ".join(text[:_WHAT].split())
        case _:
            return ""


def texts_of(parts: list[Any]) -> list[str]:
    return [
        part["text"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
