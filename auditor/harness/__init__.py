"""The harnesses: one file each, the only code that knows a harness's format.

A harness module has

    NAME: str                                    as in a turn record, e.g. "claude-code"
    claims(path, head) -> bool                   recognises a file by content (head: first 64 kB)
    transcripts() -> Iterator[Path]              what lies in its default places on this machine
    read(path) -> Iterator[Event]                never raises for one line: that is `Unread`

`read` may raise `HarnessUnavailable` when the file as a whole cannot be read. A folder that is one
transcript (a task folder, a storage tree) may be claimed too; `head` is then empty. The set is
closed: a file in this folder is a harness.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Protocol, cast

from auditor.events import Event

HEAD = 65_536
"""Bytes of a file that `claims` is shown."""


class Harness(Protocol):
    """What a module of this folder offers."""

    NAME: str

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether this is one of its transcripts."""
        ...

    def transcripts(self) -> Iterator[Path]:
        """The transcripts in the harness's default places."""
        ...

    def read(self, path: Path) -> Iterator[Event]:
        """The events of a transcript, in order."""
        ...


def _load(name: str) -> Harness:
    return cast("Harness", import_module(f"{__name__}.{name}"))


def _named() -> dict[str, Harness]:
    modules = [
        _load(found.name) for found in iter_modules(__path__) if not found.name.startswith("_")
    ]
    return {module.NAME: module for module in modules}


HARNESSES: dict[str, Harness] = _named()
