"""Who answers requests of `/v1/systemone`: one model, one request at a time, the others in line.

Owns the line, the deadlines and what is counted. Knows neither how a question is put (`typed`) nor
how it is answered (the judge it is given), nor who may connect (`serve`).
"""

from __future__ import annotations

import hmac
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import Protocol

import anyio
import msgspec
from anyio import to_thread
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from auditor.errors import JudgeUnavailable, QuestionTooLong
from auditor.judge import Answer, Asked
from auditor.serving import typed
from auditor.serving.metrics import TYPE, Metrics
from auditor.serving.replies import as_json, refusal, refused, whole_body
from auditor.serving.typed import Problem, Wanted

QUEUE = 16
"""Requests at once, the one that is answered included; the next is told to come back (a guess)."""

DEADLINE = 60.0
"""Seconds from the last byte of a request to its answer: 255 options take 20 on two cores here;
clients give up much earlier."""

ALIAS = "jev-"
"""Names that begin so mean the model that is served, whichever it is."""


class Judge(Protocol):
    """Whoever answers."""

    identity: str

    def ask(self, asked: Asked, deadline_seconds: float | None = None) -> Answer:
        """Answer, or raise `JudgeUnavailable`."""


class Hosted(Struct, frozen=True):
    """What is said of the model: its name, a sentence, its day (YYYY-MM-DD), its letters."""

    name: str
    about: str
    day: str
    letters: int


class Desk:
    """Answers requests, one at a time, in the order of their arrival."""

    def __init__(
        self, judge: Judge, hosted: Hosted, *, deadline: float = DEADLINE, key: str | None = None
    ) -> None:
        """`key`: what clients must send, if anything; `deadline`: seconds for a request."""
        self._judge, self._hosted, self._deadline, self._key = judge, hosted, deadline, key
        self.metrics = Metrics()
        self._waiting = 0
        self._began = time.monotonic()
        self._turn: anyio.CapacityLimiter | None = None

    async def systemone(self, request: Request) -> Response:
        """Answer typed questions."""
        self._admit(request)
        body = await whole_body(request)
        try:
            wanted = typed.read(msgspec.json.decode(body), self._hosted.letters)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            wanted = [Problem(("body",), f"no JSON: {error}", "json_invalid")]
        if isinstance(wanted, list):
            return as_json({"detail": wanted}, 422)
        if not (wanted.model == self._hosted.name or wanted.model.startswith(ALIAS)):
            raise refused(400, "api_usage_error", f"the model here is {self._hosted.name}")
        if self._waiting >= QUEUE:
            raise refused(429, "rate_limit_error", "too many requests wait", retry=1)
        self._waiting += 1
        try:
            return await self._decided(request, wanted)
        finally:
            self._waiting -= 1

    async def models(self, request: Request) -> Response:
        """Say what is served."""
        self._admit(request)
        names = {self._hosted.name: self._hosted.about, "jev-latest": "The same, as clients ask."}
        return as_json(
            {
                "models": [
                    {"name": name, "description": about, "release_date": self._hosted.day}
                    for name, about in names.items()
                ]
            }
        )

    async def health(self, _: Request) -> Response:
        """Say how things are."""
        return as_json(
            {
                "status": "ok",
                "model": self._hosted.name,
                "fingerprint": self._judge.identity,
                "waiting": self._waiting,
                "seconds": time.monotonic() - self._began,
            }
        )

    async def counts(self, _: Request) -> Response:
        """Give the metrics."""
        return Response(self.metrics.text(self._waiting), media_type=TYPE)

    def _admit(self, request: Request) -> None:
        given = request.headers.get("authorization", "").removeprefix("Bearer ").encode()
        if self._key and not hmac.compare_digest(given, self._key.encode()):
            raise refused(401, "authentication_error", "a valid key is needed")

    async def _decided(self, request: Request, wanted: Wanted) -> Response:
        """Let the model answer by the deadline; who hangs up meanwhile is not waited for."""
        gone = threading.Event()
        response = refusal(503, "unavailable_error", "no answer by the deadline", retry=1)
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                while (await request.receive())["type"] != "http.disconnect":
                    pass
                gone.set()
                tasks.cancel_scope.cancel()

            tasks.start_soon(watch)
            with anyio.move_on_after(self._deadline):
                response = await self._outcome(wanted, gone)
            gone.set()
            tasks.cancel_scope.cancel()
        return response

    async def _outcome(self, wanted: Wanted, gone: threading.Event) -> Response:
        began = time.monotonic()
        if self._turn is None:  # belongs to the loop that runs now
            self._turn = anyio.CapacityLimiter(1)
        work = partial(self._work, wanted, began + self._deadline, gone)
        try:
            found = await to_thread.run_sync(work, limiter=self._turn)
        except QuestionTooLong as error:
            return as_json({"detail": [Problem(("body",), str(error), "too_long")]}, 422)
        except JudgeUnavailable as error:
            return refusal(503, "unavailable_error", str(error), retry=1)
        return self._written(wanted, found, time.monotonic() - began)

    def _work(self, wanted: Wanted, until: float, gone: threading.Event) -> dict[str, list[Answer]]:
        """Ask everything; runs in a thread."""
        found: dict[str, list[Answer]] = {}
        for name, question in wanted.questions.items():
            found[name] = []
            for asked in wanted.asked(question):
                left = until - time.monotonic()
                if gone.is_set() or left <= 0:
                    raise JudgeUnavailable("no answer by the deadline")
                found[name].append(self._judge.ask(asked, left))
        return found

    def _written(self, wanted: Wanted, found: dict[str, list[Answer]], seconds: float) -> Response:
        answers, about, tokens = {}, {}, 0
        for name, question in wanted.questions.items():
            read = found[name]
            answers[name] = typed.written(question, typed.probabilities(question, read))
            about[name] = _about(read)
            tokens += sum(answer.tokens for answer in read)
            self.metrics.questions[question.kind] += 1
        self.metrics.tokens += tokens
        self.metrics.answered(seconds)
        return as_json(
            {
                "model": self._hosted.name,
                "answers": answers,
                "usage": {"input_tokens": tokens, "output_tokens": len(answers)},
                "x_audit": {
                    "fingerprint": self._judge.identity,
                    "wording": typed.VERSION,
                    "calibrated": False,
                    "seconds": seconds,
                    "answers": about,
                },
            }
        )


def _about(read: Sequence[Answer]) -> dict[str, object]:
    """How sure one can be of an answer; of several choices, the worst."""
    coverages = [answer.coverage for answer in read if answer.coverage is not None]
    spreads = [answer.spread for answer in read if answer.spread is not None]
    return {
        "coverage": min(coverages, default=None),
        "spread": max(spreads, default=None),
        "orders": min(answer.orders for answer in read),
    }
