"""What is read to learn from, and which groups an adapter is tried on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from auditor.errors import ConfigError, NotEnough
from auditor.tuning.learning import HELD, held, lesson
from tests.test_scan import record, said, write


def row(name: str, nudge: str, verdict: str, **more: object) -> str:
    label = {"nudge": nudge, "verdict": verdict, "reason": "x", "weight": 1.0}
    return record(name, said(f"I read {name}, all of it."), label=label, **more)


ROWS = [
    row("a", "yes", "unfinished", meta={"repo": "x/one"}),
    row("b", "no", "awaiting_user", meta={"repo": "x/two"}),
    row("c", "no", "finished", meta={"repo": "x/two"}),
    row("d", "unsure", "finished"),
    record("e", said("Nobody labelled me.")),
]


def test_the_labels_that_are_sure_are_learned(tmp_path: Path) -> None:
    path = write(tmp_path, *ROWS)
    with path.open("a") as file:
        file.write("{no record\n")
    found = lesson([path], made=False, seed=0)
    assert {example.id: example.option for example in found.examples} == {
        "a": "agent",
        "b": "user",
        "c": "nobody",
    }
    assert found.groups == ["x/one", "x/two", "x/two"]
    assert (found.records, found.unread) == (5, 1)
    assert found.labels.all()


def test_made_turns_come_beside_them_and_the_order_of_files_does_not_count(tmp_path: Path) -> None:
    paths = [write(tmp_path, each, name=f"{number}.jsonl") for number, each in enumerate(ROWS)]
    found = lesson(paths, made=True, seed=0)
    assert sum(found.labels) == 3 < len(found.examples)
    assert lesson(paths[::-1], made=True, seed=0).digest == found.digest
    assert lesson(paths, made=False, seed=0).digest != found.digest


def test_nothing_labelled_and_no_file_are_said(tmp_path: Path) -> None:
    with pytest.raises(NotEnough, match="none of 2 turns has a label that is sure"):
        lesson([write(tmp_path, *ROWS[3:])], made=True, seed=0)
    with pytest.raises(ConfigError, match="no such file"):
        lesson([tmp_path / "none.jsonl"], made=True, seed=0)


def test_whole_groups_are_held_back_and_never_more_than_their_share() -> None:
    chance = np.random.default_rng(2)
    for seed in range(20):
        groups = [f"g{number}" for number in chance.integers(0, 9, 200)]
        apart = held(groups, seed)
        assert 0 < apart.sum() <= HELD * len(groups)
        inside = {group for group, on in zip(groups, apart, strict=True) if on}
        assert apart.sum() == sum(Counter(groups)[group] for group in inside)
        assert np.array_equal(held(groups, seed), apart)
    assert not held(["one"] * 9, 0).any()
