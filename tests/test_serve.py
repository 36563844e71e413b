"""The daemon: typed questions, errors as the protocol has them, and who may ask."""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from typesafe_sdk import Choice, Noul, Score, TypeSafeClient

from auditor.backends.systemone import SystemOne
from auditor.errors import ConfigError, JudgeUnavailable, QuestionTooLong
from auditor.evidence import Evidence
from auditor.judge import WHOSE_MOVE, Answer, Asked
from auditor.serving import replies, serve, typed
from auditor.serving.desk import QUEUE, Desk, Hosted
from tests import tiny_model

LETTERS = 6
HOSTED = Hosted("tiny", "A model.", "2026-01-02", LETTERS)
CHOICE = {"type": "choice", "criteria": {"red": "like fire", "blue": None}}


class Judge:
    """Prefers options with long texts; answers when `go` is set."""

    identity = "a judge"

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.asked: list[Asked] = []
        self.go = threading.Event()
        self.go.set()

    def ask(self, asked: Asked, deadline_seconds: float | None = None) -> Answer:
        self.asked.append(asked)
        if not self.go.wait(deadline_seconds):
            raise JudgeUnavailable("it takes too long")
        if self.error is not None:
            raise self.error
        options = asked.question.options
        assert 2 <= len(options) <= LETTERS
        weights = [len(option.text) / 10 for option in options]
        total = math.log(sum(map(math.exp, weights)))
        logprobs = {
            option.name: weight - total for option, weight in zip(options, weights, strict=True)
        }
        return Answer(logprobs, 0.5, 0.1, 2, "m", {}, 10, 0.01)


def body(*, questions: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "model": "jev-latest",
        "state": "The sky at noon.",
        "questions": {"colour": CHOICE} if questions is None else questions,
    } | more


def client(judge: Judge, *, remote: bool = False, **more: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(serve.app(Desk(judge, HOSTED, **more), remote=remote))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8017")


def sent(judge: Judge, content: Any, **headers: str) -> httpx.Response:
    """Post a body; bytes go as they are."""

    async def post() -> httpx.Response:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        async with client(judge) as asking:
            return await asking.post("/v1/systemone", content=raw, headers=headers)

    return anyio.run(post)


def got(path: str, **headers: str) -> httpx.Response:
    async def get() -> httpx.Response:
        async with client(Judge()) as asking:
            return await asking.get(path, headers=headers)

    return anyio.run(get)


def answered(questions: dict[str, Any], judge: Judge | None = None) -> dict[str, Any]:
    response = sent(judge or Judge(), body(questions=questions))
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()["answers"]
    return found


def test_every_type_is_answered_through_choices_among_letters() -> None:
    judge = Judge()
    response = sent(
        judge,
        body(
            questions={
                "a": CHOICE,
                "b": {"type": "noul", "instructions": "Is it day?"},
                "c": {"type": "score", "criteria": ["dark", {"as": "dusk"}, "as bright as can be"]},
            }
        ),
    )
    whole = response.json()
    assert response.headers["x-typesafe-request-id"]
    assert set(whole) == {"model", "answers", "usage", "x_audit"}
    assert whole["usage"] == {"input_tokens": 30, "output_tokens": 3}
    choice, noul, score = whole["answers"].values()
    assert choice["choice"] == "red"
    assert math.isclose(sum(choice["probabilities"].values()), 1)
    assert math.isclose(choice["confidence"], 2 * choice["probabilities"]["red"] - 1)
    assert set(noul) == {"type", "noul"}
    assert score["legend"] == {"0": "dark", "1": {"as": "dusk"}, "2": "as bright as can be"}
    expected = score["probabilities"]["1"] + 2 * score["probabilities"]["2"]
    assert math.isclose(score["score"], expected)
    assert all(
        asked.whole and "The sky at noon." in asked.evidence.request for asked in judge.asked
    )


@pytest.mark.parametrize("count", [2, LETTERS, LETTERS + 1, 2 * LETTERS, 255])
def test_more_options_than_letters_are_asked_in_groups_that_compare(count: int) -> None:
    """As one choice of all would be, whose weights the fake judge takes from the texts."""
    criteria = {f"n{at:03}": "x" * (at % 40) for at in range(count)}
    found = answered({"q": {"type": "choice", "criteria": criteria}})["q"]
    texts = [len(f"{name}: {about}" if about else name) for name, about in criteria.items()]
    total = sum(math.exp(length / 10) for length in texts)
    expected = [math.exp(length / 10) / total for length in texts]
    assert list(found["probabilities"]) == list(criteria)
    assert list(found["probabilities"].values()) == pytest.approx(expected)


def test_ids_and_other_questions_do_not_change_an_answer() -> None:
    alone = answered({"a": CHOICE})["a"]
    beside = answered({"x 🙂": {"type": "noul", "instructions": "?"}, "other": CHOICE})
    assert alone == beside["other"]


NOUL = {"type": "noul", "instructions": "?"}


@pytest.mark.parametrize(
    ("content", "loc"),
    [
        (b"{", ["body"]),
        (b'"\\ud800', ["body"]),
        (b"\xff", ["body"]),
        (b"[" * 100_000, ["body"]),
        ([], ["body"]),
        ({"model": "jev-latest", "state": ""}, ["body", "questions"]),
        (body(state=None), ["body", "state"]),
        (body(model=3), ["body", "model"]),
        (body(questions={}), ["body", "questions"]),
        (body(questions=CHOICE), ["body", "questions", "type"]),
        (body(questions={str(at): NOUL for at in range(65)}), ["body", "questions"]),
        (body(questions={"q": {}}), ["body", "questions", "q"]),
        (body(questions={"q": {"type": "boolean"}}), ["body", "questions", "q"]),
        (
            body(questions={"q": {"type": "noul"}}),
            ["body", "questions", "q", "noul", "instructions"],
        ),
        (
            body(questions={"q": NOUL | {"criteria": []}}),
            ["body", "questions", "q", "noul", "criteria"],
        ),
        (
            body(questions={"q": {"type": "choice", "criteria": {"a": 1, "b": 2}}}),
            ["body", "questions", "q", "choice", "criteria", "a"],
        ),
        (
            body(questions={"q": {"type": "choice", "criteria": {"a": None}}}),
            ["body", "questions", "q", "choice", "criteria"],
        ),
        (
            body(questions={"q": {"type": "score", "criteria": {"0": "a", "1": "b"}}}),
            ["body", "questions", "q", "score", "criteria"],
        ),
        (
            body(questions={"q": {"type": "score", "criteria": ["a", None]}}),
            ["body", "questions", "q", "score", "criteria", 1],
        ),
        (
            body(questions={"q": {"type": "score", "criteria": ["a"] * 11}}),
            ["body", "questions", "q", "score", "criteria"],
        ),
    ],
)
def test_what_is_wrong_with_a_request_is_said_with_its_place(content: Any, loc: list[Any]) -> None:
    response = sent(Judge(), content)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == loc
    assert set(response.json()["detail"][0]) == {"loc", "msg", "type"}


@pytest.mark.parametrize(
    ("response", "status", "kind"),
    [
        (lambda: sent(Judge(), body(model="gpt")), 400, "api_usage_error"),
        (lambda: sent(Judge(), b" " * (replies.BODY + 1)), 413, "request_too_large"),
        (
            lambda: sent(Judge(), body(), **{"Content-Encoding": "gzip"}),
            415,
            "unsupported_encoding",
        ),
        (lambda: sent(Judge(), b"no", **{"Content-Encoding": "zstd"}), 400, "api_usage_error"),
        (lambda: sent(Judge(JudgeUnavailable("gone")), body()), 503, "unavailable_error"),
        (lambda: sent(Judge(), body(), Host="evil.example"), 403, "permission_error"),
        (lambda: sent(Judge(), body(), Host="127.0.0.1.evil.example"), 403, "permission_error"),
        (lambda: sent(Judge(), body(), Host="127.0.0.1@evil.example"), 403, "permission_error"),
        (lambda: sent(Judge(), body(), Origin="https://evil.example"), 403, "permission_error"),
        (lambda: sent(Judge(), body(), Origin="null"), 403, "permission_error"),
        (lambda: got("/v1/models", Host="evil.example"), 403, "permission_error"),
        (lambda: got("/v1/systemone"), 405, "method_not_allowed"),
        (lambda: got("/v2"), 404, "not_found"),
    ],
)
def test_other_errors_have_the_other_shape(
    response: Callable[[], httpx.Response], status: int, kind: str
) -> None:
    found = response()
    assert found.status_code == status
    assert found.json()["detail"]["error_type"] == kind
    assert found.json()["detail"]["message"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "localhost"},
        {"Host": "[::1]:8017"},
        {"Host": "127.0.0.2:1"},
        {"Origin": "http://localhost:3000"},
        {"Authorization": "Bearer whatever"},
    ],
)
def test_this_machine_may_ask(headers: dict[str, str]) -> None:
    assert sent(Judge(), body(), **headers).status_code == 200


def test_a_packed_request_is_unpacked_but_not_a_bomb() -> None:
    pack = zstandard.ZstdCompressor().compress
    zstd = {"Content-Encoding": "zstd"}
    assert sent(Judge(), pack(json.dumps(body()).encode()), **zstd).status_code == 200
    assert sent(Judge(), pack(b" " * 50_000_000), **zstd).status_code == 413


def test_a_question_that_the_model_cannot_hold_is_the_clients_fault() -> None:
    response = sent(Judge(QuestionTooLong("2,000 tokens")), body())
    assert (response.status_code, response.json()["detail"][0]["type"]) == (422, "too_long")


def test_a_key_is_asked_for_where_one_was_set() -> None:
    async def statuses() -> list[int]:
        async with client(Judge(), key="right") as asking:
            return [
                (await asking.get("/v1/models", headers=headers)).status_code
                for headers in (
                    {},
                    {"Authorization": "Bearer wrong"},
                    {"Authorization": "Bearer right"},
                )
            ]

    assert anyio.run(statuses) == [401, 401, 200]


def test_others_wait_in_line_until_it_is_full_and_deadlines_hold() -> None:
    judge = Judge()
    judge.go.clear()

    async def statuses() -> list[int]:
        found: list[int] = []
        async with client(judge, deadline=0.3) as asking, anyio.create_task_group() as tasks:

            async def one() -> None:
                found.append((await asking.post("/v1/systemone", json=body())).status_code)

            for _ in range(QUEUE + 2):
                tasks.start_soon(one)
        judge.go.set()
        return found

    began = time.monotonic()
    found = anyio.run(statuses)
    assert sorted(found) == [429] * 2 + [503] * QUEUE
    assert time.monotonic() - began < 20  # far from waiting for ever
    assert len(judge.asked) < QUEUE


def test_who_hangs_up_is_not_answered_and_leaves_the_line() -> None:
    judge = Judge()
    judge.go.clear()
    desk = Desk(judge, HOSTED, deadline=0.5)
    application = serve.app(desk)
    scope = {
        "type": "http", "method": "POST", "path": "/v1/systemone", "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }  # fmt: skip

    async def hang_up() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                raw = json.dumps(body(state=str(number))).encode()
                messages = [{"type": "http.request", "body": raw}, {"type": "http.disconnect"}]

                async def receive(left: list[dict[str, Any]] = messages) -> dict[str, Any]:
                    await anyio.sleep(0.02)
                    return left.pop(0)

                async def send(_: Any) -> None:
                    pass

                tasks.start_soon(application, scope, receive, send)

    anyio.run(hang_up)
    assert len(judge.asked) == 1
    assert desk.metrics.text(0).count('status="200"') == 0


def test_what_it_says_of_itself() -> None:
    models = got("/v1/models").json()["models"]
    assert [set(model) for model in models] == [{"name", "description", "release_date"}] * 2
    assert got("/health").json()["fingerprint"] == "a judge"

    async def counted() -> str:
        async with client(Judge()) as asking:
            await asking.post("/v1/systemone", json=body())
            await asking.post("/v1/systemone", content=b"")
            return (await asking.get("/metrics")).text

    lines = anyio.run(counted).splitlines()
    assert 'auditor_responses_total{status="200"} 1' in lines
    assert 'auditor_responses_total{status="422"} 1' in lines
    assert 'auditor_questions_total{type="choice"} 1' in lines
    assert 'auditor_request_seconds_bucket{le="+Inf"} 1' in lines


def test_only_this_machine_is_listened_to_unless_told() -> None:
    with pytest.raises(ConfigError, match="--allow-remote"):
        serve.bound("0.0.0.0", 0)  # noqa: S104 - refused
    with serve.bound("127.0.0.1", 0) as taken:
        taken.listen()
        assert taken.proto == socket.IPPROTO_TCP  # else every answer waits 40 ms for Nagle
        with pytest.raises(ConfigError, match="cannot be listened on"):
            serve.bound("127.0.0.1", taken.getsockname()[1])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=10,
)
QUESTION = st.fixed_dictionaries(
    {"type": st.sampled_from(["choice", "noul", "score", "boolean"])},
    optional={"instructions": JSON, "criteria": JSON},
)


@given(
    JSON
    | st.fixed_dictionaries(
        {
            "model": st.just("jev-x"),
            "state": JSON,
            "questions": st.dictionaries(st.text(max_size=4), QUESTION | JSON, max_size=3),
        }
    )
)
@settings(deadline=None)
def test_any_body_is_read_or_told_what_is_wrong(content: Any) -> None:
    found = typed.read(content, LETTERS)
    if isinstance(found, list):
        assert all(problem.loc[0] == "body" for problem in found)
    else:
        judge = Judge()
        for question in found.questions.values():
            answers = [judge.ask(asked) for asked in found.asked(question)]
            json.dumps(typed.written(question, typed.probabilities(question, answers)))


@given(st.binary(max_size=80))
@settings(deadline=None, max_examples=30)
def test_any_bytes_are_refused_politely(content: bytes) -> None:
    assert sent(Judge(), content).status_code == 422


@contextmanager
def daemon(folder: Path, **more: str) -> Iterator[str]:
    """Give the address of `auditor serve`, in a process of its own, with a tiny model."""
    model = tiny_model.write(folder / "tiny.gguf")
    command = [sys.executable, "-m", "auditor", "serve", "--port", "0", "--model", str(model)]
    environment = os.environ | {"AUDITOR_MODELS": str(folder)} | more
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        try:
            url = process.stderr.readline().split()[-1]
            assert url.startswith("http://127.0.0.1:")
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_our_client_and_the_official_one_are_answered_by_a_model(tmp_path: Path) -> None:
    with daemon(tmp_path) as url:
        with SystemOne(url, deadline=20) as ours:
            shown = Evidence("Fix it.", (), "Done.")
            one, two = (ours.ask(Asked(WHOSE_MOVE, shown)) for _ in range(2))
        assert one.logprobs == two.logprobs
        assert one.coverage is not None
        with TypeSafeClient(api_key="none", base_url=url, timeout=20) as official:
            found = official.system_one(
                state={"sky": "blue"},
                questions={
                    "a": Noul(instructions="Is it day?"),
                    "b": Choice(instructions="Which?", criteria={"x": "this", "y": None}),
                    "c": Score(instructions="How much?", criteria=["little", "much"]),
                },
                model="jev-latest",
            )
        assert (len(found.nouls), len(found.choices), len(found.scores)) == (1, 1, 1)
        long = httpx.post(f"{url}/v1/systemone", json=body(state="word " * 20_000), timeout=20)
        assert (long.status_code, long.json()["detail"][0]["type"]) == (422, "too_long")


def test_it_conforms_in_everything_that_is_asked_of_a_server(tmp_path: Path) -> None:
    with daemon(tmp_path, AUDITOR_SERVE_KEY="right") as url:
        command = [sys.executable, "-m", "jevcompat.cli", "test", url, "--key", "right"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "MUST 32/32, SHOULD 15/15" in done.stdout, done.stdout[-3000:]
