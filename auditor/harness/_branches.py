"""Branches a person left: rows that hang below a request which was taken back.

Knows only that rows have an id and a parent's id. Which requests were taken back is the
harness's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from auditor.events import Unread
from auditor.files import Line, decode, raw_lines


def alive(lines: Iterable[Line | Unread], lost: Iterable[str]) -> Iterator[Line | Unread]:
    """The lines without the rows whose `uuid` is lost, and without all that descends from them."""
    gone = set(lost)
    if not gone:
        yield from lines
        return
    for line in lines:
        if not isinstance(line, Unread):
            match line[1]:
                case {"uuid": str(uuid), "parentUuid": str(parent)} if parent in gone:
                    gone.add(uuid)
                    continue
                case {"uuid": str(uuid)} if uuid in gone:
                    continue
        yield line


def asking(path: Path, wanted: Callable[[bytes], bool]) -> Iterator[Any]:
    """The rows that may ask or take back a request: they look so and hold no result.

    Only these are decoded, so that memory and time stay small beside reading the file.
    """
    for line in raw_lines(path):
        if isinstance(line, Unread):
            continue
        raw = line[1]
        if wanted(raw) and b'"tool_result"' not in raw:
            try:
                yield decode(raw)
            except ValueError:
                continue
