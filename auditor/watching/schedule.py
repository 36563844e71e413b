"""When which session is looked at: at once when something happened in it, or when its time comes.

Owns one moment for each session, that it is looked at by one task at a time, and not too often.
What a look is, it does not know.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf

import anyio
from msgspec import Struct

Key = tuple[int, str]
"""A connection by its number, and a session."""

LONGEST = 30.0
"""Seconds that are slept at most: a machine that slept, or a clock set anew, is noticed then."""

PACE = 0.5
"""Seconds between the beginnings of two looks at a session: one that works moves ten times in that,
a look at a long turn takes some 5 ms, and nothing is lost by seeing it half a second later."""

MANY = 4_000
"""Sessions whose last look is remembered: twice what a mirror keeps."""

AGAIN, AGAIN_MOST = 5.0, 300.0
"""Seconds until a session is looked at again after trouble with it, doubled each time (guesses)."""


class Schedule:
    """Calls `look` for every session that is due; a slow one delays no other."""

    def __init__(self, look: Callable[[Key], Awaitable[None]], clock: Callable[[], float]) -> None:
        """`look` must not raise."""
        self._look, self._clock = look, clock
        self._due: dict[Key, float] = {}
        self._busy: set[Key] = set()
        self._began: dict[Key, float] = {}
        self._wake = anyio.Event()

    def at(self, key: Key, moment: float = -inf) -> None:
        """Look at a session, now or at a moment (Unix seconds); the earliest one counts."""
        began = min(self._began.get(key, -inf), self._clock())  # it may have been set back
        moment = max(moment, began + PACE)
        self._due[key] = min(moment, self._due.get(key, inf))
        self._wake.set()

    def drop(self, number: int) -> None:
        """Forget the sessions of a connection."""
        self._due = {key: at for key, at in self._due.items() if key[0] != number}
        self._began = {key: at for key, at in self._began.items() if key[0] != number}

    async def ended(self, number: int) -> None:
        """Wait until no session of a connection is looked at."""
        while any(key[0] == number for key in self._busy):  # noqa: ASYNC110 - once, at an end
            await anyio.sleep(0.05)

    async def run(self) -> None:
        """Look at sessions when they are due, until cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                self._wake = anyio.Event()
                now = self._clock()
                for key in [key for key, at in self._due.items() if at <= now]:
                    if key not in self._busy:
                        del self._due[key]
                        self._busy.add(key)
                        self._began[key] = now
                        tasks.start_soon(self._looked, key)
                if len(self._began) > MANY:
                    self._began = {k: at for k, at in self._began.items() if at + PACE > now}
                waiting = [at for key, at in self._due.items() if key not in self._busy]
                wait = min(min(waiting, default=inf) - now, LONGEST)
                with anyio.move_on_after(max(wait, 0.0)):
                    await self._wake.wait()

    async def _looked(self, key: Key) -> None:
        """Look at one session; what comes meanwhile waits for the end of it."""
        try:
            await self._look(key)
        finally:
            self._busy.discard(key)
            self._wake.set()


class Note(Struct):
    """What is noted of a session between looks.

    `taken`: the claim that somebody else had; `promised`: a look at a moment; `unsettled`: looks in
    a row from which nothing came.
    """

    taken: str | None = None
    promised: bool = False
    unsettled: int = 0


class Troubles:
    """What went wrong with sessions: said once, and tried again ever more rarely."""

    def __init__(self) -> None:
        self.known: dict[Key, tuple[int, str]] = {}

    def noted(self, key: Key, why: str) -> tuple[bool, float]:
        """Note one; give whether it is new, and the seconds until the next try."""
        times, before = self.known.get(key, (0, ""))
        self.known[key] = (times + 1, why)
        return why != before, min(AGAIN * 2.0**times, AGAIN_MOST)

    def over(self, key: Key) -> None:
        """All is well with it."""
        self.known.pop(key, None)
