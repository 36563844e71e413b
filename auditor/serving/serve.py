"""The resident daemon: one decision model behind `/v1/systemone`, for whoever speaks it.

Owns the socket, who may connect, and the end of the process. Meant for this machine: what is asked
contains code and conversations.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from auditor.errors import ConfigError
from auditor.loopback import host_of, is_loopback
from auditor.serving.desk import Desk
from auditor.serving.replies import refusal, written

PORT = 8017
"""Where clients of the protocol look first."""

CONNECTIONS = 128
"""Open at once: well above the line of requests, far below the files a process may open."""

GRACE = 5
"""Seconds that requests have to end when the process is asked to (a guess)."""


class Guard:
    """Lets only this machine in, whatever a web page makes a browser send; counts responses.

    `Host` tells a page that had its name pointed here (DNS rebinding), `Origin` any page.
    """

    def __init__(self, app: ASGIApp, desk: Desk, *, remote: bool) -> None:
        """`remote`: let other machines in as well, but still no web page."""
        self._app, self._desk, self._remote = app, desk, remote

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._desk.metrics.responses[message["status"]] += 1
            await send(message)

        app = self._app
        if (stranger := self._stranger(scope)) is not None:
            app = refusal(403, "permission_error", f"{stranger} is not of this machine")
        await app(scope, receive, counted)

    def _stranger(self, scope: Scope) -> str | None:
        """Name the header that is not of this machine."""
        values: dict[bytes, list[str]] = {b"host": [], b"origin": []}
        for name, value in scope["headers"]:
            if name in values:
                values[name].append(value.decode("latin-1"))
        hosts, origins = values[b"host"], values[b"origin"]
        if not self._remote and not (hosts and all(is_loopback(host_of(host)) for host in hosts)):
            return "Host"
        if not all(is_loopback(host_of(origin.partition("://")[2])) for origin in origins):
            return "Origin"
        return None


def app(desk: Desk, *, remote: bool = False) -> ASGIApp:
    """Make the application."""
    routes = [
        Route("/v1/systemone", desk.systemone, methods=["POST"]),
        Route("/v1/models", desk.models),
        Route("/health", desk.health),
        Route("/metrics", desk.counts),
    ]
    handlers = {HTTPException: _refused, Exception: _broken}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), desk, remote=remote)


async def _refused(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return written(error)


async def _broken(_: Request, __: Exception) -> Response:
    return refusal(500, "internal_error", "the server failed; its log says how")


def bound(host: str, port: int, *, remote: bool = False) -> socket.socket:
    """Bind. Raises `ConfigError` for an address of others without `remote`, or one in use."""
    if not remote and not is_loopback(host):
        raise ConfigError(
            f"{host} is not of this machine; whoever reaches it could ask: --allow-remote permits"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Without the protocol asyncio leaves Nagle's algorithm on: 40 ms more for every answer.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise ConfigError(f"{host}:{port} cannot be listened on ({error})") from error
    return listener


def run(application: ASGIApp, listener: socket.socket, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; requests that run may end."""
    host, port = listener.getsockname()[:2]
    config = uvicorn.Config(
        application,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=GRACE,
    )
    # uvicorn raises the signal again once it has ended; by then it shall do nothing.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _nothing)
    ready(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    uvicorn.Server(config).run(sockets=[listener])


def _nothing(*_: object) -> None:
    pass
