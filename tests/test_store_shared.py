"""Several writers of one store: nothing twice, nothing lost, whatever kills them."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from auditor.audit import audit
from auditor.labels import Label, Nudge, Source
from auditor.store import Store
from tests.words import say, turn

ROOT = Path(__file__).parents[1]
KILLS = 200
SEED = 20261201

WRITER = """
import sys
from pathlib import Path
from auditor.audit import audit
from auditor.labels import Label, Nudge, Source
from auditor.store import Store, address
from tests.words import say, turn
with Store(Path(sys.argv[1])) as store:
    for number in range(20):
        subject = turn(say(f"{number}: shall I?"))
        store.add(subject, audit(subject))
        store.flush()
        name = address(subject).hex()
        store.add_labels([Label(turn=name, nudge=Nudge.NO, source=Source.HUMAN, at=1.0)])
        store.append_event("test", {"number": number})
    print(store.added)
"""


def python(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_four_processes_write_everything_exactly_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.db"  # made by whoever comes first
    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(lambda _: int(python("-c", WRITER, str(path))), range(4)))
    assert sum(added) == 20
    with Store(path) as store:
        assert (store.stats().turns, store.stats().audits, len(store.labels())) == (20, 20, 20)
        assert len(store.events()) == 80
        assert store.verify_ledger() is None


def test_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    told = python("-m", "tests.crash_writer", str(tmp_path / "a.db"), str(KILLS), str(SEED))
    found = json.loads(told)
    assert found["said"] > KILLS
    assert (found["lost"], found["sound"], found["dangling"]) == (0, "ok", 0)
    assert found["ledger"] is None


def test_a_label_that_comes_twice_is_kept_once(tmp_path: Path) -> None:
    subject = turn(say("Shall I?"))
    with Store(tmp_path / "a.db") as store:
        store.add(subject, audit(subject))
        store.flush()
        (kept,) = store.audited()
        label = Label(turn=kept.turn, nudge=Nudge.YES, source=Source.HUMAN, at=2.0)
        assert [store.add_labels([label, label]), store.add_labels([label])] == [1, 0]
        assert store.labels() == [label]
