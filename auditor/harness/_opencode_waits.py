"""What waits for the user in one session: permissions and questions, by their ids.

Owns that what was answered does not come back with an older list of the server's.
"""

from __future__ import annotations

from math import inf

from auditor.live.situation import Hold, HoldKind

ANSWERED = 50
"""Answered ones remembered; more are not answered while a list is on its way."""


class Waits:
    """What is open; `now` and `asked` are Unix seconds."""

    def __init__(self) -> None:
        self.open: dict[str, Hold] = {}
        self._answered: dict[str, float] = {}

    def ask(self, kind: HoldKind, id_: str, what: str, now: float) -> None:
        """Something is asked; said again, it is believed anew."""
        self.open[id_] = Hold(kind, what, now)

    def answer(self, id_: str, now: float) -> bool:
        """It was answered; say whether it was open."""
        self._answered[id_] = now
        if len(self._answered) > ANSWERED:
            del self._answered[next(iter(self._answered))]
        return self.open.pop(id_, None) is not None

    def resumed(self, now: float) -> None:
        """The clock may have been set back: nothing is later than now."""
        for id_, hold in self.open.items():
            self.open[id_] = Hold(hold.kind, hold.what, min(hold.since, now))
        self._answered = {id_: min(at, now) for id_, at in self._answered.items()}

    def listed(self, kind: HoldKind, open_: dict[str, str], now: float, asked: float = inf) -> bool:
        """Exactly this is open, by a list asked for at `asked`; say whether something closed."""
        closed = [
            id_
            for id_, hold in self.open.items()
            if hold.kind is kind and id_ not in open_ and hold.since < asked
        ]
        for id_ in closed:
            del self.open[id_]
        for id_, what in open_.items():
            if self._answered.get(id_, -inf) < asked:
                self.ask(kind, id_, what, now)
        return bool(closed)
