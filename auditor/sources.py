"""Find transcripts: from paths or in the default places, recognised by content, each once.

Owns walking (symlink loops, missing permissions) and the first look at a file. Which formats there
are is the harnesses' business; what a turn is worth is nobody's here.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct, field
from zstandard import ZstdError

from auditor import assemble, records
from auditor.errors import ConfigError
from auditor.events import Unread
from auditor.files import opened
from auditor.harness import HARNESSES, HEAD
from auditor.summary import Problem, named
from auditor.turn import Turn

RECORDS = "records"
"""Stands where a harness's name stands, for files of turn records."""

SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "site-packages"})
"""Folders never entered: other people's code, large, and no place for transcripts (a guess)."""


class Source(Struct, frozen=True):
    """One transcript: a file, or a folder that a harness reads as one."""

    harness: str
    path: Path


class Found(Struct):
    """Transcripts, what could not be looked at, what nobody claims: named by the user, or not."""

    sources: list[Source] = field(default_factory=list)
    unreadable: list[Problem] = field(default_factory=list)
    unclaimed: list[Path] = field(default_factory=list)
    ignored: int = 0


def names() -> tuple[str, ...]:
    """What `--harness` takes."""
    return (*HARNESSES, RECORDS)


def checked(harness: str | None) -> str | None:
    """The name, if there is such a harness. Raises `ConfigError`."""
    if harness is not None and harness not in names():
        raise ConfigError(f"--harness: {harness!r} is none of {', '.join(names())}")
    return harness


def in_default_places(harness: str | None = None) -> Found:
    """The transcripts that lie where the harnesses keep them on this machine."""
    walk = _Walk(None)
    for name, module in HARNESSES.items():
        if harness not in (None, name):
            continue
        try:
            for path in module.transcripts():
                if walk.is_new(path):
                    walk.found.sources.append(Source(name, path))
        except OSError as error:
            walk.report(Path(error.filename or name), error)
    return walk.found


def in_paths(paths: Iterable[Path], harness: str | None = None) -> Found:
    """The transcripts among files and folders. Raises `ConfigError` for a path that is not there.

    `harness` forces the format of files that are named, and in folders keeps to that harness.
    """
    walk = _Walk(harness)
    for path in paths:
        if not os.path.lexists(path):
            raise ConfigError(f"no such file or folder: {path}")
        walk.named(path)
    return walk.found


def turns(source: Source) -> Iterator[Turn | Unread]:
    """Read every turn and every entry nobody understood. May raise `HarnessUnavailable`."""
    if source.harness == RECORDS:
        for record in records.records(source.path):
            yield record if isinstance(record, Unread) else record.turn
    else:
        yield from assemble.turns(HARNESSES[source.harness].read(source.path))


class _Walk:
    """What was found so far, and what was seen, by device and inode: links lead nowhere twice."""

    def __init__(self, harness: str | None) -> None:
        self.found = Found()
        self._harness = harness
        self._seen: set[tuple[int, int]] = set()

    def report(self, path: Path, error: OSError) -> None:
        reason = os.strerror(error.errno) if error.errno else str(error)
        self.found.unreadable.append(Problem(named(path), reason))

    def is_new(self, path: Path) -> bool:
        """Whether the path can be looked at and was not seen before."""
        return self._new(path) is not None

    def _new(self, path: Path) -> int | None:
        """The mode of a path not seen before, else None."""
        try:
            state = path.stat()
        except OSError as error:
            self.report(path, error)
            return None
        inode = (state.st_dev, state.st_ino)
        if inode in self._seen:
            return None
        self._seen.add(inode)
        return state.st_mode

    def named(self, path: Path) -> None:
        """Take in what the user gave."""
        mode = self._new(path)
        if mode is None:
            return
        if stat.S_ISDIR(mode):
            self._folder(path)
        elif not stat.S_ISREG(mode):
            self.found.unreadable.append(Problem(named(path), "neither a file nor a folder"))
        elif self._harness is not None:
            self.found.sources.append(Source(self._harness, path))
        elif not self._claimed(path):
            self.found.unclaimed.append(path)

    def _folder(self, path: Path) -> None:
        """Take in everything below a folder, in the order of names. Pipes and devices are left."""
        waiting = [path]
        while waiting:
            here = waiting.pop()
            try:
                harness = self._claimant(here, b"")
            except OSError as error:
                self.report(here, error)
                continue
            if harness is not None:
                self.found.sources.append(Source(harness, here))
                continue
            below: list[Path] = []
            for entry in self._entries(here):
                mode = self._new(entry)
                if mode is None:
                    continue
                if stat.S_ISDIR(mode):
                    below.append(entry)
                elif not stat.S_ISREG(mode) or not self._claimed(entry):
                    self.found.ignored += 1
            waiting.extend(reversed(below))

    def _entries(self, folder: Path) -> list[Path]:
        try:
            return sorted(entry for entry in folder.iterdir() if entry.name not in SKIPPED)
        except OSError as error:
            self.report(folder, error)
            return []

    def _claimed(self, path: Path) -> bool:
        """Keep the file if somebody claims it; a file that cannot be opened is reported."""
        try:
            head = head_of(path)
        except OSError as error:
            self.report(path, error)
            return True
        harness = self._claimant(path, head)
        if harness is not None:
            self.found.sources.append(Source(harness, path))
        return harness is not None

    def _claimant(self, path: Path, head: bytes) -> str | None:
        if self._harness in (None, RECORDS) and records.claims(head):
            return RECORDS
        candidates = HARNESSES if self._harness is None else {self._harness}
        return next(
            (n for n in candidates if n in HARNESSES and HARNESSES[n].claims(path, head)), None
        )


def head_of(path: Path) -> bytes:
    """The first `HEAD` bytes of a file, unpacked. Raises OSError, also for a broken archive."""
    with opened(path) as file:
        pieces: list[bytes] = []
        missing = HEAD
        try:
            # read1: what was unpacked before an archive breaks off is not lost.
            while missing and (piece := file.read1(missing)):
                pieces.append(piece)
                missing -= len(piece)
        except (EOFError, zlib.error, ZstdError):
            pass  # cut off: what came before decides
        return b"".join(pieces)
