"""A proxy before a server that treats its stream of events badly; everything else passes as it is.

Owns the bad treatment, drawn from a seed: events come twice, change places with the next, and the
stream is cut. What is never done: an event is not lost without the stream being cut, as no server
does that.
"""

from __future__ import annotations

import http.client
import random
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

TWICE, SWAPPED, CUT = 0.1, 0.1, 0.004
"""Chances for each event: one in ten comes twice, and the stream lives for 250 events."""

_DROPPED = {"transfer-encoding", "connection", "content-length", "host", "keep-alive"}


class Unruly:
    """The proxy; use it in a `with` block. `did` counts what was done."""

    def __init__(self, port: int, seed: int = 0) -> None:
        self.upstream, self.did = port, Counter[str]()
        self.random = random.Random(seed)  # noqa: S311 - not for secrets
        self._server = _Server(("127.0.0.1", 0), _Connection)
        self._server.proxy = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def happens(self, what: str, chance: float) -> bool:
        """Draw whether it happens, and count it."""
        happens = self.random.random() < chance
        self.did[what] += happens
        return happens


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    proxy: Unruly

    def handle_error(self, *_: object) -> None:
        """Whoever goes is no news."""


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._pass()

    def do_POST(self) -> None:
        self._pass()

    def _pass(self) -> None:
        self.close_connection = True
        body = self.rfile.read(int(self.headers.get("content-length") or 0)) or None
        headers = {k: v for k, v in self.headers.items() if k.lower() not in _DROPPED}
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.proxy.upstream, timeout=60)
        try:
            upstream.request(self.command, self.path, body, headers)
            answer = upstream.getresponse()
            self._head(answer)
            if self.path.startswith("/event"):
                self._events(answer)
            else:
                self.wfile.write(answer.read())
        except (OSError, http.client.HTTPException):
            pass  # the other side is gone: so is this one
        finally:
            upstream.close()

    def _head(self, answer: http.client.HTTPResponse) -> None:
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _DROPPED:
                self.send_header(name, value)
        self.send_header("connection", "close")
        self.end_headers()

    def _events(self, answer: http.client.HTTPResponse) -> None:
        happens, held = self.server.proxy.happens, b""
        for line in answer:
            if not line.startswith(b"data:"):
                continue
            event = line.rstrip() + b"\n\n"
            self.server.proxy.did["events"] += 1
            if happens("cut", CUT):
                self.wfile.write(event[: len(event) // 2])
                self.wfile.flush()
                return
            if not held and b"heartbeat" not in event and happens("swapped", SWAPPED):
                held = event
                continue
            self.wfile.write(event + held)
            held = b""
            if happens("twice", TWICE):
                self.wfile.write(event)
            self.wfile.flush()
