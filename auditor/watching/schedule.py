"""When which session is looked at: at once when something happened in it, or when its time comes.

Owns one moment for each session, and that a session is looked at by one task at a time. What a look
is, it does not know.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf

import anyio
from anyio.abc import TaskGroup

Key = tuple[int, str]
"""A connection by its number, and a session."""

LONGEST = 30.0
"""Seconds that are slept at most: a machine that slept, or a clock set anew, is noticed then."""

AGAIN, AGAIN_MOST = 5.0, 300.0
"""Seconds until a session is looked at again after trouble with it, doubled each time (guesses)."""


class Schedule:
    """Calls `look` for every session that is due; a slow one delays no other."""

    def __init__(self, look: Callable[[Key], Awaitable[None]], clock: Callable[[], float]) -> None:
        """`look` must not raise."""
        self._look, self._clock = look, clock
        self._due: dict[Key, float] = {}
        self._busy: set[Key] = set()
        self._again: set[Key] = set()
        self._wake = anyio.Event()

    def at(self, key: Key, moment: float = -inf) -> None:
        """Look at a session, now or at a moment (Unix seconds); the earliest one counts."""
        self._due[key] = min(moment, self._due.get(key, inf))
        self._wake.set()

    def drop(self, number: int) -> None:
        """Forget the sessions of a connection."""
        self._due = {key: at for key, at in self._due.items() if key[0] != number}

    async def run(self) -> None:
        """Look at sessions when they are due, until cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                self._wake = anyio.Event()
                now = self._clock()
                for key in [key for key, at in self._due.items() if at <= now]:
                    del self._due[key]
                    self._begin(tasks, key)
                wait = min(min(self._due.values(), default=inf) - now, LONGEST)
                with anyio.move_on_after(max(wait, 0.0)):
                    await self._wake.wait()

    def _begin(self, tasks: TaskGroup, key: Key) -> None:
        self._again.add(key)
        if key not in self._busy:
            self._busy.add(key)
            tasks.start_soon(self._looked, key)

    async def _looked(self, key: Key) -> None:
        """Look at one session, and again while something new came meanwhile."""
        try:
            while key in self._again:
                self._again.discard(key)
                await self._look(key)
        finally:
            self._busy.discard(key)


class Troubles:
    """What went wrong with sessions: said once, and tried again ever more rarely."""

    def __init__(self) -> None:
        self._known: dict[Key, tuple[int, str]] = {}

    def noted(self, key: Key, why: str) -> tuple[bool, float]:
        """Note one; give whether it is new, and the seconds until the next try."""
        times, before = self._known.get(key, (0, ""))
        self._known[key] = (times + 1, why)
        return why != before, min(AGAIN * 2.0**times, AGAIN_MOST)

    def over(self, key: Key) -> None:
        """All is well with it."""
        self._known.pop(key, None)
