"""What goes over the wire to an OpenCode server and back: answers read, checked and decoded.

Owns limits, and what a failure means: `Refused` where the server certainly did nothing, else
`HarnessUnavailable`, and it may have. An answer of another shape is one too: that nothing waits or
works is believed only where the server says so. Knows no address of the interface.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import httpx_sse

from auditor.errors import HarnessUnavailable
from auditor.files import decode

PASSWORD, USER = "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME"

BODY = 64 << 20
"""Bytes of an answer, or of one event, that are read: the longest session seen here has 6 MB."""

Json = dict[str, Any]


class Refused(HarnessUnavailable):
    """Nothing listens, or the server said no: what was asked for did not happen."""


class Gone(Refused):
    """The server does not know the session any more."""


class Bounded(httpx.AsyncByteStream):
    """A stream of events that ends with an error where one event never ends."""

    def __init__(self, response: httpx.Response, name: str) -> None:
        self.read = 0
        """Bytes since the last event; whoever reads events sets it back."""
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - of an AsyncClient
        self._stream, self._name = response.stream, name

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            self.read += len(piece)
            if self.read > BODY:
                raise HarnessUnavailable(f"{self._name}: an event of more than {BODY >> 20} MB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def read(response: httpx.Response, path: str) -> bytes:
    """Read an answer whole. Raises `HarnessUnavailable` where it is too much."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > BODY:
            raise HarnessUnavailable(f"{path}: an answer of more than {BODY >> 20} MB")
    return bytes(body)


def checked(response: httpx.Response, path: str) -> None:
    """Raise what a status means that is no success."""
    match response.status_code:
        case 401:
            raise Refused(
                f"{response.url.host}:{response.url.port} wants a password: set {PASSWORD}"
                f" (and {USER} if it is not opencode)"
            )
        case 404 if path.startswith("/session/ses"):
            raise Gone(f"{path}: the server does not know it")
        case status if 400 <= status < 500:
            raise Refused(f"{path}: the server answered {status}")
        case status if not 200 <= status < 300:
            raise HarnessUnavailable(f"{path}: the server answered {status}")


def unavailable(url: str, error: Exception) -> HarnessUnavailable:
    """Say what a failure on the way means."""
    match error:
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return Refused(f"{url}: nothing listens there")
        case httpx.TimeoutException() | TimeoutError():
            return HarnessUnavailable(f"{url}: no answer in time")
        case httpx_sse.SSEError():
            return HarnessUnavailable(f"{url}: /event is no stream of events")
    return HarnessUnavailable(f"{url}: {str(error) or type(error).__name__}")


def event(raw: str) -> object:
    """Decode an event; None for what is no JSON."""
    try:
        return decode(raw.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None


def answer(raw: bytes, path: str) -> object:
    """Decode an answer, which some releases wrap. Raises `HarnessUnavailable`."""
    try:
        found = decode(raw)
    except ValueError:
        said = raw[:40].decode("utf-8", "replace").strip()
        raise HarnessUnavailable(f"{path}: expected JSON, got {said!r}") from None
    match found:
        case {"data": list() | dict() as inside}:
            return inside
    return found


def objects(found: object, path: str, *keys: str) -> list[Json]:
    """Give the objects of a list, which all have these texts. Raises `HarnessUnavailable`."""
    if not isinstance(found, list):
        raise _misshapen(path, "a list", found)
    each: object
    for each in found:
        if not isinstance(each, dict) or not all(isinstance(each.get(key), str) for key in keys):
            raise _misshapen(path, f"objects with {' and '.join(keys) or 'anything'}", each)
    return found


def object_(found: object, path: str, *keys: str) -> Json:
    """Give an object that has these texts. Raises `HarnessUnavailable`."""
    return objects([found], path, *keys)[0]


def by_session(found: object, path: str, *keys: str) -> Json:
    """Give what is said of each session: objects with these texts, or a text alone.

    Raises `HarnessUnavailable`.
    """
    by = object_(found, path)
    if not all(session.startswith("ses") for session in by):
        raise _misshapen(path, "sessions", found)
    objects([each for each in by.values() if not isinstance(each, str)], path, *keys)
    return by


def _misshapen(path: str, expected: str, found: object) -> HarnessUnavailable:
    kind = "an object" if isinstance(found, dict) else type(found).__name__
    return HarnessUnavailable(f"{path}: expected {expected}, got {kind}")
