"""One message of a session that is watched: its parts, and the texts of parts that still grow.

Owns what a message alone can say: who wrote it, an auditor's mark, how it wants to be answered, and
whether a part shows progress. Knows nothing of the other messages.
"""

from __future__ import annotations

from enum import Enum, auto
from math import inf

from auditor.harness._opencode_parts import GOES_ON, SHELL, Json, stamp, string, when
from auditor.live.situation import Mark, ReplyAs

MARK = "auditor"
"""Key of the metadata of a part that an auditor sent."""

TEXT = 200_000
"""Characters of a text under way that are kept, the last ones; a loop shows in far fewer."""

_DONE = frozenset({"completed", "error"})
_TEXTS = frozenset({"text", "reasoning"})


class Sign(Enum):
    """What an event shows: nothing new, that something moves, or what is worth a look too."""

    NOTHING = auto()
    MOVED = auto()
    LOOK = auto()


class Message:
    """A message, its parts in order.

    `touched`: when an event last changed it, Unix seconds.
    """

    def __init__(self, info: Json, touched: float = -inf) -> None:
        self.info, self.touched = info, touched
        self.parts: dict[str, Json] = {}
        self.grown: dict[str, str] = {}

    @property
    def by_user(self) -> bool:
        """Whether it stands on the user's side, whoever wrote it."""
        return self.info.get("role") == "user"

    @property
    def by_agent(self) -> bool:
        """Whether the agent wrote it; what other roles there may be is not known."""
        return self.info.get("role") == "assistant"

    @property
    def blank(self) -> bool:
        """Whether it holds nothing of the agent's, not even an end."""
        ended = "finish" in self.info or "error" in self.info
        over = ended or stamp(self.info, "completed") is not None
        return self.by_user or not (self.parts or over)

    @property
    def ended(self) -> bool:
        """Whether it ended its turn: it failed, or says so and was not cut off by a call."""
        return "error" in self.info or self.info.get("finish", "tool-calls") not in GOES_ON

    @property
    def heard(self) -> bool:
        """Whether an event ever told of it; else all that is known was read."""
        return self.touched > -inf

    def put(self, id_: str, part: Json) -> Json | None:
        """Put a part in its place (ids ascend with time); give what was there before."""
        before = self.parts.get(id_)
        late = before is None and id_ < next(reversed(self.parts), "")
        self.parts[id_] = part
        if late:
            self.parts = dict(sorted(self.parts.items()))
        if part.get("text"):
            self.grown.pop(id_, None)
        elif before is None and part.get("type") == "step-start":
            self.grown.clear()  # another try: what the one before had written is discarded
        return before

    def grow(self, part: str, text: str) -> None:
        """A piece of a text came, which is over once its part has it whole."""
        if not self.parts.get(part, {}).get("text"):
            self.grown[part] = (self.grown.get(part, "") + text)[-TEXT:]

    def drop(self, part: str) -> None:
        """A part is gone."""
        self.parts.pop(part, None)
        self.grown.pop(part, None)

    def merged(self, newer: Message) -> None:
        """Take what events said of the same message after this was read."""
        self.info = newer.info
        for id_, part in newer.parts.items():
            self.put(id_, part)

    def listed(self) -> list[object]:
        """The parts, texts under way filled in."""
        return [self._shown(id_, part) for id_, part in self.parts.items()]

    def _shown(self, id_: str, part: Json) -> Json:
        grown = self.grown.get(id_)
        return {**part, "text": grown} if grown and not part.get("text") else part

    def words(self) -> str:
        """What a person typed in it."""
        found = [
            string(part, "text") or ""
            for part in self.parts.values()
            if part.get("type") == "text" and not _put_in(part)
        ]
        return "\n\n".join(found)

    def by_person(self) -> bool:
        """Whether some part of it was typed or attached by a person."""
        return any(
            part.get("type") in ("text", "file", "agent", "subtask") and not _put_in(part)
            for part in self.parts.values()
        )

    def by_command(self) -> bool:
        """Whether what answers it is a `!` command of the user's own."""
        return any(part.get("text") == SHELL for part in self.parts.values())

    def aside(self) -> bool:
        """Whether it asks the agent for nothing: a command of the user's own, a compaction."""
        return self.by_command() or bool(self._compactions())

    def own(self) -> bool:
        """Whether what answers it is the user's own doing, not a turn of the agent's."""
        return self.by_command() or any(part.get("auto") is False for part in self._compactions())

    def _compactions(self) -> list[Json]:
        return [part for part in self.parts.values() if part.get("type") == "compaction"]

    def mark(self) -> Mark | None:
        """An auditor's mark on it."""
        for part in self.parts.values():
            match part:
                case {"metadata": {"auditor": {"recovery": str(recovery)}}}:
                    at = when(self.info, "created") or 0.0
                    return Mark(string(self.info, "id") or "", recovery, at)
        return None

    def reply_as(self) -> ReplyAs | None:
        """How it wants to be answered."""
        agent, variant = string(self.info, "agent"), string(self.info, "variant")
        match self.info:
            case {"model": {"providerID": str(provider), "modelID": str(model), **more}}:
                return ReplyAs(agent, provider, model, string(more, "variant") or variant)
        return None if agent is None else ReplyAs(agent)


def _put_in(part: Json) -> bool:
    """Whether the harness put it in, or it was never sent to the model."""
    return part.get("synthetic") is True or part.get("ignored") is True


def worked(part: Json, before: Json | None) -> Sign:
    """Say what a part of the agent's shows beside what was there: a result, an end, more text."""
    if part == before:
        return Sign.NOTHING
    match part:
        case {"type": "tool", "state": {"status": str(status)} as state}:
            was = before.get("state") if before is not None else None
            if string(was, "status") != status:
                return Sign.LOOK if status in _DONE else Sign.MOVED
            return Sign.MOVED if _longer(state, was, "raw") else Sign.NOTHING
        case {"type": "step-finish"}:
            return Sign.LOOK
        case {"type": str(kind), "text": str()} if kind in _TEXTS and _longer(part, before, "text"):
            return Sign.LOOK if when(part, "end") is not None else Sign.MOVED
    return Sign.NOTHING


def progress(part: object) -> bool:
    """Whether a part is something done: a tool that ran to its end."""
    match part:
        case {"type": "tool", "tool": str(name), "state": {"status": "completed"}}:
            return name != "invalid"
    return False


def _longer(now: object, before: object, key: str) -> bool:
    return len(string(now, key) or "") > len(string(before, key) or "")
