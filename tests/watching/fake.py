"""A scripted OpenCode: sessions, a bus and an HTTP interface of a few lines, on the test's clock.

It says what the real 1.18 was seen to say, in the same order, and it can be made slow, broken or
forgetful path by path.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import Any

import anyio
import httpx
import msgspec
import trio

BASE = float(round(time.time()))
"""Unix seconds at the beginning of a test."""

FINE = "The parser is fixed, and all tests pass."

Json = dict[str, Any]


def now() -> float:
    return BASE + trio.current_time()


def ms() -> int:
    return round(now() * 1000)


class _Stream(httpx.AsyncByteStream):
    def __init__(self, pieces: anyio.abc.ObjectReceiveStream[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            yield piece

    async def aclose(self) -> None:
        self._pieces.close()


class Fake(httpx.AsyncBaseTransport):
    """The server. `before[path part]` is awaited before an answer; what it returns is the answer.

    `then`: what the agent does after a prompt; None: nothing.
    """

    def __init__(self) -> None:
        self.infos: dict[str, Json] = {}
        self.messages: dict[str, list[Json]] = {}
        self.todos: dict[str, list[Json]] = {}
        self.statuses: dict[str, Json] = {}
        self.permissions: list[Json] = []
        self.questions: list[Json] = []
        self.prompts: list[tuple[str, Json]] = []
        self.aborts: list[str] = []
        self.toasts: list[Json] = []
        self.asked: list[str] = []
        self.up = True
        self.before: dict[str, Callable[[], Any]] = {}
        self.then: Callable[[str], object] | None = lambda session: self.answer(session, FINE)
        self._numbers = count(1)
        self._listeners: list[anyio.abc.ObjectSendStream[bytes]] = []

    # The bus.

    def say(self, kind: str, **properties: Any) -> None:
        event = {"id": f"evt_{next(self._numbers):06d}", "type": kind, "properties": properties}
        self.send(b"data: " + msgspec.json.encode(event) + b"\n\n")

    def send(self, raw: bytes) -> None:
        for listener in list(self._listeners):
            try:
                listener.send_nowait(raw)
            except anyio.BrokenResourceError:  # whoever listened is gone
                listener.close()
                self._listeners.remove(listener)

    def drop(self) -> None:
        """End every stream of events."""
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()

    # What people and agents do.

    def session(self, id_: str = "ses_a", parent: str | None = None, age: float = 3600) -> str:
        created = ms() - round(age * 1000)
        info = {"id": id_, "title": id_, "directory": "/p", "time": {"created": created}}
        info["time"]["updated"] = ms()
        if parent is not None:
            info["parentID"] = parent
        self.infos[id_] = info
        self.messages[id_] = []
        self.say("session.created", sessionID=id_, info=info)
        return id_

    def ask(self, session: str, text: str = "Fix the tests.", **part: Any) -> str:
        id_ = f"msg_{next(self._numbers):06d}"
        model = {"providerID": "fake", "modelID": "m", "variant": "high"}
        info = {"id": id_, "sessionID": session, "role": "user", "agent": "build", "model": model}
        info["time"] = {"created": ms()}
        self._message(session, info)
        self._part(session, id_, type="text", text=text, **part)
        self.busy(session)
        return id_

    def busy(self, session: str) -> None:
        self.statuses[session] = {"type": "busy"}
        self.say("session.status", sessionID=session, status={"type": "busy"})

    def idle(self, session: str) -> None:
        self.statuses.pop(session, None)
        self.say("session.status", sessionID=session, status={"type": "idle"})
        self.say("session.idle", sessionID=session)

    def begin(self, session: str) -> str:
        """Begin a message of the agent."""
        asked = [m["info"]["id"] for m in self.messages[session] if m["info"]["role"] == "user"]
        id_ = f"msg_{next(self._numbers):06d}"
        info = {"id": id_, "sessionID": session, "role": "assistant", "parentID": asked[-1]}
        info |= {"providerID": "fake", "modelID": "m", "agent": "build", "mode": "build"}
        info["time"] = {"created": ms()}
        self._message(session, info)
        self._part(session, id_, type="step-start")
        return id_

    def call(self, session: str, command: str, output: str, *, status: str = "completed") -> str:
        """A step that calls a tool."""
        id_ = self.begin(session)
        number = next(self._numbers)
        state: Json = {"input": {"command": command}, "time": {"start": ms()}}
        part = {"type": "tool", "tool": "bash", "callID": f"c{number}", "id": f"prt_{number:06d}"}
        self._part(session, id_, **part, state={**state, "status": "running"})
        if status == "running":
            return id_
        state |= {"status": status, "output": output, "error": output, "metadata": {"exit": 0}}
        self._part(session, id_, **part, state=state)
        self.end(session, id_, "tool-calls")
        return id_

    def command(self, session: str, command: str) -> str:
        """A `!` command of the user's own, which runs."""
        text = "The following tool was executed by the user"
        self.ask(session, text, synthetic=True)
        id_ = self.begin(session)
        state = {"status": "running", "input": {"command": command}, "time": {"start": ms()}}
        self._part(session, id_, type="tool", tool="bash", callID="c", state=state)
        return id_

    def write(self, session: str, message: str, text: str) -> str:
        """Stream a text; it is not in what the server answers until `end`."""
        part = self._part(session, message, type="text", text="", time={"start": ms()})
        self.more(session, message, part, text)
        return part

    def more(self, session: str, message: str, part: str, text: str) -> None:
        said = {"messageID": message, "partID": part, "field": "text", "delta": text}
        self.say("message.part.delta", sessionID=session, **said)

    def end(self, session: str, message: str, reason: str = "stop") -> None:
        self._part(session, message, type="step-finish", reason=reason)
        self._changed(session, message, finish=reason)

    def answer(self, session: str, text: str, reason: str = "stop") -> str:
        """Say something, and end the turn."""
        id_ = self.begin(session)
        if text:
            time = {"start": ms(), "end": ms()}
            self._part(session, id_, type="text", text=text, time=time)
        self.end(session, id_, reason)
        self.idle(session)
        return id_

    def fail(self, session: str, message: str, error: Json) -> None:
        """The harness gives up on an answer after its own retries."""
        self._changed(session, message, error=error)
        self.say("session.error", sessionID=session, error=error)
        self.idle(session)
        self.idle(session)

    def limited(self, session: str) -> None:
        """The provider refuses for now, and OpenCode gives up."""
        data = {"message": "Rate limit exceeded", "statusCode": 429, "isRetryable": True}
        self.fail(session, self.begin(session), {"name": "APIError", "data": data})

    def denied(self, session: str) -> None:
        """The provider refuses for good."""
        data = {"message": "invalid api key", "statusCode": 401, "isRetryable": False}
        self.fail(session, self.begin(session), {"name": "APIError", "data": data})

    def stop(self, session: str) -> None:
        """What an abort does, whoever asks for it."""
        error = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
        for message in self.messages[session][-1:]:
            if message["info"]["role"] == "assistant":
                self._changed(session, message["info"]["id"], error=error)
        self.say("session.error", sessionID=session, error=error)
        self.idle(session)
        self.idle(session)

    def permission(self, session: str) -> str:
        id_ = f"per_{next(self._numbers):06d}"
        asked = {"id": id_, "sessionID": session, "permission": "bash"}
        self.permissions.append(asked)
        self.say("permission.asked", **asked)
        return id_

    def _message(self, session: str, info: Json) -> None:
        self.messages[session].append({"info": info, "parts": []})
        self.infos[session]["time"]["updated"] = ms()
        self.say("message.updated", sessionID=session, info=info)

    def _part(self, session: str, message: str, **part: Any) -> str:
        id_ = part.setdefault("id", f"prt_{next(self._numbers):06d}")
        part |= {"messageID": message, "sessionID": session}
        parts = next(m["parts"] for m in self.messages[session] if m["info"]["id"] == message)
        parts[:] = [*[p for p in parts if p["id"] != id_], part]
        self.say("message.part.updated", sessionID=session, part=part)
        return str(id_)

    def _changed(self, session: str, message: str, **what: Any) -> None:
        found = next(m for m in self.messages[session] if m["info"]["id"] == message)
        time = {**found["info"]["time"], "completed": ms()}
        found["info"] = {**found["info"], **what, "time": time}
        self.infos[session]["time"]["updated"] = ms()
        self.say("message.updated", sessionID=session, info=found["info"])

    # HTTP.

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path, method = request.url.path, request.method
        await anyio.lowlevel.checkpoint()
        self.asked.append(f"{method} {path}")
        if not self.up:
            raise httpx.ConnectError("refused", request=request)
        for part, hook in list(self.before.items()):
            if part in f"{method} {path}":
                answer = hook()
                answer = await answer if hasattr(answer, "__await__") else answer
                if answer is not None:
                    return answer if isinstance(answer, httpx.Response) else _json(answer)
        names = path.strip("/").split("/")
        if method == "POST":
            return self._told(names, msgspec.json.decode(request.content or b"null"))
        return self._events() if names == ["event"] else self._read(names)

    def _told(self, path: list[str], body: Any) -> httpx.Response:
        match path:
            case ["tui", "show-toast"]:
                self.toasts.append(body)
                return _json(True)
            case ["session", session, "prompt_async"] if session in self.infos:
                return self._prompted(session, body)
            case ["session", session, "abort"] if session in self.infos:
                self.aborts.append(session)
                self.stop(session)
                return _json(True)
        return httpx.Response(404)

    def _read(self, path: list[str]) -> httpx.Response:
        match path:
            case ["global", "health"]:
                return _json({"healthy": True, "version": "1.18.33"})
            case ["path"]:
                return _json({"directory": "/p"})
            case ["session"]:
                latest = sorted(self.infos.values(), key=lambda info: -info["time"]["updated"])
                return _json(latest)
            case ["session", "status"]:
                return _json(self.statuses)
            case ["permission"]:
                return _json(self.permissions)
            case ["question"]:
                return _json(self.questions)
            case ["session", session, *rest] if session in self.infos:
                return self._about(session, rest)
        return httpx.Response(404)

    def _about(self, session: str, what: list[str]) -> httpx.Response:
        children = [info for info in self.infos.values() if info.get("parentID") == session]
        match what:
            case []:
                return _json(self.infos[session])
            case ["message"]:
                return _json(self.messages[session])
            case ["todo"]:
                return _json(self.todos.get(session, []))
            case ["children"]:
                return _json(children)
        return httpx.Response(404)

    def _events(self) -> httpx.Response:
        send, receive = anyio.create_memory_object_stream[bytes](100_000)
        self._listeners.append(send)
        send.send_nowait(b'data: {"type":"server.connected","properties":{}}\n\n')
        kind = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=kind, stream=_Stream(receive))

    def _prompted(self, session: str, body: Json) -> httpx.Response:
        self.prompts.append((session, body))
        part = dict(body["parts"][0])
        text = part.pop("text")
        del part["type"]
        self.ask(session, text, **part)
        if self.then is not None:
            self.then(session)
        return httpx.Response(204)


def _json(what: Any) -> httpx.Response:
    return httpx.Response(200, content=msgspec.json.encode(what))
