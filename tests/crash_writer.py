"""Kill writers of one store again and again, and say what became of what they acknowledged.

    python -m tests.crash_writer STORE KILLS SEED

Each writer is forked, adds a turn, a label and an event, says so on a pipe once they are written,
and begins again until it is killed in the middle of something. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path
from typing import IO

from auditor.audit import audit
from auditor.labels import Label, Nudge, Source
from auditor.store import Store, address
from tests.words import say, turn


def write(path: Path, writer: int, to: int) -> None:
    """Write for ever; acknowledge what is written."""
    with Store(path) as store:
        number = 0
        while True:
            number += 1
            subject = turn(say(f"Writer {writer} asks for the {number}th time: shall I?"))
            store.add(subject, audit(subject))
            store.flush()
            name = address(subject).hex()
            os.write(to, f"turn {name}\n".encode())
            store.add_labels([Label(turn=name, nudge=Nudge.NO, source=Source.HUMAN, at=1.0)])
            os.write(to, f"label {name}\n".encode())
            event = store.append_event("test", {"writer": writer, "number": number})
            os.write(to, f"event {event.hash}\n".encode())


def killed(path: Path, writer: int, chance: random.Random) -> list[str]:
    """Fork a writer, kill it at some moment after a few lines, and give all that it said."""
    read_end, write_end = os.pipe()
    if (pid := os.fork()) == 0:
        os.close(read_end)
        write(path, writer, write_end)
    os.close(write_end)
    with os.fdopen(read_end) as said:
        lines = [said.readline() for _ in range(chance.randrange(6))]
        until = time.perf_counter() + chance.uniform(0.0, 0.002)
        while time.perf_counter() < until:
            pass
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return _whole([*lines, *said])


def _whole(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines if line.endswith("\n")]


def report(path: Path, said: list[str], to: IO[str]) -> None:
    """Compare what was said with what is there."""
    with sqlite3.connect(path) as db:
        (sound,) = db.execute("PRAGMA integrity_check").fetchone()
        dangling = db.execute("PRAGMA foreign_key_check").fetchall()
    with Store(path) as store:
        there = {f"turn {kept.turn}" for kept in store.audited()}
        there |= {f"label {label.turn}" for label in store.labels()}
        there |= {f"event {event.hash}" for event in store.events()}
        found = {
            "sound": sound,
            "dangling": len(dangling),
            "said": len(said),
            "lost": len(set(said) - there),
            "ledger": store.verify_ledger(),
        }
    json.dump(found, to)


def main() -> None:
    path, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)  # noqa: S311 - moments to kill at
    said = [line for writer in range(kills) for line in killed(path, writer, chance)]
    report(path, said, sys.stdout)


if __name__ == "__main__":
    main()
