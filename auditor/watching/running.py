"""A watcher put together and run until it is stopped: store, model, gate, connections, faces.

Owns the wiring, and that a watcher which may send nothing says so before it begins.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from anyio.abc import TaskGroup
from msgspec import Struct

from auditor import calibrations, config, order
from auditor.asking import DEADLINE, Asker
from auditor.calibration import NO_CALIBRATIONS
from auditor.errors import NotEnough, StoreError
from auditor.gating import killswitch, review
from auditor.gating import show as show_gate
from auditor.gating.promotion import conditions
from auditor.gating.states import State
from auditor.harness._opencode_server import DEFAULT_URL, OpenCode
from auditor.live.settings import Settings
from auditor.live.switches import WatchState
from auditor.store import Store
from auditor.watching import installing, stats, view
from auditor.watching.aside import in_thread
from auditor.watching.auditing import Auditing
from auditor.watching.board import Board
from auditor.watching.connection import Connection
from auditor.watching.face import Face
from auditor.watching.hub import Hub
from auditor.watching.permits import Permits, WatchMode
from auditor.watching.relay import Link
from auditor.watching.watcher import Watcher

PLUGINS = 4.0
"""Seconds in which all plugins have reported: one looks for us every three. What an OpenCode works
on is for it alone, so others that have the same sessions wait."""

ALIVE = 900.0
"""Seconds between two signs of life in the store."""


class Wanted(Struct, frozen=True, kw_only=True):
    """What the person asked for."""

    url: str | None
    directories: tuple[str, ...]
    mode: WatchMode
    rules_only: bool
    model: str | None
    calibration: str | None
    offline: bool
    config: Path | None
    port: int
    plain: bool
    db: Path


def run(wanted: Wanted) -> None:
    """Watch until interrupted. Raises `ConfigError`, `StoreError` and `NotEnough`."""
    read = config.read(wanted.config)
    _servers(wanted)  # a wrong address is said at once
    with ExitStack() as stack:
        store = stack.enter_context(Store(wanted.db))
        permits = Permits(store, wanted.mode, rules_only=wanted.rules_only, offline=wanted.offline)
        if wanted.mode is WatchMode.NUDGE and not wanted.rules_only:
            _promoted(store)
        asker = stack.enter_context(
            Asker(order.model(wanted.model), questions=None, offline=wanted.offline)
        )
        chosen = order.calibration(wanted.calibration)
        used = NO_CALIBRATIONS
        if chosen is not None:
            named = None if chosen == order.SHIPPED else chosen
            used = calibrations.chosen(named, asker.digest)
        board = Board(_mode(wanted), time.time())
        stack.enter_context(view.opened(board, sys.stdout, plain=wanted.plain))
        face = Face(board, read.watch, time.time)
        for trouble in (*read.troubles, *([asker.done.problem] if asker.done.problem else ())):
            face.trouble(trouble)
        by = f"{socket.gethostname()} {os.getpid()}"
        parts = _Parts(
            wanted, store, Auditing(store, asker, used), permits, read.watch, face, board
        )
        store.watching(by, WatchState.BEGAN, _mode(wanted), "opencode", time.time())
        try:
            anyio.run(_watching, parts, by)
        finally:
            with suppress(StoreError):
                store.watching(by, WatchState.ENDED, _mode(wanted), "opencode", time.time())


class _Parts(NamedTuple):
    wanted: Wanted
    store: Store
    auditing: Auditing
    permits: Permits
    settings: Settings
    face: Face
    board: Board


def _mode(wanted: Wanted) -> str:
    return f"{wanted.mode.value}, rules only" if wanted.rules_only else wanted.mode.value


def _servers(wanted: Wanted) -> list[OpenCode]:
    directories = [str(Path(each).expanduser().resolve()) for each in wanted.directories]
    url = wanted.url or DEFAULT_URL
    return [OpenCode(url, each) for each in directories] or [OpenCode(url)]


def _promoted(store: Store) -> None:
    """Refuse to nudge without a promotion, with the evidence that is missing."""
    found = review.reviewed(store, time.time(), off=killswitch.off(store.path), deadline=DEADLINE)
    if found.past.state is State.NUDGE:
        return
    lines = show_gate.conditions(conditions(found.facts)) if found.facts is not None else []
    missing = "\n".join(lines) or "no policy is frozen: auditor policy freeze"
    raise NotEnough(
        f"{missing}\nnot promoted, so nothing may be nudged: auditor status says what is missing;"
        " --rules-only sends the structural recoveries alone"
    )


async def _watching(parts: _Parts, by: str) -> None:
    wanted, face, settings = parts.wanted, parts.face, parts.settings
    watcher = Watcher(
        parts.store, parts.auditing, parts.permits, settings, face, by=by, clock=time.time
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_signals, tasks.cancel_scope)
        tasks.start_soon(watcher.run)
        tasks.start_soon(
            _spared,
            face,
            "the statistics",
            stats.serve,
            parts.board,
            wanted.port,
            lambda url: face.line(f"statistics: {url}/stats"),
        )
        tasks.start_soon(_alive, parts.store, by, _mode(wanted), face)
        if wanted.url is None:
            hub = Hub(trouble=face.trouble)
            tasks.start_soon(_spared, face, "the hub of plugins", hub.serve)
            tasks.start_soon(_plugins, tasks, hub, watcher, parts)
            if installing.anywhere(wanted.directories):
                await anyio.sleep(PLUGINS)
        for server in _servers(wanted):
            tasks.start_soon(_connected, watcher, server, face, settings)


async def _connected(
    watcher: Watcher,
    server: OpenCode,
    face: Face,
    settings: Settings,
    link: Link | None = None,
) -> None:
    await watcher.watch(
        lambda look: Connection(
            server,
            look=look,
            say=face.line,
            clock=time.time,
            fresh=settings.fresh,
            scan=settings.scan,
            gone=lambda: link is not None and link.gone,
            linked=partial(face.linked, server.directory or server.url),
            heard=None if link is None else link.heard,
            delay=PLUGINS if link is not None and link.heard else 0.0,
        )
    )


async def _plugins(tasks: TaskGroup, hub: Hub, watcher: Watcher, parts: _Parts) -> None:
    """Watch every OpenCode whose plugin reports, also one that is watched by its address."""
    async for link in hub.links():
        tasks.start_soon(_connected, watcher, link.opencode(), parts.face, parts.settings, link)


async def _spared(face: Face, what: str, do: Callable[..., Awaitable[None]], *given: Any) -> None:
    """Run something that may fail: the watch goes on without it."""
    try:
        await do(*given)
    except Exception as error:  # noqa: BLE001 - whatever it is
        face.trouble(f"{what} ended: {type(error).__name__}: {error}")


async def _alive(store: Store, by: str, mode: str, face: Face) -> None:
    """Leave signs of life, and delete the texts that were kept long enough."""
    while True:
        try:
            await in_thread(store.expire, time.time())
            await anyio.sleep(ALIVE)
            await in_thread(store.watching, by, WatchState.ALIVE, mode, "opencode", time.time())
        except StoreError as error:
            face.trouble(str(error))
            await anyio.sleep(ALIVE)


async def _signals(scope: anyio.CancelScope) -> None:
    """End cleanly on the signals that end a program."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as came:
        async for _ in came:
            scope.cancel()
            return
