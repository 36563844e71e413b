"""How long a scan takes, against only decoding the same bytes as JSON with msgspec.

    python benchmarks/speed_scan.py [PATH…] [--rounds N]

Both sides read the same files in the same run, turn about, archives unpacked beforehand. Markdown
and databases are left out: nothing decodes them as JSON. The ratio is of the best rounds. Bar: 3.
The whole command (start, redaction, output) is timed too, without and with the store: no bar.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from auditor import sources
from auditor.audit import audit
from auditor.sources import Source
from auditor.turn import Turn

SHARED = Path(os.environ.get("AUDITOR_SHARED", Path(__file__).parents[2] / "shared"))
BAR = 3.0


def gathered(paths: list[Path], folder: Path) -> list[Source]:
    """The JSON sources, archives unpacked into the folder."""
    found = []
    for source in sources.in_paths(paths).sources:
        path = source.path
        if path.suffix == ".gz":
            path = folder / path.stem
            path.write_bytes(gzip.decompress(source.path.read_bytes()))
        if path.suffix in {".jsonl", ".json"}:
            found.append(Source(source.harness, path))
    return found


def decode(found: list[Source]) -> int:
    """Only decode: every line, or the whole document."""
    size = 0
    for source in found:
        raw = source.path.read_bytes()
        size += len(raw)
        if source.path.suffix == ".json":
            msgspec.json.decode(raw)
        else:
            for line in raw.splitlines():
                msgspec.json.decode(line)
    return size


def read(found: list[Source]) -> int:
    """Read and fold, no sieve."""
    return sum(isinstance(turn, Turn) for source in found for turn in sources.turns(source))


def scan(found: list[Source]) -> int:
    """Read, fold, audit, and write the audit as JSON."""
    encode, turns = msgspec.json.Encoder().encode, 0
    for source in found:
        for turn in sources.turns(source):
            if isinstance(turn, Turn):
                encode(audit(turn))
                turns += 1
    return turns


def command(found: list[Source], *options: str) -> int:
    """The whole `auditor scan`, in a process of its own."""
    paths = [str(source.path) for source in found]
    whole = [sys.executable, "-m", "auditor", "scan", *paths, *options]
    whole += ["--format", "jsonl", "--model", "none"]
    done = subprocess.run(whole, check=True, capture_output=True)  # noqa: S603 our own command
    return len(done.stdout)


def commands(found: list[Source], store: Path) -> Iterator[tuple[str, float]]:
    """What the command takes without a store, with a new one, and when it knows every turn."""
    for name, options in (
        ("the whole command", ["--no-store"]),
        ("with a new store", ["--db", str(store)]),
        ("with the same again", ["--db", str(store)]),
    ):
        yield name, timed(partial(command, found, *options))[0]


def timed(work: Callable[[], int]) -> tuple[float, int]:
    gc.collect()
    began = time.perf_counter()
    done = work()
    return time.perf_counter() - began, done


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = [SHARED / "transcripts", SHARED / "turns" / "records.jsonl.gz"]
    parser.add_argument("paths", nargs="*", type=Path, default=default)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = gathered(options.paths, Path(folder))
        best = {"decode": 9e9, "read": 9e9, "scan": 9e9}
        counts = {}
        for _ in range(options.rounds):
            for work in (decode, read, scan):
                seconds, counts[work.__name__] = timed(partial(work, found))
                best[work.__name__] = min(best[work.__name__], seconds)
        whole = dict(commands(found, Path(folder) / "auditor.db"))
    ratio = best["scan"] / best["decode"]
    print(f"{len(found)} files, {counts['decode'] / 1e6:.1f} MB, {counts['scan']} turns")
    for name, seconds in (best | whole).items():
        print(f"{name:20}{seconds:7.3f} s  {seconds / best['decode']:5.2f}×")
    print(f"sieve and audit: {(best['scan'] - best['read']) / counts['scan'] * 1e6:.0f} µs a turn")
    print(
        f"bar: a scan takes at most {BAR:.0f}× of decoding: {'met' if ratio <= BAR else 'MISSED'}"
    )
    return 0 if ratio <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
