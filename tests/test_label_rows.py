"""Labels, drawings, artefacts and the ledger: kept in order, never changed, and checked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit import audit
from auditor.errors import StoreError
from auditor.labels import Label, Nudge, Source
from auditor.store import Store, address
from tests.words import say, turn

SUBJECT = turn(say("Shall I?"))
NAME = address(SUBJECT).hex()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "a.db") as opened:
        opened.add(SUBJECT, audit(SUBJECT))
        opened.flush()
        yield opened


def label(at: float, source: Source = Source.HUMAN, name: str = NAME) -> Label:
    return Label(turn=name, nudge=Nudge.NO, source=source, at=at)


def test_labels_come_back_in_their_order_and_by_source(store: Store) -> None:
    given = [label(3.0), label(1.0, Source.IMPLICIT), label(2.0)]
    assert store.add_labels(given) == 3
    assert store.labels() == given
    assert store.labels([Source.IMPLICIT]) == given[1:2]
    assert store.labels([]) == []


@pytest.mark.parametrize("name", ["00" * 32, "no hex at all", ""])
def test_a_label_of_an_unknown_turn_is_refused_and_with_it_all_others(
    store: Store, name: str
) -> None:
    with pytest.raises(StoreError, match="has no turn"):
        store.add_labels([label(1.0), label(2.0, name=name)])
    assert store.labels() == []


def test_drawings_keep_their_chance(store: Store) -> None:
    (first,) = store.draw("certification", 1.0, "p", [NAME])
    (second,) = store.draw("audit", 0.1, None, [NAME])
    assert [(s.id, s.turn, s.pi, s.policy) for s in store.samples()] == [
        (first, NAME, 1.0, "p"),
        (second, NAME, 0.1, None),
    ]
    assert [sample.id for sample in store.samples("audit")] == [second]


@pytest.mark.parametrize(("queue", "chance"), [("audit", 0.0), ("audit", 1.5), ("other", 0.5)])
def test_a_drawing_without_a_chance_or_a_queue_is_refused(
    store: Store, queue: str, chance: float
) -> None:
    with pytest.raises(StoreError):
        store.draw(queue, chance, None, [NAME])
    assert store.samples() == []


def test_artefacts_are_named_by_their_content(store: Store) -> None:
    name = store.add_artefact("policy", b"{}")
    assert store.add_artefact("policy", b"{}") == name
    assert store.artefact(name) == b"{}"
    assert store.artefact("nothing") is None
    assert [found for found, _ in store.artefacts("policy")] == [name]
    assert store.artefacts("canary") == []


def test_events_are_chained(store: Store) -> None:
    first = store.append_event("a", {"z": 1, "b": [1.5, None]})
    second = store.append_event("b", {})
    assert [(event.seq, event.kind) for event in store.events()] == [(1, "a"), (2, "b")]
    assert store.events("a") == [first]
    assert first.body == {"z": 1, "b": [1.5, None]}
    assert first.hash != second.hash
    assert store.verify_ledger() is None


FORGED = {
    "the body": "UPDATE events SET body = '{}' WHERE seq = 1",
    "the time": "UPDATE events SET at = at + 1 WHERE seq = 2",
    "the kind": "UPDATE events SET kind = 'c' WHERE seq = 2",
    "one taken out": "DELETE FROM events WHERE seq = 1",
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_changed_past_is_found(store: Store, forged: str) -> None:
    store.append_event("a", {"z": 1})
    store.append_event("b", {"z": 2})
    assert store.verify_ledger() is None  # the control
    with closing(sqlite3.connect(store.path, isolation_level=None)) as db:
        db.execute("DROP TRIGGER events_update")
        db.execute("DROP TRIGGER events_delete")
        db.execute(FORGED[forged])
    assert store.verify_ledger() is not None


@pytest.mark.parametrize("table", ["keys", "labels", "samples", "artefacts", "events"])
def test_rows_are_only_ever_added(store: Store, table: str) -> None:
    store.add_labels([label(1.0)])
    store.draw("audit", 0.1, None, [NAME])
    store.add_artefact("policy", b"{}")
    store.append_event("a", {})
    column = {"keys": "name", "artefacts": "kind"}.get(table, "at")
    with closing(sqlite3.connect(store.path)) as db:
        for statement in ("DELETE FROM {0}", "UPDATE {0} SET {1} = {1}"):
            with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
                db.execute(statement.format(table, column))
