"""How fast repetition is found: growth with the number of paragraphs, and one very long message.

Run `python benchmarks/speed_repetition.py`. Exits 1 when a bar is missed. Every figure is the
median of several fresh turns, because detectors keep views on the turn they have seen.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from auditor.detectors import DETECTORS, near_duplicate_paragraphs
from auditor.turn import Text, Turn

NAMES = frozenset(
    {
        "repeated_tool_call",
        "tool_call_cycle",
        "varied_tool_call",
        "repeated_error",
        "near_duplicate_paragraphs",
        "chanted_sentence",
        "spinning_messages",
    }
)
FEW, MANY = 200, 2000
GROWTH = 13.0
LONG = 50.0
RUNS = 9


def turn(text: str) -> Turn:
    return Turn(id="t", session="s", harness="none", request="tidy up", parts=(Text(text),))


def alike(count: int) -> str:
    """Paragraphs that differ in one number: every one has to be compared."""
    return "\n\n".join(
        [
            f"Now the template number {number} is read, its placeholders are mapped to new names"
            " and the converted file goes to the new folder, after which the next one is taken."
            for number in range(count)
        ]
    )


def seconds(run: Callable[[Turn], object], text: str) -> float:
    """Median time of `run` on a fresh turn."""
    times = []
    for _ in range(RUNS):
        fresh = turn(text)
        start = time.perf_counter()
        run(fresh)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def all_of_them(subject: Turn) -> int:
    found = [d.detect(subject) for d in DETECTORS if d.name in NAMES]
    return sum([signal is not None for signal in found])


def main() -> int:
    few = seconds(near_duplicate_paragraphs.detect, alike(FEW))
    many = seconds(near_duplicate_paragraphs.detect, alike(MANY))
    chant = (
        "The last attempt is made outside of the loop, so the pause before it is never used after"
        " all, it seems to me. "
    )
    long = (chant * 1200)[:130_000]
    whole = 1000 * seconds(all_of_them, long)
    growth = many / few
    print(
        f"near duplicates: {FEW} paragraphs {1000 * few:.2f} ms, {MANY} paragraphs"
        f" {1000 * many:.2f} ms: {growth:.1f} times the time for 10 times the text"
        f" (bar: at most {GROWTH:.0f} times)"
    )
    print(
        f"one sentence over {len(long):,} characters, all {len(NAMES)} detectors: {whole:.2f} ms"
        f" (bar: under {LONG:.0f} ms)"
    )
    seen = near_duplicate_paragraphs.detect(turn(alike(FEW))) and all_of_them(turn(long))
    if not seen:
        print("nothing was found in the texts: the figures above mean nothing")
    return 0 if seen and growth <= GROWTH and whole < LONG else 1


if __name__ == "__main__":
    sys.exit(main())
