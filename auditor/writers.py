"""Where audits go: a table for people, lines or one document of JSON for programs.

Owns standard output and `--out`, which appears whole or not at all. Knows no transcripts.
"""

from __future__ import annotations

import heapq
import io
import secrets
import stat
import sys
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self

import msgspec

from auditor import explanation, show, show_summary
from auditor.audit import Audit
from auditor.errors import ConfigError
from auditor.formats import Format
from auditor.summary import Summary
from auditor.turn import Turn

ROWS = 20
"""Lines of the table when nobody asked for more: it fits on a screen (a guess)."""

_CHUNK = 1 << 16
"""Bytes of output collected before they are written (a guess)."""


class Output:
    """Standard output, or a file that takes its name only when all is written."""

    def __init__(self, path: Path | None) -> None:
        """Open; `path` None is standard output. Raises `ConfigError`."""
        self._path = path
        self._part: Path | None = None
        if path is None:
            self.file: IO[bytes] = sys.stdout.buffer
            return
        self._path = path.resolve()  # a link stays a link, and what it points to is replaced
        self._part = self._path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            self.file = self._part.open("xb")
            if self._path.exists():
                self._part.chmod(stat.S_IMODE(self._path.stat().st_mode))
        except OSError as error:
            raise ConfigError(f"--out: {path} cannot be written ({error.strerror})") from error

    @property
    def is_file(self) -> bool:
        """Whether it goes into a file."""
        return self._path is not None

    def discard(self) -> None:
        """Leave the file of that name as it was."""
        self._path = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._part is None:
            self.file.flush()
            return
        try:
            self.file.close()
            if kind is None and self._path is not None:
                self._part.replace(self._path)
        finally:
            self._part.unlink(missing_ok=True)


def opened(path: Path | None) -> Output:
    """Open the output."""
    return Output(path)


class Writer(Protocol):
    """Takes the audits that are to be shown, then the summary."""

    def shows(self, audit: Audit) -> bool:
        """Whether it shows the audit when nobody said which."""
        ...

    def take(self, turn: Turn, audit: Audit, when: float) -> None:
        """Show an audit, or keep it to be shown."""
        ...

    def done(self, summary: Summary) -> None:
        """Write the rest."""
        ...


class Lines:
    """One audit a line; the summary goes to standard error."""

    def __init__(self, out: Output, *, everything: bool) -> None:
        """`everything` is of no importance here: a program takes all lines."""
        del everything
        self._file = out.file
        self._encoder = msgspec.json.Encoder()
        self._buffer = bytearray()

    def shows(self, audit: Audit) -> bool:
        """Show all."""
        del audit
        return True

    def take(self, turn: Turn, audit: Audit, when: float) -> None:
        """Write one line."""
        del turn, when
        buffer = self._buffer
        self._encoder.encode_into(audit, buffer, -1)
        buffer += b"\n"
        if len(buffer) > _CHUNK:
            self._write()

    def _write(self) -> None:
        self._file.write(self._buffer)
        self._buffer.clear()

    def done(self, summary: Summary) -> None:
        """Write the rest, and the summary to standard error."""
        self._write()
        self._file.flush()
        to = show.console(sys.stderr)
        show.beginning(to, summary)
        show_summary.summary(to, summary)


class Document(Lines):
    """One object: `{"turns": [audit, …], "summary": {…}}`."""

    def __init__(self, out: Output, *, everything: bool) -> None:
        super().__init__(out, everything=everything)
        self._buffer += b'{"turns":['
        self._between = b"\n"

    def take(self, turn: Turn, audit: Audit, when: float) -> None:
        """Write one element."""
        self._buffer += self._between
        self._between = b",\n"
        super().take(turn, audit, when)
        del self._buffer[-1:]

    def done(self, summary: Summary) -> None:
        """Write the summary and the end."""
        self._buffer += b'\n],\n"summary":' + self._encoder.encode(summary) + b"}\n"
        self._write()
        self._file.flush()


class Table:
    """Rows for people, newest first, then the summary. Without `everything`, the newest `ROWS`."""

    def __init__(self, out: Output, *, everything: bool) -> None:
        self._out = out
        self._limit = None if everything else ROWS
        self._rows: list[tuple[float, int, show.Row]] = []
        self._numbers = count()
        self._taken = 0

    def shows(self, audit: Audit) -> bool:
        """Show what would be nudged, and what is stuck or unfinished."""
        return show.wants_attention(audit)

    def take(self, turn: Turn, audit: Audit, when: float) -> None:
        """Keep the row, if it may be among those shown."""
        self._taken += 1
        full = self._limit is not None and len(self._rows) >= self._limit
        if full and when < self._rows[0][0]:
            return
        entry = (when, next(self._numbers), show.row(turn, audit))
        if full:
            heapq.heappushpop(self._rows, entry)
        else:
            heapq.heappush(self._rows, entry)

    def done(self, summary: Summary) -> None:
        """Print everything."""
        text = io.TextIOWrapper(
            self._out.file, encoding="utf-8", errors="replace", write_through=True
        )
        to = show.console(sys.stdout if not self._out.is_file else text, plain=self._out.is_file)
        show.beginning(to, summary)
        show.table(to, [row for _, _, row in sorted(self._rows, reverse=True)])
        show.more(to, self._taken - len(self._rows))
        show_summary.summary(to, summary)
        text.detach()


WRITERS: dict[Format, type[Table | Lines]] = {
    Format.TABLE: Table,
    Format.JSONL: Lines,
    Format.JSON: Document,
}


def explain(out: Output, format_: Format, turn: Turn, audit: Audit, path: Path) -> None:
    """Write one turn and why it was audited so; for a program, its audit alone."""
    if format_ is not Format.TABLE:
        out.file.write(msgspec.json.encode(audit) + b"\n")
    elif out.is_file:
        text = io.TextIOWrapper(out.file, encoding="utf-8", errors="replace", write_through=True)
        explanation.explain(show.console(text, plain=True), turn, audit, path)
        text.detach()
    else:
        explanation.explain(show.console(sys.stdout), turn, audit, path)
