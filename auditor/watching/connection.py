"""One OpenCode server and directory, kept in a mirror: events as they come, the rest by asking.

Owns connecting and connecting again; `reading` does the asking. After a gap everything that may
have changed is read anew, so that nothing is missed or taken twice. Events are listened to before
anything is read, so that none falls between.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from math import inf

import anyio
from anyio.abc import TaskGroup

from auditor.errors import HarnessUnavailable
from auditor.harness._opencode_server import OpenCode
from auditor.live.situation import Doing
from auditor.watching.gaps import Gaps
from auditor.watching.heard import Heard
from auditor.watching.reading import Reader, about, changed
from auditor.watching.start import Start

LISTED = 200
"""Sessions asked for at a (re)connect, the latest first (a guess: weeks of work)."""

EVENTS = 100_000
"""Events that may wait; with more the stream is begun anew."""

SHORTEST, LONGEST = 0.5, 30.0
"""Seconds until the next try to connect, doubled each time, drawn from half of it to all of it."""

REST = 600.0
"""Seconds after which the messages of an idle session are forgotten; they can be read again."""

READERS = 4
"""Sessions that are read at once after connecting (a guess: the server works for people too)."""

RETRIES = (10.0, 60.0, 300.0)
"""Seconds until a session that could not be read is tried again (guesses: a server that starts, one
that is busy, one that somebody repairs)."""

OVERLAP = 10.0
"""Seconds before a gap from which on a session counts as changed in it: clocks and writes."""

JUMP = 5.0
"""Seconds by which the clock may run ahead between two looks (a guess: it is set by far less)."""

SAID = 200
"""Different troubles that are told; more tell nobody anything (a guess)."""

Look = Callable[[str], None]
Say = Callable[[str], None]


class Connection:
    """A server and directory. `look` is told which sessions are worth a look, `say` what happens.

    `fresh`: seconds; sessions that changed longer ago are not read when it connects. `scan`: turns
    that had ended before and are recovered at most. `gone`: whether it is gone for good;
    `linked` is told whether it is there, in words too. `heard`: what is known already of when it
    had messages of which session. `delay`: seconds until it connects at first.
    """

    def __init__(  # noqa: PLR0913 - whom it tells, and what is the time
        self,
        server: OpenCode,
        *,
        look: Look,
        say: Say,
        clock: Callable[[], float],
        fresh: float,
        scan: int = 8,
        gone: Callable[[], bool] = lambda: False,
        linked: Callable[[bool, str], None] = lambda _there, _text: None,
        heard: Heard | None = None,
        delay: float = 0.0,
    ) -> None:
        self._reader = Reader(server, clock)
        self.server, self.mirror = server, self._reader.mirror
        self.refreshed = self._reader.refreshed
        self.seen, self.moved = self._reader.seen, self._reader.moved
        self.interrupted = self._reader.interrupted
        self.connected = False
        self.present = True
        """Whether it is connected, or is about to be for the first time."""
        self.heard = Heard({}) if heard is None else heard
        self._look, self._say, self._clock, self._gone = look, say, clock, gone
        self._fresh, self._linked, self._delay = fresh, linked, delay
        self.start = Start(scan)
        self._rested = 0.0
        self._last: float | None = None  # event
        self.gaps = Gaps(fresh)
        self._unread: dict[str, bool] = {}  # sessions that are still to be read; whether at a start
        self._ahead = inf  # of the clock that stands still while the machine sleeps
        self._said: set[str] = set()

    @property
    def name(self) -> str:
        """How people know it."""
        return self.server.directory or self.server.url

    def woke(self) -> None:
        """Notice that the machine slept, or that its clock was set: nothing of that is silence."""
        ahead = self._clock() - anyio.current_time()
        jumped, self._ahead = abs(ahead - self._ahead) > JUMP, ahead
        if jumped:
            self.mirror.resumed(self._clock(), woke=True)
            self._look_at_all()

    def _look_at_all(self) -> None:
        for session in self.mirror.sessions():
            self._look(session)

    async def run(self) -> None:
        """Stay connected until cancelled, or until the server is gone for good."""
        wait, said, self._ahead = SHORTEST, "", self._clock() - anyio.current_time()
        await anyio.sleep(self._delay)
        while not self._gone():
            try:
                await self._connected()
            except HarnessUnavailable as error:
                why = str(error)
            except Exception as error:  # noqa: BLE001 - whatever it is, the next try may do
                why = f"{type(error).__name__}: {error}"
            if self.connected:
                wait, self.gaps.lost = SHORTEST, self._last or self._clock()
            if self.connected:
                self._linked(False, f"{why}; trying again")
            elif why != said:
                self._say(f"{why}; trying again")
            self.connected, self.present, said = False, False, why
            await anyio.sleep(wait * random.uniform(0.5, 1.0))  # noqa: S311 - no secret
            wait = min(2 * wait, LONGEST)

    async def _connected(self) -> None:
        """Connect, and take what comes. Always raises in the end: `HarnessUnavailable` mostly."""
        version = await self.server.version()
        send, receive = anyio.create_memory_object_stream[object](EVENTS)
        heard = anyio.Event()
        self._reader.begin()

        async def listen() -> None:
            try:
                async for event in self.server.events():
                    heard.set()
                    self._hear(event)
                    try:
                        send.send_nowait(event)
                    except anyio.WouldBlock:
                        raise HarnessUnavailable("more events than can be read") from None
            finally:
                send.close()
                heard.set()

        failure: BaseException | None = None
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(listen)
                await heard.wait()
                await self._snapshot(tasks)
                self._linked(True, f"connected: OpenCode {version}, {self.name}")
                self.connected = self.present = True
                self._look_at_all()  # none was looked at meanwhile
                async for event in receive:
                    self._take(event)
        except* Exception as group:  # noqa: BLE001 - given on below
            failure = _first(group)
        finally:
            receive.close()
        raise failure or HarnessUnavailable(f"{self.name}: the stream of events ended")

    def _hear(self, event: object) -> None:
        """Note that a session moved, before anybody takes the event in."""
        self._last = self._clock()
        self.woke()
        self._reader.heard(event)
        kind, session = about(event)
        if session is not None and kind.startswith("message."):
            self.heard.note(session, self._last)

    def _take(self, event: object) -> None:
        now = self._clock()
        if now - self._rested > REST:  # before the event: it may be the first after a long rest
            self._reader.rest(now - REST)
            self._rested = now
        try:
            worth = self._reader.taken(event)
        except Exception as error:  # noqa: BLE001 - an event may be anything
            self._once(f"an event cannot be read ({type(error).__name__}: {error}); left out")
            return
        for session in worth:
            self._look(session)

    async def _snapshot(self, tasks: TaskGroup) -> None:
        """Read what there is; what may have changed is read whole, beside everything else."""
        now, lost = self._clock(), self.gaps.lost
        self.gaps.over(now)
        self.mirror.resumed(now)
        since = max(now - self._fresh, lost - OVERLAP)
        worked = [id_ for id_ in self.mirror.sessions() if self._works(id_)]
        listed, busy = await self._reader.listed(LISTED)
        latest = [str(info["id"]) for info in listed if changed(info, since)]
        at_start = lost == -inf
        if at_start:
            self.start.expect(latest)
        self._unread = dict.fromkeys((*busy, *worked, *latest), at_start) | self._unread
        limit = anyio.CapacityLimiter(READERS)
        for session, first in self._unread.items():
            tasks.start_soon(self._first_look, session, limit, first)

    async def _first_look(self, session: str, limit: anyio.CapacityLimiter, at_start: bool) -> None:
        """Read a session and have it looked at; one that cannot be read costs no other."""
        for pause in (*RETRIES, None):
            try:
                async with limit:
                    situation = await self.refreshed(session)
                break
            except Exception as error:  # noqa: BLE001 - its history may be anything
                why = str(error) if isinstance(error, HarnessUnavailable) else repr(error)
                self._once(f"{session}: cannot be read ({why}); left alone")
                self.start.settled(session)
            if pause is None:
                self._unread.pop(session, None)
                return
            await anyio.sleep(pause)
        self._unread.pop(session, None)
        if situation is None:
            self.start.settled(session)
        elif at_start:
            self.start.found(situation)
        self._look(session)

    def _works(self, session: str) -> bool:
        found = self._reader.situation(session)
        return found is not None and found.doing is not Doing.IDLE and found.observed

    def _once(self, text: str) -> None:
        """Say what went wrong, once."""
        if text not in self._said and len(self._said) < SAID:
            self._said.add(text)
            self._say(text)


def _first(group: BaseExceptionGroup[Exception]) -> Exception:
    """Give the first that is about the harness, else the first."""
    found = [
        _first(error) if isinstance(error, BaseExceptionGroup) else error
        for error in group.exceptions
    ]
    return next((error for error in found if isinstance(error, HarnessUnavailable)), found[0])
