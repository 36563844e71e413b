"""What the watcher sees and did, in memory, for whoever shows it: the screen, lines, `/stats`.

Owns counters, the sessions and the last happenings, and bounds on them. Whoever tells of texts and
whoever shows them makes them safe with `shown`. Decides and prints nothing.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from auditor.glimpse import one_line
from auditor.live.situation import Doing
from auditor.redact import redact
from auditor.turn import Verdict

SESSIONS = 1_000
"""Sessions kept, those first dropped that were not seen for longest (a guess)."""

HAPPENINGS = 200
"""The last ones, of which a screen shows a few (a guess)."""

LONGEST = 4_000
"""Characters of a text that are made safe to show; more than any line has (a guess)."""


class Kind(StrEnum):
    """What can happen."""

    AUDIT = "audit"
    NUDGE = "nudge"
    ABORT = "abort"
    HELD = "held"  # likely, and only logged
    TELL = "tell"  # given up; the person was told
    LINK = "link"  # a server or plugin is there
    LOST = "lost"  # and gone
    NOTE = "note"  # anything else
    TROUBLE = "trouble"


class Seen(Struct, frozen=True, kw_only=True):
    """A session at its last look. Times are Unix seconds; `due`: when something is done next."""

    session: str
    at: float
    title: str = ""
    directory: str = ""
    doing: Doing = Doing.UNKNOWN
    verdict: Verdict | None = None
    reason: str = ""
    due: float | None = None
    nudges: int = 0
    held: bool = False


class Happening(Struct, frozen=True):
    """Something worth a line. `name`: which one of its kind, such as the recovery."""

    at: float
    kind: Kind
    text: str
    session: str | None = None
    name: str = ""


class Board:
    """Everything there is to show of a watcher."""

    def __init__(self, mode: str, started: float) -> None:
        self.mode, self.started = mode, started
        self.counts: Counter[Kind] = Counter()
        self.names: Counter[tuple[Kind, str]] = Counter()
        self.links: set[str] = set()
        """Servers and plugins that are there."""
        self.lines: deque[Happening] = deque(maxlen=HAPPENINGS)
        self.listeners: list[Callable[[Happening], None]] = []
        self._seen: OrderedDict[str, Seen] = OrderedDict()

    def saw(self, seen: Seen) -> None:
        """A session was looked at."""
        self._seen[seen.session] = seen
        self._seen.move_to_end(seen.session)
        if len(self._seen) > SESSIONS:
            self._seen.popitem(last=False)

    def gone(self, session: str) -> None:
        """A session is no longer there."""
        self._seen.pop(session, None)

    def happened(
        self, kind: Kind, text: str, *, at: float, session: str | None = None, name: str = ""
    ) -> None:
        """Something happened. For `LINK` and `LOST` the name is the server's or plugin's."""
        self.counts[kind] += 1
        match kind:
            case Kind.LINK:
                self.links.add(name or text)
            case Kind.LOST:
                self.links.discard(name or text)
            case _ if name:
                self.names[kind, name] += 1
        line = Happening(at, kind, text, session, name)
        self.lines.append(line)
        for listener in self.listeners:
            listener(line)

    def sessions(self) -> list[Seen]:
        """List the sessions, the one seen last first. Safe to call from another thread."""
        return list(self._seen.values())[::-1]

    def doing(self) -> Counter[Doing]:
        """Count the sessions by what they do."""
        return Counter([seen.doing for seen in self.sessions()])


def shown(text: str) -> str:
    """Make a text one line that is redacted, without colours, and safe to print."""
    return one_line(redact(_COLOURS.sub("", text[:LONGEST])))


_COLOURS = re.compile(r"(?:\x1b\[|\x9b)[0-?]{0,32}[ -/]{0,8}[@-~]")
"""Control sequences of terminals (ECMA-48, 5.4); the last letter of one glued to a secret would
hide it from `redact`."""
