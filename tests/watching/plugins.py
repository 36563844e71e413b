"""Words for tests of the relay: a hub, a plugin that speaks its protocol, and the real one."""

# ruff: noqa: ASYNC240 - files of tests are small

from __future__ import annotations

import hmac
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

import anyio
import pytest
from anyio.abc import Process, SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from auditor.watching import installing
from auditor.watching.hub import Hub
from auditor.watching.relay import Link

PATIENCE = 60.0
"""Seconds for anything: the machine may be busy."""

HOST = Path(__file__).with_name("plugin_host.mjs")

needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="NOT CHECKED: no node, so the plugin itself was not run"
)


@asynccontextmanager
async def opened(where: Path) -> AsyncIterator[Hub]:
    """A hub that listens."""
    hub = Hub(where)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hub.serve)
        with anyio.fail_after(PATIENCE):
            await until(where.exists)
            yield hub
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def listening(where: Path, talk: Any) -> AsyncIterator[None]:
    """Somebody listens on a port, and the file says that it is a watcher's, with the secret `s`."""
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(SocketAttribute.local_port)  # noqa: S610 - of no database
        where.write_text(json.dumps({"port": port, "secret": "s"}))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, talk)
            with anyio.fail_after(PATIENCE):
                yield
            tasks.cancel_scope.cancel()


async def until(true: Any) -> None:
    """Wait until something is the case."""
    while not true():  # noqa: ASYNC110 - of things that know no events
        await anyio.sleep(0.005)


async def first(hub: Hub) -> Link:
    """The next plugin that reports."""
    links = hub.links()
    try:
        return await anext(links)
    finally:
        await links.aclose()  # type: ignore[attr-defined]


class Speaker:
    """A plugin in Python, that does as it is told."""

    def __init__(self, stream: SocketStream, secret: str) -> None:
        self.stream, self.lines = stream, BufferedByteReceiveStream(stream)
        self.secret = secret

    @classmethod
    async def connected(cls, where: Path, secret: str | None = None) -> Self:
        said = json.loads(where.read_text())
        stream = await anyio.connect_tcp("127.0.0.1", said["port"])
        return cls(stream, secret or said["secret"])

    async def say(self, what: object) -> None:
        await self.stream.send(json.dumps(what).encode() + b"\n")

    async def hear(self) -> Any:
        return json.loads(await self.lines.receive_until(b"\n", 1 << 20))

    async def greet(self, directory: str = "/srv/app", **sessions: float) -> None:
        """`sessions`: when it had messages of them, in seconds of Unix time."""
        await self.say({"nonce": "n"})
        theirs = await self.hear()
        assert theirs["proof"] == self.proof("watcher", theirs["nonce"])
        proof = self.proof("plugin", theirs["nonce"])
        heard = {session: at * 1000 for session, at in sessions.items()}
        about = {"directory": directory, "pid": 1, "sessions": heard, "more": "ignored"}
        await self.say({"proof": proof, **about})

    def proof(self, who: str, other: str) -> str:
        return proof(self.secret, f"{who} n {other}")


def proof(secret: str, message: str) -> str:
    return hmac.new(secret.encode(), message.encode(), "sha256").hexdigest()


class Host:
    """The real plugin, in a process as OpenCode's."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.stdin = process, process.stdin
        self.lines = BufferedByteReceiveStream(process.stdout)

    async def say(self, what: object) -> None:
        await self.stdin.send(json.dumps(what).encode() + b"\n")

    async def hear(self) -> Any:
        return json.loads(await self.lines.receive_until(b"\n", 1 << 20))

    async def asked(self) -> Any:
        """What it asked of the client next."""
        while "method" not in (said := await self.hear()):
            pass
        return said


@asynccontextmanager
async def host(
    where: Path,
    *arguments: str,
    directory: str = "/srv/app",
    copies: int = 1,
    again: int = 20,
    backlog: str = "8 << 20",
) -> AsyncIterator[Host]:
    """A process with the plugin as it is installed, but quicker to come again."""
    text = installing.written(where)
    for old, new in (
        ("AGAIN = 3000", f"AGAIN = {again}"),
        ("BACKLOG = 8 << 20", f"BACKLOG = {backlog}"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = where.with_name("plugin.mjs")
    file.write_text(text)
    command = ["node", str(HOST), str(file), directory, str(copies), *arguments]
    async with await anyio.open_process(command, stderr=subprocess.STDOUT) as process:
        here = Host(process)
        try:
            yield here
        finally:
            if process.returncode is None:
                process.kill()
