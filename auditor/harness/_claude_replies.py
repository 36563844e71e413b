"""What a row of Claude Code says the model did: the parts of a reply, how it stopped, what failed.

Knows the Messages API's blocks and stop reasons and the harness's marks of a failed turn; no
turns, no sessions.
"""

from __future__ import annotations

import re
from typing import Any

from auditor.events import Unread
from auditor.harness._claude_requests import texts
from auditor.harness._shapes import arguments
from auditor.turn import FinishReason, Part, Reasoning, Text, ToolCall, ToolResult, TurnError

FINISH = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "refusal": FinishReason.CONTENT_FILTER,
}
"""`stop_reason` of the Messages API; `tool_use` and `pause_turn` end nothing, null says nothing."""

RETRYABLE = {
    "server_error": True,
    "overloaded": True,
    "authentication_failed": False,
    "billing_error": False,
    "invalid_request": False,
}
"""`error` of a failed turn's row; `rate_limit` may be a quota, so it says nothing by itself."""

NOBODY = frozenset({"No response requested.", "(no content)"})
"""Texts in the model's place that only keep the order of messages."""

_STATUS = re.compile(r"API Error:? \(?(\d{3})\b")


def part_of(block: Any) -> Part | Unread | None:
    match block:
        case {"type": "text", "text": str(text)}:
            return None if text in NOBODY else Text(text)
        case {"type": "thinking", "thinking": str(text)}:
            return Reasoning(text)
        case {"type": "redacted_thinking"}:
            return Reasoning("")
        case {
            "type": "tool_use" | "server_tool_use" | "mcp_tool_use",
            "name": str(name),
            "id": str(call),
        }:
            return ToolCall(name, arguments(block.get("input")), call)
        case {"type": str(kind), "tool_use_id": str(call)} if kind.endswith("_tool_result"):
            return ToolResult("\n".join(texts(block.get("content"))), call, False)
        case {"type": str(kind)}:
            return Unread(f"assistant block {kind[:40]}")
        case _:
            return Unread("assistant block without a type")


def error_of(row: Any, text: str) -> TurnError:
    found = _STATUS.search(text)
    status = int(found[1]) if found else None
    name = "api_error"
    match row:
        case {"apiErrorStatus": int(status)}:
            pass
    match row:
        case {"error": str(name)}:
            pass
    retryable = RETRYABLE.get(name)
    if retryable is None and status is not None and status >= 500:
        retryable = True
    return TurnError(name, text, status, retryable)
