"""A watcher over a fake OpenCode, on a clock that jumps: what the tests of the loop share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
import trio
from trio.testing import MockClock

from auditor.asking import Asker
from auditor.calibration import NO_CALIBRATIONS
from auditor.harness._opencode_server import OpenCode
from auditor.live.settings import Settings
from auditor.store import Store
from auditor.watching.auditing import Auditing
from auditor.watching.board import Board, Kind
from auditor.watching.connection import Connection
from auditor.watching.face import Face
from auditor.watching.permits import Permits, WatchMode
from auditor.watching.watcher import Watcher
from tests.watching.fake import Fake, now


async def inline(do: Callable[..., Any], *arguments: Any) -> Any:
    """In the place of a thread, which the clock would not wait for."""
    await anyio.lowlevel.checkpoint()
    return do(*arguments)


Clock = Callable[[], float]


class Place:
    """What a test looks at."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings = store, settings
        self.fake = Fake()
        self.board = Board("test", now())
        self.face = Face(self.board, settings, now)
        self.extra: dict[str, Any] = {}

    def lines(self, kind: Kind | None = None) -> list[str]:
        return [line.text for line in self.board.lines if kind in (None, line.kind)]

    def watcher(self, permits: Permits, by: str = "w1", **more: Any) -> Watcher:
        asker = Asker(None, questions=None, offline=True)
        auditing = Auditing(self.store, asker, NO_CALIBRATIONS, inline)
        return Watcher(
            self.store,
            more.pop("auditing", auditing),
            permits,
            self.settings,
            self.face,
            by=by,
            clock=more.pop("clock", now),
            aside=more.pop("aside", inline),
            **more,
        )

    async def watch(self, watcher: Watcher, fake: Fake | None = None, clock: Clock = now) -> None:
        await watcher.watch(
            lambda look: Connection(
                OpenCode(transport=fake or self.fake),
                look=look,
                say=self.face.line,
                clock=clock,
                fresh=self.settings.fresh,
                scan=self.settings.scan,
                linked=partial(self.face.linked, "server"),
            )
        )

    @asynccontextmanager
    async def watched(self, *watchers: Watcher, clock: Clock = now) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            for watcher in watchers:
                tasks.start_soon(watcher.run)
                tasks.start_soon(self.watch, watcher, None, clock)
            yield
            tasks.cancel_scope.cancel()


def permits(place: Place, mode: WatchMode = WatchMode.NUDGE, *, rules_only: bool = True) -> Permits:
    return Permits(place.store, mode, rules_only=rules_only, offline=True)


async def until(true: Callable[[], Any], seconds: float) -> None:
    """Wait for something, on the test's clock."""
    deadline = trio.current_time() + seconds
    while not true():
        assert trio.current_time() < deadline, f"nothing after {seconds} s"
        await anyio.sleep(0.1)


Script = Callable[[Place], Awaitable[None]]


def play(tmp_path: Path, script: Script, **settings: Any) -> Place:
    """Run a script with a store and settings; give the place as it was left."""
    with pytest.MonkeyPatch.context() as patch, Store(tmp_path / "live.db") as store:
        patch.delenv("AUDITOR_OFF", raising=False)
        patch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

        async def main() -> Place:
            place = Place(store, Settings(**settings))
            try:
                await script(place)
            finally:
                place.fake.drop()
            return place

        return anyio.run(
            main, backend="trio", backend_options={"clock": MockClock(autojump_threshold=0)}
        )
