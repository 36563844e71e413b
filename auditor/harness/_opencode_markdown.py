"""OpenCode's Markdown export -> messages `{info, parts}` for the same fold as everything else.

The writer's format (OpenCode 1.18, `/export`): a head with the session id, then a section a
message, each closed by a rule. It writes no message ids, times, finish reasons or errors, hides
what the harness put in (such a user section is empty), and draws no border between thinking and
text. A line of a tool's output that looks like a section is told from one by the fence around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from auditor.events import Event, Unread
from auditor.files import decode
from auditor.harness._opencode_fold import Session
from auditor.harness._opencode_parts import Json

CLAIM = re.compile(rb"\A(?:\xef\xbb\xbf)?# [^\n]*\r?\n\r?\n\*\*Session ID:\*\* ses_")

_ID = re.compile(r"\*\*Session ID:\*\* (\S+)")
_SECTION = re.compile(r"## (?:(User)|Assistant(?: \((.*)\))?)$")
_TOOL = re.compile(r"\*\*Tool: (.*)\*\*$")
_DURATION = re.compile(r"[0-9.]+s$")
_GAP = re.compile(r"\n{3,}")
"""Where thinking ends and text begins, as far as it shows: both end in blank lines of their own in
the one transcript we have, and a paragraph of either has one blank line."""

_FENCED = {"**Input:**": "input", "**Output:**": "output", "**Error:**": "error"}
_THINKING = "_Thinking:_"
_RULE = ["", "---", ""]

Line = tuple[int, str]
Message = tuple[int, Json, list[Json]]
"""The line where a message begins, its info, its parts."""


def events(lines: Iterable[Line | Unread]) -> Iterator[Event]:
    """The events of an export, given its lines with their numbers."""
    session: Session | None = None
    held: Message | None = None  # whether the agent went on tells what became of its calls
    for found in _sections(lines):
        match found:
            case Unread():
                yield found
            case str():
                session = Session(found)
            case begins, section if session is not None:
                message = _message(begins, section)
                if held is not None:
                    yield from session.message(*_settled(held, message))
                held = message
    if held is not None and session is not None:
        yield from session.message(held[1], held[2], held[0])


def _sections(lines: Iterable[Line | Unread]) -> Iterator[Unread | str | tuple[int, list[str]]]:
    """The session's id, then every section with the number of its first line."""
    begins, section, fence = 0, [""], _Fence()
    for line in lines:
        if isinstance(line, Unread):
            yield line
            continue
        number, text = line
        starts = not fence.inside(text) and _SECTION.match(text) and section[-3:] == _RULE
        if starts and begins:
            yield begins, section
        elif not begins and (found := _ID.match(text)):
            yield found[1]
        if starts:
            begins, section = number, []
        section.append(text)
    if begins:
        yield begins, section


class _Fence:
    """Whether a line stands inside the fenced output of a tool."""

    def __init__(self) -> None:
        self._announced = self._open = False

    def inside(self, line: str) -> bool:
        if self._open:
            self._open = line != "```"
            return True
        if self._announced:
            self._announced, self._open = False, line.startswith("```")
            return self._open
        self._announced = line in _FENCED
        return False


def _settled(held: Message, after: Message) -> tuple[Json, list[Json], int]:
    """A call without output that the agent went on from was answered, with nothing."""
    begins, info, parts = held
    if info["role"] == after[1]["role"] == "assistant":
        parts = [_answered(part) for part in parts]
    return info, parts, begins


def _answered(part: Json) -> Json:
    match part:
        case {"state": {"status": "running", **state}}:
            return {**part, "state": {**state, "status": "completed"}}
    return part


def _message(begins: int, section: list[str]) -> Message:
    head = _SECTION.match(section[0])
    while section and section[-1] in ("", "---"):
        section.pop()
    if head is None or head[1]:
        text = "\n".join(section[1:]).strip("\n")
        return begins, {"role": "user"}, [{"type": "text", "text": text}] if text else []
    info: Json = {"role": "assistant"}
    match [piece.strip() for piece in (head[2] or "").split("·")]:
        case [_, model, *_] if not _DURATION.match(model):
            info["modelID"] = model
    return begins, info, list(_parts(begins, section[1:]))


def _parts(begins: int, lines: list[str]) -> Iterator[Json]:
    prose: list[str] = []
    at = 0
    while at < len(lines):
        tool = _TOOL.match(lines[at])
        if tool is None:
            prose.append(lines[at])
            at += 1
            continue
        yield from _words(prose, called=True)
        prose = []
        id_ = f"line {begins + 1 + at}"
        at, state = _state(lines, at + 1)
        yield {"type": "tool", "tool": tool[1], "callID": id_, "state": state}
    yield from _words(prose, called=False)


def _state(lines: list[str], at: int) -> tuple[int, Json]:
    """What follows a tool's name: its fenced input, and its output or error."""
    state: Json = {"status": "running"}
    while at < len(lines) and (lines[at] == "" or lines[at] in _FENCED):
        field = _FENCED.get(lines[at])
        at += 1
        if field is None:
            continue
        end = _closing(lines, at + 1, field)
        text = "\n".join(lines[at + 1 : end])
        state[field] = _json(text) if field == "input" else text
        at = end + 1
        state["status"] = {"output": "completed", "error": "error"}.get(field, state["status"])
    return at, state


def _json(text: str) -> object:
    try:
        return decode(text.encode())
    except ValueError:
        return text


def _closing(lines: list[str], at: int, field: str) -> int:
    """The line that closes a fence: output may hold fences of its own, and text may follow.

    The first one before another block, else the first one at all; for input, the first.
    """
    first = None
    for number in range(at, len(lines)):
        if lines[number] != "```":
            continue
        if field == "input":
            return number
        first = number if first is None else first
        after = next((line for line in lines[number + 1 :] if line), None)
        if after is None or after in _FENCED or _TOOL.match(after):
            return number
    return len(lines) if first is None else first


def _words(lines: list[str], *, called: bool) -> Iterator[Json]:
    prose = "\n".join(lines).strip("\n")
    before, mark, thought = prose.partition(_THINKING)
    if before.strip():
        yield {"type": "text", "text": before.strip("\n")}
    if not mark:
        return
    thinking, text = thought.strip("\n"), ""
    if gap := _GAP.search(thinking):
        thinking, text = thinking[: gap.start()], thinking[gap.end() :]
    elif not called:
        # No border and no call: taken for text, since a reply nobody sees would be a missed stop.
        thinking, text = "", thinking
    yield {"type": "reasoning", "text": thinking}
    yield {"type": "text", "text": text}
