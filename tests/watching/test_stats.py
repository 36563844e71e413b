"""The numbers over HTTP: what is told, what is not, and who may ask."""

from __future__ import annotations

import socket
from typing import Any

import anyio
import httpx
import pytest

from auditor.live.situation import Doing
from auditor.turn import Verdict
from auditor.watching import stats
from auditor.watching.board import Board, Kind, Seen

NOW = 1_000_000.0


def board() -> Board:
    made = Board("nudge", NOW - 60)
    made.happened(Kind.LINK, "there", at=NOW, name="/srv/secret-app")
    made.happened(Kind.NUDGE, "words of a nudge", at=NOW, session="ses_1", name="clipped_ending")
    made.happened(Kind.NUDGE, "words of a nudge", at=NOW, session="ses_1", name="tool_loop")
    made.saw(
        Seen(
            session="ses_1",
            at=NOW,
            title="a title",
            directory="/srv/secret-app",
            doing=Doing.BUSY,
            verdict=Verdict.STUCK,
            reason="a reason with words",
            due=NOW + 5,
            nudges=2,
        )
    )
    return made


def asked(path: str, method: str = "GET", **headers: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(stats.app(board(), lambda: NOW))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8018") as http:
            return await http.request(method, path, headers=headers)

    return anyio.run(ask)


def test_the_numbers() -> None:
    answer: dict[str, Any] = asked("/stats").json()
    assert answer == {
        "mode": "nudge",
        "started": NOW - 60,
        "now": NOW,
        "connections": 1,
        "counts": {
            **dict.fromkeys(Kind, 0),
            "link": 1,
            "nudge": 2,
        },
        "by": {"nudge": {"clipped_ending": 1, "tool_loop": 1}},
        "doing": {"busy": 1},
        "sessions": [
            {
                "session": "ses_1",
                "at": NOW,
                "doing": "busy",
                "verdict": "stuck",
                "due": NOW + 5,
                "nudges": 2,
                "held": False,
            }
        ],
    }


@pytest.mark.parametrize("private", ["title", "words", "secret-app", "reason"])
def test_nothing_that_somebody_wrote(private: str) -> None:
    assert private not in asked("/stats").text


def test_health() -> None:
    assert asked("/health").json() == {"status": "ok", "mode": "nudge", "up": 60.0}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({}, 200, id="a script of this machine"),
        pytest.param({"host": "localhost:8018"}, 200, id="by name"),
        pytest.param({"host": "[::1]:8018"}, 200, id="by the other address"),
        pytest.param({"origin": "http://localhost:3000"}, 200, id="a page of this machine"),
        pytest.param({"host": "evil.example"}, 403, id="a name pointed here"),
        pytest.param({"host": "127.0.0.1.evil.example"}, 403, id="one that looks like an address"),
        pytest.param({"host": "evil.example@127.0.0.1"}, 403, id="a host that is none"),
        pytest.param({"origin": "https://evil.example"}, 403, id="a page of another"),
        pytest.param({"origin": "null"}, 403, id="a page of nobody"),
    ],
)
def test_who_may_ask(headers: dict[str, str], status: int) -> None:
    assert asked("/stats", **headers).status_code == status


@pytest.mark.parametrize(
    ("method", "path", "status"), [("POST", "/stats", 405), ("GET", "/", 404), ("PUT", "/x", 404)]
)
def test_nothing_else_is_there(method: str, path: str, status: int) -> None:
    assert asked(path, method).status_code == status


@pytest.mark.parametrize("taken", [False, True], ids=["a free port", "a port that is taken"])
def test_it_serves_until_it_is_cancelled(*, taken: bool) -> None:
    """On another port where this one is taken: a watcher without numbers is still a watcher."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        if taken:
            other.listen()
        port = other.getsockname()[1] if taken else 0

        async def run() -> tuple[str, Any]:
            address: list[str] = []
            ready = anyio.Event()

            def said(url: str) -> None:
                address.append(url)
                ready.set()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(stats.serve, board(), port, said)
                with anyio.fail_after(60):
                    await ready.wait()
                    async with httpx.AsyncClient(trust_env=False) as http:
                        answer = (await http.get(f"{address[0]}/health", timeout=60)).json()
                tasks.cancel_scope.cancel()
            return address[0], answer

        url, answer = anyio.run(run)
        assert answer["status"] == "ok"
        assert url != f"http://127.0.0.1:{port}"
