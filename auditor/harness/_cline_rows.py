"""What one row of `ui_messages.json` says: pure readings, no state.

Knows the kinds of rows that Cline 3.x and Roo Code (`@roo-code/types` 1.x) write, and what their
text holds: plain words, or JSON.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from auditor.harness import _cline_tools as tools
from auditor.turn import Pending, PendingKind, Todo, TodoStatus, ToolCall, TurnError, canonical

SILENT = frozenset(
    {
        "api_req_deleted",
        "api_req_finished",
        "api_req_rate_limit_wait",
        "api_req_retried",
        "api_req_retry_delayed",
        "auto_approval_max_req_reached",
        "browser_action_result",
        "checkpoint_created",
        "checkpoint_saved",
        "clineignore_error",
        "codebase_search_result",
        "command_permission_denied",
        "condense_context_error",
        "conditional_rules_applied",
        "deleted_api_reqs",
        "diff_error",
        "error",
        "error_retry",
        "generate_explanation",
        "hook_output_stream",
        "hook_status",
        "image",
        "info",
        "load_mcp_documentation",
        "mcp_notification",
        "mcp_server_request_started",
        "new_task",
        "report_bug",
        "resume_completed_task",
        "rooignore_error",
        "shell_integration_warning",
        "shell_integration_warning_with_suggestion",
        "subagent",
        "subagent_usage",
        "too_many_tools_warning",
        "use_subagents",
        "user_feedback_diff",
    }
)
"""Rows that tell the person about the panel's own doings."""

_APPROVAL = frozenset(
    {"tool", "command", "use_mcp_server", "browser_action_launch", "auto_approval_max_req_reached"}
)
_APPROVE = "REQ_APP"
"""What Cline appends to a command for its buttons."""

_CODE = re.compile(r"^(?:\[?[A-Za-z]+\]?:? )?([45]\d\d)\b")
_STATUS = {status.value: status for status in TodoStatus}


class Row(NamedTuple):
    """One row: `way` is say or ask, `at` in Unix seconds."""

    way: str
    kind: str
    text: str
    at: float
    model: str | None

    @property
    def id(self) -> str:
        """The row's time in milliseconds, which is what Cline knows it by."""
        return f"{self.at * 1000:.0f}"


def row(value: object) -> Row | None:
    """A row of the file, None for anything else."""
    match value:
        case {"ts": int() | float() as stamp, "type": "say", "say": str(kind), **rest}:
            way = "say"
        case {"ts": int() | float() as stamp, "type": "ask", "ask": str(kind), **rest}:
            way = "ask"
        case _:
            return None
    text = rest.get("text")
    words = text if isinstance(text, str) else ""
    return Row(way, kind, words, stamp / 1000, tools.model(value))


def called(row: Row) -> ToolCall | None:
    """The call that a row shows."""
    told = tools.decoded(row.text)
    match row.kind, told:
        case "command", _:
            command = row.text.removesuffix(_APPROVE)
            return ToolCall("execute_command", canonical({"command": command}), row.id)
        case "tool", {"tool": str(name), **given}:
            return ToolCall(name, canonical(given), row.id)
        case "use_mcp_server", {"toolName": str(name), **more}:
            return ToolCall(name, canonical(more.get("arguments") or ""), row.id)
        case "use_mcp_server", {"uri": str()}:
            return ToolCall("access_mcp_resource", canonical(told), row.id)
        case "browser_action_launch", _:
            launched = canonical({"action": "launch", "url": row.text})
            return ToolCall("browser_action", launched, row.id)
        case "browser_action", dict():
            return ToolCall("browser_action", canonical(told), row.id)
    return None


def pending(row: Row) -> tuple[Pending, ...]:
    """What the panel waits for, as long as nothing follows this row."""
    match row.way, row.kind, tools.decoded(row.text):
        case "ask", "followup", {"selected": str()}:
            return ()
        case "ask", "followup" | "plan_mode_respond", _:
            return (Pending(PendingKind.QUESTION, row.kind),)
        case "ask", kind, _ if kind in _APPROVAL:
            return (Pending(PendingKind.PERMISSION, kind),)
    return ()


def words(row: Row) -> str:
    """The words of a row that can be plain text, or JSON around them."""
    match tools.decoded(row.text):
        case {"response": str(said)}:
            return said
    return row.text


def todos(row: Row) -> tuple[Todo, ...]:
    """The list in a row: Roo's JSON, or Cline's checklist."""
    match tools.decoded(row.text):
        case {"todos": list(items)}:
            return tuple([todo for item in items if (todo := _todo(item)) is not None])
    return tools.checklist(row.text)


def _todo(item: object) -> Todo | None:
    match item:
        case {"content": str(content), "status": str(status)}:
            return Todo(content, _STATUS.get(status, TodoStatus.PENDING))
    return None


def error(name: str, text: str) -> TurnError:
    """A failed request; newer releases write JSON, older ones the provider's words."""
    message, code = text, None
    match tools.decoded(text):
        case {"message": str(said), **more}:
            message, code = said, more.get("status")
    if type(code) is not int:
        found = _CODE.match(message)
        code = int(found[1]) if found else None
    return TurnError(name, message, code)
