"""The tree of a Pi session's entries: which lines are not on the way to its last entry.

Looks at ids and parents' ids only, by the order in which Pi writes their keys; entries of version
1 have none, so that nothing of them is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.events import Unread
from auditor.files import Line, raw_lines

_ENTRY = re.compile(rb'\{"type": ?"\w+", ?"id": ?"([^"]*)", ?"parentId": ?(?:"([^"]*)"|null)')


def left(path: Path) -> list[range]:
    """The line numbers of entries that are not on the way to the last one."""
    stretches = list(_stretches(path))
    if len(stretches) < 2:
        return []
    wanted = {parent for _, parent in stretches if parent is not None}
    where = {id_: number for number, id_, _ in _ids(path) if id_ in wanted}
    where[b""] = stretches[0][0] - 1  # the root: below the header
    lost: list[range] = []
    hung, begun = stretches[-1][0], 0  # the last line that lives, from the end; where it begins
    for first, parent in reversed(stretches):
        if first <= hung:
            lost.append(range(hung + 1, begun))
            hung, begun = where.get(parent or b"", first - 1), first
    lost.append(range(hung + 1, begun))
    return [lines for lines in lost if lines]


def _stretches(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Where a run of entries begins that hang one below the other, and below which entry."""
    before: bytes | None = None
    started = False
    for number, id_, parent in _ids(path):
        if not started or parent != before:
            yield number, parent
            started = True
        before = id_


def _ids(path: Path) -> Iterator[tuple[int, bytes, bytes | None]]:
    """Line number, id and parent's id of every entry that has them, without parsing it."""
    for line in raw_lines(path):
        if not isinstance(line, Unread) and (found := _ENTRY.match(line[1])):
            yield line[0], found[1], found[2]


def without(lines: Iterable[Line | Unread], lost: list[range]) -> Iterator[Line | Unread]:
    if not lost:
        yield from lines
        return
    for line in lines:
        number = line.line or 0 if isinstance(line, Unread) else line[0]
        if not any(number in gone for gone in lost):
            yield line
