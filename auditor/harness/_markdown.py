"""Markdown transcripts line by line: lines with their blanks, and fenced code.

For harnesses that keep Markdown. Knows no harness's separators.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from auditor.events import Unread
from auditor.files import raw_lines

Line = tuple[int, str]
"""The number of a line (1-based) and its text without the line end."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")

_DEEP = 4
"""Levels of fences told apart: a file of examples in a file of examples, and one more (a guess)."""


def text_lines(path: Path) -> Iterator[Line | Unread]:
    """The lines of a text file, blank ones too; broken UTF-8 is replaced, trailing blanks stay."""
    last = 0
    for line in raw_lines(path):
        if isinstance(line, Unread):
            yield line
            last = line.line or last
            continue
        number, raw = line
        for blank in range(last + 1, number):
            yield blank, ""
        last = number
        yield number, raw.decode("utf-8", "replace").removesuffix("\r").removeprefix("\ufeff")


def fence(line: str) -> tuple[str, str] | None:
    """(marker, info string) of a line that opens or closes a fenced block, else None."""
    found = _FENCE.match(line)
    return (found[1], found[2].strip()) if found else None


class Fences:
    """Whether a line stands in fenced code.

    Looser than CommonMark, which knows no fence inside a fence: agents write Markdown files with
    code blocks of their own, so a marker with an info string opens another level and a bare one
    closes the innermost.
    """

    def __init__(self) -> None:
        self._open: list[str] = []

    def __bool__(self) -> bool:
        """Whether the next line is inside."""
        return bool(self._open)

    def copy(self) -> Fences:
        """The same state, to try lines on."""
        other = Fences()
        other._open = list(self._open)
        return other

    def reset(self) -> None:
        """Forget everything: the harness's own mark-up says that no fence is open here."""
        self._open = []

    def take(self, line: str) -> bool:
        """Take a line in; whether it is inside a block or one of its two marker lines."""
        inside = bool(self._open)
        found = fence(line)
        if found is None:
            return inside
        marker, info = found
        closes = (
            self._open and marker[0] == self._open[-1][0] and len(marker) >= len(self._open[-1])
        )
        if not info and closes:
            self._open.pop()
        elif not inside or (info and marker[0] == self._open[-1][0] and len(self._open) < _DEEP):
            self._open.append(marker)
        return True
