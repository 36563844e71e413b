"""Shapes that several harnesses write alike: ISO times, text blocks, to-do items, HTTP statuses.

Knows no harness. Every function takes whatever was decoded and never raises.
"""

from __future__ import annotations

from datetime import datetime

from auditor.files import decode
from auditor.turn import Todo, TodoStatus, canonical

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses that may pass by themselves: RFC 9110 and 6585, 529 as Anthropic uses it."""

_STATUS = {status.value: status for status in TodoStatus} | {"canceled": TodoStatus.CANCELLED}


def seconds(stamp: object) -> float | None:
    """Unix seconds of an ISO-8601 time, None for anything else."""
    try:
        return datetime.fromisoformat(stamp).timestamp()  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def text_or_none(value: object) -> str | None:
    """A value that is text, None for any other."""
    return value if isinstance(value, str) else None


def texts(content: object) -> list[str]:
    """Texts of a string or of a list of `{text: …}` blocks, blank ones left out."""
    items = content if isinstance(content, list) else [content]
    found = [item.get("text") if isinstance(item, dict) else item for item in items]
    return [text for text in found if isinstance(text, str) and text.strip()]


def arguments(given: object) -> str:
    """Arguments of a call as canonical JSON text, empty where they are nested too deeply."""
    try:
        return canonical(given)
    except RecursionError:
        return ""


def parsed(text: str) -> object:
    """Value of a text that is a JSON object, None for any other text."""
    if not text.startswith("{"):
        return None
    try:
        return decode(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None


def todos(items: object, key: str) -> tuple[Todo, ...] | None:
    """To-do items of a list of `{<key>: text, status: …}`, None where there is no list."""
    if not isinstance(items, list):
        return None
    return tuple(_todo(item, text) for item in items if (text := _text(item, key)) is not None)


def _text(item: object, key: str) -> str | None:
    return text_or_none(item.get(key)) if isinstance(item, dict) else None


def _todo(item: dict[str, object], text: str) -> Todo:
    status = item.get("status")
    known = _STATUS.get(status, TodoStatus.PENDING) if isinstance(status, str) else None
    return Todo(text, known or TodoStatus.PENDING)
