"""How much is recovered at the start: no more than so many turns that had ended before it.

Owns the places, which the latest sessions get. A turn that a person's new request begins, and one
that runs, needs none. A session that nothing is done about gives its place to the next one.
"""

from __future__ import annotations

from collections.abc import Iterable

from auditor.live.situation import Doing, Situation


class Start:
    """The turns that had ended when a server was first connected to, and the places for them."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._open: dict[str, None] = {}
        self._ended: dict[str, str | None] = {}
        self._taken: set[str] = set()

    def expect(self, sessions: Iterable[str]) -> None:
        """Note which sessions are going to be read, the latest first."""
        self._open = dict.fromkeys(sessions)

    def found(self, situation: Situation) -> None:
        """Note a session as it was found."""
        if situation.doing is Doing.IDLE:
            self._ended[situation.session] = situation.request
        else:
            self.settled(situation.session)

    def settled(self, session: str) -> None:
        """Nothing is to be done about a session, for now at least."""
        self._open.pop(session, None)

    def left(self, session: str) -> None:
        """What was going to be done was not: another may have the place."""
        self._taken.discard(session)

    def admits(self, situation: Situation) -> bool | None:
        """Whether something may be done about a session: take a place where it needs one.

        None: that is known when the later sessions before it are settled.
        """
        session = situation.session
        if session not in self._ended or self._ended[session] != situation.request:
            return True
        if session not in self._taken:
            before = list(self._open).index(session) if session in self._open else 0
            if len(self._taken) >= self._places:
                return False
            if len(self._taken) + before >= self._places:
                return None
            self._open.pop(session, None)
            self._taken.add(session)
        return True
