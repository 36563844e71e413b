"""What a person switched, in the store, and who said that they watch.

Rows are only ever added; the last one of a session counts, and outlives every process. Any thread
may call it.
"""

from __future__ import annotations

from auditor.glimpse import visible
from auditor.live.settings import Mode
from auditor.live.switches import Pause, Switch, Watcher, WatchState
from auditor.redact import redact
from auditor.rows import Rows
from auditor.schema import wrapped

_SWITCH = "INSERT INTO switches (at, session, kind, mode, until) VALUES (?, ?, ?, ?, ?)"
_MODE = "SELECT mode FROM switches WHERE kind = 'mode' AND session IS ? ORDER BY id DESC LIMIT 1"
_MODES = """SELECT session, mode, max(id) FROM switches WHERE kind = 'mode' GROUP BY session
ORDER BY session IS NOT NULL, id"""
_PAUSE = """SELECT session, kind, at, until, max(id) FROM switches
WHERE kind IN ('pause', 'resume') GROUP BY session ORDER BY session IS NOT NULL, id"""
_WATCH = "INSERT INTO watches (at, by, state, mode, harness) VALUES (?, ?, ?, ?, ?)"
_WATCHERS = """SELECT by, state, mode, harness, began, at, max(id) FROM
(SELECT *, max(at) FILTER (WHERE state = 'began') OVER (PARTITION BY by) AS began FROM watches)
WHERE at >= ? GROUP BY by ORDER BY at DESC, id DESC"""


class SwitchRows(Rows):
    """The tables `switches` and `watches`. Times are Unix seconds."""

    def switch(
        self,
        kind: Switch,
        session: str | None,
        now: float,
        *,
        mode: Mode | None = None,
        until: float | None = None,
    ) -> None:
        """Keep what a person switched, for a session or for all (None).

        `mode` goes with `Switch.MODE`; `until` with a pause, None for one without an end.
        """
        hidden = None if session is None else self.hidden(session)
        with wrapped(self.path), self._transaction():
            self._db.execute(_SWITCH, (now, hidden, kind, mode, until))

    def switched(self) -> int:
        """Give a number that grows with every switch, so that it can be looked at often."""
        with wrapped(self.path):
            return int(
                self._read.execute("SELECT coalesce(max(id), 0) FROM switches").fetchone()[0]
            )

    def mode(self, session: str | None) -> Mode:
        """Give the mode of a session: its own, else that of all (None), else the default."""
        names = [None] if session is None else [self.hidden(session), None]
        with wrapped(self.path):
            for name in names:
                row = self._read.execute(_MODE, (name,)).fetchone()
                if row is not None and row[0] != Mode.DEFAULT:
                    return Mode(row[0])
        return Mode.DEFAULT

    def modes(self) -> dict[str | None, Mode]:
        """Give every mode but the default: of all (None), and of sessions by their hidden names."""
        with wrapped(self.path):
            rows = self._read.execute(_MODES).fetchall()
        return {name: Mode(mode) for name, mode, _ in rows if mode != Mode.DEFAULT}

    def paused(self, session: str | None, now: float) -> Pause | None:
        """Give the pause that holds a session, of it or of everything: the one that ends last."""
        mine = (None,) if session is None else (None, self.hidden(session))
        held = [pause for pause in self.pauses(now) if pause.session in mine]
        return max(held, key=lambda pause: _end(pause.until), default=None)

    def pauses(self, now: float) -> list[Pause]:
        """Give every pause in force, that of everything first."""
        with wrapped(self.path):
            rows = self._read.execute(_PAUSE).fetchall()
        return [
            Pause(session, since, until)
            for session, kind, since, until, _ in rows
            if kind == Switch.PAUSE and now < _end(until)
        ]

    def watching(self, by: str, state: WatchState, mode: str, harness: str, now: float) -> None:
        """Keep that a watcher began, is alive or ended. `by`: any name of the process."""
        row = (now, self.hidden(by), state, mode, visible(redact(harness)))
        with wrapped(self.path), self._transaction():
            self._db.execute(_WATCH, row)

    def watchers(self, since: float) -> list[Watcher]:
        """Give the watchers that were heard of since a moment, the latest first, names hidden."""
        with wrapped(self.path):
            rows = self._read.execute(_WATCHERS, (since,)).fetchall()
        return [
            Watcher(by=by, state=WatchState(state), mode=mode, harness=harness, began=began, at=at)
            for by, state, mode, harness, began, at, _ in rows
        ]


def _end(until: float | None) -> float:
    return float("inf") if until is None else until
