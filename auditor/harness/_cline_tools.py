"""What Cline and Roo Code write as text and mean as structure.

Owns tool calls as XML inside an answer, results behind `[tool for 'x'] Result:`, checklists, and
the tags around a person's words. Knows nothing of turns or files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from auditor.turn import Reasoning, Text, Todo, TodoStatus, ToolCall, canonical

COMPLETE = "attempt_completion"
ASK = "ask_followup_question"
PLAN = "plan_mode_respond"

NAMES = (
    "execute_command",
    "read_file",
    "read_command_output",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "apply_patch",
    "edit",
    "edit_file",
    "search_and_replace",
    "search_replace",
    "insert_content",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "codebase_search",
    "browser_action",
    "use_mcp_tool",
    "access_mcp_resource",
    "ask_followup_question",
    "plan_mode_respond",
    "act_mode_respond",
    "attempt_completion",
    "new_task",
    "switch_mode",
    "update_todo_list",
    "focus_chain",
    "web_fetch",
    "web_search",
    "load_mcp_documentation",
    "condense",
    "new_rule",
    "report_bug",
    "fetch_instructions",
    "run_slash_command",
    "skill",
    "use_skill",
    "generate_image",
)
"""The tools of both programs (`@roo-code/types` 1.x, Cline 3.x): another tag is no call."""

_TOOL = re.compile(rf"<({'|'.join(NAMES)})>(.*?)</\1>|<thinking>(.*?)</thinking>", re.DOTALL)
_OPENING = re.compile(r"<(\w+)>")
_WHOLE = frozenset({"content", "diff"})
"""Parameters that can hold any tag: they reach to their last closing tag, as in both parsers."""

_RESULT = re.compile(r"^\[([\w.-]+)(?: for [^\n]*)?\] Result:[ \t]*\n?", re.MULTILINE)
_DETAILS = "<environment_details>"
_SAID = re.compile(r"<(task|feedback|user_message|answer)>\n?(.*?)\n?</\1>", re.DOTALL)
_ITEM = re.compile(r"^[ \t]*(?:[-*][ \t]+)?\[([ xX~>-])\][ \t]+(\S.*?)[ \t]*$", re.MULTILINE)

_STATUS = {
    "x": TodoStatus.COMPLETED,
    "X": TodoStatus.COMPLETED,
    "-": TodoStatus.IN_PROGRESS,
    "~": TodoStatus.IN_PROGRESS,
    ">": TodoStatus.IN_PROGRESS,
}
_FAILED = (
    "The user denied this operation",
    "The tool execution failed",
    "Error executing",
    "[ERROR]",
)


def written(text: str, line: int) -> Iterator[Text | Reasoning | ToolCall]:
    """An answer's text as parts; a call that is not closed was never one and stays text."""
    at = 0
    for found in _TOOL.finditer(text):
        before = text[at : found.start()].strip()
        if before:
            yield Text(before)
        at = found.end()
        if found[1] is None:
            yield Reasoning(found[3].strip())
        else:
            arguments = canonical(_arguments(found[2]))
            yield ToolCall(found[1], arguments, f"{line}.{found.start()}")
    rest = text[at:].strip()
    if rest:
        yield Text(rest)


def _arguments(inner: str) -> dict[str, str]:
    found: dict[str, str] = {}
    at = 0
    while opening := _OPENING.search(inner, at):
        name, at = opening[1], opening.end()
        closing = f"</{name}>"
        end = inner.rfind(closing) if name in _WHOLE else inner.find(closing, at)
        if end >= at:
            found[name] = inner[at:end].strip("\n")
            at = end + len(closing)
    return found


def results(text: str, calls: int) -> list[str]:
    """The outputs in a message of results, in the order of its calls, at most one for each."""
    text = without_details(text)
    starts = list(_RESULT.finditer(text))[:calls]
    ends = [*[found.start() for found in starts[1:]], len(text)]
    return [text[found.end() : end].strip() for found, end in zip(starts, ends, strict=False)]


def without_details(text: str) -> str:
    """The text without what the editor appended about itself."""
    at = text.find(_DETAILS)
    return text if at < 0 else text[:at].rstrip()


def failed(output: str) -> bool | None:
    """True where the output says so; else nobody says."""
    return True if output.startswith(_FAILED) else None


def said(text: str) -> dict[str, str]:
    """A person's words by the tag around them."""
    return {tag: words.strip() for tag, words in _SAID.findall(text)}


def decoded(text: str) -> Any:
    """The JSON object in a text, else None."""
    if not text.startswith("{"):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def model(value: object) -> str | None:
    """The model of a row or message."""
    match value:
        case {"modelInfo": {"modelId": str(name)}}:
            return name
    return None


def blocks(content: object) -> list[object]:
    """The blocks of a message: its content is text or a list."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else [content]


def flat(content: object) -> str:
    """The text of a result: its content is text or a list of blocks."""
    match content:
        case str():
            return content
        case list():
            return "\n".join([block["text"] for block in content if _is_text(block)])
    return ""


def _is_text(block: object) -> bool:
    match block:
        case {"type": "text", "text": str()}:
            return True
    return False


def checklist(text: str) -> tuple[Todo, ...]:
    """The items of a Markdown checklist, or of Roo's `[x] item` lines."""
    return tuple(
        [Todo(what, _STATUS.get(mark, TodoStatus.PENDING)) for mark, what in _ITEM.findall(text)]
    )
