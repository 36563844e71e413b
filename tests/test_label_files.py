"""Label files: every fault by file and line, all or nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import ConfigError
from auditor.labelling.files import Read, read
from auditor.labels import Label, Nudge, Reason, Source
from auditor.records import written
from auditor.store import Store
from tests.labelling_words import filled, hexed, nudge, report

TURN = hexed(nudge("s1"))
GOOD = {"turn": TURN, "nudge": "no", "source": "human", "at": 5.0, "rater": "ada"}


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store(filled(tmp_path / "a.db", nudge("s1"), report("s2"))) as opened:
        yield opened


def lines(path: Path, *found: Any) -> Path:
    raw = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in found]
    path.write_bytes(b"\n".join(raw) + b"\n")
    return path


def reading(store: Store, tmp_path: Path, *found: Any) -> Read:
    return read(store, [lines(tmp_path / "x.jsonl", *found)])


FAULTS: dict[str, tuple[list[Any], str]] = {
    "an unknown turn": ([{**GOOD, "turn": "00" * 32}], "x.jsonl:1: the store has no turn 0000"),
    "no address": ([{**GOOD, "turn": "t1"}], "x.jsonl:1: 't1' is no address of a turn"),
    "the same twice": ([GOOD, GOOD], "x.jsonl:2: the same label as in"),
    "two answers": ([GOOD, {**GOOD, "nudge": "yes"}], "x.jsonl:2: says yes,"),
    "no JSON": ([GOOD, b"{"], "x.jsonl:2: not a label: "),
    "a word that is no answer": ([{**GOOD, "nudge": "maybe"}], "x.jsonl:1: not a label: "),
    "a source nobody knows": ([{**GOOD, "source": "oracle"}], "x.jsonl:1: not a label: "),
    "a field is missing": ([{"turn": TURN}], "x.jsonl:1: not a label: "),
    "no moment": ([{**GOOD, "at": -1.0}], "x.jsonl:1: not a label: at: -1.0"),
    "milliseconds": ([{**GOOD, "at": 1.7e12}], "expected Unix seconds"),
    "an array": ([[1, 2]], "x.jsonl:1: not a label: "),
    "not text": ([b"\xff\xfe\x00"], "x.jsonl:1: not a label: "),
}


@pytest.mark.parametrize(("found", "says"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_a_sentence_with_file_and_line(
    store: Store, tmp_path: Path, found: list[Any], says: str
) -> None:
    assert reading(store, tmp_path, GOOD).labels, "the control is read"
    with pytest.raises(ConfigError, match="nothing was imported") as caught:
        reading(store, tmp_path, *found)
    assert says in str(caught.value)


def test_all_faults_are_counted_and_some_are_listed(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        reading(store, tmp_path, *[{**GOOD, "turn": f"{n:064x}"} for n in range(30)])
    assert str(caught.value).count("x.jsonl:") == 10
    assert "and 20 more" in str(caught.value)


def test_a_file_that_is_not_there_is_a_sentence(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.jsonl"):
        read(store, [tmp_path / "none.jsonl"])


def test_history_of_one_rater_is_no_conflict(store: Store, tmp_path: Path) -> None:
    found = reading(store, tmp_path, GOOD, {**GOOD, "at": 6.0, "nudge": "yes"})
    assert [label.nudge for label in found.labels] == [Nudge.NO, Nudge.YES]


def test_two_raters_may_differ(store: Store, tmp_path: Path) -> None:
    found = reading(store, tmp_path, GOOD, {**GOOD, "rater": "bob", "nudge": "yes"})
    assert len(found.labels) == 2


def test_what_the_store_has_is_known_and_what_it_contradicts_is_a_conflict(
    store: Store, tmp_path: Path
) -> None:
    store.add_labels(reading(store, tmp_path, GOOD).labels)
    again = reading(store, tmp_path, GOOD)
    assert (again.labels, again.known) == ([], 1)
    with pytest.raises(ConfigError, match="says yes, the store has no of the same turn"):
        reading(store, tmp_path, {**GOOD, "nudge": "yes"})


def test_a_drawing_is_kept_only_where_this_store_drew_that_turn(
    store: Store, tmp_path: Path
) -> None:
    sample = store.draw("audit", 0.1, None, [TURN])[0]
    ours = reading(store, tmp_path, {**GOOD, "sample": sample}).labels[0]
    theirs = reading(store, tmp_path, {**GOOD, "sample": sample + 1}).labels[0]
    assert (ours.sample, theirs.sample) == (sample, None)


def test_turn_records_with_labels_are_read(store: Store, tmp_path: Path) -> None:
    label = {"nudge": "yes", "reason": "announced", "source": "one reading", "weight": 2.0}
    rows = [
        written(nudge("s1", ended=7.0), label=label),
        written(report("s2"), label={"nudge": "no", "reason": "complete", "verdict": "finished"}),
        written(report("s9")),
    ]
    found = reading(store, tmp_path, *rows)
    assert found.unlabelled == 1
    assert found.labels == [
        Label(
            turn=TURN,
            nudge=Nudge.YES,
            source=Source.IMPORT,
            at=7.0,
            reason=Reason.ANNOUNCED,
            rater="one reading",
        ),
        Label(
            turn=hexed(report("s2")),
            nudge=Nudge.NO,
            source=Source.IMPORT,
            at=0.0,
            reason=Reason.DONE,
            note="verdict: finished",
        ),
    ]


def test_a_turn_record_says_what_is_wrong_with_its_label(store: Store, tmp_path: Path) -> None:
    row = written(nudge("s1"), label={"nudge": "perhaps"})
    with pytest.raises(
        ConfigError, match=r"x\.jsonl:1: not a turn record: label\.nudge: 'perhaps'"
    ):
        reading(store, tmp_path, row)


def test_a_packed_file_is_read(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode()))
    assert len(read(store, [path]).labels) == 1


def test_secrets_in_names_and_notes_are_taken_out(store: Store, tmp_path: Path) -> None:
    row = {**GOOD, "rater": "someone@example.org", "note": "mail someone@example.org"}
    label = reading(store, tmp_path, row).labels[0]
    assert "example.org" not in f"{label.rater}{label.note}"
