"""Branches a person left: rows that hang below a request which was taken back.

Knows only that rows have an id and a parent's id. Which requests were taken back is the
harness's to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from auditor.files import Line
from auditor.turn import Unread


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
