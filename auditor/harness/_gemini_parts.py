"""What single values in Gemini CLI's records say: the parts of an answer, a tool's result, a word.

Knows no turns. Every function takes whatever was decoded and never raises.
"""

from __future__ import annotations

import re
from typing import Any

from auditor.harness._shapes import TRANSIENT, text_or_none, texts
from auditor.turn import FinishReason, Part, Reasoning, Text, ToolCall, TurnError, canonical

_WORDS = {
    "request cancelled": FinishReason.ABORTED,
    "cancelled the request": FinishReason.ABORTED,
    "token limits": FinishReason.LENGTH,
    "safety reasons": FinishReason.CONTENT_FILTER,
    "prohibited content": FinishReason.CONTENT_FILTER,
    "loop was detected": FinishReason.ERROR,
}  # what info records say, lower case: the first was seen, the others are Gemini CLI's own messages
_STATUS = re.compile(r"(?:\"code\"|\bstatus)\"?:? ?\(?(\d{3})\b")
_EXIT = re.compile(r"^Exit Code: (-?\d+)$", re.MULTILINE)
_FAILED = {"success": False, "error": True, "cancelled": True}


def parts_of(row: dict[str, Any]) -> list[Part]:
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


def call_of(call: dict[str, Any]) -> ToolCall:
    """Return a tool call of an answer."""
    name = text_or_none(call.get("name")) or ""
    return ToolCall(name, canonical(call.get("args", "")), text_or_none(call.get("id")))


def outcome(call: dict[str, Any]) -> tuple[str, bool | None]:
    """Return what a tool gave back, and whether it failed."""
    text = "\n".join(said(item) for item in _responses(call.get("result")))
    failed = _FAILED.get(status) if isinstance(status := call.get("status"), str) else None
    if not failed and call.get("name") == "run_shell_command" and (code := _EXIT.search(text)):
        return text, code[1] != "0"
    return text, failed


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


def said(response: object) -> str:
    """Return the text of a tool's response."""
    match response:
        case str(text) | {"output": str(text)} | {"error": str(text)} | {"text": str(text)}:
            return text
        case None:
            return ""
    return canonical(response)


def finish_of(word: str) -> FinishReason | None:
    """Return how the turn ended by a line that Gemini CLI shows the person; None if it goes on."""
    lower = word.lower()
    return next((finish for words, finish in _WORDS.items() if words in lower), None)


def error_of(word: str) -> TurnError:
    """Return the error that an error record tells of."""
    found = _STATUS.search(word)
    status = int(found[1]) if found else None
    return TurnError("", word, status, status in TRANSIENT if status else None)
