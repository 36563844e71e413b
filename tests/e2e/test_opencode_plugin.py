"""A real OpenCode with the plugin in it: for people who just type `opencode`, and on servers."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.fake_model import FakeModel
from tests.e2e.opencode import FILES, OpenCodeServer, configuration, environment, marks
from tests.e2e.scripts import TASK
from tests.e2e.settings import QUICK
from tests.e2e.watcher import Watcher

STALLS = ("dangling-bare", "empty", "rawtool-xml", "length")
WINDOW = struct.pack("HHHH", 40, 120, 0, 0)
"""Rows and columns of a terminal."""


def install(home: Path, watcher: Watcher) -> None:
    """Put the plugin where the OpenCode of this home looks for it."""
    subprocess.run(
        [sys.executable, "-m", "auditor", "install", "opencode"],
        env=watcher.env | {"XDG_CONFIG_HOME": str(home / "config")},
        check=True,
        timeout=60,
        capture_output=True,
    )
    assert list((home / "config" / "opencode" / "plugin").iterdir())


@contextlib.contextmanager
def typed(program: Path, project: Path, env: dict[str, str], *arguments: str) -> Iterator[None]:
    """`opencode` on a terminal, as a person starts it."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, WINDOW)
    process = subprocess.Popen(
        [program, *arguments],
        cwd=project,
        env=env | {"TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    reader = threading.Thread(target=_drained, args=(ours,), daemon=True)
    reader.start()
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)
        reader.join(30)
        os.close(ours)


def _drained(terminal: int) -> None:
    """Read what it draws, so that it never waits for a reader."""
    with contextlib.suppress(OSError):
        while os.read(terminal, 1 << 16):
            pass


def test_people_who_just_type_opencode_are_helped_too(program: Path, tmp_path: Path) -> None:
    home, project = tmp_path / "opencode", tmp_path / "opencode" / "project"
    project.mkdir(parents=True)
    for name, text in FILES.items():
        (project / name).write_text(text)
    with FakeModel(project) as model:
        (home / "opencode.json").write_text(json.dumps(configuration(model.url)))
        watcher = Watcher(None, project, tmp_path / "watch", settings=QUICK)
        install(home, watcher)
        arguments = ("--prompt", TASK, "-m", "fake/scn-dangling-bare")
        with typed(program, project, environment(home), *arguments), watcher:
            watcher.wait(lambda: watcher.of("nudge"), "a nudge")
            session = watcher.of("nudge")[0].session
            asked = model.wait(session, lambda seen: bool(seen) and TASK not in seen[-1].last)
            assert asked[-1].tools == asked[0].tools
            watcher.wait_audits(session, 2)
            assert len(watcher.of("nudge")) == 1
            assert not watcher.of("trouble")


@pytest.fixture(scope="module")
def server(
    program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[OpenCodeServer, FakeModel, Watcher]]:
    """A server with the plugin, and a watcher that knows it by the plugin alone."""
    home = tmp_path_factory.mktemp("plugin")
    with FakeModel(home / "opencode" / "project") as model:
        server = OpenCodeServer(program, home / "opencode", model.url)
        watcher = Watcher(None, server.project, home / "watch", settings=QUICK)
        install(home / "opencode", watcher)
        with server:
            warm = server.session("warm-up")
            server.prompt(warm, "complete")
            server.wait_idle(warm)
            with watcher:
                yield server, model, watcher


def test_what_is_watched_by_address_and_by_plugin_is_nudged_once(
    server: tuple[OpenCodeServer, FakeModel, Watcher], tmp_path: Path
) -> None:
    there, model, by_plugin = server
    with Watcher(there.url, there.project, tmp_path, settings=QUICK, db=by_plugin.db) as by_address:
        sessions = [there.session(name) for name in STALLS]
        for session, name in zip(sessions, STALLS, strict=True):
            there.prompt(session, name)
        for session in sessions:
            model.wait(session, lambda seen: bool(seen) and TASK not in seen[-1].last)
            by_plugin.wait_audits(session, 2)
            by_address.wait_audits(session, 2)
            assert len(marks(there.messages(session))) == 1
        assert not by_plugin.of("trouble")
        assert not by_address.of("trouble")


def test_a_silent_stream_is_stopped_through_the_plugin(
    server: tuple[OpenCodeServer, FakeModel, Watcher],
) -> None:
    there, model, watcher = server
    session = there.session("silent")
    there.prompt(session, "stall-forever")
    model.wait(session, lambda seen: bool(seen) and TASK not in seen[-1].last)
    watcher.wait_audits(session, 2)
    assert len(watcher.of("abort", session)) == 1
    assert len(marks(there.messages(session))) == 1


def test_a_plugin_that_finds_nobody_costs_nothing_and_comes_back(
    server: tuple[OpenCodeServer, FakeModel, Watcher],
) -> None:
    there, model, watcher = server
    watcher.end(signal.SIGKILL)
    alone = there.session("alone")
    there.prompt(alone, "dangling-bare")
    there.wait_idle(alone)
    watcher.start()
    model.wait(alone, lambda seen: bool(seen) and TASK not in seen[-1].last)
    watcher.wait_audits(alone, 2)
    assert len(marks(there.messages(alone))) == 1
