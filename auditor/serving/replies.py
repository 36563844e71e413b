"""Bodies in and out of the server: limits, encodings, and errors as the protocol writes them."""

from __future__ import annotations

import io
import uuid
from collections.abc import Mapping

import anyio
import msgspec
import zstandard
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

BODY = 1 << 20
"""Bytes of a request at most, packed or not: what the peers take."""

SLOW = 10.0
"""Seconds in which a request has to arrive (a guess)."""

WINDOW = 8 << 20
"""Memory that unpacking may take: what zstd's own tools promise to stay within by default."""


def as_json(
    content: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with JSON, and an id that the reference calls the request's."""
    named = {"x-typesafe-request-id": f"req_{uuid.uuid4().hex}", **(headers or {})}
    return Response(msgspec.json.encode(content), status, named, "application/json")


def refused(status: int, kind: str, message: str, *, retry: int | None = None) -> HTTPException:
    """Make the exception for what is not a wrong field; `retry`: seconds to wait."""
    after = None if retry is None else {"Retry-After": str(retry)}
    return HTTPException(status, {"error_type": kind, "message": message}, after)  # type: ignore[arg-type]  # the detail is written as JSON below


def refusal(status: int, kind: str, message: str, *, retry: int | None = None) -> Response:
    """Write the same down."""
    return written(refused(status, kind, message, retry=retry))


def written(error: HTTPException) -> Response:
    """Write an error as the protocol has it; the framework's own have only a sentence."""
    detail: object = error.detail
    if isinstance(detail, str):
        detail = {"error_type": _KINDS.get(error.status_code, "error"), "message": detail}
    return as_json({"detail": detail}, error.status_code, error.headers)


_KINDS = {404: "not_found", 405: "method_not_allowed"}


async def whole_body(request: Request) -> bytes:
    """Read a request, unpacked. Raises `HTTPException` for what is too large, slow or packed."""
    packed = request.headers.get("content-encoding", "identity").lower()
    if packed not in ("identity", "zstd"):
        raise refused(415, "unsupported_encoding", "send it plain, or packed as zstd")
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > BODY:
        raise _too_large()
    body = bytearray()
    with anyio.move_on_after(SLOW) as waiting:
        try:
            async for piece in request.stream():
                body += piece
                if len(body) > BODY:
                    raise _too_large()
        except ClientDisconnect:
            raise refused(400, "incomplete_request", "the request broke off") from None
    if waiting.cancelled_caught:
        raise refused(408, "timeout_error", "the request did not arrive in time")
    return _unpacked(bytes(body)) if packed == "zstd" else bytes(body)


def _unpacked(body: bytes) -> bytes:
    reader = zstandard.ZstdDecompressor(max_window_size=WINDOW).stream_reader(io.BytesIO(body))
    try:
        plain = reader.read(BODY + 1)
    except zstandard.ZstdError:
        raise refused(400, "api_usage_error", "the body is no zstd") from None
    if len(plain) > BODY:
        raise _too_large()
    return plain


def _too_large() -> HTTPException:
    return refused(413, "request_too_large", f"a request may have {BODY:,} bytes")
