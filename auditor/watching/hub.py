"""The place where plugins report: a socket on loopback, and a file that says where it is.

Owns the socket, the file with port and secret, who may talk, and that of several watchers on one
machine just one has the plugins: another takes over when that one ends. The talk is `relay`'s.
"""

from __future__ import annotations

import fcntl
import hmac
import os
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import msgspec
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from auditor.files import mended
from auditor.harness._opencode_server import BODY
from auditor.store import default_path
from auditor.watching.relay import About, Greeting, Link, Said

GREETING = 5.0
"""Seconds that a plugin has to say who it is (a guess)."""

STRANGERS = 32
"""Connections that have not said yet who they are; more are cut at once (a guess)."""

NAME = 64 << 10
"""Bytes of a line of somebody who has not said who they are: room for some hundred sessions."""

LINE = 2 * BODY
"""Bytes of a line: an answer, and the backslashes that JSON puts into it."""

AGAIN = 5.0
"""Seconds until a watcher without the plugins looks whether nobody has them any more."""

BROKEN = (
    anyio.EndOfStream,
    anyio.IncompleteRead,
    anyio.DelimiterNotFound,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    msgspec.DecodeError,
    RecursionError,
    TimeoutError,
)
"""Ways in which a talk ends; the plugin comes again if it wants to."""


class Stranger(Exception):
    """Somebody who does not know the secret."""


def place() -> Path:
    """Say where the file lies: beside the store."""
    return default_path().with_name("relay.json")


def taken(where: Path) -> bool:
    """Whether a watcher has the plugins now."""
    if not where.exists():
        return False
    with _alone(where.with_suffix(".lock")) as mine:
        return not mine


class Hub:
    """All plugins that report."""

    def __init__(
        self, where: Path | None = None, trouble: Callable[[str], None] = lambda _: None
    ) -> None:
        """`trouble` is told, once, why plugins cannot report at all."""
        self.where = place() if where is None else where
        self.here: list[Link] = []
        """The plugins that report now."""
        self._trouble = trouble
        self._secret = secrets.token_hex(32)
        self._strangers = 0
        self._new: deque[Link] = deque()
        self._news = anyio.Event()

    async def links(self) -> AsyncIterator[Link]:
        """Give every plugin that reports, once, as soon as it does; never ends."""
        while True:
            while self._new:
                yield self._new.popleft()
            self._news = anyio.Event()
            await self._news.wait()

    async def serve(self) -> None:
        """Have the plugins, once no other watcher has them, until cancelled."""
        try:
            while True:
                with _alone(self.where.with_suffix(".lock")) as mine:
                    if mine:
                        await self._listen()
                await anyio.sleep(AGAIN)
        except OSError as error:
            self._trouble(f"plugins cannot report: {self.where}: {error.strerror or error}")

    async def _listen(self) -> None:
        async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
            port = listener.extra(SocketAttribute.local_port)  # noqa: S610 - of no database
            _write(self.where, self._secret, port)
            try:
                await listener.serve(self._talk)
            finally:
                self.where.unlink(missing_ok=True)

    async def _talk(self, stream: SocketStream) -> None:
        """Hear one plugin to the end. Whatever it says, only its own talk ends."""
        async with stream:
            with suppress(Stranger, *BROKEN):
                said = BufferedByteReceiveStream(stream)
                link = Link(await self._greeted(stream, said), stream, self.here)
                self.here.append(link)
                try:
                    self._new.append(link)
                    self._news.set()
                    await _heard(said, link)
                finally:
                    self.here.remove(link)
                    link.end()

    async def _greeted(self, stream: SocketStream, said: BufferedByteReceiveStream) -> About:
        """Prove each other the secret. Raises `Stranger`, or one of `BROKEN`."""
        if self._strangers >= STRANGERS:
            raise Stranger
        self._strangers += 1
        try:
            with anyio.fail_after(GREETING):
                line = await said.receive_until(b"\n", NAME)
                theirs = msgspec.json.decode(line, type=Greeting).nonce
                ours = secrets.token_hex(16)
                answer = {"nonce": ours, "proof": self._proof("watcher", theirs, ours)}
                await stream.send(msgspec.json.encode(answer) + b"\n")
                about = msgspec.json.decode(await said.receive_until(b"\n", NAME), type=About)
        finally:
            self._strangers -= 1
        expected = self._proof("plugin", theirs, ours)
        if not hmac.compare_digest(expected.encode(), about.proof.encode()):
            raise Stranger
        return about

    def _proof(self, who: str, theirs: str, ours: str) -> str:
        message = f"{who} {theirs} {ours}".encode()
        return hmac.new(self._secret.encode(), message, "sha256").hexdigest()


async def _heard(said: BufferedByteReceiveStream, link: Link) -> None:
    while True:
        line = await said.receive_until(b"\n", LINE)
        try:
            found = msgspec.json.decode(line, type=Said)
        except msgspec.DecodeError:  # a text may be cut in the middle of a character
            found = msgspec.json.decode(mended(line), type=Said)
        link.take(found)


@contextmanager
def _alone(lock: Path) -> Iterator[bool]:
    """Hold the lock, or say that somebody else does; it ends with the process that has it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _write(where: Path, secret: str, port: int) -> None:
    """Write the file, whole or not at all, for nobody but its owner."""
    part = where.with_name(f".{where.name}.{secrets.token_hex(4)}")
    opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "wb") as file:
        file.write(msgspec.json.encode({"port": port, "secret": secret}))
    part.replace(where)
