"""Which sessions a process works on: those it had messages of, and when.

OpenCodes share their sessions, but what a session does only the one knows that works on it: to the
others it looks as if it had been left. Owns that memory, and a bound on it. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

SESSIONS = 500
"""Sessions remembered; as many as the plugin remembers (a guess)."""


class _Properties(Struct, frozen=True, rename={"session": "sessionID"}):
    session: str | None = None


class _Event(Struct, frozen=True):
    """As much of an event as tells whose messages it is about."""

    type: str
    properties: _Properties = _Properties()


_EVENT = msgspec.json.Decoder(_Event)


class Heard:
    """When a process last had messages of its sessions, in Unix seconds."""

    def __init__(self, before: Mapping[str, float]) -> None:
        self._at = dict(before)

    def event(self, event: bytes, now: float) -> None:
        """Take in an event of the process, in JSON."""
        if b'"message.' not in event:
            return
        try:
            known = _EVENT.decode(event)
        except msgspec.DecodeError:
            return
        session = known.properties.session
        if session is not None and known.type.startswith("message."):
            self.note(session, now)

    def note(self, session: str, now: float) -> None:
        """Note that the process had a message of a session."""
        self._at.pop(session, None)
        self._at[session] = now
        if len(self._at) > SESSIONS:
            del self._at[next(iter(self._at))]

    def __bool__(self) -> bool:
        """Whether it had messages of any."""
        return bool(self._at)

    def at(self, session: str) -> float | None:
        """When it last had messages of a session; None: never."""
        return self._at.get(session)
