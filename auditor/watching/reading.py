"""The sessions of one OpenCode server as they are now: by what it tells, and by what it answers.

Owns when something was asked, so that no answer overwrites what an event said later, and whether a
session moved since somebody looked. What events and answers mean is the mirror's.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Mapping
from typing import Any, NamedTuple

import anyio

from auditor.errors import HarnessUnavailable
from auditor.harness._opencode_mirror import Mirror
from auditor.harness._opencode_server import Gone, OpenCode
from auditor.live.situation import HoldKind, Situation

FLOWING = "message.part.delta"
"""Text under way: there is a lot of it, and what the server answers never holds it."""


class Seen(NamedTuple):
    """How much was known of a session: by which stream, and how many of its events."""

    stream: int
    events: int


class Reader:
    """A mirror of one server and directory, and how it is kept true."""

    def __init__(self, server: OpenCode, clock: Callable[[], float]) -> None:
        self.server, self.mirror, self._clock = server, Mirror(), clock
        self._heard: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()
        self._streams = 0

    def begin(self) -> None:
        """Begin with another stream: what was heard and not taken in before is lost."""
        self._streams += 1
        self._heard = self._taken.copy()

    def heard(self, event: object) -> None:
        """Note that a session moved; to be called before anybody takes the event in."""
        _counted(self._heard, event)

    def taken(self, event: object) -> frozenset[str]:
        """Take an event in; give the sessions that are worth a look because of it."""
        _counted(self._taken, event)
        return self.mirror.apply(event, self._clock())

    def seen(self, session: str) -> Seen:
        """Give what to compare with later: `moved` says whether anything came since."""
        return Seen(self._streams, self._taken[session])

    def interrupted(self, seen: Seen) -> bool:
        """Whether another stream has begun since: nobody knows what came between."""
        return self._streams != seen.stream

    def moved(self, session: str, seen: Seen) -> bool:
        """Whether anything happened in a session that was not taken in then, text aside."""
        return self._heard[session] != seen.events

    def rest(self, before: float) -> None:
        """Forget the messages of sessions that are idle since before that moment."""
        self.mirror.rest(before)
        known = set(self.mirror.sessions())
        for session in self._heard.keys() - known:
            if self._heard[session] == self._taken[session]:
                del self._heard[session], self._taken[session]

    def situation(self, session: str) -> Situation | None:
        """Say what is known of a session."""
        return self.mirror.situation(session, self._clock())

    async def refreshed(self, session: str) -> Situation | None:
        """Read one session and what it waits for anew; None: it is gone.

        Raises `HarnessUnavailable`.
        """
        server, asked = self.server, self._clock()
        try:
            info, messages, todos, children, *waits = await together(
                lambda: server.session(session),
                lambda: server.messages(session),
                lambda: server.todos(session),
                lambda: server.children(session),
                server.statuses,
                server.permissions,
                server.questions,
            )
        except Gone:
            self.mirror.forget(session)
            return None
        now, family = self._clock(), {session, *[str(child.get("id")) for child in children]}
        for child in children:
            self.mirror.known(child)
        self.mirror.read(info, messages, now, asked)
        self.mirror.todos(session, todos)
        self._states(waits, now, family, asked)
        return self.situation(session)

    async def listed(self, limit: int) -> tuple[list[dict[str, Any]], list[str]]:
        """Read which sessions there are, latest first, and what each does; and name the busy.

        Only those of the folder: what others of the project do is told elsewhere, and here they
        would look as if they had been left.
        """
        server, asked = self.server, self._clock()
        folder, listed, *waits = await together(
            server.folder,
            lambda: server.sessions(limit),
            server.statuses,
            server.permissions,
            server.questions,
        )
        listed = [info for info in listed if _within(info, folder)]
        for info in reversed(listed):
            self.mirror.known(info)
        self._states(waits, self._clock(), None, asked)
        return listed, list(waits[0])

    def _states(
        self, waits: list[Any], now: float, of: Container[str] | None, asked: float
    ) -> None:
        """Take in what sessions do and wait for; of others than `of` newer things may be known."""
        statuses, permissions, questions = waits
        self.mirror.statuses(statuses, now, of, asked)
        self.mirror.waiting(HoldKind.PERMISSION, permissions, now, of, asked)
        self.mirror.waiting(HoldKind.QUESTION, questions, now, of, asked)


def changed(info: Mapping[str, Any], since: float) -> bool:
    """Whether a session of a person's own, no sub-agent's, changed since a moment."""
    match info:
        case {"parentID": str()}:
            return False
        case {"id": str(), "time": {"updated": int(at) | float(at)}}:
            return at / 1000 >= since
    return False


def _within(info: dict[str, Any], folder: str) -> bool:
    """Whether a session is one of the folder; where that is not said, it is."""
    match info:
        case {"directory": str(directory)}:
            return os.path.realpath(directory) == os.path.realpath(folder)
    return True


async def together(*asks: Callable[[], Awaitable[Any]]) -> list[Any]:
    """Ask all at once; raises the first `HarnessUnavailable`, `Gone` before all others."""
    answers: list[Any] = [None] * len(asks)
    failed: list[HarnessUnavailable] = []

    async def ask(place: int) -> None:
        try:
            answers[place] = await asks[place]()
        except HarnessUnavailable as error:
            failed.append(error)

    async with anyio.create_task_group() as tasks:
        for place in range(len(asks)):
            tasks.start_soon(ask, place)
    if failed:
        raise next((error for error in failed if isinstance(error, Gone)), failed[0])
    return answers


def _counted(counts: Counter[str], event: object) -> None:
    """Count an event for its session, and for the parent of one that begins or changes."""
    kind, session = about(event)
    if session is None or kind == FLOWING:
        return
    counts[session] += 1
    match event:
        case {"properties": {"info": {"parentID": str(parent)}}} if kind.startswith("session."):
            counts[parent] += 1


def about(event: object) -> tuple[str, str | None]:
    """Name the kind of an event, and its session."""
    match event:
        case {"payload": dict(inside)}:
            return about(inside)
        case {
            "type": str(kind),
            "properties": {"sessionID": str(id_)}
            | {"info": {"sessionID": str(id_)}}
            | {"part": {"sessionID": str(id_)}}
            | {"info": {"id": str(id_)}},
        }:
            return kind, id_
    return "", None
