"""The client of decision servers: every disagreement of the field, every fault of its mock."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jevcompat.mock import FAULTS, MockConfig, make_server

from auditor.backends._systemone import Choice, message, retry_after, served
from auditor.backends.systemone import BODY, SystemOne, address, request
from auditor.errors import ConfigError, JudgeUnavailable, QuestionTooLong
from auditor.evidence import Evidence
from auditor.judge import WHOSE_MOVE, Asked, Option, Question

ASKED = Asked(WHOSE_MOVE, Evidence("Fix the parser.", ("It called bash.",), "Let me now run it."))
NAMES = ("agent", "user", "nobody")
GOOD = {"agent": 0.7, "user": 0.2, "nobody": 0.1}
URL = "http://127.0.0.1:8017"


def body(probabilities: Any = GOOD, **more: Any) -> dict[str, Any]:
    answer = {"type": "choice", "choice": "agent", "probabilities": probabilities, "confidence": 9}
    return {
        "model": "m",
        "answers": {"next": answer},
        "usage": {"input_tokens": 5, "output_tokens": 1},
    } | more


def saying(*responses: httpx.Response | Exception, seen: list[httpx.Request] | None = None) -> Any:
    """Give the responses one after the other, the last one for ever."""
    left = list(responses)

    def answer(asked: httpx.Request) -> httpx.Response:
        if seen is not None:
            seen.append(asked)
        response = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(response, Exception):
            raise response
        return httpx.Response(
            response.status_code, headers=response.headers, content=response.content
        )

    return httpx.MockTransport(answer)


def ask(*responses: httpx.Response | Exception, deadline: float = 4.0) -> dict[str, float]:
    with SystemOne(URL, transport=saying(*responses), deadline=deadline) as server:
        return {name: math.exp(log) for name, log in server.ask(ASKED).logprobs.items()}


def text(content: str) -> httpx.Response:
    return httpx.Response(200, content=content.encode())


@contextmanager
def mocking(config: MockConfig) -> Iterator[str]:
    mock = make_server(config)
    thread = threading.Thread(target=mock.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{mock.server_port}"
    finally:
        mock.shutdown()
        thread.join()
        mock.server_close()


BREAKS = {
    "wrong-route",
    "xssi-200",
    "reject-jev-latest",
    "choice-sum",
    "auth-x-api-key",
    "auth-plain",
    "auth-invalid-403-text",
}
"""Faults of the mock after which there is no answer to rely on (the last three: with keys)."""


@pytest.mark.parametrize("fault", [*FAULTS, ""])
def test_every_fault_of_the_mock_ends_in_an_answer_or_in_silence(fault: str) -> None:
    key = "right" if fault.startswith("auth-") and fault != "auth-rejects-header" else None
    given_key = {"auth-plain": None, "auth-invalid-403-text": "wrong"}.get(fault, key)
    config = MockConfig(key=key, faults=frozenset({fault} - {""}))
    with mocking(config) as url, SystemOne(url, key=given_key) as server:
        if fault in BREAKS:
            with pytest.raises(JudgeUnavailable):
                server.ask(ASKED)
        else:
            answer = server.ask(ASKED)
            assert set(answer.logprobs) == set(NAMES)
            assert math.isclose(sum(map(math.exp, answer.logprobs.values())), 1)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (body(), "the reference shape"),
        (body([{"value": n, "probability": p} for n, p in GOOD.items()]), "a list of values"),
        (body({"agent": 1, "user": 0, "nobody": 0}), "whole numbers"),
        (body({"agent": 0.71, "user": 0.2, "nobody": 0.1}), "a sum that is off by rounding"),
        (body({"agent": 1.0000001, "user": -1e-7, "nobody": 0}), "a hair outside"),
        (body(usage=None, model=None), "no usage, no model"),
        (body(usage={"input_tokens": 5.0}), "tokens as floats"),
        (body(latency_ms=3, x_rizzo={}), "extra fields"),
        ({"answers": {"next": {"probabilities": GOOD, "legend": []}}}, "nothing but what is read"),
    ],
)
def test_what_servers_do_differently_is_read(content: dict[str, Any], sentence: str) -> None:
    found = ask(httpx.Response(200, json=content))
    assert max(found, key=found.__getitem__) == "agent", sentence
    assert math.isclose(sum(found.values()), 1)


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(200, json=body({"agent": 0.5, "user": 0.2})),
        httpx.Response(200, json=body(GOOD | {"other": 0.0})),
        httpx.Response(200, json=body({"agent": 0.4, "user": 0.2, "nobody": 0.1})),
        httpx.Response(200, json=body({"agent": 1.2, "user": -0.1, "nobody": -0.1})),
        httpx.Response(200, json=body({"agent": True, "user": False, "nobody": False})),
        httpx.Response(200, json=body({"agent": "0.7", "user": "0.2", "nobody": "0.1"})),
        httpx.Response(200, json=body([{"value": "agent", "probability": 1.0}] * 3)),
        httpx.Response(200, json=body([0.7, 0.2, 0.1])),
        httpx.Response(200, json={"answers": {}}),
        text(json.dumps(body({"agent": math.nan, "user": 0.5, "nobody": 0.5}))),
        text(json.dumps(body())[:-20]),
        text("<html>busy</html>"),
        text("[" * 100_000),
        text(""),
        text(" " * 2_000_000),
        httpx.Response(302, headers={"Location": "http://elsewhere.example/"}),
    ],
    ids=[
        "a key is missing", "a key too many", "the sum is 0.7", "outside", "booleans", "strings",
        "one value thrice", "bare numbers", "no answer", "NaN", "truncated", "HTML", "deep",
        "empty", "a flood", "a redirect",
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_relied_on_is_none(response: httpx.Response) -> None:
    with pytest.raises(JudgeUnavailable, match="gives no answer"):
        ask(response)


OK = httpx.Response(200, json=body())


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_asked_again(status: int) -> None:
    assert ask(httpx.Response(status, headers={"Retry-After": "0"}), OK)
    assert ask(httpx.ConnectError("refused"), OK)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 415, 422, 501])
def test_what_will_not_pass_is_asked_once_and_given_up_after_three(status: int) -> None:
    seen: list[httpx.Request] = []
    refusing = saying(httpx.Response(status, json={"error": "no"}), seen=seen)
    with SystemOne(URL, transport=refusing) as server:
        for times in (1, 2, 3):
            with pytest.raises(JudgeUnavailable, match=f"{status}, no"):
                server.ask(ASKED)
            assert len(seen) == times
        with pytest.raises(JudgeUnavailable, match="asked no more"):
            server.ask(ASKED)
        assert len(seen) == 3


def test_five_failures_in_a_row_give_up_but_an_answer_between_clears_them() -> None:
    broken = text("{}")
    seen: list[httpx.Request] = []
    transport = saying(*[broken] * 4, OK, broken, seen=seen)
    with SystemOne(URL, transport=transport) as server:
        for _ in range(4):
            with pytest.raises(JudgeUnavailable):
                server.ask(ASKED)
        assert server.ask(ASKED)
        for _ in range(5):
            with pytest.raises(JudgeUnavailable, match="cannot be read"):
                server.ask(ASKED)
        with pytest.raises(JudgeUnavailable, match="asked no more"):
            server.ask(ASKED)
    assert len(seen) == 10


class Dripping(httpx.AsyncByteStream):
    async def __aiter__(self) -> Any:
        while True:
            yield b" "
            await anyio.sleep(0.01)


def test_the_deadline_holds_for_a_server_that_hangs_drips_or_asks_for_patience() -> None:
    async def hang(_: httpx.Request) -> httpx.Response:
        await anyio.sleep(60)
        raise AssertionError

    async def drip(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, stream=Dripping())

    for answer in (hang, drip):
        with SystemOne(URL, transport=httpx.MockTransport(answer)) as server:
            began = time.monotonic()
            with pytest.raises(JudgeUnavailable, match=r"within 0\.1 s"):
                server.ask(ASKED, 0.1)
            assert time.monotonic() - began < 20  # far from 60 s, whatever else runs
    began = time.monotonic()
    with pytest.raises(JudgeUnavailable, match="503"):
        ask(httpx.Response(503, headers={"Retry-After": "3600"}), OK)
    assert time.monotonic() - began < 20  # far from 60 s, whatever else runs


def test_what_is_sent_is_what_every_server_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    seen: list[httpx.Request] = []
    with SystemOne(URL, "m", transport=saying(OK, seen=seen)) as server:
        server.ask(ASKED)
    sent = json.loads(seen[0].content)
    assert set(sent) == {"model", "state", "questions"}
    assert "Fix the parser." in sent["state"]
    assert sent["state"].endswith("Let me now run it.")
    (question,) = sent["questions"].values()
    assert set(question) == {"type", "instructions", "criteria"}
    assert question["type"] == "choice"
    assert list(question["criteria"]) == list(NAMES)
    assert all(question["criteria"].values())
    assert "authorization" not in seen[0].headers
    assert seen[0].headers["content-type"] == "application/json"


def test_a_long_turn_fits_and_many_options_are_refused() -> None:
    long = Evidence("é" * 2_000, ("𝕏" * 300,) * 20, "ж" * 6_000)
    assert len(request(Asked(WHOSE_MOVE, long), "m")[0]) <= BODY
    many = Question("q", 1, "Which?", tuple([Option(f"N {at}", "") for at in range(27)]))
    with pytest.raises(QuestionTooLong):
        request(Asked(many, long), "m")


def test_names_that_a_server_may_change_are_replaced() -> None:
    choice = Choice("q", ("Été", "b"))
    assert choice.keys == ["option_0", "option_1"]
    found = served(
        json.dumps({"answers": {"q": {"probabilities": {"option_0": 1, "option_1": 0}}}}).encode(),
        choice,
    )
    assert found is not None
    assert found.logprobs["Été"] > found.logprobs["b"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://localhost:8017", "http://localhost:8017/v1/systemone"),
        ("http://[::1]:8017/", "http://[::1]:8017/v1/systemone"),
        ("http://127.0.0.1/v1", "http://127.0.0.1/v1/systemone"),
        ("http://127.0.0.1/api/v1/systemone/", "http://127.0.0.1/api/v1/systemone"),
    ],
)
def test_an_address_may_come_with_or_without_its_path(given: str, expected: str) -> None:
    assert address(given, None, allow_remote=False) == expected
    assert address(given, "/v2/systemone", allow_remote=False).endswith("/v2/systemone")


@pytest.mark.parametrize(
    "wrong",
    ["http://10.0.0.7:8017", "https://api.example.com", "http://localhost.example.com",
     "http://127.0.0.1@example.com", "ftp://localhost", "8017", "http://localhost:x", "http://["],
)  # fmt: skip
def test_other_machines_and_what_is_no_address_are_refused(wrong: str) -> None:
    with pytest.raises(ConfigError):
        SystemOne(wrong)


def test_another_machine_is_asked_when_told() -> None:
    with SystemOne("http://10.0.0.7:1", transport=saying(OK), allow_remote=True) as server:
        assert server.ask(ASKED).coverage is None
    server.close()
    with pytest.raises(JudgeUnavailable, match="closed"):
        server.ask(ASKED)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"detail": [{"loc": ["body"], "msg": "no state", "type": "missing"}]}, "no state"),
        ({"detail": {"error_type": "x", "message": "bad key"}}, "bad key"),
        ({"error": "flat"}, "flat"),
        ({"error": {"code": 501, "message": "no decision model"}}, "no decision model"),
        ([], "[]"),
    ],
)
def test_every_shape_of_an_error_has_its_sentence(content: Any, said: str) -> None:
    assert message(json.dumps(content).encode()) == said
    assert len(message(b"x" * 10_000)) == 300


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2), ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0), ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None), ({}, None),
    ],
)  # fmt: skip
def test_waiting_is_asked_for_in_three_ways(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["answers", "q", "probabilities", "a", "b", "value", "usage", "model"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_answer_is_read_or_none(content: Any) -> None:
    for whole in (content, {"answers": {"q": {"probabilities": content}}, "x_audit": content}):
        found = served(json.dumps(whole).encode(), Choice("q", ("a", "b")))
        assert found is None or math.isclose(sum(map(math.exp, found.logprobs.values())), 1)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_none(content: bytes) -> None:
    assert served(content, Choice("q", ("a", "b"))) is None
    assert message(content)


def test_no_secret_leaves_the_process() -> None:
    secret = "sk-" + "a1" * 20
    told = f"OPENAI_API_KEY={secret}"
    sent: list[bytes] = []

    def answer(asked: httpx.Request) -> httpx.Response:
        sent.append(asked.content)
        return OK

    evidence = Evidence(told, (f"It called bash {told}.",), f"I have set {told}. Shall I go on?")
    with SystemOne(URL, transport=httpx.MockTransport(answer)) as server:
        server.ask(Asked(WHOSE_MOVE, evidence))
    (body,) = sent
    assert secret.encode() not in body
    assert body.count(b"<KEY>") == 3
    assert b"Shall I go on?" in body
