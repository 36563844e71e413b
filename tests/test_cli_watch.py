"""`auditor watch`: what it refuses, and a real process over a real socket from start to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from auditor.commands import watch as cli_watch
from auditor.store import Store
from tests.gate_words import fill, frozen, spread

app = typer.Typer()
app.command()(cli_watch.watch)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUDITOR_OFF", raising=False)
    for name, folder in (("DATA", "data"), ("CONFIG", "config"), ("CACHE", "cache")):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / folder))
    monkeypatch.setenv("AUDITOR_DB", str(tmp_path / "a.db"))
    monkeypatch.setenv("AUDITOR_ANSWERS", str(tmp_path / "answers.db"))


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["emacs"], 2, "cannot be watched; expected opencode"),
        (["opencode", "--mode", "loud"], 2, "observe, shadow, nudge"),
        (["opencode", "--url", "example.org"], 2, "is no address"),
        (["opencode", "--url", "http://example.org:4096"], 2, "is not this machine"),
        (["opencode", "--rules-only"], 2, "--mode observe sends nothing"),
        (["opencode", "--config", "nowhere.toml"], 2, "nowhere.toml"),
        (["opencode", "--mode", "nudge"], 4, "no policy is frozen"),
    ],
)
def test_what_cannot_be_is_said_at_once(arguments: list[str], code: int, says: str) -> None:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == code, done.output
    assert says in done.output


def test_nudging_without_a_promotion_prints_what_is_missing(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        fill(store, spread(40))
        frozen(store)
    done = CliRunner().invoke(app, ["opencode", "--mode", "nudge"])
    assert done.exit_code == 4
    for condition in ("certificate", "shadow", "agreement", "--rules-only"):
        assert condition in done.output


def _session(id_: str) -> dict[str, Any]:
    """A session whose turn was cut off a moment ago."""
    at = round(time.time() * 1000)
    user = {"id": "msg_1", "sessionID": id_, "role": "user", "time": {"created": at - 5000}}
    agent = {"id": "msg_2", "sessionID": id_, "role": "assistant", "finish": "length"}
    agent |= {"parentID": "msg_1", "time": {"created": at - 4000, "completed": at}}
    text = {"id": "prt_2", "messageID": "msg_2", "sessionID": id_, "type": "text"}
    info = {"id": id_, "title": "t", "time": {"created": at - 60_000, "updated": at}}
    return {
        f"/session/{id_}": info,
        "/path": {"directory": "/srv/app"},
        "/session": [info],
        f"/session/{id_}/message": [
            {"info": user, "parts": [{**text, "id": "prt_1", "text": "Fix it."}]},
            {"info": agent, "parts": [{**text, "text": "First, the file: def parse("}]},
        ],
        f"/session/{id_}/todo": [],
        f"/session/{id_}/children": [],
        "/session/status": {},
        "/permission": [],
        "/question": [],
        "/global/health": {"healthy": True, "version": "1.18.33"},
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answers: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.answers = answers
        self.prompted = threading.Event()
        self.ending = threading.Event()
        self.prompts: list[Any] = []
        self.slow = 0.0


class _Answers(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/event":
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b'data: {"type":"server.connected","properties":{}}\n\n')
            self.wfile.flush()
            self.server.ending.wait(60)
            return
        self._answer(msgspec.json.encode(self.server.answers.get(path)))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path.endswith("/prompt_async"):
            self.server.prompts.append(msgspec.json.decode(body))
            self.server.prompted.set()
            time.sleep(self.server.slow)
        self._answer(b"true")

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def served(answers: dict[str, Any]) -> Iterator[_Server]:
    server = _Server(answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.ending.set()
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("how", "slow"),
    [
        pytest.param(signal.SIGINT, 0.0, id="interrupted"),
        pytest.param(signal.SIGTERM, 0.0, id="ended"),
        pytest.param(signal.SIGTERM, 1.0, id="ended while the nudge is sent"),
    ],
)
def test_a_real_watcher_nudges_once_and_ends_when_told_to(
    tmp_path: Path, how: signal.Signals, slow: float
) -> None:
    with served(_session("ses_a")) as server:
        server.slow = slow
        url = f"http://127.0.0.1:{server.server_address[1]}"
        options = f"--url {url} --mode nudge --rules-only --model none --port 0".split()
        watcher = subprocess.Popen(
            [sys.executable, "-m", "auditor", "watch", "opencode", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "HOME": str(tmp_path)},
        )
        try:
            assert server.prompted.wait(60), "no nudge within a minute"
            while not slow and "  nudge  " not in (line := watcher.stdout.readline()):
                assert line, "it ended by itself"
            watcher.send_signal(how)
            out, _ = watcher.communicate(timeout=60)
        finally:
            watcher.kill()
    assert watcher.returncode == 0, out
    assert "Traceback" not in out
    (body,) = server.prompts
    assert body["parts"][0]["metadata"]["auditor"]["recovery"] == "length_limit"
    with Store(tmp_path / "a.db") as store:
        assert [each.done.deed for each in store.recent(0.0)] == ["nudge"]
        assert [each.state for each in store.watchers(0.0)] == ["ended"]
