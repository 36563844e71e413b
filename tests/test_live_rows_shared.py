"""Several watchers of one store, some of them killed: each message is nudged about at most once."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from auditor.live.spent import Deed
from auditor.live_rows import STALE
from auditor.store import Store
from tests.crash_watcher import NOW

ROOT = Path(__file__).parents[1]
MESSAGES = 500
KILLS = 40

CLAIMER = """
import random, sys
from pathlib import Path
from auditor.live.spent import Deed
from auditor.store import Store
from tests.crash_watcher import NOW
order = list(range(int(sys.argv[2])))
random.Random(sys.argv[3]).shuffle(order)
with Store(Path(sys.argv[1])) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in order:
        if store.claim("ses_1", f"msg_{number}", Deed.NUDGE, sys.argv[3], 1_000_000.0):
            print(number)
"""


def test_four_processes_claim_each_message_exactly_once(tmp_path: Path) -> None:
    """AR-T159, TG-T37: whoever watches, and in whatever order the messages come."""
    path = tmp_path / "new" / "a.db"
    claimers = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIMER, str(path), str(MESSAGES), name],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "abcd"
    ]
    for each in claimers:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    with ThreadPoolExecutor(4) as pool:  # all are told to go at once
        told = list(pool.map(lambda each: each.communicate("go\n", timeout=60)[0], claimers))
    assert [each.returncode for each in claimers] == [0] * 4
    found = [[int(line) for line in each.split()] for each in told]
    assert sorted(itertools.chain(*found)) == list(range(MESSAGES))
    assert sum(bool(each) for each in found) > 1  # the control: they did meet


def test_killed_watchers_repeat_nothing_that_arrived_and_lose_nothing(tmp_path: Path) -> None:
    """All are killed at one moment of the store's clock, so that no claim is stale."""
    path = tmp_path / "a.db"
    Store(path).close()
    command = [sys.executable, "-m", "tests.crash_watcher", str(path), str(KILLS)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    said = told.stdout.splitlines()
    sent = Counter(line for line in said if " " not in line)
    remembered = {line.split()[0] for line in said if " " in line}
    assert len(sent) >= KILLS  # the control: each did some work
    assert set(sent.values()) == {1}
    with Store(path) as store:
        names = [f"msg_{number}" for number in range(len(sent) + KILLS)]
        there = {done.message for done in store.spent("ses_1", names).done}
        assert remembered <= there
        given = [name for name in names if store.claim("ses_1", name, Deed.NUDGE, "w", NOW + STALE)]
    assert set(given) == set(names) - there  # lost with no claimer, taken over where it had one
