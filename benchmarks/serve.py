"""`auditor serve` over 1,000 decisions, one after the other: its memory must not grow.

    python benchmarks/serve.py MODEL.gguf [--decisions N]

The daemon runs as a process of its own and is asked by our client about turns of different length.
Memory is compared after the first tenth, when everything that is kept once is there, and at the
end. Without a path, AUDITOR_TEST_MODEL names the file. Exits 1 when the bar is missed.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import httpx

from auditor.backends.systemone import SystemOne
from auditor.evidence import Evidence
from auditor.judge import WHOSE_MOVE, Asked

GROWTH_MB = 4.0
"""At most: allocators keep some pages; a leak of one decision's tokens would show as more."""


def resident_mb(url: str) -> float:
    found = re.search(
        r"^process_resident_memory_bytes (\d+)$", httpx.get(f"{url}/metrics").text, re.M
    )
    if found is None:
        sys.exit("the memory of a process is not told on this system")
    return int(found[1]) / 1e6


def measured(url: str, decisions: int) -> tuple[list[float], list[float]]:
    """Give the memory at every tenth, and the seconds of each decision."""
    memory, seconds = [], []
    with SystemOne(url, deadline=60) as server:
        for number in range(decisions):
            reply = f"I changed the module and ran test {number}. " * (1 + number % 7)
            began = time.perf_counter()
            server.ask(Asked(WHOSE_MOVE, Evidence("Repair it.", (), reply + "Let me go on.")))
            seconds.append(time.perf_counter() - began)
            if (number + 1) % max(1, decisions // 10) == 0:
                memory.append(resident_mb(url))
    return memory, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", default=os.environ.get("AUDITOR_TEST_MODEL"))
    parser.add_argument("--decisions", type=int, default=1_000)
    given = parser.parse_args()
    if given.model is None:
        parser.error("which model? a path, or AUDITOR_TEST_MODEL")
    command = [sys.executable, "-m", "auditor", "serve", "--port", "0", "--model", str(given.model)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as daemon:  # noqa: S603 - our own
        try:
            url = (daemon.stderr.readline() if daemon.stderr else "").split()[-1]
            memory, seconds = measured(url, given.decisions)
        finally:
            daemon.send_signal(signal.SIGTERM)
    growth = memory[-1] - memory[0]
    print(f"{given.decisions:,} decisions, {statistics.median(seconds) * 1e3:.0f} ms each (median)")
    print("resident MB at every tenth:", " ".join(f"{each:.1f}" for each in memory))
    print(f"growth after the first tenth: {growth:.1f} MB, at most {GROWTH_MB:g}")
    print(f"ended by SIGTERM with {daemon.returncode}")
    sys.exit(growth > GROWTH_MB or daemon.returncode != 0)


if __name__ == "__main__":
    main()
