"""Kill watchers of one store again and again, and print what they sent and remembered.

    python -m tests.crash_watcher STORE KILLS

Each watcher is forked and claims one message after another, those of its predecessors first; it
sends (prints the message), remembers, says so, and goes on until it is killed.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import time
from pathlib import Path

from auditor.live.spent import Deed, Done
from auditor.store import Store

NOW = 1_000_000.0
"""What all their clocks say."""


def watch(path: Path, to: int, writer: int) -> None:
    """Watch for ever: claim, send (a line on the pipe is what arrives), remember."""
    with Store(path) as store:
        for number in itertools.count():
            message = f"msg_{number}"
            if store.claim("ses_1", message, Deed.NUDGE, str(writer), NOW):
                os.write(to, f"{message}\n".encode())
                done = Done(deed=Deed.NUDGE, recovery="r", message=message, request=None, at=NOW)
                store.remember("ses_1", done)
                os.write(to, f"{message} remembered\n".encode())


def killed(path: Path, writer: int) -> list[str]:
    """Fork a watcher, kill it in the middle of something, and give what it sent and said."""
    read_end, write_end = os.pipe()
    if (pid := os.fork()) == 0:
        os.close(read_end)
        try:
            watch(path, write_end, writer)
        finally:
            os._exit(1)
    os.close(write_end)
    with os.fdopen(read_end) as said:
        chance = random.Random(writer)  # noqa: S311 - a moment to kill at
        lines = [said.readline() for _ in range(chance.randrange(1, 3))]
        time.sleep(chance.uniform(0.0, 0.002))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return [line.strip() for line in [*lines, *said] if line.endswith("\n")]


def main() -> None:
    path, kills = Path(sys.argv[1]), int(sys.argv[2])
    for writer in range(kills):
        for line in killed(path, writer):
            print(line, flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
