"""CPU and memory of a watcher's mirror over 1,000,000 events of 1,000 sessions: flat, or not.

Writes down what an OpenCode server sends (the shapes of 1.18.33, made-up text): turns of some steps
with streamed text and tools, aborts, compactions, permissions; a tenth of the sessions are
sub-agents. Every session that an event makes worth a look is looked at, as a watcher does, and idle
ones rest. The last tenth is compared with the second (in the first, sessions have no past yet):
exits 1 when CPU or memory grows by more than `BAR`.
`--audit` audits each look too, as watching does.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from auditor.audit import audit
from auditor.harness._opencode_mirror import Mirror

BAR = 1.25
"""Last tenth to second, in CPU seconds and in memory: noise of a shared machine, no more."""

Event = dict[str, Any]

_WORDS = "the option is read from the file and its default is kept where none is given ".split()


class Session:
    """One session, without end; each turn another of a few shapes."""

    ids = count(1)

    def __init__(self, number: int, parent: str | None) -> None:
        self.id, self.parent = f"ses_{number:08d}", parent
        self._chance = random.Random(number)  # noqa: S311 - the same each time
        self._now = 1_800_000_000_000

    def _event(self, kind: str, **said: Any) -> Event:
        self._now += 20
        id_ = f"evt_{next(self.ids):012d}"
        return {"id": id_, "type": kind, "properties": {"sessionID": self.id, **said}}

    def _message(self, role: str, **more: Any) -> Event:
        return {
            "id": f"msg_{next(self.ids):012d}",
            "sessionID": self.id,
            "role": role,
            "time": {"created": self._now},
            **more,
        }

    def _part(self, message: Event, **part: Any) -> Event:
        id_ = f"prt_{next(self.ids):012d}"
        return {"id": id_, "messageID": message["id"], "sessionID": self.id, **part}

    def _put(self, part: Event) -> Event:
        return self._event("message.part.updated", part=dict(part))

    def events(self) -> Iterator[Event]:
        info = {"id": self.id, "directory": "/project", "title": "t", "time": {"created": 1}}
        if self.parent:
            info["parentID"] = self.parent
        yield self._event("session.created", info=info)
        while True:
            yield from self._turn(info)

    def _turn(self, info: Event) -> Iterator[Event]:
        asked = self._message(
            "user", agent="build", model={"providerID": "fictive", "modelID": "one"}
        )
        yield self._event("message.updated", info=asked)
        yield self._put(self._part(asked, type="text", text="Change it, please."))
        steps = self._chance.choice([1, 2, 3, 4])
        for step in range(steps):
            yield self._event("session.status", status={"type": "busy"})
            yield from self._step(asked, last=step == steps - 1)
        yield self._event("session.status", status={"type": "idle"})
        yield self._event("session.idle")
        yield self._event("session.updated", info=info)
        yield self._event("session.diff", diff=[])
        yield self._event("message.updated", info={**asked, "summary": {"diffs": []}})

    def _step(self, asked: Event, *, last: bool) -> Iterator[Event]:
        message = self._message("assistant", parentID=asked["id"], modelID="one")
        yield self._event("message.updated", info=dict(message))
        yield self._put(self._part(message, type="step-start"))
        text = self._part(message, type="text", text="", time={"start": self._now})
        yield self._put(text)
        said = self._chance.choices(_WORDS, k=self._chance.choice([5, 10, 20]))
        for word in said:
            yield self._event(
                "message.part.delta",
                messageID=message["id"],
                partID=text["id"],
                field="text",
                delta=f"{word} ",
            )
        text |= {"text": " ".join(said), "time": {"start": 1, "end": self._now}}
        yield self._put(text)
        if not last:
            yield from self._tool(message)
        reason = "stop" if last else "tool-calls"
        yield self._put(self._part(message, type="step-finish", reason=reason))
        message |= {"finish": reason, "time": {"created": 1, "completed": self._now}}
        yield self._event("message.updated", info=dict(message))

    def _tool(self, message: Event) -> Iterator[Event]:
        tool = self._part(message, type="tool", tool="bash", callID=f"call_{next(self.ids)}")
        given = {"command": f"cat {self._chance.random()}"}
        yield self._put({**tool, "state": {"status": "pending", "input": {}}})
        yield self._put(
            {**tool, "state": {"status": "running", "input": given, "time": {"start": 1}}}
        )
        if self._chance.random() < 0.05:
            id_ = f"per_{next(self.ids)}"
            yield self._event("permission.asked", id=id_, permission="bash")
            yield self._event("permission.replied", requestID=id_, reply="once")
        output = "a line of output\n" * self._chance.choice([1, 20, 200])
        state = {"status": "completed", "input": given, "output": output, "metadata": {}}
        yield self._put({**tool, "state": state})


def resident() -> float:
    """Give this process's memory now, in MB."""
    gc.collect()
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("no /proc here: nothing was measured")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--sessions", type=int, default=1_000)
    parser.add_argument("--audit", action="store_true")
    given = parser.parse_args()
    tenth = given.events // 10
    streams = [
        Session(number, f"ses_{number - 1:08d}" if number % 10 == 9 else None).events()
        for number in range(given.sessions)
    ]
    chance, mirror, now, looks = random.Random(6), Mirror(), 1_800_000_000.0, 0  # noqa: S311
    cpu, memory = [], []
    for _ in range(10):
        spent = 0.0
        for _ in range(tenth // 50):
            stream = chance.choice(streams)
            some = [next(stream) for _ in range(50)]  # making events is not the mirror's time
            began = time.process_time()
            for event in some:
                now += 0.05
                for session in mirror.apply(event, now):
                    found = mirror.situation(session, now)
                    looks += 1
                    if given.audit and found is not None and found.turn is not None:
                        audit(found.turn)
            mirror.rest(now - 600.0)
            spent += time.process_time() - began
        cpu.append(spent)
        memory.append(resident())
        each = spent / tenth * 1e6
        print(f"{tenth} events: {spent:6.2f} s CPU, {each:5.1f} us each, {memory[-1]:6.1f} MB")
    times, grown = cpu[-1] / cpu[1], memory[-1] / memory[1]
    print(f"{looks} looks; last tenth to first: CPU {cpu[-1] / cpu[0]:.2f}", end=", ")
    print(f"memory {memory[-1] / memory[0]:.2f}")
    print(f"last tenth to second: CPU {times:.2f}, memory {grown:.2f} (bar {BAR})")
    return 0 if max(times, grown) <= BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
