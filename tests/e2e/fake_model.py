"""A scripted model behind real HTTP on the loopback: what a provider is to a harness.

Owns the connection and the record of what was asked. One process, threads, no dependencies. The
script is chosen by a mark `[[scenario:NAME]]` in the last user text that has one, else by a model
id `scn-NAME`; the step by how often that script was asked in that session of the harness, failed
answers counted. A request without tools (a title) gets a fixed answer and is no step.

By hand: `python -m tests.e2e.fake_model --port 8788`; then `GET /admin/asked`, `POST /admin/reset`.
"""

from __future__ import annotations

import argparse
import json
import re
import select
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import msgspec
from msgspec import Struct

from tests.e2e import wire_chat
from tests.e2e.acts import CutOff, ErrorPiece, Hold, Pause, Refuse, Reset, Say, Script, Step
from tests.e2e.scripts import SCRIPTS

SESSION = "x-session-id"
_MARK = re.compile(r"\[\[scenario:([a-z0-9-]+)\]\]")
_AUX: Step = (Say("A short title"),)
_KEEP = ("x-session-id", "x-session-affinity", "x-parent-session-id", "user-agent")


class Asked(Struct):
    """One request: what for, with which messages and tools; `hung_up`: the client went first."""

    scenario: str
    step: int
    session: str
    model: str
    roles: tuple[str, ...]
    users: tuple[str, ...]
    tools: tuple[str, ...]
    headers: dict[str, str]
    at: float
    body: dict[str, Any]
    aux: bool = False
    hung_up: bool = False
    ended: float | None = None

    @property
    def last(self) -> str:
        """The last text of the user."""
        return self.users[-1] if self.users else ""


class FakeModel:
    """The server; use it in a `with` block. `workdir`: where file tools work."""

    def __init__(
        self, workdir: Path | str, scripts: dict[str, Script] | None = None, port: int = 0
    ) -> None:
        self.workdir = str(workdir)
        self.scripts = dict(SCRIPTS if scripts is None else scripts)
        self.asked: list[Asked] = []
        self._steps: Counter[tuple[str, str]] = Counter()
        self._changed = threading.Condition()
        self._open: set[str] = set()
        self._stopping = threading.Event()
        self._server = _Server(("127.0.0.1", port), _Connection)
        self._server.model = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def release(self, gate: str = "") -> None:
        """Let silent streams of this gate go on."""
        with self._changed:
            self._open.add(gate)
            self._changed.notify_all()

    def reset(self) -> None:
        """Forget everything that was asked."""
        with self._changed:
            self.asked.clear()
            self._steps.clear()
            self._open.clear()

    def of(self, session: str) -> list[Asked]:
        """Give what a session of the harness asked, titles left out."""
        with self._changed:
            return [each for each in self.asked if each.session == session and not each.aux]

    def wait(
        self, session: str, wanted: Callable[[list[Asked]], bool], limit: float = 90.0
    ) -> list[Asked]:
        """Wait until what a session asked is as wanted; raises `TimeoutError`."""
        with self._changed:
            if not self._changed.wait_for(lambda: wanted(self.of(session)), limit):
                raise TimeoutError(f"{session}: {[each.last for each in self.of(session)]}")
        return self.of(session)

    # What a connection needs.

    def take(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[Asked, Step]:
        """Note a request; give it and the step to play."""
        users = tuple(_texts(body.get("messages", [])))
        tools = tuple(sorted(_tools(body)))
        name = _scenario(users, str(body.get("model", "")))
        session = headers.get(SESSION) or (users[0] if users else "")
        with self._changed:
            step = self._steps[name, session]
            if tools:
                self._steps[name, session] += 1
            asked = Asked(
                scenario=name,
                step=step,
                session=session,
                model=str(body.get("model", "")),
                roles=tuple(str(each.get("role")) for each in body.get("messages", [])),
                users=users,
                tools=tools,
                headers={key: headers[key] for key in _KEEP if key in headers},
                at=time.time(),
                body=body,
                aux=not tools,
            )
            self.asked.append(asked)
            self._changed.notify_all()
        return asked, self._step(name, step, users, aux=not tools)

    def _step(self, name: str, step: int, users: tuple[str, ...], *, aux: bool) -> Step:
        script = self.scripts.get(name)
        if aux:
            return _AUX
        if script is None:
            return (Refuse(404, f"there is no script {name!r}"),)
        if script.when_told is not None and len(users) > 1:
            return script.when_told
        return script.steps[min(step, len(script.steps) - 1)]

    def done(self, asked: Asked, *, hung_up: bool) -> None:
        """Note the end of an answer."""
        with self._changed:
            asked.hung_up, asked.ended = hung_up, time.time()
            self._changed.notify_all()

    def held(self, gate: str, gone: Callable[[], bool]) -> bool:
        """Hold a stream; say whether the client is still there afterwards."""
        while not self._stopping.is_set():
            with self._changed:
                if self._changed.wait_for(lambda: gate in self._open, 0.05):
                    return True
            if gone():
                return False
        return False


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    model: FakeModel

    def handle_error(self, *_: object) -> None:
        """A client that goes is no news."""


class _HungUp(Exception):
    """The client went."""


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal."""

    def do_GET(self) -> None:
        model = self.server.model
        match self.path:
            case "/v1/models":
                names = [{"id": f"scn-{name}", "object": "model"} for name in model.scripts]
                self._json(200, {"object": "list", "data": names})
            case "/admin/asked":
                self._json(200, msgspec.to_builtins(model.asked))
            case _:
                self._json(404, {"error": {"message": "no such path"}})

    def do_POST(self) -> None:
        model = self.server.model
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if self.path == "/admin/reset":
            model.reset()
            self._json(200, {})
        elif self.path != "/v1/chat/completions":
            self._json(404, {"error": {"message": "no such path"}})
        else:
            asked, step = model.take(body, {k.lower(): v for k, v in self.headers.items()})
            hung_up = False
            try:
                self._play(asked, step, stream=bool(body.get("stream")))
            except (_HungUp, OSError):
                hung_up = self.close_connection = True
            finally:
                model.done(asked, hung_up=hung_up)

    def _play(self, asked: Asked, step: Step, *, stream: bool) -> None:
        match step:
            case (Refuse(status=status, message=message, headers=headers, code=code), *_):
                error = {"message": message, "type": "error", "code": code or None}
                self._json(status, {"error": error}, headers)
                return
            case (Reset(), *_):
                self._reset()
                return
        if not stream:
            workdir = self.server.model.workdir
            self._json(200, wire_chat.whole(step, asked.model, asked.tools, workdir))
            return
        started = isinstance(step[0], (Hold, Pause)) if step else False
        if started and not self._act(asked, step[0], 0):
            return
        self._begin(asked)
        calls = 0
        for act in step[1:] if started else step:
            if not self._act(asked, act, calls):
                return
            calls += isinstance(act, wire_chat.Call)
        self._chunk(wire_chat.end(asked.model, wire_chat.reason(step)))
        self._chunk(b"")

    def _begin(self, asked: Asked) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self._chunk(wire_chat.piece(asked.model, {"role": "assistant", "content": ""}))

    def _act(self, asked: Asked, act: object, calls: int) -> bool:
        """Play one act; say whether the answer goes on."""
        model = self.server.model
        match act:
            case Hold(gate=gate):
                return model.held(gate, self._gone) or self._left()
            case Pause(seconds=seconds):
                return self._wait(seconds)
            case Reset():
                self._reset()
                return False
            case CutOff():
                self.close_connection = True
                return False
        pause = act.pause if isinstance(act, Say) else 0.0
        for piece in wire_chat.streamed(act, asked.model, asked.tools, model.workdir, calls):
            self._chunk(piece)
            if pause:
                self._wait(pause)
        if isinstance(act, ErrorPiece):
            self._chunk(b"")
            return False
        return True

    def _wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._gone():
                raise _HungUp
            time.sleep(min(left, 0.02))
        return True

    def _left(self) -> bool:
        raise _HungUp

    def _gone(self) -> bool:
        """Whether the client closed its side."""
        try:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def _reset(self) -> None:
        self.close_connection = True
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        # The file objects hold the socket open: all of them go, then the kernel sends the RST.
        self.wfile.close()
        self.rfile.close()
        self.connection.close()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _json(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**(headers or {}), "content-type": "application/json"}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _texts(messages: list[Any]) -> Iterator[str]:
    """Give the user's texts, one for each message."""
    for message in messages:
        match message:
            case {"role": "user", "content": str(text)}:
                yield text
            case {"role": "user", "content": list(parts)}:
                yield "".join(str(part.get("text", "")) for part in parts)


def _tools(body: dict[str, Any]) -> Iterator[str]:
    for tool in body.get("tools") or []:
        match tool:
            case {"function": {"name": str(name)}}:
                yield name


def _scenario(users: tuple[str, ...], model: str) -> str:
    for text in reversed(users):
        if found := _MARK.search(text):
            return found[1]
    return model.removeprefix("scn-")


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--workdir", default=str(Path.cwd()))
    options = parser.parse_args()
    with FakeModel(options.workdir, port=options.port) as model:
        print(model.url, flush=True)  # noqa: T201
        threading.Event().wait()


if __name__ == "__main__":
    main()
