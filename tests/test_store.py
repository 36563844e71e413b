"""The store: adds nothing twice, loses nothing but texts, and says what to do when it cannot."""

from __future__ import annotations

import json
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from auditor import rows, turn_rows
from auditor import store as stores
from auditor.audit import audit
from auditor.errors import StoreError
from auditor.glimpse import redacted
from auditor.judge import Answer
from auditor.labels import Label, Nudge, Source
from auditor.policy import Judged
from auditor.redact import VERSION
from auditor.schema import MIGRATIONS
from auditor.store import FOREVER, LABELLED_KEPT, TEXTS_KEPT, Store, address
from auditor.turn import Turn
from tests.words import call, result, say, turn

SECRET = "hunter2hunter2"  # noqa: S105 made up


def one(text: str = "Shall I go on?", **more: object) -> Turn:
    return structs.replace(turn(say(text)), **more)


def fill(path: Path, *turns: Turn) -> int:
    with Store(path) as store:
        for each in turns:
            store.add(each, redacted(audit(each)))
        store.flush()
        return store.added


def test_adding_twice_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert fill(path, one(), one()) == 1
    assert fill(path, one()) == 0
    assert fill(path, one("Other.")) == 1


def test_the_address_is_of_the_content_and_not_of_the_times() -> None:
    assert address(one()) == address(one(started=1.0, ended=2.0))
    assert address(one()) != address(one("Other."))
    assert address(one()) != address(one(session="other"))


def test_half_a_surrogate_pair_is_stored(tmp_path: Path) -> None:
    assert fill(tmp_path / "a.db", one("broken \ud83d", request="\ud83d")) == 1


def test_another_fingerprint_is_another_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    fill(path, one())
    monkeypatch.setattr(turn_rows, "fingerprint", lambda: "other")
    assert fill(path, one()) == 1


@pytest.mark.parametrize("table", ["turns", "audits", "scans"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET rowid_or_added = 1"])
def test_rows_are_only_ever_added(tmp_path: Path, table: str, statement: str) -> None:
    path = tmp_path / "a.db"
    fill(path, one())
    with Store(path) as store:
        store.add_scan(1.0, ["x"], b"{}")
    column = "began" if table == "scans" else "added"
    with closing(sqlite3.connect(path)) as db:
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            db.execute(statement.format(table).replace("rowid_or_added", column))
        db.execute("DELETE FROM texts")  # the control: texts may go


def test_nothing_is_stored_before_it_was_redacted(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    told = f"password={SECRET}"
    secret = turn(
        call("bash", command=f"export {told}"), result("ok"), say(f"Use {told} ?"), request=told
    )
    fill(path, secret)
    with Store(path) as store:
        exported = b"".join(store.export(texts=True))
    assert b"<KEY>" in exported
    for file in tmp_path.iterdir():
        assert SECRET.encode() not in file.read_bytes()


def test_a_secret_across_a_cut_is_redacted_whole(tmp_path: Path) -> None:
    key = "sk-" + "a1" * 20
    long = turn(say(key + " x" * 730), request="y " * 395 + key)
    fill(tmp_path / "a.db", long)
    with Store(tmp_path / "a.db") as store:
        exported = b"".join(store.export(texts=True))
    assert b"a1a1" not in exported


def test_purged_texts_are_gone_from_the_disk_and_stay_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    fill(path, one("A sentence to be found again?"))
    with Store(path) as store:
        assert store.texts_before(1.0) == 0
        assert store.purge(FOREVER) == 1
        assert b"text" not in b"".join(store.export(texts=True)).split(b'"signals"')[0]
    audits_keep = b"sentence to be found"  # one line of evidence stays with the audit
    assert path.read_bytes().count(audits_keep) <= 1
    fill(path, one("A sentence to be found again?"))
    with Store(path) as store:
        assert store.stats().texts == 0


def test_export_gives_back_the_audit(tmp_path: Path) -> None:
    fill(tmp_path / "a.db", one(id="t7"))
    with Store(tmp_path / "a.db") as store:
        (plain,), (full,) = list(store.export(texts=False)), list(store.export(texts=True))
        hidden = {"turn": store.hidden("t7"), "session": store.hidden(one().session)}
    assert json.loads(plain) == json.loads(msgspec.json.encode(audit(one(id="t7")))) | hidden
    assert json.loads(full)["text"]["reply"] == "Shall I go on?"


def test_names_are_hidden_the_same_here_and_otherwise_elsewhere(tmp_path: Path) -> None:
    for name in ("a.db", "b.db"):
        fill(tmp_path / name, one("x", id="turn-of-mine", session="mine"))
        fill(tmp_path / name, one("y", id="another-turn", session="mine", parent="mine"))
    exported = []
    for name in ("a.db", "b.db"):
        raw = (tmp_path / name).read_bytes()
        assert b"turn-of-mine" not in raw
        assert b'"mine"' not in raw
        with Store(tmp_path / name) as store:
            found = [json.loads(line) for line in store.export(texts=False)]
        assert found[0]["session"] == found[1]["session"] == found[1]["parent"]
        assert found[0]["turn"] != found[1]["turn"]
        exported.append(found[0]["session"])
    assert exported[0] != exported[1]


def test_a_secret_in_a_models_name_is_taken_out(tmp_path: Path) -> None:
    fill(tmp_path / "a.db", one(model=f"m?password={SECRET}"))
    assert SECRET.encode() not in (tmp_path / "a.db").read_bytes()


def test_what_was_redacted_is_counted(tmp_path: Path) -> None:
    fill(tmp_path / "a.db", one(f"password={SECRET}, mail a.person@example.org?"))
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        version, counts = db.execute("SELECT redaction, redacted FROM turns").fetchone()
    assert version == VERSION
    assert json.loads(counts) == {"<KEY>": 1, "<EMAIL>": 1}


def test_an_answer_makes_another_audit_and_the_newest_counts(tmp_path: Path) -> None:
    path, answer = tmp_path / "a.db", Answer({"agent": -1.0}, 0.5, 0.1, 1, "m", {}, 1, 0.1)
    subject = one("The parser has two states.")
    with Store(path) as store:
        store.add(subject, audit(subject))
        store.flush()
        store.add(subject, audit(subject, judge=lambda _: answer))
        store.flush()
        (kept,) = store.audited()
        assert store.stats().audits == 2
        assert kept.audit.answer == answer
        assert kept == store.kept(kept.turn)
        assert kept.text is not None
        assert kept.text.reply == "The parser has two states."
        assert store.kept("00" * 32) is None


def test_the_audit_by_a_calibration_is_found_again(tmp_path: Path) -> None:
    class By:
        def __init__(self, name: str) -> None:
            self.name = name

        def judged(self, *_: object) -> Judged:
            return Judged(0.25, self.name, 1.0)

    subject = one("The parser has two states.")
    with Store(tmp_path / "a.db") as store:
        for name in ("first", "second"):
            store.add(subject, audit(subject, calibrations=By(name)))
            store.flush()
        found = [next(store.audited(name)).audit.calibration for name in ("first", "other", None)]
    assert found == ["first", "second", "second"]


def test_texts_expire_and_labelled_ones_later(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    fill(path, one("first?"), one("second?"))
    with Store(path) as store:
        first, _ = store.audited()
        store.add_labels([Label(turn=first.turn, nudge=Nudge.NO, source=Source.HUMAN, at=1.0)])
        now = time.time()
        assert store.expire(now) == 0
        assert store.expire(now + TEXTS_KEPT + 60) == 1
        assert [kept.text is not None for kept in store.audited()] == [True, False]
        assert store.expire(now + LABELLED_KEPT + 60) == 1


def test_file_and_folder_are_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.db"
    fill(path, one())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    fill(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StoreError, match="newer turn-auditor"):
        Store(path)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program's database"):
        Store(path)
    assert path.read_bytes() == before


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"not a database, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="not a database"):
        Store(path)


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="--db"):
        Store(tmp_path)


def test_a_locked_store_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    fill(path)
    monkeypatch.setattr(rows, "BUSY", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program"):
            fill(path, one())


def test_a_full_disk_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(path) as store:
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        for number in range(200):
            store.add(one(str(number) + " x" * 700), audit(one(str(number))))
        with pytest.raises(StoreError, match="disk is full"):
            store.flush()
        store._texts, store._turns, store._audits = [], [], []


def test_the_schema_is_strict(tmp_path: Path) -> None:
    fill(tmp_path / "a.db")
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        tables = db.execute(
            "SELECT name, strict FROM pragma_table_list WHERE schema = 'main'"
        ).fetchall()
    assert {name for name, strict in tables if not name.startswith("sqlite_")} == {
        *("turns", "audits", "texts", "scans"),
        *("keys", "labels", "samples", "artefacts", "events"),
        *("claims", "deeds", "switches", "watches"),
    }
    assert all(strict for name, strict in tables if not name.startswith("sqlite_"))


def test_the_place_is_the_environments_or_the_platforms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_DB", "/somewhere/x.db")
    assert stores.default_path() == Path("/somewhere/x.db")
    monkeypatch.delenv("AUDITOR_DB")
    assert "turn-auditor" in stores.default_path().parts
