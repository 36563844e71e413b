"""Bytes on disk -> decoded JSON lines, whatever is in the file.

Owns opening (plain, gzip, zstd), line limits, broken encodings and malformed JSON. A line that
cannot be read becomes `Unread` with its number, and the next line is read. Nothing raises but
`HarnessUnavailable`, when the file itself cannot be opened.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import msgspec

from auditor.errors import HarnessUnavailable
from auditor.events import Unread

MAX_LINE = 32 * 1024 * 1024
"""Bytes of one line; a longer one is skipped and counted. The longest real line we have is 1.3 MB,
and a decoded line can take several times its bytes: this bounds the peak (a guess)."""

MAX_DOCUMENT = 256 * 1024 * 1024
"""Bytes of a file that is one JSON document and has to be decoded whole (a guess)."""

_CHUNK = 1 << 20
_UNREADABLE = (OSError, EOFError, zlib.error)
_PIECE = 2048
"""Bytes of zstd unpacked at once: 128 kB can be packed in 4 bytes, so this is at most 64 MB."""

_ESCAPE = re.compile(
    r"(\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})"
    r"|(\\u[dD][89a-fA-F][\da-fA-F]{2})|\\.",
    re.DOTALL,
)

Line = tuple[int, object]
"""The number of a line (1-based) and what it decodes to."""


class _Zstd(io.RawIOBase):
    """The content of zstd frames, one after the other; EOFError when the last one is cut."""

    def __init__(self, plain: io.BufferedReader) -> None:
        import zstandard  # noqa: PLC0415 - only one harness packs its sessions

        self._plain, self._library = plain, zstandard
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._inside = False
        self._rest = b""
        self._found = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._found:
            raw, self._rest = self._rest or self._plain.read(_PIECE), b""
            if not raw:
                if self._inside:
                    raise EOFError("zstd frame without an end")
                return 0
            self._unpack(raw)
        size = min(len(buffer), len(self._found))
        buffer[:size], self._found = self._found[:size], self._found[size:]
        return size

    def _unpack(self, raw: bytes) -> None:
        try:
            self._found = memoryview(self._frame.decompress(raw))
        except self._library.ZstdError as error:
            raise OSError(str(error)) from error
        self._inside = not self._frame.eof
        if self._frame.eof:
            self._rest = self._frame.unused_data
            self._frame = self._library.ZstdDecompressor().decompressobj()

    def close(self) -> None:
        self._plain.close()
        super().close()


def opened(path: Path) -> io.BufferedReader:
    """Open for reading, unpacking gzip and zstd by their magic bytes; may raise OSError."""
    plain = path.open("rb")
    magic = plain.peek(4)
    if magic[:2] == b"\x1f\x8b":
        plain.close()
        return cast("io.BufferedReader", gzip.GzipFile(path))
    if magic[:4] == b"\x28\xb5\x2f\xfd":
        return io.BufferedReader(_Zstd(plain))
    return plain


def decode(raw: bytes) -> object:
    """JSON bytes to values. Raises ValueError for what is none.

    Broken UTF-8 and halves of escaped surrogate pairs are replaced, a byte order mark and NUL
    padding dropped.
    """
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        pass
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    try:
        return msgspec.json.decode(mended(raw))
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def mended(raw: bytes) -> bytes:
    """JSON bytes as `decode` reads them where they are not quite right."""
    text = raw.strip(b"\x00 \t\r\n").decode("utf-8", "replace").removeprefix("\ufeff")
    return _ESCAPE.sub(_whole_pairs, text).encode()


def _whole_pairs(escape: re.Match[str]) -> str:
    """Replace half a pair by U+FFFD: JavaScript cuts texts in the middle of one."""
    return "\\ufffd" if escape[2] else escape[0]


def raw_lines(path: Path) -> Iterator[tuple[int, bytes] | Unread]:
    """The lines of a file with their numbers, without line ends; blank ones left out."""
    number, kept, size = 0, [], 0
    try:
        with opened(path) as file:
            # read1: what was unpacked before an archive breaks off is not lost.
            while chunk := file.read1(_CHUNK):
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
    except _UNREADABLE as error:
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
        return decode(_content(path))
    except ValueError as error:
        raise HarnessUnavailable(f"{path}: not one whole JSON document ({error})") from error


def _content(path: Path) -> bytes:
    kept = io.BytesIO()
    try:
        with opened(path) as file:
            while chunk := file.read1(_CHUNK):
                kept.write(chunk)
                if kept.tell() > MAX_DOCUMENT:
                    raise HarnessUnavailable(
                        f"{path}: larger than {MAX_DOCUMENT >> 20} MiB, not read"
                    )
    except _UNREADABLE as error:
        raise HarnessUnavailable(f"{path}: {_reason(error)}") from error
    return kept.getvalue()


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return str(error) or type(error).__name__
