"""Words to write down what an OpenCode server says: one session's events, in its own order.

The shapes are those of 1.18.33 as driven; every text is made up. `Bus` feeds a mirror as it goes
and keeps the messages as the server would list them, so that both ways can be compared.
"""

from __future__ import annotations

import copy
from typing import Any

from auditor.harness._opencode_mirror import Mirror
from auditor.live.situation import Situation

SESSION = "ses_1111111111111111"
START = 1_800_000_000.0
"""Unix seconds when the scripts begin."""


class Bus:
    """One session on a server, written down with verbs."""

    def __init__(self, mirror: Mirror | None = None, session: str = SESSION) -> None:
        self.mirror = mirror if mirror is not None else Mirror()
        self.session, self.now = session, START
        self.info: dict[str, Any] = {"id": session, "time": {"created": START * 1000}}
        self.messages: list[dict[str, Any]] = []
        self.log: list[dict[str, Any]] = []
        self.looked: frozenset[str] = frozenset()
        """What the last event made worth a look."""
        self._number = 0

    # The wire.

    def say(self, kind: str, **said: Any) -> Bus:
        """Send an event; the session's id goes with it."""
        self._number += 1
        event = {
            "id": f"evt_{self.session}{self._number:08d}",
            "type": kind,
            "properties": copy.deepcopy({"sessionID": self.session, **said}),
        }
        self.log.append(event)
        self.looked = self.mirror.apply(event, self.now)
        return self

    def again(self) -> Bus:
        """Send the last event a second time, as it was."""
        self.looked = self.mirror.apply(self.log[-1], self.now)
        return self

    def wait(self, seconds: float) -> Bus:
        self.now += seconds
        return self

    @property
    def seen(self) -> Situation:
        found = self.mirror.situation(self.session, self.now)
        assert found is not None
        return found

    @property
    def turn(self) -> Any:
        assert self.seen.turn is not None
        return self.seen.turn

    def read(self, asked: float = float("inf")) -> Bus:
        """Let the mirror read the session as the server lists it."""
        self.mirror.read(self.info, copy.deepcopy(self.messages), self.now, asked)
        return self

    # What a session is, and does.

    def created(self, **info: Any) -> Bus:
        self.info.update(info)
        return self.say("session.created", info=self.info)

    def updated(self, **info: Any) -> Bus:
        self.info.update(info)
        self.info = {key: value for key, value in self.info.items() if value is not None}
        return self.say("session.updated", info=self.info)

    def busy(self) -> Bus:
        return self.say("session.status", status={"type": "busy"})

    def retry(self, seconds: float = 4) -> Bus:
        at = (self.now + seconds) * 1000
        return self.say(
            "session.status", status={"type": "retry", "attempt": 1, "message": "", "next": at}
        )

    def idle(self) -> Bus:
        self.say("session.status", status={"type": "idle"})
        looked = self.looked
        self.say("session.idle")
        self.looked |= looked
        return self

    def failed(
        self, name: str = "MessageAbortedError", message: str = "Aborted", **data: Any
    ) -> Bus:
        """The session's error, idle, then the message that carries it, and idle again."""
        error = {"name": name, "data": {"message": message, **data}}
        self.say("session.error", error=error).idle().wait(0.2)
        if self.messages and self.newest["role"] == "assistant":
            self.newest["error"] = error
            self.newest["time"]["completed"] = self.now * 1000
            self.say("message.updated", info=self.newest)
        return self.idle()

    # Messages.

    @property
    def newest(self) -> dict[str, Any]:
        found: dict[str, Any] = self.messages[-1]["info"]
        return found

    def message(self, role: str, **more: Any) -> Bus:
        self.wait(0.01)
        self._number += 1
        info = {
            "id": f"msg_{self._number:08d}",
            "sessionID": self.session,
            "role": role,
            "time": {"created": self.now * 1000},
            **more,
        }
        self.messages.append({"info": info, "parts": []})
        return self.say("message.updated", info=info)

    def user(self, *parts: Any, **more: Any) -> Bus:
        """A user message; a string is a text that somebody typed."""
        given = {"agent": "build", "model": {"providerID": "fictive", "modelID": "one"}}
        self.message("user", **{**given, **more})
        for part in parts:
            self.part(**({"type": "text", "text": part} if isinstance(part, str) else part))
        return self

    def begin(self, **more: Any) -> Bus:
        """A model call: its message, and its step."""
        asks = [each["info"]["id"] for each in self.messages if each["info"]["role"] == "user"]
        self.message("assistant", **{"parentID": asks[-1] if asks else "msg_0", **more})
        return self.step()

    def step(self) -> Bus:
        return self.part(type="step-start")

    def part(self, **part: Any) -> Bus:
        self._number += 1
        made = {
            "id": f"prt_{self._number:08d}",
            "messageID": self.newest["id"],
            "sessionID": self.session,
            **part,
        }
        self.messages[-1]["parts"].append(made)
        return self.say("message.part.updated", part=made)

    def change(self, **more: Any) -> Bus:
        """The newest part is now so."""
        self.messages[-1]["parts"][-1].update(more)
        return self.say("message.part.updated", part=self.messages[-1]["parts"][-1])

    def delta(self, text: str, field: str = "text") -> Bus:
        part = self.messages[-1]["parts"][-1]
        return self.say(
            "message.part.delta",
            messageID=part["messageID"],
            partID=part["id"],
            field=field,
            delta=text,
        )

    def writes(self, *pieces: str, kind: str = "text") -> Bus:
        """A text begins and comes piece by piece; it is not over."""
        self.part(type=kind, text="", time={"start": self.now * 1000})
        for piece in pieces:
            self.delta(piece)
        return self

    def text(self, text: str, kind: str = "text") -> Bus:
        """A text from its beginning to its end."""
        self.writes(text, kind=kind)
        return self.change(text=text, time={"start": self.now * 1000, "end": self.now * 1000})

    def tool(self, name: str, *statuses: str, **input_: Any) -> Bus:
        """A call that goes through these states, by default to its end."""
        states = statuses or ("pending", "running", "completed")
        made = {"id": f"call_{self._number}", "name": name}
        for number, status in enumerate(states):
            state: dict[str, Any] = {
                "status": status,
                "input": {} if status == "pending" else input_,
            }
            if status == "running":
                state["time"] = {"start": self.now * 1000}
            if status == "completed":
                state |= {"output": "ok", "metadata": {}}
            if status == "error":
                state["error"] = "it broke"
            given = {"type": "tool", "tool": made["name"], "callID": made["id"], "state": state}
            self.change(**given) if number else self.part(**given)
        return self

    def finish(self, reason: str = "stop") -> Bus:
        self.part(type="step-finish", reason=reason)
        self.newest["finish"] = reason
        self.say("message.updated", info=self.newest)
        self.newest["time"]["completed"] = self.now * 1000
        return self.say("message.updated", info=self.newest)

    def answers(self, text: str = "It is done.") -> Bus:
        """One step that says this, and the end of the turn."""
        return self.busy().begin().text(text).finish().idle()

    def nudged(self, recovery: str = "clipped_ending", **part: Any) -> Bus:
        """A message of an auditor."""
        mark = {"auditor": {"recovery": recovery, "v": 1}}
        return self.user({"type": "text", "text": "Please go on.", "metadata": mark, **part})


def asked(text: str = "Add a retry option.", **info: Any) -> Bus:
    """A new session with a request that the server takes up."""
    return Bus().created(**info).user(text).busy()
