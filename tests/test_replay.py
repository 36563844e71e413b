"""Replays: what another threshold or calibration would change, without asking, without writing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from msgspec import structs

from auditor.audit import audit
from auditor.calibration import NO_CALIBRATIONS, Calibrations
from auditor.evaluating.replay import Replayed, answered, replayed
from auditor.labels import Label, Nudge, Source
from auditor.store import Store, address
from auditor.turn import Turn
from tests.evaluation_words import ASKED, OPEN, PROVED, calibration
from tests.words import say, turn

CALM = Calibrations(plain=calibration({"reply_length": 1.0}, threshold=0.99))
EAGER = Calibrations(plain=calibration({"reply_length": 1.0}, threshold=0.01))


def made(number: int, text: str) -> Turn:
    return structs.replace(turn(say(text.format(number))), id=f"t{number}", session=f"s{number}")


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "a.db") as store:
        for number, text in enumerate((PROVED, ASKED, OPEN, OPEN, OPEN)):
            one = made(number, text)
            store.add(one, audit(one, calibrations=CALM))
        store.flush()
        yield store


def counts(found: Replayed) -> tuple[int, ...]:
    return found.turns, found.settled, found.judged, found.before, found.after


def test_the_same_changes_nothing(store: Store) -> None:
    found = replayed(store, CALM, None)
    assert counts(found) == (5, 2, 3, 1, 1)
    assert (found.changes, found.calibration, found.threshold) == ((), "by-hand", 0.99)


def test_another_calibration_judges_the_kept_facts(store: Store) -> None:
    found = replayed(store, EAGER, None)
    assert (counts(found), found.nudged, found.silenced) == ((5, 2, 3, 1, 4), 3, 0)
    assert {each.reason for each in found.changes} == {"observing only"}
    for each in found.changes:
        kept = store.kept(each.turn)
        assert kept is not None
        assert each.probability == each.before == kept.audit.probability


def test_a_threshold_beats_the_calibrations_own(store: Store) -> None:
    assert replayed(store, CALM, 0.0).nudged == 3
    assert replayed(store, EAGER, 1.0).after == 1


def test_without_a_calibration_the_sieve_is_left(store: Store) -> None:
    found = replayed(store, NO_CALIBRATIONS, None)
    assert (found.judged, found.residue, found.after) == (0, 3, 1)


def test_what_an_older_program_kept_stays_as_it_was(tmp_path: Path) -> None:
    with Store(tmp_path / "b.db") as store:
        for number in range(3):
            one = made(number, OPEN)
            kept = audit(one, calibrations=CALM)
            store.add(one, structs.replace(kept, facts={}, would_nudge=number == 0))
        store.flush()
        found = replayed(store, EAGER, None)
        assert (found.without_facts, found.before, found.after, found.changes) == (3, 1, 1, ())
        assert replayed(store, EAGER, 0.0).after == 3  # the kept probability meets a threshold


def test_labels_say_whether_the_changes_would_be_right(store: Store) -> None:
    yes, no = (address(made(number, OPEN)).hex() for number in (2, 3))
    given = {"source": Source.HUMAN, "at": time.time()}
    store.add_labels(
        [Label(turn=yes, nudge=Nudge.YES, **given), Label(turn=no, nudge=Nudge.NO, **given)]
    )
    assert replayed(store, EAGER, None).labels == {"nudged no": 1, "nudged yes": 1}


def test_nothing_is_written_and_nobody_is_asked(store: Store) -> None:
    before = list(store.export(texts=True))
    replayed(store, EAGER, 0.5)
    assert list(store.export(texts=True)) == before
    assert answered(store) is None
