"""Bytes from a URL into one file, of which size and digest are known beforehand.

An interruption leaves a part, and the next call goes on there. Knows no models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from msgspec import Struct

from auditor.errors import JudgeUnavailable
from auditor.models.digests import wrong

TIMEOUT = 30.0
"""Seconds without a byte after which a server is given up (a guess)."""

ATTEMPTS = 5
"""Connections to one URL, each of which has brought something (a guess)."""

_CHUNK = 1 << 18

Told = Callable[[str, int, int], None]
"""Takes what is being done, and how many bytes of how many are."""


class Wanted(Struct, frozen=True):
    """What a file must be."""

    bytes: int
    sha256: str


class _Broken(Exception):
    """The connection ended before the file did."""


def check(what: str, path: Path, wanted: Wanted) -> None:
    """Raise `JudgeUnavailable`, and delete the file, unless it is what is wanted."""
    if (problem := wrong(path, wanted.bytes, wanted.sha256)) is not None:
        path.unlink()
        raise JudgeUnavailable(f"{what}: {problem}; it was deleted")


def from_url(url: str, part: Path, wanted: Wanted, told: Told) -> None:
    """Fetch what is not in `part` yet, and check the whole. Raises `JudgeUnavailable`, OSError."""
    for attempt in range(1, ATTEMPTS + 1):
        had = _size(part)
        if had > wanted.bytes:  # not a beginning of it
            part.unlink()
            had = 0
        if had == wanted.bytes:
            break
        try:
            _go_on(url, part, had, wanted, told)
        except _Broken as error:
            has = _size(part)
            if has <= had or attempt == ATTEMPTS:
                raise JudgeUnavailable(
                    f"{url}: the connection ended after {has:,} of {wanted.bytes:,} bytes"
                    f" ({error}); pull again to go on from there"
                ) from error
    told("checking", wanted.bytes, wanted.bytes)
    check(url, part, wanted)


def _go_on(url: str, part: Path, had: int, wanted: Wanted, told: Told) -> None:
    with _answer(url, had) as answer:
        if answer.status != 206:  # the whole, whatever was asked for
            had = 0
        _same_size(url, answer, had, wanted)
        with part.open("ab" if had else "wb") as file:
            for chunk in _chunks(answer):
                had += len(chunk)
                if had > wanted.bytes:
                    part.unlink()
                    raise JudgeUnavailable(f"{url}: more than the {wanted.bytes:,} bytes expected")
                file.write(chunk)
                told("fetching", had, wanted.bytes)
    if had < wanted.bytes:
        raise _Broken("cut short")


@contextmanager
def _answer(url: str, had: int) -> Iterator[HTTPResponse]:
    headers = {"User-Agent": "turn-auditor", "Accept-Encoding": "identity"}
    if had:
        headers["Range"] = f"bytes={had}-"
    try:
        answer = urlopen(Request(url, headers=headers), timeout=TIMEOUT)  # noqa: S310 - `Secure`
    except HTTPError as error:
        raise JudgeUnavailable(f"{url}: the server says {error.code} {error.reason}") from error
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise JudgeUnavailable(f"{url} cannot be reached ({reason})") from error
    with answer:
        yield answer


def _same_size(url: str, answer: HTTPResponse, had: int, wanted: Wanted) -> None:
    """Refuse before the first byte what cannot become the file that is wanted."""
    length = answer.headers.get("Content-Length", "")
    if answer.status == 206:
        said = answer.headers.get("Content-Range", "")
        if said.startswith(f"bytes {had}-") and said.endswith((f"/{wanted.bytes}", "/*")):
            return
        raise JudgeUnavailable(
            f"{url}: asked for bytes {had}- of {wanted.bytes}, answered {said or 'none'}"
        )
    if length.isdecimal() and int(length) != wanted.bytes:
        raise JudgeUnavailable(
            f"{url}: expected {wanted.bytes:,} bytes, the server has {int(length):,}"
        )


def _chunks(answer: HTTPResponse) -> Iterator[bytes]:
    while True:
        try:
            chunk = answer.read1(_CHUNK)
        except (OSError, HTTPException) as error:
            raise _Broken(str(error) or type(error).__name__) from error
        if not chunk:
            return
        yield chunk


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
