"""How soon the watcher acts beside a real OpenCode: after an end, in a loop of calls or of text.

    python benchmarks/live_latency.py [N]

Prints, for N turns that ended too early (default 40), the seconds from the idle event to the
nudge's arrival at the model, with the default `settle` and with a short one; and for N/4 loops each
how much was done in vain until the abort: calls, and characters of a text that streams at some 60
tokens a second. Exits 1 when a bar is missed. Needs npm once; some four minutes.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from live_beside import OURS, SETTINGS, Rig, begun

from auditor.live.settings import DEFAULTS
from tests.e2e.acts import Say, Script
from tests.e2e.fake_model import Asked
from tests.e2e.scripts import CHANT, FINISHED, TASK

TURNS = 40
EARLY = ("dangling-bare", "empty", "rawtool-xml", "length", "reasoning-only")
AT_ONCE = 4
"""Sessions beside each other."""

SHORT = 0.5
"""The shortest `settle` that helps: looks at a session are half a second apart."""

SPEED = 0.1
"""Seconds for a piece of 24 characters: 240 characters, some 60 tokens, a second."""

OVERHEAD_BAR = 2.0
"""Median seconds beyond `settle` until a nudge is there, on a shared machine with two cores."""

CALLS_BAR = 12
"""Median calls of a loop until its end; detectors prove one at the sixth equal call."""

CHARACTERS_BAR = 2_000
"""Median characters of a text loop until its end: half a page."""

TEXT_LOOP = Script("slow-text", ((Say(CHANT * 400, pause=SPEED),), FINISHED))
"""The name stands in the request, which must not sound as if it asked for repetition."""


def told(asked: list[Asked]) -> bool:
    return bool(asked) and TASK not in asked[-1].last


def early(rig: Rig, script: str) -> float:
    """Give the seconds from the end of a turn to the arrival of the nudge."""
    session = rig.server.session(script)
    rig.server.prompt(session, script)
    arrived = rig.model.wait(session, told)[-1].at
    return arrived - min(each["read"] for each in rig.server.seen(session, "session.idle"))


def calls(rig: Rig, script: str) -> float:
    """Give the calls of a loop until its end."""
    session = rig.server.session(script)
    rig.server.prompt(session, script)
    return len(rig.model.wait(session, told)) - 1


def characters(rig: Rig, script: str) -> float:
    """Give the characters of a text loop until its end."""
    session = rig.server.session(script)
    rig.server.prompt(session, "text-loop", text=f"{TASK} [[scenario:{script}]]")
    rig.model.wait(session, told)
    deltas = [each["properties"] for each in rig.server.seen(session, "message.part.delta")]
    first = deltas[0]["messageID"]  # the nudge's answer is another message
    return sum(len(each["delta"]) for each in deltas if each["messageID"] == first)


def many(rig: Rig, measure: Callable[[Rig, str], float], scripts: list[str]) -> list[float]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda script: measure(rig, script), scripts))


def row(what: str, found: list[float], digits: int = 0) -> float:
    """Print a line; give the median."""
    middle, late = statistics.median(found), statistics.quantiles(found, n=10)[-1]
    print(
        f"| {what} | {middle:.{digits}f} | {late:.{digits}f} | {max(found):.{digits}f}"
        f" | {len(found)} |",
        flush=True,
    )
    return middle


def main() -> int:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    print("| what | median | p90 | most | n |\n|---|---|---|---|---|")
    missed = []
    for settle in (DEFAULTS.settle, SHORT):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            settings = f"settle = {settle}\n{SETTINGS}"
            with begun(OURS, Path(home), settings) as rig:
                rig.model.scripts[TEXT_LOOP.name] = TEXT_LOOP
                scripts = [EARLY[number % len(EARLY)] for number in range(n)]
                found = many(rig, early, scripts)
                middle = row(f"seconds from idle to nudge, `settle = {settle:g}`", found, 2)
                missed.append(middle > settle + OVERHEAD_BAR)
                if settle == SHORT:
                    continue
                loops = max(n // 4, 2)
                found = many(rig, calls, ["loop-forever"] * loops)
                missed.append(row("equal calls until the abort", found) > CALLS_BAR)
                found = many(rig, characters, [TEXT_LOOP.name] * loops)
                middle = row("characters of a text loop until the abort", found)
                missed.append(middle > CHARACTERS_BAR)
                print(f"  ({middle / len(CHANT):.0f} times the sentence)")
    return 1 if any(missed) else 0


if __name__ == "__main__":
    sys.exit(main())
