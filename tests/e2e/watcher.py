"""`auditor watch opencode` as a process of its own, and its lines.

Owns the process and what it printed. The lines are how a test knows that a turn was judged: only
then may it say that nothing was sent.
"""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

LIMIT = 120.0

_LINE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  (\w+)\s+(?:(ses_\w+)\s+)?(.*)$")


class Line(NamedTuple):
    """One line of the watcher. `read`: Unix seconds when it came."""

    kind: str
    session: str
    text: str
    read: float


class Watcher:
    """One watcher; use it in a `with` block. `url` None: it finds what reports by a plugin."""

    def __init__(
        self,
        url: str | None,
        project: Path,
        home: Path,
        *,
        settings: str = "",
        mode: tuple[str, ...] = ("--mode", "nudge", "--rules-only"),
        env: dict[str, str] | None = None,
        db: Path | None = None,
    ) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home, self.lines, self.raw = home, list[Line](), list[str]()
        self.db = db or home / "auditor.db"
        config = home / "config.toml"
        config.write_text(f"[watch]\n{settings}")
        self._command = [
            sys.executable,
            "-m",
            "auditor",
            "watch",
            "opencode",
            *(("--url", url) if url is not None else ()),
            *("--directory", str(project), *mode),
            *("--model", "none", "--offline", "--plain", "--port", "0"),
            *("--db", str(self.db), "--config", str(config)),
        ]
        self.env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONUNBUFFERED": "1"}
        self.env |= {"AUDITOR_ANSWERS": str(home / "answers"), "AUDITOR_DB": str(self.db)}
        self.env |= env or {}
        self._changed = threading.Condition()
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end(signal.SIGTERM)

    @property
    def pid(self) -> int:
        """Of the process."""
        assert self._process is not None
        return self._process.pid

    @property
    def ended(self) -> int | None:
        """The exit code, once it ended."""
        return None if self._process is None else self._process.poll()

    def start(self) -> None:
        """Start it, and wait until it has a connection."""
        before = len(self.of("link"))
        self._process = subprocess.Popen(
            self._command,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()
        try:
            self.wait(lambda: len(self.of("link")) > before, "a connection")
        except TimeoutError:
            self.end(signal.SIGTERM)
            raise

    def end(self, how: signal.Signals) -> int:
        """End it; give its exit code."""
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(how)
        code = self._process.wait(30)
        if self._reader is not None:
            self._reader.join(10)
        if self._process.stdout is not None:
            self._process.stdout.close()
        return code

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for raw in process.stdout:
            with self._changed:
                self.raw.append(raw.rstrip("\n"))
                if found := _LINE.match(raw.rstrip("\n")):
                    kind, session, text = found.groups()
                    self.lines.append(Line(kind, session or "", text, time.time()))
                self._changed.notify_all()

    def of(self, kind: str, session: str | None = None) -> list[Line]:
        """Give the lines of a kind."""
        with self._changed:
            lines = list(self.lines)
        return [line for line in lines if line.kind == kind and session in (None, line.session)]

    def about(self, session: str) -> list[Line]:
        """Give all lines of a session."""
        with self._changed:
            return [line for line in self.lines if line.session == session]

    def wait(self, wanted: Callable[[], object], what: str, limit: float = LIMIT) -> None:
        """Wait, looking again at every line; raises `TimeoutError` with the last lines."""
        until = time.monotonic() + limit
        while not wanted():
            with self._changed:
                self._changed.wait(0.25)
            if self.ended is not None or time.monotonic() > until:
                named = what.rsplit(" ", 1)[-1]
                said = [raw for raw in self.raw if named in raw] + ["…", *self.raw[-12:]]
                last = "\n".join(said)
                raise TimeoutError(f"waited for {what}; exit code {self.ended}; it said:\n{last}")

    def wait_audits(self, session: str, times: int = 1, limit: float = LIMIT) -> None:
        """Wait until so many turns of a session were judged."""
        self.wait(
            lambda: len(self.of("audit", session)) >= times, f"audit {times} of {session}", limit
        )
