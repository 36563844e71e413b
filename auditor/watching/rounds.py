"""What is looked at from time to time, whatever happens: the gate, and the person's switches.

Owns when, and that nothing is watched before the gate was looked at. After either changed every
session is worth a look; what that is, it does not know.
"""

from __future__ import annotations

from collections.abc import Callable

import anyio

from auditor.errors import StoreError
from auditor.store import Store
from auditor.watching.aside import Aside
from auditor.watching.auditing import Auditing
from auditor.watching.face import Face
from auditor.watching.permits import Permits
from auditor.watching.schedule import AGAIN

SWITCHES = 1.0
"""Seconds between two looks at what the person switched: they wait for it."""


class Rounds:
    """Goes round, for one event loop; `changed` is called when every session is worth a look."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it asks, and whom it tells
        self,
        store: Store,
        auditing: Auditing,
        permits: Permits,
        face: Face,
        clock: Callable[[], float],
        aside: Aside,
        changed: Callable[[], None],
    ) -> None:
        self._store, self._auditing, self._permits = store, auditing, permits
        self._face, self._clock, self._aside, self._changed = face, clock, aside, changed
        self.ready = anyio.Event()
        """Set once the gate was looked at."""

    async def run(self) -> None:
        """Go round until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._gate)
            tasks.start_soon(self._switches)

    async def _gate(self) -> None:
        """Look at all that takes nudging back: before anything else, and hourly."""
        while True:
            if self._permits.due(self._clock()):
                why = await self._looked_at_gate()
                if why is not None:
                    self._face.trouble(f"nothing is nudged: {why}")
                self.ready.set()
                self._changed()
            await anyio.sleep(AGAIN)

    async def _looked_at_gate(self) -> str | None:
        try:
            health = self._auditing.health()
            why: str | None = await self._aside(self._permits.look, self._clock(), health)
        except Exception as error:  # noqa: BLE001 - then nothing is permitted
            return f"{type(error).__name__}: {error}"
        return why

    async def _switches(self) -> None:
        """Notice what the person switched: then every session is worth a look."""
        seen: int | None = None
        while True:
            try:
                now = self._store.switched()
            except StoreError:
                now = seen or 0
            if seen is not None and now != seen:
                self._changed()
            seen = now
            await anyio.sleep(SWITCHES)
