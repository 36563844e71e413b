"""Peak memory of `auditor scan` over one large transcript: at most 300 MB for 1 GB.

Writes a session as Claude Code does (JSON Lines: requests, calls, results of 1 to 40 kB, replies)
into a temporary file, scans it in a process of its own, and prints that process's peak resident
set. Exits 1 when the bar is missed. `--size` in MB makes it shorter.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

BAR_MB = 300
"""The promise of the issue."""

_CODE = "def total(items):\n    return sum(item.price * item.count for item in items)\n"


def rows() -> Iterator[bytes]:
    """Give the rows of a session without end: eight calls a turn, deterministic."""
    number, parent = 0, None

    def row(kind: str, message: dict[str, object]) -> bytes:
        nonlocal number, parent
        number += 1
        uuid = f"{number:08x}-0000-4000-8000-000000000000"
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_780_000_000 + number))
        whole = {
            "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/srv/shop",
            "sessionId": "5f0c0000-0000-4000-8000-000000000000", "version": "2.0.0",
            "type": kind, "message": message, "uuid": uuid, "timestamp": stamp,
        }  # fmt: skip
        parent = uuid
        return json.dumps(whole).encode() + b"\n"

    def agent(*content: dict[str, object], stop: str) -> bytes:
        message = {
            "id": f"msg_{number:010}", "type": "message", "role": "assistant", "model": "model-1",
            "content": list(content), "stop_reason": stop, "usage": {"output_tokens": 9},
        }  # fmt: skip
        return row("assistant", message)

    while True:
        yield row("user", {"role": "user", "content": f"Change part {number} of the shop."})
        for step in range(8):
            call = f"toolu_{number:012}"
            use = {
                "type": "tool_use",
                "id": call,
                "name": "Read",
                "input": {"file_path": f"{step}.py"},
            }
            yield agent(use, stop="tool_use")
            output = _CODE * (12 + (number * 37) % 500)
            result = {"type": "tool_result", "tool_use_id": call, "content": output}
            yield row("user", {"role": "user", "content": [result]})
        yield agent({"type": "text", "text": "Part done. Shall I go on?"}, stop="end_turn")


def write(path: Path, size: int) -> int:
    """Write rows until the file has that many bytes; return how many it has."""
    written = 0
    with path.open("wb") as file:
        for line in rows():
            written += file.write(line)
            if written >= size:
                return written
    return written


def scan(path: Path) -> tuple[float, float]:
    """Scan in a child; return its peak resident set in MB and its seconds."""
    command = [sys.executable, "-m", "auditor", "scan", str(path)]
    command += ["--format", "jsonl", "--model", "none", "--db", str(path.with_name("store.db"))]
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 our own command
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"auditor scan ended with {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes here
    return used.ru_maxrss * unit / 1e6, time.perf_counter() - begun


def main() -> None:
    """Measure and say whether the bar is met."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--size", type=int, default=1000, help="MB of the transcript")
    size = parser.parse_args().size * 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        written = write(path, size)
        peak, seconds = scan(path)
    print(f"transcript {written / 1e6:,.0f} MB, peak {peak:,.0f} MB, {seconds:.1f} s")
    print(f"bar: at most {BAR_MB} MB: {'met' if peak <= BAR_MB else 'MISSED'}")
    raise SystemExit(0 if peak <= BAR_MB else 1)


if __name__ == "__main__":
    main()
