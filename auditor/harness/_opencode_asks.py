"""What was asked for in a session: by a person, or by an auditor in their place.

Owns who wrote a user message: a person, an auditor or the harness. Budgets and stops end with what
a person asks for.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditor.harness._opencode_message import Message
from auditor.harness._opencode_parts import string, when
from auditor.live.situation import Mark, ReplyAs

MARKS = 50
"""Marks remembered of a session: far more than any budget allows."""


class Asks:
    """`request`: the newest message of a person; `reply_as`: how they wanted it answered."""

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        self.request: str | None = None
        self.request_at: float | None = None
        self.reply_as = ReplyAs()
        self._replying = ""  # the message that `reply_as` is of

    @property
    def newest(self) -> str:
        """The newest message that asks for something, whoever wrote it; empty: none is known."""
        return max(self.request or "", self.marks[-1].message if self.marks else "")

    def take(self, message: Message, known: Mapping[str, Message]) -> bool:
        """Learn from a message among those `known`; say whether it is a new one of an auditor."""
        if not message.by_user or (id_ := string(message.info, "id")) is None:
            return False
        if (mark := message.mark()) is not None:
            if any(each.message == id_ for each in self.marks):
                return False
            self.marks = [*self.marks, mark][-MARKS:]
            return True
        person = message.by_person()
        if person and id_ > (self.request or "") and not self._sent_again(message, known):
            self.request, self.request_at = id_, when(message.info, "created")
        given = message.reply_as()
        # What the harness puts in does not always say all; another agent, it always does.
        says = given is not None and (person or self._switches(message, given))
        if given is not None and says and id_ >= self._replying:
            self.reply_as, self._replying = given, id_
        return False

    def _switches(self, message: Message, given: ReplyAs) -> bool:
        """Whether the harness goes on as another agent: the person approved a plan."""
        return bool(message.parts) and not message.aside() and given.agent != self.reply_as.agent

    def _sent_again(self, message: Message, known: Mapping[str, Message]) -> bool:
        """Whether the harness sends the person's request again, after it compacted."""
        before: Message | None = None
        for each in known.values():
            if each is message:
                break
            before = each
        asked = known.get(self.request or "")
        if before is None or asked is None or before.info.get("summary") is not True:
            return False
        why = known.get(string(before.info, "parentID") or "")
        if why is not None and why.own():
            return False
        words = asked.words()
        return not before.by_user and bool(words) and message.words().startswith(words)
