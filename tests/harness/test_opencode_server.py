"""The HTTP interface of an OpenCode server: what is asked and sent, and what goes wrong."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import ConfigError, HarnessUnavailable
from auditor.harness import _opencode_wire as wire
from auditor.harness._opencode_mirror import Mirror
from auditor.harness._opencode_server import Gone, OpenCode, Refused
from auditor.live.situation import ReplyAs
from tests.harness.opencode_bus import SESSION, asked

Answer = Callable[[httpx.Request], httpx.Response]


class Pieces(httpx.AsyncByteStream):
    """A body that comes in these pieces; an exception among them is raised."""

    def __init__(self, *pieces: bytes | Exception) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece


class Server:
    """Answers from a table of paths, and keeps what it was asked."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.asked = answers, []  # type: ignore[var-annotated]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        found = self.answers.get(request.url.path.rsplit("/", 1)[-1], httpx.Response(404))
        if isinstance(found, Exception):
            raise found
        if isinstance(found, httpx.Response):
            return found
        return httpx.Response(200, json=found(request) if callable(found) else found)

    @property
    def last(self) -> httpx.Request:
        found: httpx.Request = self.asked[-1]
        return found

    def opencode(self, **more: Any) -> OpenCode:
        return OpenCode(transport=httpx.MockTransport(self), **more)


def run(work: Callable[[OpenCode], Awaitable[Any]], server: Server, **more: Any) -> Any:
    async def inside() -> Any:
        async with server.opencode(**more) as opencode:
            return await work(opencode)

    return anyio.run(inside)


def heard(stream: httpx.AsyncByteStream, most: int = 1_000) -> tuple[list[Any], str]:
    """The events of a stream, and how it ended."""
    found: list[Any] = []
    headers = {"content-type": "text/event-stream"}
    server = Server(event=httpx.Response(200, headers=headers, stream=stream))

    async def listen(opencode: OpenCode) -> str:
        try:
            async for event in opencode.events():
                found.append(event)
                if len(found) >= most:
                    return "enough"
        except HarnessUnavailable as error:
            return str(error)
        return "no error"

    return found, run(listen, server)


# Addresses.


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:4096",
        "http://localhost:4599/",
        "http://[::1]:4096",
        "https://127.0.0.9",
    ],
)
def test_this_machine_may_be_asked(url: str) -> None:
    assert OpenCode(url).url.startswith("http")


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com:4096",
        "http://10.0.0.2",
        "ftp://127.0.0.1",
        "127.0.0.1:4096",
        "",
        "http://",
        "http://127.0.0.1:port",
        "http://127.0.0.1.evil.example",
    ],
)
def test_other_addresses_may_not(url: str) -> None:
    with pytest.raises(ConfigError, match="--url"):
        OpenCode(url)


def test_another_machine_may_where_the_person_says_so() -> None:
    assert OpenCode("http://box.example:4096", allow_remote=True).url == "http://box.example:4096"


def test_a_password_in_the_address_is_used_and_never_shown() -> None:
    server = Server(health=httpx.Response(500))
    with pytest.raises(HarnessUnavailable) as failure:
        run(lambda o: o.version(), server, url="http://me:hush@127.0.0.1:4096")
    assert "hush" not in str(failure.value)
    said = base64.b64decode(server.last.headers["authorization"].split()[1])
    assert said == b"me:hush"


@pytest.mark.parametrize(("user", "expected"), [(None, b"opencode:hush"), ("ann", b"ann:hush")])
def test_the_password_comes_from_the_environment(
    user: str | None, expected: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", "hush")
    if user is None:
        monkeypatch.delenv("OPENCODE_SERVER_USERNAME", raising=False)
    else:
        monkeypatch.setenv("OPENCODE_SERVER_USERNAME", user)
    server = Server(status={})
    run(lambda o: o.statuses(), server)
    assert base64.b64decode(server.last.headers["authorization"].split()[1]) == expected


def test_without_a_password_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENCODE_SERVER_PASSWORD", raising=False)
    server = Server(status={})
    run(lambda o: o.statuses(), server)
    assert "authorization" not in server.last.headers


def test_a_proxy_in_the_environment_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    assert OpenCode()._http._mounts == {}


# Questions.

ASKED = [
    (lambda o: o.sessions(7), "GET", "/session", {"limit": "7"}),
    (lambda o: o.session(SESSION), "GET", f"/session/{SESSION}", {}),
    (lambda o: o.children(SESSION), "GET", f"/session/{SESSION}/children", {}),
    (lambda o: o.messages(SESSION, 5), "GET", f"/session/{SESSION}/message", {"limit": "5"}),
    (lambda o: o.todos(SESSION), "GET", f"/session/{SESSION}/todo", {}),
    (lambda o: o.statuses(), "GET", "/session/status", {}),
    (lambda o: o.permissions(), "GET", "/permission", {}),
    (lambda o: o.questions(), "GET", "/question", {}),
    (lambda o: o.abort(SESSION), "POST", f"/session/{SESSION}/abort", {}),
    (lambda o: o.toast("t", "m"), "POST", "/tui/show-toast", {}),
    (
        lambda o: o.prompt(SESSION, "Go on.", ReplyAs(), {}, hidden=False),
        "POST",
        f"/session/{SESSION}/prompt_async",
        {},
    ),
]


class Everything(Server):
    """Says yes to everything."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        last = request.url.path.rsplit("/", 1)[-1]
        objects = {SESSION: {"id": SESSION}, "status": {}}
        return httpx.Response(200, json=objects.get(last, []))


@pytest.mark.parametrize("directory", [None, "/home/ann/my project"])
@pytest.mark.parametrize(("work", "method", "path", "params"), ASKED)
def test_each_question_goes_to_its_path_and_directory(
    work: Any, method: str, path: str, params: dict[str, str], directory: str | None
) -> None:
    server = Everything()
    run(work, server, directory=directory)
    asked_for = dict(server.last.url.params)
    assert (server.last.method, server.last.url.path) == (method, path)
    assert asked_for == {**params, **({"directory": directory} if directory else {})}
    assert "/api/" not in str(server.last.url)


def test_an_id_is_no_path() -> None:
    server = Everything()
    run(lambda o: o.abort("ses_1/../../x?y"), server)
    assert server.last.url.raw_path == b"/session/ses_1%2F..%2F..%2Fx%3Fy/abort"


def test_a_nudge_is_sent_as_the_user_wants_to_be_answered() -> None:
    """AR-T049, TG-T19: agent, model and variant again, and our mark."""
    server = Server(prompt_async=httpx.Response(204))
    as_ = ReplyAs("plan", "fictive", "one", "high")
    mark = {"recovery": "length_limit", "v": 1}
    run(lambda o: o.prompt(SESSION, "Go on.", as_, mark, hidden=True), server)
    assert json.loads(server.last.content) == {
        "parts": [
            {
                "type": "text",
                "text": "Go on.",
                "metadata": {"auditor": {"recovery": "length_limit", "v": 1}},
                "synthetic": True,
            }
        ],
        "agent": "plan",
        "model": {"providerID": "fictive", "modelID": "one"},
        "variant": "high",
    }


@pytest.mark.parametrize(
    "as_", [ReplyAs(), ReplyAs(provider="fictive"), ReplyAs(model="one")], ids=str
)
def test_what_is_not_known_is_not_sent(as_: ReplyAs) -> None:
    """AR-T050: a prompt without an agent is valid, half a model is not."""
    server = Server(prompt_async=httpx.Response(204))
    run(lambda o: o.prompt(SESSION, "Go on.", as_, {"recovery": "x"}, hidden=False), server)
    body = json.loads(server.last.content)
    assert set(body) == {"parts"}
    assert "synthetic" not in body["parts"][0]


def test_what_is_sent_comes_back_as_a_mark() -> None:
    server = Server(prompt_async=httpx.Response(204))
    mark = {"recovery": "clipped_ending", "v": 1}
    run(lambda o: o.prompt(SESSION, "Go on.", ReplyAs(), mark, hidden=True), server)
    bus = asked().answers("I will:").user(*json.loads(server.last.content)["parts"])
    assert [mark.recovery for mark in bus.seen.marks] == ["clipped_ending"]


# Answers.


def test_a_server_tells_its_version() -> None:
    health = {"healthy": True, "version": "1.18.33"}
    assert run(lambda o: o.version(), Server(health=health)) == "1.18.33"


@pytest.mark.parametrize("health", [{}, {"healthy": False, "version": "1"}, [], "ok", None])
def test_something_else_that_answers_is_no_opencode(health: Any) -> None:
    with pytest.raises(HarnessUnavailable, match="no OpenCode server"):
        run(lambda o: o.version(), Server(health=health))


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_answer_may_be_wrapped(*, wrapped: bool) -> None:
    """AR-T152, B61."""
    rows: Any = [{"id": SESSION}]
    answer = {"data": rows} if wrapped else rows
    assert run(lambda o: o.sessions(9), Server(session=answer)) == rows


PAGE = httpx.Response(200, text="<html>Sign in</html>")
FAULT = {"name": "UnknownError", "data": {"message": "it broke"}}
NO_LIST = [{}, None, 3, "text", {"data": 4}, [None], [[]], PAGE, httpx.Response(200)]
LISTS: list[tuple[str, Callable[[OpenCode], Awaitable[Any]], list[Any]]] = [
    ("session", lambda o: o.sessions(9), [[{"title": "no id"}]]),
    ("message", lambda o: o.messages(SESSION), []),
    ("children", lambda o: o.children(SESSION), [[{}]]),
    ("permission", lambda o: o.permissions(), [[{"id": "per_1", "session": SESSION}]]),
    ("question", lambda o: o.questions(), [[{"id": 1, "sessionID": SESSION}]]),
]
OBJECTS: list[tuple[str, Callable[[OpenCode], Awaitable[Any]], list[Any]]] = [
    (SESSION, lambda o: o.session(SESSION), [{}, {"title": "no id"}, FAULT, {"id": 4}]),
    (
        "status",
        lambda o: o.statuses(),
        [{SESSION: {"state": "busy"}}, {SESSION: 1}, FAULT, {"message": "try again later"}],
    ),
]


@pytest.mark.parametrize(
    ("name", "work", "answer"),
    [(name, work, answer) for name, work, more in LISTS for answer in [*NO_LIST, *more]]
    + [(name, work, [answer]) for name, work, more in OBJECTS for answer in [None, 3, {}]]
    + [(name, work, answer) for name, work, more in OBJECTS for answer in [None, "x", PAGE, *more]],
)
def test_an_answer_of_another_shape_says_nothing(
    name: str, work: Callable[[OpenCode], Awaitable[Any]], answer: Any
) -> None:
    """AR-T152, B60: never a guess, as that nothing waits and nobody works."""
    with pytest.raises(HarnessUnavailable, match="expected"):
        run(work, Server(**{name: answer}))


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        (rb'[{"id":"ses_1","title":"cut \ud83d"}]', "cut \ufffd"),
        (b'[{"id":"ses_1","title":"\xff"}]', "\ufffd"),
    ],
)
def test_half_a_character_costs_no_answer(raw: bytes, title: str) -> None:
    """JavaScript cuts texts in the middle of a pair; nothing downstream can store a half."""
    server = Server(session=httpx.Response(200, content=raw))
    assert run(lambda o: o.sessions(9), server) == [{"id": "ses_1", "title": title}]
    event = b'data: {"type":"x","properties":{"text":"a\\udfffb"}}\n\n'
    assert heard(Pieces(event))[0][0]["properties"]["text"] == "a\ufffdb"


def test_messages_come_oldest_first_whatever_the_order() -> None:
    """B62."""
    bus = asked("One.").answers().user("Two.").answers()
    found = run(lambda o: o.messages(SESSION), Server(message=bus.messages[::-1]))
    assert found == bus.messages


@pytest.mark.parametrize("time", [10**400, "soon", None])
def test_a_time_that_is_none_costs_no_message(time: Any) -> None:
    rows = [
        {"info": {"id": "msg_2", "time": {"created": 5}}},
        {"info": {"time": {"created": time}}},
    ]
    raw = json.dumps(rows).encode()
    server = Server(message=httpx.Response(200, content=raw))
    assert len(run(lambda o: o.messages(SESSION), server)) == 2


def test_of_a_long_turn_the_beginning_is_asked_for_too() -> None:
    bus = asked("Do all of it.")
    for _ in range(300):
        bus.begin()
    limits = []

    def newest(request: httpx.Request) -> Any:
        limits.append(int(request.url.params["limit"]))
        return bus.messages[-limits[-1] :]

    found = run(lambda o: o.messages(SESSION), Server(message=newest))
    assert (len(found), limits) == (301, [200, 800])
    limits.clear()
    bus.user("Two.").begin()
    assert len(run(lambda o: o.messages(SESSION), Server(message=newest))) == 200
    assert limits == [200]


def test_only_children_are_children() -> None:
    """B30: the parent link is looked at."""
    rows = [{"id": "ses_2", "parentID": SESSION}, {"id": "ses_3", "parentID": "ses_9"}, {"id": "4"}]
    assert run(lambda o: o.children(SESSION), Server(children=rows)) == rows[:1]


# What goes wrong.


def failure(answer: Any, work: Any = lambda o: o.session(SESSION)) -> HarnessUnavailable:
    with pytest.raises(HarnessUnavailable) as found:
        run(work, Server(**{SESSION: answer, "prompt_async": answer, "status": answer}))
    return found.value


@pytest.mark.parametrize(
    ("answer", "certain", "says"),
    [
        pytest.param(httpx.ConnectError("refused"), True, "nothing listens", id="no server"),
        pytest.param(httpx.ConnectTimeout("slow"), True, "nothing listens", id="no connection"),
        pytest.param(httpx.Response(400), True, "answered 400", id="a bad request"),
        pytest.param(httpx.Response(401), True, "OPENCODE_SERVER_PASSWORD", id="no password"),
        pytest.param(httpx.Response(500), False, "answered 500", id="its own trouble"),
        pytest.param(httpx.Response(302), False, "answered 302", id="elsewhere"),
        pytest.param(httpx.ReadTimeout("slow"), False, "no answer in time", id="AR-T158 no answer"),
        pytest.param(httpx.ReadError("reset"), False, "reset", id="AR-T157 broken off"),
        pytest.param(httpx.RemoteProtocolError(""), False, "RemoteProtocolError", id="nonsense"),
    ],
)
def test_a_failure_says_whether_the_deed_certainly_did_not_happen(
    answer: Any, certain: bool, says: str
) -> None:
    """B44: what broke off may have arrived, and is looked up before anything is sent again."""
    error = failure(answer, lambda o: o.prompt(SESSION, "Go", ReplyAs(), {}, hidden=False))
    assert isinstance(error, Refused) is certain
    assert says in str(error)


def test_a_session_that_is_gone_is_gone_and_not_a_dead_server() -> None:
    assert isinstance(failure(httpx.Response(404)), Gone)
    assert not isinstance(failure(httpx.Response(404), lambda o: o.statuses()), Gone)


def test_an_answer_without_end_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "BODY", 1_000)
    error = failure(httpx.Response(200, stream=Pieces(*[b" " * 400] * 3)))
    assert "more than" in str(error)


# The stream of events.

BEAT = b'data: {"type":"server.heartbeat","properties":{}}\n\n'
ENDED = "the stream of events ended"


def test_events_come_until_the_stream_ends_and_that_is_an_error() -> None:
    found, end = heard(Pieces(BEAT, BEAT))
    assert [event["type"] for event in found] == ["server.heartbeat"] * 2
    assert ENDED in end


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_lines_may_end_in_any_way(newline: bytes) -> None:
    raw = b': a comment\n\nevent: x\ndata: {"a":\ndata: 1}\nid: 7\n\n'.replace(b"\n", newline)
    found, _ = heard(Pieces(raw))
    assert found == [{"a": 1}]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 200), max_size=12))
def test_a_stream_may_be_cut_anywhere(cuts: list[int]) -> None:
    """Inside a line, inside a letter of several bytes, between CR and LF."""
    events = [{"type": "x", "properties": {"t": "Grüße 你好 🎉", "n": n}} for n in range(3)]
    raw = b"".join(
        b"data: " + json.dumps(each, ensure_ascii=False).encode() + b"\r\n\r\n" for each in events
    )
    pieces, rest = [], raw
    for cut in cuts:
        pieces.append(rest[:cut])
        rest = rest[cut:]
    found, _ = heard(Pieces(*[piece for piece in (*pieces, rest) if piece]))
    assert found == events


def test_an_event_cut_off_by_the_end_is_not_half_an_event() -> None:
    found, end = heard(Pieces(BEAT, BEAT[:20]))
    assert (len(found), ENDED in end) == (1, True)


def test_what_is_no_json_comes_as_nothing_and_the_stream_goes_on() -> None:
    found, _ = heard(Pieces(b"data: {broken\n\n", b"data: \xff\xfe\n\n", BEAT))
    mirror = Mirror()
    for event in found:
        mirror.apply(event, 0.0)
    assert (len(found), mirror.unread["event"]) == (3, 2)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (httpx.ReadTimeout("silent"), "no answer in time"),
        (httpx.ReadError("reset"), "reset"),
        (httpx.RemoteProtocolError("cut"), "cut"),
    ],
)
def test_silence_and_a_broken_line_are_an_end(error: Exception, says: str) -> None:
    found, end = heard(Pieces(BEAT, error))
    assert (len(found), says in end) == (1, True)


def test_silence_is_measured_against_the_heartbeat() -> None:
    server = Server(event=httpx.Response(200, headers={"content-type": "text/event-stream"}))

    async def listen(opencode: OpenCode) -> None:
        with pytest.raises(HarnessUnavailable):
            async for _ in opencode.events():
                pass

    run(listen, server)
    assert 30 <= server.last.extensions["timeout"]["read"] <= 60
    assert server.last.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("endless", [b"data: " + b"x" * 400, b"data: x\n" * 50, b": c\n\n" * 100])
def test_an_event_without_end_is_not_kept(endless: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "BODY", 1_000)
    found, end = heard(Pieces(BEAT, *[endless] * 4))
    assert (len(found), "an event of more than" in end) == (1, True)


def test_many_events_are_no_event_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "BODY", 1_000)
    found, end = heard(Pieces(*[BEAT] * 100))
    assert (len(found), ENDED in end) == (100, True)


def test_a_page_is_no_stream() -> None:
    server = Server(event=httpx.Response(200, html="<p>hello</p>"))

    async def listen(opencode: OpenCode) -> None:
        async for _ in opencode.events():
            pass

    with pytest.raises(HarnessUnavailable, match="no stream of events"):
        run(listen, server)


def test_a_listener_may_leave() -> None:
    """AR-T153: nothing is asked afterwards."""
    found, end = heard(Pieces(*[BEAT] * 10), most=3)
    assert (len(found), end) == (3, "enough")
