"""What was done live, in the store: claims and deeds.

Owns that a message is claimed once, whoever watches and however often they are killed. Rows are
only ever added; a later one counts. Any thread may call it. It decides nothing: whether a deed is
right is planning's, and a claim that cannot be written is a reason to send nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from auditor.label_rows import raw
from auditor.live.spent import Deed, Done, Outcome, Spent
from auditor.live.switches import Asked, asked_name
from auditor.rows import HIDDEN
from auditor.schema import wrapped
from auditor.switch_rows import SwitchRows

STALE = 60.0
"""Seconds after which a claim that nothing came of may be taken over, once. A request to a harness
must give up well before: whoever claimed first may still be sending."""

FORGOTTEN = 600.0
"""Seconds for which a nudge that a person asked for is still wanted (a guess: longer ago they have
done something else)."""

RESUME_NOW = "resume_now"
"""The recovery that answers a person who asked (`live.recoveries`)."""

_LAST = "SELECT 1 FROM (SELECT outcome, max(id) FROM deeds WHERE {} GROUP BY deed, message, at) \
WHERE outcome != 'failed' LIMIT 1"
_DELIVERED = _LAST.format("session = ? AND message = ? AND deed = ?")
_ANSWERED = _LAST.format("session = ? AND at >= ? AND recovery = ?")
_CLAIMED = "SELECT count(*), max(at) FROM claims WHERE session = ? AND message = ? AND deed = ?"
_CLAIM = "INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?)"
_REMEMBER = """INSERT INTO deeds (session, deed, recovery, message, request, at, outcome, attempt,
text, turn) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_DEEDS = """SELECT session, deed, recovery, message, request, at, outcome, attempt, text, hex(turn),
max(id) FROM deeds WHERE {} GROUP BY session, deed, message, at ORDER BY at, id"""
_SPENT = _DEEDS.format("session = ? AND at >= ?")
_RECENT = _DEEDS.format("at >= ?")
_UNRESOLVED = _DEEDS.format(
    "at >= ?1 AND ?2 IN (session, '') AND deed = 'nudge' AND turn IS NOT NULL AND NOT EXISTS"
    " (SELECT 1 FROM labels WHERE labels.turn = deeds.turn AND source = 'hindsight')"
)
_KNOWN = """SELECT 1 FROM turns WHERE session = ?1 UNION ALL SELECT 1 FROM deeds WHERE session = ?1
LIMIT 1"""
_ASKED = """SELECT id, at FROM switches WHERE kind = 'now' AND session = ? AND at > ?
ORDER BY id DESC LIMIT 1"""


class Remembered(Struct, frozen=True):
    """A deed of the past. `session`: its hidden name; `turn`: the turn's address as hex."""

    session: str
    done: Done
    turn: str | None


class LiveRows(SwitchRows):
    """The tables `claims` and `deeds`. Times are Unix seconds."""

    def claim(self, session: str, message: str, deed: Deed, by: str, now: float) -> bool:
        """Claim a deed about a message for whoever asks; say whether it is theirs.

        Nobody else gets it, unless nothing was delivered within `STALE`: then one other does, who
        looks at the session again first. `by`: any name of the process. Raises `StoreError`: then
        nothing may be sent.
        """
        key = (self.hidden(session), self._name(message), deed.value)
        with wrapped(self.path), self._transaction():
            claimed, last = self._db.execute(_CLAIMED, key).fetchone()
            if claimed and (claimed > 1 or now - last < STALE or self._delivered(key)):
                return False
            self._db.execute(_CLAIM, (*key, claimed + 1, self.hidden(by), now))
        return True

    def claimed(self, session: str, message: str, deed: Deed, since: float) -> bool:
        """Whether a deed was claimed since a moment."""
        key = (self.hidden(session), self._name(message), deed.value)
        with wrapped(self.path):
            claimed, last = self._read.execute(_CLAIMED, key).fetchone()
        return bool(claimed) and last >= since

    def _delivered(self, key: tuple[str, ...]) -> bool:
        return self._db.execute(_DELIVERED, key).fetchone() is not None

    def remember(self, session: str, done: Done, turn: str | None = None) -> None:
        """Keep what was done. The same deed about the same message at the same moment replaces.

        `turn`: the address of the turn it was about, as hex, where the turn is kept.
        """
        request = None if done.request is None else self._name(done.request)
        row = (
            *(self.hidden(session), done.deed, done.recovery, self._name(done.message), request),
            *(done.at, done.outcome, done.attempt, _digest(done.text)),
            None if turn is None else raw(turn),
        )
        with wrapped(self.path), self._transaction():
            self._db.execute(_REMEMBER, row)

    def spent(self, session: str, names: Iterable[str | None] = (), since: float = 0.0) -> Spent:
        """Give what was done in a session, by any process, since a moment.

        The store hides the ids of messages. Those in `names` come back as they are; a deed about
        any other keeps its hidden name, which can be claimed and remembered again as it is.
        """
        known = {self._name(name): name for name in names if name is not None}
        with wrapped(self.path):
            rows = self._read.execute(_SPENT, (self.hidden(session), since)).fetchall()
        return Spent(tuple([_remembered(row, known).done for row in rows]))

    def recent(self, since: float) -> list[Remembered]:
        """Give what was done in all sessions since a moment, oldest first."""
        with wrapped(self.path):
            rows = self._read.execute(_RECENT, (since,)).fetchall()
        return [_remembered(row) for row in rows]

    def unresolved(self, session: str | None = None, since: float = 0.0) -> list[Remembered]:
        """Give the nudges that arrived, about kept turns of which no hindsight label says more.

        In a session or in all (None), since a moment, oldest first.
        """
        hidden = "" if session is None else self.hidden(session)
        with wrapped(self.path):
            rows = self._read.execute(_UNRESOLVED, (since, hidden)).fetchall()
        found = [_remembered(row) for row in rows]
        return [each for each in found if each.done.outcome is not Outcome.FAILED]

    def knows(self, session: str) -> bool:
        """Whether anything is kept of a session: a turn, or a deed."""
        with wrapped(self.path):
            return self._read.execute(_KNOWN, (self.hidden(session),)).fetchone() is not None

    def asked(self, session: str, now: float) -> Asked | None:
        """Give the nudge that a person asked for and nobody sends yet; it is claimed by `name`.

        Whoever claims it sends one nudge, whatever pauses, modes and budgets say. Where nothing
        came of that claim it is given once more, as every claim is.
        """
        hidden = self.hidden(session)
        with wrapped(self.path):
            row = self._read.execute(_ASKED, (hidden, now - FORGOTTEN)).fetchone()
            if (
                row is None
                or self._read.execute(_ANSWERED, (hidden, row[1], RESUME_NOW)).fetchone()
            ):
                return None
            found = Asked(asked_name(row[0]), row[1])
            key = (hidden, self._name(found.name), Deed.NUDGE.value)
            claimed, last = self._read.execute(_CLAIMED, key).fetchone()
        return found if not claimed or (claimed == 1 and now - last >= STALE) else None

    def _name(self, name: str) -> str:
        """Hide the id of a message, once: what is hidden already stays as it is."""
        return name if _HIDDEN.fullmatch(name) else f"~{self.hidden(name)}"


_HIDDEN = re.compile(rf"~[0-9a-f]{{{HIDDEN}}}")
_DIGEST = re.compile(r"(?:[0-9a-f]{16,64})?")


def _digest(text: str) -> str:
    """Let a digest pass, and make one of anything else: words are not kept."""
    if _DIGEST.fullmatch(text):
        return text
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _remembered(row: tuple[Any, ...], known: dict[str, str] | None = None) -> Remembered:
    session, deed, recovery, message, request, at, outcome, attempt, text, turn, _ = row
    named = known or {}
    done = Done(
        deed=Deed(deed),
        recovery=recovery,
        message=named.get(message, message),
        request=None if request is None else named.get(request, request),
        at=at,
        outcome=Outcome(outcome),
        attempt=attempt,
        text=text,
    )
    return Remembered(session, done, turn.lower() or None)
