"""A decision model behind a server that speaks `/v1/systemone`, ours or another's.

Owns what is sent (only what every server takes), the deadline, the retries, and when a server is
given up. What the servers send back is read in `_systemone`. Everything that goes wrong is
`JudgeUnavailable`; what was sent is written nowhere.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx
from anyio.from_thread import start_blocking_portal
from msgspec import Struct, structs

from auditor.backends._systemone import Choice, Served, message, retry_after, served
from auditor.closing import Closing
from auditor.errors import ConfigError, JudgeUnavailable, QuestionTooLong
from auditor.evidence import Evidence
from auditor.judge import BUDGET, Answer, Asked, Rendered, rendered
from auditor.loopback import is_loopback
from auditor.redact import VERSION, redact

DEADLINE = 4.0
"""Seconds for an answer, retries included: what the tool that coined the question allows."""

BODY = 60_000
"""Bytes of a request: the tightest server takes about 64 KiB."""

OPTIONS = 26
"""Options at most: what servers that answer by letters take."""

REPLY = 1 << 20
"""Bytes of a response that are read: a hundred times a long one."""

CHARACTERS = 4
"""Of a token, for the budget: a guess that is near for English and code; no tokeniser is here."""

PAUSES = (0.2, 0.6)
"""Seconds before the retries: two, as the official client has it; shorter, for 4 s is all."""

TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Answers after which asking again may help. 501 is not one: "this is no decision model"."""

CONFIG_ERRORS, FAILURES = 3, 5
"""In a row, after which a server is asked no more: refusals, and failures of any kind."""

WORDING = 1
"""Of the state as written here: other words, other probabilities."""

QUESTION = "next"


class Refused(Struct, frozen=True):
    """A response that is no answer: its status, what it says, and seconds to wait, if said."""

    status: int
    said: str
    wait: float | None

    @property
    def transient(self) -> bool:
        """Whether asking again may help."""
        return self.status in TRANSIENT


def _redacted(asked: Asked) -> Asked:
    """Take secrets and personal data out of what leaves this process."""
    shown = asked.evidence
    safe = Evidence(redact(shown.request), tuple(map(redact, shown.facts)), redact(shown.reply))
    return structs.replace(asked, evidence=safe)


class SystemOne(Closing):
    """A client; close it, or use it in a `with` block. `ask` may be called from any thread."""

    def __init__(  # noqa: PLR0913 - all but the address have defaults
        self,
        url: str,
        model: str = "jev-latest",
        *,
        key: str | None = None,
        path: str | None = None,
        deadline: float = DEADLINE,
        allow_remote: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Take an address with or without its path. Raises `ConfigError`; connects to nothing.

        `allow_remote`: turns may leave this machine. `path`: in the place of `/v1/systemone`.
        """
        self._url = address(url, path, allow_remote=allow_remote)
        self.identity = f"systemone {self._url} {model} wording {WORDING} redaction {VERSION}"
        self._model, self._deadline = model, deadline
        self._broken: str | None = None
        self._refusals = self._failures = 0
        self._lock = threading.Lock()
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        self._open = ExitStack()
        self._portal = self._open.enter_context(start_blocking_portal())
        # A proxy of the environment would see the turns.
        self._client = httpx.AsyncClient(
            headers=headers, transport=transport, trust_env=False, follow_redirects=False
        )
        self._open.callback(self._portal.call, self._client.aclose)
        self._closed = False

    def close(self) -> None:
        """Hang up; twice does no harm."""
        self._closed = True
        self._open.close()

    def ask(self, asked: Asked, deadline_seconds: float | None = None) -> Answer:
        """Answer, or raise `JudgeUnavailable`: it failed, or is not done by the deadline."""
        if self._closed:
            raise JudgeUnavailable("the client of the decision server is closed")
        if self._broken is not None:
            raise JudgeUnavailable(f"{self._url} is asked no more: {self._broken}")
        body, choice = request(_redacted(asked), self._model)
        seconds = self._deadline if deadline_seconds is None else deadline_seconds
        began = time.perf_counter()
        found = self._portal.call(self._asked, body, choice, seconds)
        self._count(found)
        if not isinstance(found, Served):
            raise JudgeUnavailable(f"{self._url} gives no answer: {found.said}")
        return Answer(
            logprobs=found.logprobs,
            coverage=found.coverage,
            spread=found.spread,
            orders=found.orders,
            model=f"{self._url} {found.model or self._model}",
            scalars={},
            tokens=found.tokens,
            seconds=time.perf_counter() - began,
        )

    def _count(self, found: Served | Refused) -> None:
        """Give a server up that fails again and again; an answer clears its record."""
        with self._lock:
            if isinstance(found, Served):
                self._refusals = self._failures = 0
                return
            self._failures += 1
            self._refusals += not found.transient and 400 <= found.status <= 599
            if self._refusals >= CONFIG_ERRORS or self._failures >= FAILURES:
                self._broken = f"{self._failures} failures in a row, the last: {found.said}"

    async def _asked(self, body: bytes, choice: Choice, seconds: float) -> Served | Refused:
        """Ask, and ask again where it may help, until the deadline."""
        with anyio.move_on_after(seconds):
            until = anyio.current_time() + seconds
            found = await self._once(body, choice)
            for pause in PAUSES:
                if isinstance(found, Served) or not found.transient:
                    break
                wait = pause if found.wait is None else found.wait
                if anyio.current_time() + wait >= until:
                    break
                await anyio.sleep(wait)
                found = await self._once(body, choice)
            return found
        return Refused(408, f"none within {seconds:g} s", None)

    async def _once(self, body: bytes, choice: Choice) -> Served | Refused:
        headers = {"Content-Type": "application/json"}
        try:
            async with self._client.stream(
                "POST", self._url, content=body, headers=headers, timeout=None
            ) as response:
                content = bytearray()
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > REPLY:
                        return Refused(200, f"more than {REPLY:,} bytes", None)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            return Refused(503, str(error) or type(error).__name__, None)
        if response.status_code != 200:
            said = f"{response.status_code}, {message(bytes(content))}"
            return Refused(response.status_code, said, retry_after(response.headers))
        return served(bytes(content), choice) or Refused(200, "its answer cannot be read", None)


def address(url: str, path: str | None, *, allow_remote: bool) -> str:
    """Give the address to post to. Raises `ConfigError`, also where it is of another machine."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises for a port that is no number
    except ValueError as error:
        raise ConfigError(f"{url!r} is no address of a server ({error})") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ConfigError(f"{url!r} is no address of a server; http://127.0.0.1:8017 is one")
    if not allow_remote and not is_loopback(parts.hostname):
        raise ConfigError(f"{parts.hostname} is another machine; turns leave this one only if told")
    before = parts.path.rstrip("/").removesuffix("/systemone").removesuffix("/v1")
    return f"{parts.scheme}://{parts.netloc}{path or f'{before}/v1/systemone'}"


def request(asked: Asked, model: str) -> tuple[bytes, Choice]:
    """Write a question so that every server takes it. Raises `QuestionTooLong`."""
    options = asked.question.options
    if len(options) > OPTIONS:
        raise QuestionTooLong(f"a decision server takes at most {OPTIONS} options")
    choice = Choice(QUESTION, tuple([option.name for option in options]))
    criteria = {
        key: option.text or option.name for key, option in zip(choice.keys, options, strict=True)
    }
    parts = rendered(asked, BUDGET, lambda text: -(-len(text) // CHARACTERS), orders=1)
    body: dict[str, Any] = {
        "model": model,
        "state": state(parts),
        "questions": {
            QUESTION: {
                "type": "choice",
                "instructions": parts.question.strip() or "Which one fits?",
                "criteria": criteria,
            }
        },
    }
    encoded = httpx.Request("POST", "http://localhost", json=body).content
    if len(encoded) > BODY:
        raise QuestionTooLong(f"the question has {len(encoded):,} bytes, a server takes {BODY:,}")
    return encoded, choice


def state(parts: Rendered) -> str:
    """Write the evidence as one text: servers write objects down each in their own way."""
    return (
        f"## What the user asked, and what the agent did\n{parts.user}\n\n"
        f"## How the agent's message ends\n{parts.agent}"
    )
