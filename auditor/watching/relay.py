"""OpenCode through its plugin: for people whose `opencode` opens no port.

Owns the talk with a plugin, and `Relay`, which lets `OpenCode` ask through one as it asks a server.
What is asked, and what the events mean, it does not know; who may talk is for `hub` to say.

The talk is lines of JSON. The plugin begins: `{nonce}`; `{nonce, proof}` answers it, and
`{proof, directory, pid, sessions}` it replies. Each proves that it knows the secret in a file
that only its owner can read; the secret itself is never sent. Then the plugin says `{event}`, `{}`
as a sign of life, and `{id, status, text}` to each request `{id, method, path, body}`.

A plugin shows and reaches only the sessions that its own process works on (`heard`).
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import count

import anyio
import httpx
import msgspec
from anyio.abc import ByteStream
from msgspec import Raw, Struct

from auditor.harness._opencode_server import OpenCode
from auditor.watching.heard import Heard
from auditor.watching.post import Post

EVENTS = 20_000
"""Events that may wait to be read; with more the stream ends, and what was missed is read from the
sessions. Two minutes of a fast model (a guess)."""

SEND = 5.0
"""Seconds in which a request has to be taken; a plugin that does not is gone (a guess)."""

_SESSION = re.compile(r"/session/(ses_[A-Za-z0-9]+)(?:/|$)")

Clock = Callable[[], float]

BEAT = b'data: {"type":"server.heartbeat","properties":{}}\n\n'


class Greeting(Struct, frozen=True):
    """What a plugin begins with."""

    nonce: str


class About(Struct, frozen=True):
    """Who a plugin is.

    `sessions`: when its process last had messages of them, in Unix milliseconds.
    """

    proof: str
    directory: str
    pid: int
    sessions: dict[str, float] = {}


class Said(Struct, frozen=True):
    """What a plugin says later: an event, an answer, or only that it lives."""

    event: Raw = Raw()
    id: int | None = None
    status: int = 502
    text: str = ""


class _Session(Struct, frozen=True):
    id: str


class _Question:
    """A request under way."""

    def __init__(self) -> None:
        self.answered = anyio.Event()
        self.answer: Said | None = None


class Link:
    """A plugin that reports: of one OpenCode and directory, until it is `gone`."""

    def __init__(
        self, about: About, stream: ByteStream, here: Sequence[Link] = (), clock: Clock = time.time
    ) -> None:
        """`here`: the plugins that report now, this one too."""
        self.directory, self.pid = about.directory, about.pid
        self.gone = False
        self.heard = Heard({name: at / 1000 for name, at in about.sessions.items()})
        self._here, self._clock = here, clock
        self._stream, self._sending = stream, anyio.Lock()
        self._numbers = count(1)
        self._open: dict[int, _Question] = {}
        self._reader: Post | None = None

    def opencode(self) -> OpenCode:
        """Make an `OpenCode` that asks through this plugin; no more than one reads events."""
        return OpenCode(
            f"http://plugin-{self.pid}", self.directory, allow_remote=True, transport=Relay(self)
        )

    def has(self, session: str) -> bool:
        """Whether a session is this one's: it had messages of it, and nobody else had later."""
        at = self.heard.at(session)
        return at is not None and all(at >= (link.heard.at(session) or 0.0) for link in self._here)

    async def ask(self, method: str, path: str, body: object) -> Said:
        """Let the plugin make a request.

        Raises `httpx.ConnectError` when it is gone, `httpx.ReadError` when it goes meanwhile.
        """
        number, question = next(self._numbers), _Question()
        self._open[number] = question
        try:
            await self._send({"id": number, "method": method, "path": path, "body": body})
            await question.answered.wait()
        finally:
            del self._open[number]
        if question.answer is None:  # it may have been carried out
            raise httpx.ReadError(f"the plugin of {self.directory} left before it answered")
        return question.answer

    def events(self) -> Post:
        """Give what is heard from now on, as pieces of a stream of server-sent events."""
        if self.gone:
            raise self._left()
        if self._reader is not None:
            self._reader.close()
        self._reader = Post(EVENTS)
        self._reader.put(b'data: {"type":"server.connected","properties":{}}\n\n')
        return self._reader

    def take(self, said: Said) -> None:
        """Take in what the plugin says."""
        # In JSON a line break can only stand between two tokens.
        event = bytes(said.event).translate(None, b"\r\n")
        if event:
            self.heard.event(event, self._clock())
        if said.id is not None:
            question = self._open.get(said.id)
            if question is not None:
                question.answer = said
                question.answered.set()
        elif self._reader is not None:
            self._reader.put(b"data: " + event + b"\n\n" if event else BEAT)

    def end(self) -> None:
        """Nothing more comes: whoever waits is told."""
        self.gone = True
        for question in self._open.values():
            question.answered.set()
        if self._reader is not None:
            self._reader.close()

    async def _send(self, what: object) -> None:
        if self.gone:
            raise self._left()
        line = msgspec.json.encode(what) + b"\n"
        try:
            # Half a line would be taken for the beginning of the next one.
            with anyio.fail_after(SEND, shield=True):
                async with self._sending:
                    await self._stream.send(line)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, TimeoutError):
            await anyio.aclose_forcefully(self._stream)
            self.end()
            raise self._left() from None

    def _left(self) -> httpx.ConnectError:
        return httpx.ConnectError(f"the plugin of {self.directory} left")


class Relay(httpx.AsyncBaseTransport):
    """A plugin in the place of a connection."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Make a request through the plugin; `/event` is what the plugin reports anyway."""
        patience = request.extensions.get("timeout", {}).get("read")
        if request.url.path == "/event":
            kind = {"content-type": "text/event-stream"}
            return httpx.Response(200, headers=kind, stream=_Stream(self._link.events(), patience))
        sent = await request.aread()
        body = msgspec.json.decode(sent) if sent else None
        path = request.url.raw_path.decode("ascii")
        session = _SESSION.match(request.url.path)
        if session is not None and not self._link.has(session[1]):
            return httpx.Response(404, content=b"another OpenCode works on it, or none")
        try:
            with anyio.fail_after(patience):
                answer = await self._link.ask(request.method, path, body)
        except TimeoutError:
            raise httpx.ReadTimeout("the plugin did not answer", request=request) from None
        text = answer.text.encode()
        if request.url.path == "/session" and answer.status == 200:
            text = self._own(text)
        return httpx.Response(answer.status, content=text)

    def _own(self, listed: bytes) -> bytes:
        """Leave the sessions of others out."""
        try:
            sessions = msgspec.json.decode(listed, type=list[_Session])
        except msgspec.DecodeError:
            return listed  # who asked says what is wrong with it
        raw = msgspec.json.decode(listed, type=list[Raw])
        pairs = zip(sessions, raw, strict=True)
        return msgspec.json.encode([one for session, one in pairs if self._link.has(session.id)])


class _Stream(httpx.AsyncByteStream):
    """No generator: one that is left before its end would be cleaned up by nobody."""

    def __init__(self, post: Post, patience: float | None) -> None:
        self._post, self._patience = post, patience

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            with anyio.fail_after(self._patience):
                pieces = await self._post.get()
        except TimeoutError:
            raise httpx.ReadTimeout("the plugin is silent") from None
        if not pieces:
            raise StopAsyncIteration
        return pieces

    async def aclose(self) -> None:
        self._post.close()
