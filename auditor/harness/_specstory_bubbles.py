"""What one bubble of a SpecStory history is: text, reasoning or the use of a tool.

Owns the shapes SpecStory has printed tools in over its versions. Knows no turns and no files.
"""

from __future__ import annotations

import html
import re

import msgspec
from msgspec import Struct

from auditor.harness import _shapes
from auditor.turn import Reasoning, Text, Todo, TodoStatus


class Use(Struct, frozen=True):
    """One use of a tool; `output` None where the history shows that no result came.

    `clipped`: the history keeps a summary of the arguments, not all of them.
    """

    name: str
    arguments: object
    output: str | None = ""
    failed: bool | None = None
    clipped: bool = False


Bubble = Text | Reasoning | Use

_BLOCK = re.compile(r'<tool-use(?: data-tool-type="([^"]*)")?(?: data-tool-name="([^"]*)")?')
_TOOL_USE = re.compile(r"Tool use: \*\*(.+?)\*\*[ \t]*•?[ \t]*", re.DOTALL)
_PARAMETERS = re.compile(r"Parameters:\s*(?=```json\n)")
_STATUS = re.compile(r"^Status: \*\*(\w+)\*\*", re.MULTILINE)
# Each of these is tried at one place only, or closes at the first fence: text may be megabytes.
_FENCED = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)
_SHELL = re.compile(r"\s*```\w*\n((?:(?!```).*\n)*)```")
_RAN = re.compile(
    r"```(?:bash|shell|powershell)\n((?:(?!```).*\n)*)```(?:\n\n```\n((?s:.*?))\n?```)?"
)
_DIFFS = re.compile(r"(?:```diff\n(?:(?!```).*\n)*```\s*)+")
_MCP = re.compile(r"\*Called tool\*: ([^\n:]+?) - ([^\n:]+)")
_ANSWER = re.compile(r"^(Result|Error):[ \t]*$", re.MULTILINE)
_TASKS = "**Agent task list:**"
_ITEM = re.compile(r"^[ \t]*[-*] \[(.)\] (.*)$", re.MULTILINE)
_RANK = re.compile(r"^[^\w\s\"'`(\[<*@#/]{1,3}\s+")  # the sign of priority before an item

_STATES = {"completed": False, "success": False, "error": True, "failed": True}
_STATES |= {"cancelled": True, "canceled": True, "rejected": True, "aborted": True}

# How older versions named a Cursor tool: the beginning of its summary, or of its only line.
_SUMMARIES = {
    "Searched": "codebase_search",
    "Listed": "list_dir",
    "Grep": "grep_search",
    "Read file": "read_file",
    "Edit file": "edit_file",
    "Edited": "edit_file",
    "Run command": "run_terminal_cmd",
    "Read lints": "read_lints",
    "Todo": "todo_write",
    "Fetched": "web_fetch",
}

# What Cursor says in place of a result, and the tool that it speaks of.
_FAILURES = {
    "Could not find file ": "read_file",
    "Could not resolve URI: ": "read_file",
    "File is too large,": "read_file",
    "The string to replace was not found in the file": "edit_file",
    "The model provided an ambiguous search string to replace": "edit_file",
    "The model made no changes to the file": "edit_file",
    "Model supplied an ambiguous edit": "edit_file",
    "Invalid: old_string and new_string are exactly the same": "edit_file",
    "Cannot edit files blocked by globalIgnore": "edit_file",
    "Model provided invalid arguments to terminal tool": "run_terminal_cmd",
}

_MARKS = {" ": TodoStatus.PENDING, "x": TodoStatus.COMPLETED, "X": TodoStatus.COMPLETED}
_MARKS |= {"-": TodoStatus.IN_PROGRESS, "⚡": TodoStatus.IN_PROGRESS}


def bubble(lines: list[str]) -> Bubble | None:
    """What the lines of one bubble are; None when there is nothing."""
    text = "\n".join(lines).strip()
    if not text:
        return None
    if text.startswith("<think>"):
        return Reasoning(_thought(text))
    if text.startswith("<tool-use"):
        return _block(text)
    if text.startswith("<details"):
        return _details(text)
    if text.startswith("Tool use: **"):
        return _printed(text)
    if text.startswith(_TASKS):
        return Use("TodoWrite", text[len(_TASKS) :].strip())
    return _plain(text) or Text(text)


def todos(use: Use) -> tuple[list[Todo], bool] | None:
    """(items, whether they only amend the list) where the tool keeps the agent's list."""
    if use.name.lower().replace("_", "") not in ("todowrite", "todo"):
        return None
    arguments = use.arguments if isinstance(use.arguments, str) else ""
    shown = _ITEM.findall(f"{arguments}\n{use.output or ''}")
    if shown:
        return [Todo(_RANK.sub("", what), _state(mark)) for mark, what in shown], False
    blobs = [*_blobs(use.output or ""), arguments]
    for value in sorted(map(_decoded, blobs), key=lambda value: "finalTodos" not in value):
        match value:
            case {"finalTodos": [*items]}:
                return list(_shapes.todos(items, "content") or ()), False
            case {"todos": [*items]}:
                return list(_shapes.todos(items, "content") or ()), value.get("merge") is True
    return None


def _blobs(text: str) -> list[str]:
    """What stands in fences of JSON."""
    return [piece.partition("\n```")[0] for piece in text.split("```json\n")[1:]]


def _between(text: str, start: str, end: str) -> tuple[str, str] | None:
    """(what is between the first two of these, what follows), None where they do not stand."""
    _, found, rest = text.partition(start)
    inner, closed, rest = rest.partition(end)
    return (inner, rest) if found and closed else None


def _state(mark: str) -> TodoStatus:
    return _MARKS.get(mark, TodoStatus.PENDING)


def _decoded(text: str) -> dict[str, object]:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _thought(text: str) -> str:
    text = text.removeprefix("<think>").split("</think>", 1)[0]
    found = _between(text, "<summary>", "</summary>")
    return (
        (found[1] if found else text)
        .strip()
        .removeprefix("<details>")
        .removesuffix("</details>")
        .strip()
    )


def _body(text: str) -> tuple[str, str]:
    """(summary, what follows it) of a `<details>` element."""
    found = _between(text, "<summary>", "</summary>")
    if not found:
        return "", text.partition(">")[2].split("</tool-use>")[0].strip()
    body = found[1].rsplit("</details>", 1)[0]
    return html.unescape(found[0]).strip(), html.unescape(body).strip()


def _block(text: str) -> Use:
    kind, name = _BLOCK.match(text).groups()  # type: ignore[union-attr]
    summary, body = _body(text)
    named = _TOOL_USE.match(summary)
    name = name or (named[1] if named else "tool")
    return _use(html.unescape(name), kind or "", summary[named.end() :] if named else summary, body)


def _use(name: str, kind: str, summary: str, body: str) -> Use:
    status = _STATUS.search(body)
    failed = _STATES.get(status[1].lower()) if status else None
    if found := _PARAMETERS.search(body):
        parameters, rest = _between(body[found.end() :], "```json\n", "\n```") or ("", "")
        return Use(name, parameters, (body[: found.start()] + rest).strip(), failed)
    if kind == "shell" and (found := _SHELL.match(body)):
        command = found[1].removesuffix("\n")
        return Use(name, {"command": command}, _unfenced(body[found.end() :]), failed)
    if kind == "write":  # the change is what was asked for, not what came back
        return Use(name, {"what": summary, "change": body}, "", failed)
    if answer := _ANSWER.search(body):
        arguments = f"{summary}\n\n{body[: answer.start()]}".strip()
        failed = answer[1] == "Error" if failed is None else failed
        return Use(name, arguments, _unfenced(body[answer.end() :]), failed, clipped=True)
    return Use(name, summary, body, failed, clipped=True)


def _details(text: str) -> Bubble:
    summary, body = _body(text)
    if named := _TOOL_USE.match(summary):
        return _use(named[1], "", summary[named.end() :], body)
    if summary.startswith(("Thought", "Thinking")):
        return Reasoning(body)
    if called := _MCP.search(body):
        name = f"mcp_{called[1].strip()}_{called[2].strip()}".replace(" ", "_")
        return _use(name, "", summary, body)
    name = next((name for start, name in _SUMMARIES.items() if summary.startswith(start)), "")
    return _use(name, "", summary, body) if name else Text(text)


def _printed(text: str) -> Use:
    """`Tool use: **Name** what`, the input, then `Result:` or `Error:`, if one came."""
    named = _TOOL_USE.match(text)
    if not named:
        return Use("tool", text)
    answer = _ANSWER.search(text)
    if not answer:
        return Use(named[1], text[named.end() :].strip(), None, clipped=True)
    arguments = text[named.end() : answer.start()].strip()
    output = _unfenced(text[answer.end() :])
    return Use(named[1], arguments, output, answer[1] == "Error", clipped=True)


def _plain(text: str) -> Use | None:
    """A tool of the first versions: a line or fences, with no mark-up around them."""
    if text.startswith("```"):
        return _fenced(text)
    if text.startswith("### Rule: "):
        name, _, body = text.removeprefix("### Rule: ").partition("\n")
        return Use("fetch_rules", name.strip(), body.strip())
    if "\n" in text:
        return None
    if text.startswith("Read file: "):
        return Use("read_file", text.removeprefix("Read file: "), clipped=True)
    tool = next((tool for start, tool in _FAILURES.items() if text.startswith(start)), "")
    return Use(tool, "", text, failed=True, clipped=True) if tool else None


def _fenced(text: str) -> Use | None:
    """Nothing but fences: a command and what it printed, or changes."""
    if ran := _RAN.fullmatch(text):
        return Use("run_terminal_cmd", {"command": ran[1].removesuffix("\n")}, ran[2])
    return Use("edit_file", {"change": text}) if _DIFFS.fullmatch(text) else None


def _unfenced(text: str) -> str:
    text = text.strip()
    found = _FENCED.fullmatch(text)
    return found[1] if found else text
