"""One OpenCode session as its server shows it: messages and what happens beside them.

Owns how bus events and answers of the server become the session's state, and which of its messages
are kept. Pure; `_opencode_situation` says what the state means. Facts as of OpenCode 1.18 (driven
and recorded): text under way is in the deltas alone; what follows `session.idle` (a diff, a
summary) is no activity; an abort sends idle twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from auditor.harness._opencode_asks import Asks
from auditor.harness._opencode_message import Message, Sign, progress, worked
from auditor.harness._opencode_parts import Json, seconds, string, when
from auditor.harness._opencode_waits import Waits
from auditor.live.situation import Doing

KEPT = 5_000
"""Messages kept, whatever they are: some ten times the longest turn seen here (a guess)."""

_DOING = {
    "busy": Doing.BUSY,
    "idle": Doing.IDLE,
    "interrupted": Doing.IDLE,  # other releases say an abort so
    "retry": Doing.RETRYING,
}
ABORT: Json = {"name": "MessageAbortedError"}
"""How a session reports an abort."""


class State:
    """What is known of the session; `now` is always Unix seconds."""

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.info: Json = {}
        self.whole = False  # seen from its beginning, or read from the server
        self.messages: dict[str, Message] = {}
        self.doing = Doing.UNKNOWN
        self.said_at = -inf  # when an event last said what it does
        self.retry_at: float | None = None
        self.quiet_since: float | None = None
        self.idle_since: float | None = None
        self.waits = Waits()
        self.todos: list[object] | None = None
        self.error: Json | None = None
        self.progressed = False
        self.asks = Asks()
        self.unseen = 0  # characters that came since somebody looked
        self._failed = ""  # the newest message when the session reported its error
        self._stopped: str | None = None  # and when it reported that it was aborted

    @property
    def parent(self) -> str | None:
        return string(self.info, "parentID")

    @property
    def aborted(self) -> bool:
        """Whether it was stopped since a person or an auditor last asked for something."""
        return self._stopped is not None and self.asks.newest <= self._stopped

    @property
    def newest(self) -> Message | None:
        return next(reversed(self.messages.values()), None)

    @property
    def _last(self) -> str:
        return next(reversed(self.messages), "")

    @property
    def answer(self) -> Message | None:
        """The newest message of the agent, also where the user wrote after it."""
        return next((each for each in reversed(self.messages.values()) if each.by_agent), None)

    @property
    def reply(self) -> Message | None:
        """The newest message, where it is the agent's."""
        newest = self.newest
        return newest if newest is not None and newest.by_agent else None

    def told(self, info: Json) -> None:
        """Take what a session is; whose sub-agent it is never changes, and is not always said."""
        parent = self.parent
        self.info = {**info, "parentID": parent} if parent is not None else info

    def read(self, messages: Iterable[object], asked: float = inf) -> None:
        """Take the messages as the server lists them, oldest first, for all that was known.

        What events said since `asked`, when the list was asked for, is newer and stays.
        """
        known, self.messages = self.messages, {}
        self.asks.marks, self.whole, self.progressed = [], True, False
        for item in messages:
            match item:
                case {"info": {"id": str(id_)} as info, "parts": list(parts)}:
                    self._listed(Message(info), id_, parts, known.get(id_), asked)
        last = self._last
        for id_, message in known.items():
            if id_ > last and message.touched >= asked:
                self.messages[id_] = message
                self._taken(message)
        if self._last > self._failed:
            self.error = None  # it ended a turn before the newest
        if self._stopped == "":
            self._stopped = self._last  # whatever there is came before

    def message(self, info: Json, now: float) -> bool:
        """A message is new or changed; say whether that is activity."""
        id_ = string(info, "id")
        if id_ is None:
            return False
        known = self.messages.get(id_)
        if known is not None:
            changed, known.info, known.touched = known.info != info, info, now
            self._said(known)
            return changed and not known.by_user  # a request's summary comes after the end
        last = self._last
        if (parent := string(info, "parentID")) is not None:
            self._missed(parent)
        self.messages[id_] = Message(info, now)
        if len(self.messages) > KEPT:
            del self.messages[next(iter(self.messages))]
        if id_ < last:
            self.messages = dict(sorted(self.messages.items()))  # ids ascend with time
        else:
            self.error = None
        return True

    def removed(self, message: str, part: str | None = None) -> None:
        """A message or one of its parts is gone."""
        if part is None:
            self.messages.pop(message, None)
        elif (found := self.messages.get(message)) is not None:
            found.drop(part)

    def part(self, part: Json, message: str, now: float, number: int = 0) -> Sign:
        """A part is new or changed; say what that shows."""
        found = self.messages.get(message)
        if found is None:
            return self._missed(message)
        before = found.put(string(part, "id") or f"{number:06d}", part)
        found.touched = max(found.touched, now)
        if found.by_user:
            self._said(found)
            return Sign.NOTHING if part == before else Sign.LOOK
        self.progressed = self.progressed or self._progress(found, part)
        shown = worked(part, before)
        if shown is Sign.MOVED:
            grown = len(string(part, "text") or "") - len(string(before, "text") or "")
            self.unseen += max(grown, 0)
        return shown

    def delta(self, message: str, part: str, text: str, now: float) -> None:
        """A piece of text or reasoning came."""
        found = self.messages.get(message)
        if found is None:
            self._missed(message)
        else:
            found.touched = now
            found.grow(part, text)
            self.unseen += len(text)

    def status(self, said: object, now: float) -> bool:
        """The server's word for what the session does, as an object or a string."""
        match said:
            case {"type": str(kind)} | str(kind):
                doing = _DOING.get(kind, Doing.UNKNOWN)
            case _:
                return False
        if kind == "interrupted":
            self.failed(ABORT)
        self.retry_at = None
        match said:
            case {"type": "retry", "next": at}:
                self.retry_at = seconds(at)
        before, self.doing = self.doing, doing
        if doing is before:
            return kind in ("retry", "interrupted")
        if doing is not Doing.IDLE:
            self.idle_since = None
        else:
            self.idle_since = (self._ended() or now) if before is Doing.UNKNOWN else now
        return True

    def resumed(self, now: float) -> None:
        """Nobody listened until now, or the clock was set: silence counts from here.

        Nothing that was heard is later than now, lest it outweigh all that is read.
        """
        self.quiet_since, self.said_at = now, min(self.said_at, now)
        self.idle_since = None if self.idle_since is None else min(self.idle_since, now)
        self.waits.resumed(now)
        for message in self.messages.values():
            message.touched = min(message.touched, now)

    def failed(self, error: object) -> None:
        """The session reports an error; an abort is one."""
        if isinstance(error, dict):
            self.error, self._failed = error, self._last
            if error.get("name") == ABORT["name"]:
                self._stopped = self._last

    def keep(self, first: str) -> None:
        """Forget the messages before this one."""
        if first in self.messages and first != next(iter(self.messages)):
            self.messages = {id_: each for id_, each in self.messages.items() if id_ >= first}

    def _missed(self, message: str) -> Sign:
        """Notice that a message was not seen: something was lost, and must be read; say so once."""
        if message in self.messages or message < next(iter(self.messages), ""):
            return Sign.NOTHING
        whole, self.whole = self.whole, False
        return Sign.LOOK if whole else Sign.MOVED

    def _listed(
        self, message: Message, id_: str, parts: list[object], known: Message | None, asked: float
    ) -> None:
        self.messages[id_] = message
        for number, part in enumerate(parts):
            if isinstance(part, dict):
                message.put(string(part, "id") or f"{number:06d}", part)
        if known is not None:
            message.touched = known.touched
            message.grown = {
                part: text
                for part, text in known.grown.items()
                if not message.parts.get(part, {}).get("text")
            }
            if known.touched >= asked:
                message.merged(known)
        self._taken(message)

    def _taken(self, message: Message) -> None:
        """Learn from a message that was read what events would have said one by one."""
        self._said(message)
        if not message.by_user:
            parts = message.parts.values()
            self.progressed = self.progressed or any(self._progress(message, p) for p in parts)

    def _progress(self, message: Message, part: Json) -> bool:
        """Whether a part is something that the agent did, not the user."""
        asked = self.messages.get(string(message.info, "parentID") or "")
        return progress(part) and not (asked is not None and asked.by_command())

    def _ended(self) -> float | None:
        """When the newest message was completed, as far as it is said."""
        return when(self.newest.info, "completed") if self.newest is not None else None

    def _said(self, message: Message) -> None:
        if self.asks.take(message, self.messages):
            self.progressed = False
