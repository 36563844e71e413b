"""Bytes on disk -> decoded JSON lines, whatever is in the file.

Owns opening (plain, gzip, zstd), line limits, broken encodings and malformed JSON. A line that
cannot be read becomes `Unread` with its number, and the next line is read. Nothing raises but
`HarnessUnavailable`, when the file itself cannot be opened.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from auditor.errors import HarnessUnavailable
from auditor.turn import Unread

MAX_LINE = 32 * 1024 * 1024
"""Bytes of one line; a longer one is skipped and counted. The longest real line we have is 1.3 MB
and a decoded line takes about ten times its bytes, so this keeps the peak under 300 MB (a guess)."""

MAX_DOCUMENT = 256 * 1024 * 1024
"""Bytes of a file that is one JSON document and has to be decoded whole (a guess)."""

_CHUNK = 1 << 20

Line = tuple[int, object]
"""The number of a line (1-based) and what it decodes to."""


def opened(path: Path) -> IO[bytes]:
    """Open for reading, unpacking gzip and zstd by their magic bytes; may raise OSError."""
    plain = path.open("rb")
    magic = plain.read(4)
    plain.seek(0)
    if magic[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=plain)  # type: ignore[return-value]
    if magic == b"\x28\xb5\x2f\xfd":
        import zstandard

        return zstandard.ZstdDecompressor().stream_reader(plain, read_across_frames=True)
    return plain


def decode(raw: bytes) -> object:
    """JSON bytes to values; broken UTF-8 is replaced. Raises ValueError for anything else."""
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        # Only a second look at broken UTF-8 and NUL padding is worth anything.
        repaired = raw.strip(b"\x00 \t\r\n").decode("utf-8", "replace")
        try:
            return msgspec.json.decode(repaired)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ValueError(str(error)) from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def raw_lines(path: Path) -> Iterator[tuple[int, bytes] | Unread]:
    """The lines of a file with their numbers, without line ends; blank ones left out."""
    number, kept, size = 0, [], 0
    try:
        with opened(path) as file:
            while chunk := file.read(_CHUNK):
                *whole, rest = chunk.split(b"\n")
                for piece in whole:
                    number += 1
                    size += len(piece)
                    if size > MAX_LINE:
                        yield Unread("line too long", number)
                    else:
                        kept.append(piece)
                        line = b"".join(kept) if len(kept) > 1 else piece
                        if line and not line.isspace():
                            yield number, line
                    kept, size = [], 0
                size += len(rest)
                if size <= MAX_LINE:
                    kept.append(rest)
                else:
                    kept = []
    except (OSError, EOFError, zlib.error) as error:
        if number == 0 and not kept:
            raise HarnessUnavailable(f"{path}: {_reason(error)}") from error
        yield Unread(f"cut off: {_reason(error)}", number + 1)
    if size > MAX_LINE:
        yield Unread("line too long", number + 1)
    elif (line := b"".join(kept)) and not line.isspace():
        yield number + 1, line


def json_lines(path: Path) -> Iterator[Line | Unread]:
    """The decoded lines of a JSON Lines file; a line that is no JSON is `Unread`."""
    for line in raw_lines(path):
        if isinstance(line, Unread):
            yield line
            continue
        number, raw = line
        try:
            yield number, decode(raw)
        except ValueError:
            yield Unread("malformed JSON", number)


def json_document(path: Path) -> object:
    """The one JSON value of a file. Raises `HarnessUnavailable` when there is none."""
    try:
        if path.stat().st_size > MAX_DOCUMENT:
            raise HarnessUnavailable(f"{path}: larger than {MAX_DOCUMENT >> 20} MiB, not read")
        with opened(path) as file:
            return decode(file.read())
    except OSError as error:
        raise HarnessUnavailable(f"{path}: {_reason(error)}") from error
    except ValueError as error:
        raise HarnessUnavailable(f"{path}: not one whole JSON document ({error})") from error


def text_document(path: Path) -> str:
    """The whole text of a file, broken UTF-8 replaced. Raises `HarnessUnavailable`."""
    try:
        if path.stat().st_size > MAX_DOCUMENT:
            raise HarnessUnavailable(f"{path}: larger than {MAX_DOCUMENT >> 20} MiB, not read")
        with opened(path) as file:
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        raise HarnessUnavailable(f"{path}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return str(error) or type(error).__name__
