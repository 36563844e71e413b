"""A SpecStory history cut into pieces: headers of messages, session comments, bubbles.

Owns the separators, and which of them only stand in a quotation. Knows neither bubbles nor turns.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator

from msgspec import Struct

from auditor.events import Unread
from auditor.harness._markdown import Fences, Line, fence

LOOKAHEAD = 4000
"""Lines looked ahead to learn whether a separator stands in a quotation (a guess)."""

EFFORT = 10
"""Lines looked at ahead, in all, for each line read: no file takes quadratic time (a guess)."""

_HEAD = re.compile(r"_\*\*(User|Agent|Assistant|Thinking)\b([^*]*)\*\*_\s*$")
_SESSION = re.compile(r"<!--\s*(.+?) Session (\S+)(?: \((.*)\))?\s*-->\s*$")
_BLOCKS = {"<tool-use": "</tool-use>", "<think>": "</think>", "<details": "</details>"}


class Header(Struct, frozen=True):
    """A separator: whose message begins, and what its brackets say."""

    role: str
    detail: str


class Named(Struct, frozen=True):
    """The comment that names agent and session, the agent in lower case."""

    agent: str
    session: str


Piece = Header | Named | list[str] | Unread


class _Lines:
    """The lines of a history with a look at what comes."""

    def __init__(self, lines: Iterable[Line | Unread]) -> None:
        self._rest = iter(lines)
        self._ahead: deque[str | Unread] = deque()
        self._effort = 2 * LOOKAHEAD  # lines that may still be looked at

    def __iter__(self) -> Iterator[str | Unread]:
        while True:
            self._effort += EFFORT
            if self._ahead:
                yield self._ahead.popleft()
            elif (line := next(self._rest, None)) is not None:
                yield line if isinstance(line, Unread) else line[1]
            else:
                return

    def coming(self) -> Iterator[str]:
        """Look at the next lines, which stay to be read; at most `LOOKAHEAD`."""
        for at in range(min(LOOKAHEAD, self._effort)):
            self._effort -= 1
            if at == len(self._ahead):
                if (new := next(self._rest, None)) is None:
                    return
                self._ahead.append(new if isinstance(new, Unread) else new[1])
            line = self._ahead[at]
            if isinstance(line, str):
                yield line


def _closes(lines: _Lines, block: str) -> bool:
    """Whether a block or fence that seems open here closes later: the first mark-up says so.

    A broken fence must not swallow the rest of a session: only what visibly closes was open.
    """
    before = ""
    coming = lines.coming()
    for line in coming:
        if block:
            if _BLOCKS[block] in line:
                return True
            if line.startswith(block):
                return False
        elif line.startswith(tuple(_BLOCKS)):
            return False
        elif marker := fence(line):
            after = next(coming, "")
            return not marker[1] and not (not before.strip() and after.strip())
        before = line
    return False


def _broken(lines: _Lines, fences: Fences) -> bool:
    """Whether the fences until the next message come out even only if none is open here."""
    kept, none = fences.copy(), Fences()
    for line in lines.coming():
        if line.startswith(tuple(_BLOCKS)) or _HEAD.match(line):
            break
        kept.take(line)
        none.take(line)
    return bool(kept) and not none


class Cutter:
    """Cut a history at separators, and the agent's messages into bubbles."""

    def __init__(self, lines: Iterable[Line | Unread]) -> None:
        self._lines = _Lines(lines)
        self._fences = Fences()
        self._block = ""
        self._user = True  # before the first separator nothing is the agent's
        self._kept: list[str] = []
        self._judged: dict[bool, bool] = {}  # what a look ahead said; holds until the next marker

    def pieces(self) -> Iterator[Piece]:
        """Headers, session comments and bubbles, in order."""
        for line in self._lines:
            if isinstance(line, Unread):
                yield line
            elif line.startswith(("_**", "<!--")) and (mark := _mark(line)) and self._real(line):
                yield from self._cut()
                yield mark
                if isinstance(mark, Header):
                    self._user = mark.role == "User"
            elif self._user:
                self._keep(line)
            else:
                yield from self._agent(line)
        yield from self._cut()

    def _real(self, line: str) -> bool:
        """Whether a separator is none of a quotation."""
        rule = line.startswith("---")
        if not (self._block or self._fences):
            return True
        if rule not in self._judged:
            self._judged[rule] = not _closes(self._lines, self._block) and (
                not rule or _broken(self._lines, self._fences)
            )
        return self._judged[rule]

    def _cut(self) -> Iterator[list[str]]:
        self._fences.reset()
        self._block, self._judged = "", {}
        if self._kept:
            yield self._kept
        self._kept = []

    def _keep(self, line: str) -> None:
        self._kept.append(line)
        if "```" in line or "~~~" in line:
            self._fences.take(line)
            self._judged = {}

    def _agent(self, line: str) -> Iterator[list[str]]:
        if self._block:
            self._kept.append(line)
            if _BLOCKS[self._block] in line:
                yield from self._cut()
            return
        opens = line.startswith("<") and next((b for b in _BLOCKS if line.startswith(b)), "")
        if opens and (opens == "<tool-use" or not self._fences):
            yield from self._cut()
            self._kept.append(line)
            self._block = opens
            if _BLOCKS[opens] in line:
                yield from self._cut()
        elif line.startswith("---") and line.rstrip() == "---" and self._real(line):
            yield from self._cut()
        else:
            self._keep(line)


def _mark(line: str) -> Header | Named | None:
    if found := _HEAD.match(line):
        return Header(found[1], found[2])
    if found := _SESSION.match(line):
        return Named(found[1].lower(), found[2])
    return None
