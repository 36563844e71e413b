"""Turns that were labelled here, found again in their transcripts and learned from."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from auditor import calibrations, sources
from auditor.errors import NotEnough
from auditor.labels import Label, Nudge, Reason, Source
from auditor.models import registry
from auditor.records import Record, records
from auditor.store import Store, address
from auditor.tuning.gathered import gathered
from auditor.turn import Turn
from tests.labelling_words import filled
from tests.tuning import corpus
from tests.tuning.test_tune import run

ANSWERS = {
    "yes": (Nudge.YES, Reason.ANNOUNCED),
    "ask": (Nudge.NO, Reason.ASKED),
    "no": (Nudge.NO, Reason.DONE),
}


def history(folder: Path, n: int) -> Path:
    """Write the transcript of `n` sessions, each with a turn of every ending."""
    lines = []
    for number in range(n):
        lines += [f"# aider chat started at 2031-01-{number + 1:02} 03:04:05", ""]
        for kind, (_, ending) in corpus.ENDS.items():
            lines += [f"#### {kind} part {number}  ", "", ending.format(n=number), ""]
    file = folder / ".aider.chat.history.md"
    file.write_text("\n".join(lines))
    return file


def turns(path: Path) -> list[Turn]:
    found = sources.in_paths([path])
    return [turn for turn in sources.turns(found.sources[0]) if isinstance(turn, Turn)]


def label(turn: Turn, at: float) -> Label:
    nudge, reason = ANSWERS[turn.request.split()[0]]
    who = Source.HUMAN
    return Label(turn=address(turn).hex(), nudge=nudge, reason=reason, source=who, at=at, rater="a")


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    corpus.registry(tmp_path, monkeypatch)
    (tmp_path / "work").mkdir()
    found = turns(history(tmp_path / "work", 12))
    with Store(filled(tmp_path / "store.db", *found)) as store:
        store.add_labels(label(turn, float(number)) for number, turn in enumerate(found))
    return tmp_path / "store.db"


@pytest.mark.usefixtures("db")
def test_a_model_is_taught_from_transcripts_and_the_labels_of_the_store(tmp_path: Path) -> None:
    done = run("tune", tmp_path / "work", "--head-only", "--labels-only", "--name", "mine")
    assert done.exit_code == 0, done.output
    assert "36 labelled and 0 made turns of 12 groups" in done.stdout
    assert "transcripts that were read" not in done.stdout
    found = calibrations.named("mine", registry.named("mine").digest)
    assert (found.counts.labels, found.counts.yes) == (36, 12)
    assert "part 1" not in (registry.folder() / "mine.md").read_text()


def test_without_a_path_the_default_places_are_read(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = sources.in_paths([tmp_path / "work"])
    monkeypatch.setattr(sources, "in_default_places", lambda: found)
    done = run("tune", "--head-only", "--labels-only", "--name", "mine", "--db", db)
    assert done.exit_code == 0, done.output
    assert "36 labelled" in done.stdout


def test_the_records_are_the_turns_under_their_address(tmp_path: Path, db: Path) -> None:
    path, out = tmp_path / "work" / ".aider.chat.history.md", tmp_path / "out.jsonl"
    told: list[tuple[int, int]] = []
    with Store(db) as store:
        lost = gathered(
            store, sources.in_paths([path]).sources, out, lambda _, n, m, __: told.append((n, m))
        )
    assert (lost, told[-1]) == (0, (1, 1))
    found = {each.id: each for each in records(out) if isinstance(each, Record)}
    for turn in turns(path):
        made = found[address(turn).hex()]
        assert made.turn == structs.replace(turn, id=made.id)
        assert made.label is not None
        assert (made.label.nudge, made.label.reason) == ANSWERS[turn.request.split()[0]]


@pytest.mark.usefixtures("db")
def test_turns_whose_transcript_is_gone_are_counted(tmp_path: Path) -> None:
    history(tmp_path / "work", 9)
    done = run("tune", tmp_path / "work", "--head-only", "--labels-only", "--name", "mine")
    assert done.exit_code == 0, done.output
    assert "27 labelled and" in done.stdout
    assert "9 labelled turns are in none of the transcripts that were read" in done.stdout


@pytest.mark.usefixtures("db")
def test_nothing_labelled_is_said(tmp_path: Path) -> None:
    with Store(tmp_path / "other.db") as store, pytest.raises(NotEnough, match="auditor label"):
        gathered(store, [], tmp_path / "out.jsonl", lambda *_: None)
    done = run("tune", tmp_path / "work", "--db", tmp_path / "none.db")
    assert done.exit_code == 1
    assert "there is no store" in done.stderr
