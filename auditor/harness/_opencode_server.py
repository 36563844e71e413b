"""An OpenCode server, asked and told: what an auditor needs of its HTTP interface, and no more.

Owns addresses, bodies and the password; what the answers mean is the mirror's. Only the interface
of 1.18 that carries the user's own sessions: its `/api/` one keeps others, sends them elsewhere,
and is never used. Whatever goes wrong is `HarnessUnavailable`.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any, Self
from urllib.parse import quote

import anyio
import httpx
import httpx_sse

from auditor.errors import ConfigError, HarnessUnavailable
from auditor.harness._opencode_message import MARK, Message
from auditor.harness._opencode_parts import string, when
from auditor.harness._opencode_wire import (
    BODY,
    PASSWORD,
    USER,
    Bounded,
    Gone,
    Json,
    Refused,
    answer,
    by_session,
    checked,
    event,
    object_,
    objects,
    read,
    unavailable,
)
from auditor.live.situation import ReplyAs
from auditor.loopback import is_loopback

__all__ = ["BODY", "DEFAULT_URL", "Gone", "OpenCode", "Refused"]

DEFAULT_URL = "http://127.0.0.1:4096"

ANSWER = 15.0
"""Seconds for an answer; a busy server lists some hundred messages in one (a guess)."""

SILENCE = 35.0
"""Seconds without a heartbeat after which a server is dead: three of its beats, and some."""

MESSAGES = 200
"""Messages asked for: a turn of a hundred steps and what came before it."""

MOST = 6_400
"""Messages asked for at most, where a turn is so long."""

PLAIN = {"accept-encoding": "identity"}
"""Events are not to be compressed: one would wait for the next."""

ROUND = 2 * ANSWER
"""Seconds for an answer from the first to the last byte."""


class OpenCode:
    """One server and directory; use it in an `async with` block."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        directory: str | None = None,
        *,
        allow_remote: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Connect to nothing yet. Raises `ConfigError` for an address that cannot be used.

        `directory`: the project, default the server's own. `transport`: another way to the server
        than a socket, as a plugin's.
        """
        try:
            base = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise ConfigError(f"--url: {url!r} is no address: {error}") from None
        if base.scheme not in ("http", "https") or not base.host:
            raise ConfigError(f"--url: {url!r} is no address like {DEFAULT_URL}")
        if not (allow_remote or is_loopback(base.host)):
            raise ConfigError(f"--url: {base.host} is not this machine; sessions stay here")
        self.url, self.directory = str(base.copy_with(userinfo=b"")), directory
        password = base.password or os.environ.get(PASSWORD)
        user = base.username or os.environ.get(USER) or "opencode"
        self._http = httpx.AsyncClient(
            base_url=self.url,
            auth=(user, password) if password else None,
            params={"directory": directory} if directory else None,
            timeout=ANSWER,
            transport=transport,
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connections back."""
        await self._http.aclose()

    async def version(self) -> str:
        """Give the server's version; raises `HarnessUnavailable` where none answers."""
        raw = await self._answer("GET", "/global/health")
        with suppress(HarnessUnavailable):
            match answer(raw, "/global/health"):
                case {"healthy": True, "version": str(version)}:
                    return version
        raise HarnessUnavailable(f"{self.url}: no OpenCode server answers there")

    async def folder(self) -> str:
        """Give the folder that is watched: the one named, else the server's own."""
        if self.directory is not None:
            return self.directory
        found = object_(await self._get("/path"), "/path", "directory")
        return str(found["directory"])

    async def events(self) -> AsyncIterator[object]:
        """Give the events of the directory, decoded, until the stream ends: then it raises.

        The server beats every ten seconds; silence beyond `SILENCE` is an end.
        """
        timeout = httpx.Timeout(ANSWER, read=SILENCE)
        try:
            async with httpx_sse.aconnect_sse(
                self._http, "GET", "/event", timeout=timeout, headers=PLAIN
            ) as source:
                checked(source.response, "/event")
                bounded = source.response.stream = Bounded(source.response, self.url)
                async for sent in source.aiter_sse():
                    bounded.read = 0
                    yield event(sent.data)
        except (httpx.HTTPError, httpx_sse.SSEError) as error:
            raise unavailable(self.url, error) from error
        raise HarnessUnavailable(f"{self.url}: the stream of events ended")

    async def sessions(self, limit: int) -> list[Json]:
        """List the sessions of the directory, the latest first."""
        return objects(await self._get("/session", {"limit": limit}), "/session", "id")

    async def session(self, session: str) -> Json:
        """Give a session. Raises `Gone` for one that is not there."""
        path = _path(session)
        return object_(await self._get(path), path, "id")

    async def children(self, session: str) -> list[Json]:
        """List its sub-agents' sessions."""
        path = f"{_path(session)}/children"
        found = objects(await self._get(path), path, "id")
        return [child for child in found if child.get("parentID") == session]

    async def messages(self, session: str, limit: int = MESSAGES) -> list[object]:
        """List its newest messages with their parts, oldest first: as many as its last turn has."""
        path = f"{_path(session)}/message"
        found = sorted(objects(await self._get(path, {"limit": limit}), path), key=_created)
        if len(found) >= limit and limit < MOST and not any(map(_asks, found)):
            return await self.messages(session, min(4 * limit, MOST))
        return [*found]

    async def todos(self, session: str) -> object:
        """Give its list of to-dos."""
        return await self._get(f"{_path(session)}/todo")

    async def statuses(self) -> Mapping[str, object]:
        """Say what the sessions that are not idle do."""
        path = "/session/status"
        return by_session(await self._get(path), path, "type")

    async def permissions(self) -> list[object]:
        """List the permissions that wait for the user."""
        return [*objects(await self._get("/permission"), "/permission", "id", "sessionID")]

    async def questions(self) -> list[object]:
        """List the questions that wait for the user."""
        return [*objects(await self._get("/question"), "/question", "id", "sessionID")]

    async def prompt(
        self,
        session: str,
        text: str,
        reply_as: ReplyAs,
        mark: Mapping[str, object],
        *,
        hidden: bool,
    ) -> None:
        """Send a message in the user's place, marked as ours, to be answered as the last one was.

        `hidden`: the person sees only the answer.
        """
        part: Json = {"type": "text", "text": text, "metadata": {MARK: dict(mark)}}
        if hidden:
            part["synthetic"] = True
        body: Json = {"parts": [part]}
        if reply_as.agent:
            body["agent"] = reply_as.agent
        if reply_as.provider and reply_as.model:
            body["model"] = {"providerID": reply_as.provider, "modelID": reply_as.model}
        if reply_as.variant:
            body["variant"] = reply_as.variant
        await self._post(f"{_path(session)}/prompt_async", body)

    async def abort(self, session: str) -> None:
        """Stop what the session does."""
        await self._post(f"{_path(session)}/abort", {})

    async def toast(self, title: str, message: str, variant: str = "info") -> None:
        """Show the person a line in the terminal interface, where one is attached."""
        await self._post(
            "/tui/show-toast", {"title": title, "message": message, "variant": variant}
        )

    async def _get(self, path: str, params: Mapping[str, object] | None = None) -> object:
        return answer(await self._answer("GET", path, params=params), path)

    async def _post(self, path: str, body: Json) -> None:
        await self._answer("POST", path, json=body)

    async def _answer(self, method: str, path: str, **more: Any) -> bytes:
        # A parameter given here would replace those of the client.
        more["params"] = {**self._http.params, **(more.get("params") or {})}
        try:
            with anyio.fail_after(ROUND):
                async with self._http.stream(method, path, **more) as response:
                    checked(response, path)
                    return await read(response, path)
        except (httpx.HTTPError, TimeoutError) as error:
            raise unavailable(self.url, error) from error


def _path(session: str) -> str:
    return f"/session/{quote(session, safe='')}"


def _created(message: Json) -> tuple[float, str]:
    """Order of messages: some releases list the newest first."""
    info = message.get("info")
    return when(info, "created") or 0.0, string(info, "id") or ""


def _asks(message: Json) -> bool:
    """Whether a person wrote it: a turn may begin there."""
    match message:
        case {"info": {"role": "user"} as info, "parts": list(parts)}:
            found = Message(info)
            for number, part in enumerate(parts):
                if isinstance(part, dict):
                    found.put(str(number), part)
            return found.by_person()
    return False
