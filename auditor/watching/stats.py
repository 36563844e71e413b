"""`GET /stats` and `/health` of a watcher, on loopback: numbers for dashboards and scripts.

Owns the addresses and who may ask. Only numbers, states and ids: any user of this machine can ask,
so titles, reasons and folders stay on the screen.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from auditor.loopback import host_of, is_loopback
from auditor.watching.board import Board, Kind

PORT = 8018
"""The next after that of `auditor serve`."""

CONNECTIONS = 32
"""Open at once (a guess)."""

LISTED = 200
"""Sessions named in `/stats`, those seen last."""


def stats(board: Board, now: float) -> dict[str, Any]:
    """Give the numbers of the watcher; times are Unix seconds."""
    by: dict[str, dict[str, int]] = {}
    for (kind, name), times in sorted(board.names.items()):
        by.setdefault(kind, {})[name] = times
    return {
        "mode": board.mode,
        "started": board.started,
        "now": now,
        "connections": len(board.links),
        "counts": {kind.value: board.counts[kind] for kind in Kind},
        "by": by,
        "doing": {doing.value: times for doing, times in sorted(board.doing().items())},
        "sessions": [
            {
                "session": seen.session,
                "at": seen.at,
                "doing": seen.doing,
                "verdict": seen.verdict,
                "due": seen.due,
                "nudges": seen.nudges,
                "held": seen.held,
            }
            for seen in board.sessions()[:LISTED]
        ],
    }


def app(board: Board, clock: Callable[[], float] = time.time) -> ASGIApp:
    """Make the application."""

    async def answer(_: Request) -> Response:
        return _json(stats(board, clock()))

    async def health(_: Request) -> Response:
        return _json({"status": "ok", "mode": board.mode, "up": clock() - board.started})

    return Guard(Starlette(routes=[Route("/stats", answer), Route("/health", health)]))


class Guard:
    """Lets only this machine in, whatever a web page makes a browser send.

    `Host` tells a page that had its name pointed here (DNS rebinding), `Origin` any page.
    """

    def __init__(self, inside: ASGIApp) -> None:
        self._inside = inside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        app = self._inside
        if scope["type"] == "http" and not _from_here(scope):
            app = _json({"error": "only for this machine"}, 403)
        await app(scope, receive, send)


def _from_here(scope: Scope) -> bool:
    headers = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
    hosts = [host_of(value) for name, value in headers if name == b"host"]
    pages = [host_of(value.partition("://")[2]) for name, value in headers if name == b"origin"]
    return bool(hosts) and all(is_loopback(host) for host in hosts + pages)


def _json(content: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content), status, media_type="application/json")


async def serve(board: Board, port: int, ready: Callable[[str], None]) -> None:
    """Serve until cancelled; on any free port where this one is taken. `ready` gets the address.

    Needs asyncio: what serves does.
    """
    with _bound(port) as listener:
        ready(f"http://127.0.0.1:{listener.getsockname()[1]}")
        await _Server(
            uvicorn.Config(
                app(board),
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                limit_concurrency=CONNECTIONS,
                timeout_graceful_shutdown=1,
            )
        ).serve(sockets=[listener])


class _Server(uvicorn.Server):
    """One task among others: the signals are the watcher's."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            listener.bind(("127.0.0.1", 0))
        yield listener
