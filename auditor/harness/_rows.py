"""Rows to events: the loop of the harnesses that keep JSON Lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from auditor.events import Event, Unread
from auditor.files import Line


def told(lines: Iterable[Line | Unread], take: Callable[[Any], Iterable[Event]]) -> Iterator[Event]:
    """The events that `take` makes of every row; an `Unread` of its gets the line's number."""
    for line in lines:
        if isinstance(line, Unread):
            yield line
            continue
        number, row = line
        for event in take(row):
            yield Unread(event.kind, number) if isinstance(event, Unread) else event
