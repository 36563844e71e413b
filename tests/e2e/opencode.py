"""A real OpenCode server in a folder of its own, driven from outside as a person would drive it.

Owns the process, its isolation and its HTTP. It shares nothing with the product's own reading of
OpenCode, so that a mistake there is not made here again.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import httpx

from tests.e2e.scripts import SCRIPTS, TASK

START = 90.0
"""Seconds for a start; four here when the machine is idle, and it rarely is."""

LIMIT = 120.0
"""Seconds for anything that a test waits for."""

FILES = {
    "README.md": "# reports\n\nA builder of reports.\n",
    "builder.py": "def rows(table):\n    return list(table)\n",
}

Json = dict[str, Any]


def free_port() -> int:
    """Give a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(home: Path) -> dict[str, str]:
    """Give an environment that knows nothing of the user's own settings, keys and sessions."""
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
    return kept | {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "OPENCODE_CONFIG": str(home / "opencode.json"),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    }


def configuration(model_url: str, **more: object) -> Json:
    """Give a configuration with the scripted model as the only provider."""
    models = {
        f"scn-{name}": {
            "name": name,
            "tool_call": True,
            "reasoning": True,
            "limit": {"context": 128_000, "output": 8_192},
            "variants": {"careful": {"reasoningEffort": "high"}},
        }
        for name in SCRIPTS
    }
    return {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "share": "disabled",
        "model": "fake/scn-complete",
        "small_model": "fake/scn-complete",
        "enabled_providers": ["fake"],
        "provider": {
            "fake": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Fake",
                "options": {"baseURL": f"{model_url}/v1", "apiKey": "none"},
                "models": models,
            }
        },
        "permission": {"*": "allow"},
    } | more


class OpenCodeServer:
    """One server; use it in a `with` block. `home` and `project` are made."""

    def __init__(
        self,
        program: Path,
        home: Path,
        model_url: str,
        *,
        env: dict[str, str] | None = None,
        **config: object,
    ) -> None:
        self.program, self.home = program, home
        self.project = home / "project"
        self.env = environment(home) | (env or {})
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.events: list[Json] = []
        """As they came; `read`: Unix seconds of that."""
        self.last: dict[str, float] = {}
        """When the last one came, by session."""
        self.closing = threading.Event()
        """Set: nothing is waited for any more."""
        self._changed = threading.Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._config = configuration(model_url, **config)
        password = self.env.get("OPENCODE_SERVER_PASSWORD")
        self.http = httpx.Client(
            base_url=self.url,
            headers={"x-opencode-directory": str(self.project)},
            auth=("opencode", password) if password else None,
            timeout=60.0,
            trust_env=False,
        )

    def __enter__(self) -> Self:
        self.project.mkdir(parents=True, exist_ok=True)
        for name, text in FILES.items():
            (self.project / name).write_text(text)
        (self.home / "opencode.json").write_text(json.dumps(self._config))
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.kill(signal.SIGTERM)
        self.http.close()

    @property
    def pid(self) -> int:
        """Of the server's process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, and read its events from now on."""
        with (self.home / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self.program, "serve", "--port", str(self.port)],
                cwd=self.project,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._await_health()
        ready = threading.Event()
        threading.Thread(target=self._read, args=(ready,), daemon=True).start()
        if not ready.wait(START):
            raise TimeoutError(f"no events from {self.url}: {self._log()}")

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End it and all that it started."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, how)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(10)
        self._process = None

    def _await_health(self) -> None:
        until = time.monotonic() + START
        while time.monotonic() < until:
            assert self._process is not None
            if self._process.poll() is not None:
                raise RuntimeError(f"OpenCode ended at once: {self._log()}")
            with contextlib.suppress(httpx.HTTPError):
                if self.http.get("/global/health", timeout=5).status_code == 200:
                    return
            time.sleep(0.05)
        raise TimeoutError(f"OpenCode did not start: {self._log()}")

    def _log(self) -> str:
        return (self.home / "server.log").read_text(errors="replace")[-2000:]

    def _read(self, ready: threading.Event) -> None:
        """Collect the events of the project until the stream ends."""
        timeout = httpx.Timeout(60.0, read=60.0)
        with (
            contextlib.suppress(httpx.HTTPError, RuntimeError),
            self.http.stream("GET", "/event", timeout=timeout) as answer,
        ):
            for line in answer.iter_lines():
                if line.startswith("data:"):
                    ready.set()
                    event = json.loads(line[5:]) | {"read": time.time()}
                    with self._changed:
                        self.events.append(event)
                        self.last[event["properties"].get("sessionID", "")] = event["read"]
                        self._changed.notify_all()

    def wait(self, wanted: Callable[[], bool], what: str, limit: float = LIMIT) -> None:
        """Wait, looking again at every event; raises `TimeoutError`."""
        until = time.monotonic() + limit
        while not wanted():
            with self._changed:
                self._changed.wait(0.25)
            if time.monotonic() > until or self.closing.is_set():
                raise TimeoutError(f"waited {limit:.0f} s for {what}")

    # What a person does.

    def session(self, title: str, **more: object) -> str:
        """Begin a session."""
        answer = self.http.post("/session", json={"title": title, **more})
        answer.raise_for_status()
        return str(answer.json()["id"])

    def prompt(self, session: str, scenario: str, text: str = TASK, **more: object) -> None:
        """Say something in it, to the model of this scenario."""
        body = {
            "parts": [{"type": "text", "text": text}],
            "model": {"providerID": "fake", "modelID": f"scn-{scenario}"},
            "agent": "build",
        } | more
        self.http.post(f"/session/{session}/prompt_async", json=body).raise_for_status()

    def abort(self, session: str) -> None:
        """Stop it, as Esc does."""
        self.http.post(f"/session/{session}/abort").raise_for_status()

    def messages(self, session: str) -> list[Json]:
        """List its messages."""
        answer = self.http.get(f"/session/{session}/message")
        answer.raise_for_status()
        return list(answer.json())

    def children(self, session: str) -> list[str]:
        """List its sub-agents."""
        return [each["id"] for each in self.http.get(f"/session/{session}/children").json()]

    def statuses(self) -> Json:
        """Say what is not idle."""
        return dict(self.http.get("/session/status").json())

    def seen(self, session: str, *kinds: str) -> list[Json]:
        """Give the events of a session of these kinds."""
        with self._changed:
            events = list(self.events)
        return [
            each
            for each in events
            if each["type"] in kinds and each["properties"].get("sessionID") == session
        ]

    def ends(self, session: str) -> int:
        """How often the session came to rest."""
        return len(self.seen(session, "session.idle"))

    def wait_idle(self, session: str, times: int = 1, limit: float = LIMIT) -> None:
        """Wait until it has come to rest so often."""
        self.wait(lambda: self.ends(session) >= times, f"the end of {session}", limit)

    def wait_for(self, session: str, *kinds: str, limit: float = LIMIT) -> Json:
        """Wait for an event of a session."""
        self.wait(lambda: bool(self.seen(session, *kinds)), " or ".join(kinds), limit)
        return self.seen(session, *kinds)[0]

    def words(self, session: str) -> list[str]:
        """Give the texts of its user messages."""
        return [
            "".join(part.get("text", "") for part in message["parts"])
            for message in self.messages(session)
            if message["info"]["role"] == "user"
        ]


def marks(messages: Iterable[Json]) -> list[Json]:
    """Give the user messages that bear an auditor's mark."""
    return [
        message
        for message in messages
        if message["info"]["role"] == "user"
        and any("auditor" in (part.get("metadata") or {}) for part in message["parts"])
    ]
