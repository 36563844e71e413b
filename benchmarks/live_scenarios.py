"""The scenarios of the end-to-end tests beside a real OpenCode: with each tool, and with none.

    python benchmarks/live_scenarios.py [--plugin NAME=FILE …] [--page FILE] [--only NAME …]

Each tool plays all of `tests/e2e/stage.py` in a home of its own; one that lets 45 quiet seconds
pass has had its time. Where a nudge is due, one message that nobody typed is right, none or two are
wrong; elsewhere any message and any abort that nobody asked for is wrong. What OpenCode writes by
itself (it does when it compacts) is known from playing everything without a tool.

Prints a Markdown table; `--page`: also between the marks `scenarios` of that file. Needs npm once;
some four minutes for each tool. `--plugin`: another tool's plugin file, where no registry has it:
opencode-auto-resume (its `src/index.ts`) is one. Exits 1 when the watcher was wrong where it sends
everything.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from live_beside import ALONE, OURS, PEER, PROMOTED, Beside, Rig, begun

from auditor.statistics.intervals import wilson
from tests.e2e.opencode import Json, OpenCodeServer
from tests.e2e.stage import NUDGED, SILENT, Played, Scenario, Stage

WINDOW = 45.0
"""Seconds without an event after which nothing more is waited for; none of the tools waits longer
before a first nudge by the settings used here."""

ENOUGH = 30.0
"""Seconds, once all others came to rest, after which one that still works is stopped: the loops
that nobody stopped."""

CONTESTED = frozenset({"todos-open"})
"""Open to-dos and no claim: some tools nudge there on purpose. Shown, and in no total."""

HELD_OUT = "held out"
"""By lot, a tenth of what a promoted policy would send: nothing about the turn. In no total."""

ENDLESS = "never ended"

START, END = "<!-- scenarios: benchmarks/live_scenarios.py -->\n", "<!-- /scenarios -->"


class Seen(NamedTuple):
    """What came of a scenario. `seconds`: from idle to the nudge; None: after an abort, or none."""

    messages: int
    aborts: int
    seconds: float | None
    note: str = ""


Column = dict[str, Seen]


def play(beside: Beside, scenarios: tuple[Scenario, ...]) -> Column:
    """Play everything beside a tool."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home,
        begun(beside, Path(home)) as rig,
    ):
        stage = Stage(rig.server, rig.model)
        stage.play(scenarios, agent=beside.agent)
        try:
            played = [stage.played(each.name) for each in scenarios]
            calm(rig.server, played)
            return {each.scenario.name: seen(rig, each) for each in played}
        finally:
            stage.close()


def calm(server: OpenCodeServer, played: Iterable[Played]) -> None:
    """Wait until nothing has happened for a while; stop what never ends."""
    left, began = list(played), time.time()
    while left:
        now = time.time()
        last = {each.session: server.last.get(each.session, 0.0) for each in left}
        for each in left:
            works = now - last[each.session] < 1
            if works and now - began > ENOUGH and each.trouble != ENDLESS:
                each.trouble = ENDLESS
                server.abort(each.session)
        left = [each for each in left if now - last[each.session] < WINDOW]
        time.sleep(0.5)


def seen(rig: Rig, played: Played) -> Seen:
    """Read what came of a session and its sub-agents."""
    server, session = rig.server, played.session
    family = [server.messages(each) for each in (session, *server.children(session))]
    users = [[each for each in some if each["info"]["role"] == "user"] for some in family]
    stopped = sum(aborted(each) for some in family for each in some)
    stopped -= played.trouble == ENDLESS  # that was this benchmark
    lines = rig.watcher.of("held", session) if rig.watcher is not None else []
    held = HELD_OUT if any(HELD_OUT in line.text for line in lines) else ""
    first = users[0][1] if len(users[0]) > 1 and not stopped else None
    seconds = None if first is None else pause(server, session, first)
    return Seen(sum(len(some) - 1 for some in users), stopped, seconds, held or played.trouble)


def aborted(message: Json) -> bool:
    return (message["info"].get("error") or {}).get("name") == "MessageAbortedError"


def pause(server: OpenCodeServer, session: str, nudge: Json) -> float | None:
    """Give the seconds from the first idle after the turn to the nudge."""
    sent = nudge["info"]["time"]["created"] / 1000
    ends = [each["read"] for each in server.seen(session, "session.idle")]
    return min((sent - at for at in ends if at <= sent), default=None)


def left_out(found: Seen) -> bool:
    """Whether it says nothing: held out by lot, or not played as it should have been."""
    return found.note not in ("", ENDLESS)


def right(scenario: Scenario, found: Seen, alone: Seen) -> bool:
    messages = found.messages - alone.messages
    if scenario.recovery is not None:
        return messages == 1
    return messages == 0 and found.aborts <= alone.aborts


def cell(scenario: Scenario, found: Seen, alone: Seen) -> str:
    """Say in a word what came."""
    messages, stopped = found.messages - alone.messages, found.aborts > alone.aborts
    if left_out(found):
        return found.note
    what = {0: "", 1: "nudge"}.get(messages, f"{messages} nudges")
    what = " + ".join(filter(None, ("abort" if stopped else "", what))) or "silent"
    after = "" if found.seconds is None or not messages else f" {found.seconds:.1f} s"
    if scenario.name in CONTESTED:
        return f"({what}{after})"
    return f"{'✓' if right(scenario, found, alone) else '✗'} {what}{after}"


def table(scenarios: tuple[Scenario, ...], columns: dict[str, Column]) -> str:
    """The table, as Markdown."""
    alone = columns[ALONE.name]
    lines = [
        f"| scenario | due | {' | '.join(columns)} |",
        "|---" * (len(columns) + 2) + "|",
    ]
    for each in scenarios:
        cells = [cell(each, column[each.name], alone[each.name]) for column in columns.values()]
        due = "nudge" if each.recovery else "silence"
        lines.append(f"| {each.about} | {due} | {' | '.join(cells)} |")
    counted = [each for each in scenarios if each.name not in CONTESTED]
    for title, wanted in (
        ("**nudged once where due**", [each for each in counted if each.recovery]),
        ("**silent where due**", [each for each in counted if not each.recovery]),
        ("**right**", counted),
    ):
        shares = [share(wanted, column, alone) for column in columns.values()]
        lines.append(f"| {title} | | {' | '.join(shares)} |")
    pauses = [paused(scenarios, column) for column in columns.values()]
    lines.append(f"| **from idle to nudge, median** | | {' | '.join(pauses)} |")
    return "\n".join(lines) + "\n"


def share(wanted: Iterable[Scenario], column: Column, alone: Column) -> str:
    judged = [each for each in wanted if not left_out(column[each.name])]
    good = sum(right(each, column[each.name], alone[each.name]) for each in judged)
    low, high = wilson(good, len(judged)) or (0.0, 1.0)
    return f"{good}/{len(judged)} [{100 * low:.0f}, {100 * high:.0f}]"


def paused(scenarios: Iterable[Scenario], column: Column) -> str:
    found = [column[each.name].seconds for each in scenarios if each.recovery]
    known = [each for each in found if each is not None]
    return f"{statistics.median(known):.1f} s (n={len(known)})" if known else "—"


def plugin(named: str) -> Beside:
    name, _, file = named.partition("=")
    path = Path(file).resolve(strict=True)
    return Beside(name, partial(Path, path))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--plugin", type=plugin, action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    given = parser.parse_args()
    scenarios = tuple(
        each for each in (*NUDGED, *SILENT) if given.only is None or each.name in given.only
    )
    columns: dict[str, Column] = {}
    for beside in (ALONE, OURS, PROMOTED, PEER, *given.plugin):
        began = time.time()
        columns[beside.name] = play(beside, scenarios)
        print(f"{beside.name}: {time.time() - began:.0f} s", file=sys.stderr, flush=True)
        for name, found in columns[beside.name].items():
            if found.note:
                print(f"  {name}: {found.note}", file=sys.stderr)
    made = table(scenarios, columns)
    print(made)
    if given.page is not None:
        text = given.page.read_text()
        before, after = text.split(START)[0], text.split(END)[-1]
        given.page.write_text(f"{before}{START}{made}{END}{after}")
    ours, alone = columns[PROMOTED.name], columns[ALONE.name]
    return 0 if all(fair(each, ours, alone) for each in scenarios) else 1


def fair(scenario: Scenario, ours: Column, alone: Column) -> bool:
    found = ours[scenario.name]
    return left_out(found) or right(scenario, found, alone[scenario.name])


if __name__ == "__main__":
    sys.exit(main())
