"""A watcher beside a real OpenCode when everything goes wrong: prints what was lost or done twice.

The server is killed 20 times and the watcher 20 times while sessions work; between them a proxy
repeats, swaps and cuts events. Exit 1 unless: no message was nudged twice, nothing was sent after a
person's abort or a right end, and every turn that broke was brought back. Left out of that, and
counted: an answer that died with the server before its first word. A request that nobody answered
is the person's to repeat, and a nudge is not sent twice.
`python benchmarks/live_chaos.py [ROUNDS] [SEED]`; needs npm once, about ten minutes.
"""

from __future__ import annotations

import contextlib
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.e2e import installing
from tests.e2e.fake_model import FakeModel
from tests.e2e.opencode import Json, OpenCodeServer
from tests.e2e.scripts import TASK
from tests.e2e.settings import QUICK
from tests.e2e.unruly import Unruly
from tests.e2e.watcher import Watcher

ROUNDS = 20
BROKEN = ("dangling", "empty", "rawtool-xml", "length", "reasoning-only")
RIGHT = ("complete", "question", "tools")
STOPPED = "slow"
AT_LAST = 200.0
"""Seconds for what is still to come: a claim of a killed watcher is believed for 60 of them, and
a nudge that failed is tried again after as long."""


class Run:
    """Sessions and what the person did in them."""

    def __init__(self, server: OpenCodeServer) -> None:
        self.server = server
        self.scripts: dict[str, str] = {}
        self.stopped: dict[str, float] = {}

    def begin(self, script: str) -> None:
        session = self.server.session(script)
        self.server.prompt(session, script)
        self.scripts[session] = script

    def stop(self, session: str) -> None:
        """Stop it as a person does, once it streams; note it where it worked."""
        self.server.wait(lambda: bool(self.server.seen(session, "message.part.delta")), "text", 60)
        self.server.abort(session)
        self.server.wait_idle(session, limit=30)
        self.stopped[session] = time.time()


def round_(run: Run, watcher: Watcher, number: int, chance: random.Random) -> None:
    """Begin sessions, stop one, kill the server in the midst of it, then the watcher."""
    run.begin(STOPPED)
    stopping = next(reversed(run.scripts))
    run.stop(stopping)
    for script in (chance.choice(BROKEN), chance.choice(BROKEN), chance.choice(RIGHT)):
        run.begin(script)
    time.sleep(chance.uniform(0.0, 3.0))
    first, second = (_kill_server, _kill_watcher)[:: chance.choice((1, -1))]
    first(run, watcher)
    time.sleep(chance.uniform(0.0, 2.0))
    second(run, watcher)
    print(
        f"round {number + 1}: {len(run.scripts)} sessions, {len(run.stopped)} stopped", flush=True
    )


def _kill_server(run: Run, _: Watcher) -> None:
    run.server.kill(signal.SIGKILL)
    run.server.start()


def _kill_watcher(_: Run, watcher: Watcher) -> None:
    watcher.end(signal.SIGKILL)
    watcher.start()


def done(messages: list[Json]) -> bool:
    """Whether the last word is a right end, or a question."""
    match messages:
        case [*_, {"info": {"role": "assistant", "finish": "stop"}, "parts": parts}]:
            text = "".join(each.get("text", "") for each in parts if each["type"] == "text")
            return text.rstrip().endswith(("Done.", "done.", "complete.", "?"))
    return False


def twice(messages: list[Json]) -> int:
    """Count messages of the agent after which two nudges were sent."""
    after: Counter[str] = Counter()
    last = ""
    for message in messages:
        if message["info"]["role"] == "assistant":
            last = message["info"]["id"]
        elif _nudge(message):
            after[last] += 1
    return sum(times - 1 for times in after.values())


def _nudge(message: Json) -> bool:
    return message["info"]["role"] == "user" and any(
        "auditor" in (part.get("metadata") or {}) for part in message["parts"]
    )


def unanswered(messages: list[Json]) -> bool:
    """The server died before the first word of an answer: nobody may ask in the person's place."""
    last = messages[-1]
    return last["info"]["role"] == "user" or not (last["parts"] or "finish" in last["info"])


def late(messages: list[Json]) -> int:
    """Count nudges that followed a right end."""
    return sum(_nudge(each) and done(messages[:place]) for place, each in enumerate(messages))


def figures(run: Run) -> Counter[str]:
    """Count what became of the sessions."""
    found: Counter[str] = Counter()
    for session, script in run.scripts.items():
        messages = run.server.messages(session)
        sent = sum(map(_nudge, messages))
        found["sessions"] += 1
        found["nudges"] += sent
        found["messages nudged twice"] += twice(messages)
        found["nudged after a right end"] += late(messages)
        if session in run.stopped:
            found["stopped by the person"] += 1
            found["nudged after the person's abort"] += sent
        elif unanswered(messages):
            found["left alone, died before the first word"] += 1
        elif done(messages):
            found["brought to a right end" if sent else "ended right by themselves"] += 1
        else:
            found["lost"] += 1
            last = messages[-1]["info"]
            print("lost:", script, session, last["role"], last.get("finish"), last.get("error"))
    return found


def settled(run: Run) -> bool:
    """Whether nothing is left to come."""
    with contextlib.suppress(httpx.HTTPError):
        return all(
            session in run.stopped or unanswered(messages) or done(messages)
            for session in run.scripts
            for messages in [run.server.messages(session)]
        )
    return False


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)  # noqa: S311
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home_:
        home = Path(home_)
        with (
            FakeModel(home / "opencode" / "project") as model,
            OpenCodeServer(installing.opencode(), home / "opencode", model.url) as server,
            Unruly(server.port, seed) as proxy,
            Watcher(
                proxy.url, server.project, home / "watch", settings=QUICK + "scan = 1000\n"
            ) as watcher,
        ):
            run = Run(server)
            for number in range(rounds):
                round_(run, watcher, number, chance)
            until = time.time() + AT_LAST
            while time.time() < until and not settled(run):
                time.sleep(2)
            found = figures(run)
            watcher.end(signal.SIGTERM)
            if found["lost"] or found["messages nudged twice"]:
                print("\n".join(watcher.raw[-200:]))
            watcher.start()
            for name, times in found.items():
                print(f"{name:42} {times}")
            print(f"events {dict(proxy.did)}; asked {len(model.asked)} times for {TASK!r}")
    wrong = ("lost", "messages nudged twice", "nudged after a right end")
    bad = sum(found[each] for each in (*wrong, "nudged after the person's abort"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
