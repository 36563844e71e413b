"""Stores that earlier versions wrote go on: nothing lost, the same schema as a new store has.

The schema of each past version stands here as that version wrote it, not as `schema` has it today:
a change of an old migration shows.
"""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit import audit
from auditor.labels import Label, Nudge, Source
from auditor.live.spent import Deed, Done
from auditor.schema import APPLICATION, MIGRATIONS
from auditor.store import Store
from tests.words import say, turn

NAME = "01" * 32
AUDIT = (
    '{"turn":"t","session":"s","harness":"h","model":null,"parent":null,"request_kind":"human",'
    '"started":null,"ended":null,"verdict":null,"opinion":"residue","by":null,"probability":null,'
    '"score":0.2,"would_nudge":false,"decision":"silent","reason":"nothing proves it",'
    '"remedy":null,"signals":{}}'
)
FIRST = f"""
CREATE TABLE turns (
  address BLOB PRIMARY KEY, turn TEXT NOT NULL, session TEXT NOT NULL, harness TEXT NOT NULL,
  parent TEXT, model TEXT, request_kind TEXT NOT NULL, started REAL, ended REAL,
  added REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE audits (
  address BLOB NOT NULL REFERENCES turns, fingerprint TEXT NOT NULL,
  verdict TEXT, decision TEXT NOT NULL, would_nudge INTEGER NOT NULL, score REAL NOT NULL,
  audit TEXT NOT NULL, added REAL NOT NULL,
  PRIMARY KEY (address, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE TABLE texts (
  address BLOB PRIMARY KEY REFERENCES turns, request TEXT NOT NULL, activity TEXT NOT NULL,
  reply TEXT NOT NULL, added REAL NOT NULL
) STRICT;
CREATE TABLE scans (
  id INTEGER PRIMARY KEY, began REAL NOT NULL, ended REAL NOT NULL, what TEXT NOT NULL,
  summary TEXT NOT NULL
) STRICT;
CREATE INDEX turns_by_session ON turns (session);
CREATE INDEX texts_by_age ON texts (added);
CREATE TRIGGER turns_update BEFORE update ON turns
  BEGIN SELECT RAISE(ABORT, 'rows of turns are only ever added'); END;
CREATE TRIGGER turns_delete BEFORE delete ON turns
  BEGIN SELECT RAISE(ABORT, 'rows of turns are only ever added'); END;
CREATE TRIGGER audits_update BEFORE update ON audits
  BEGIN SELECT RAISE(ABORT, 'rows of audits are only ever added'); END;
CREATE TRIGGER audits_delete BEFORE delete ON audits
  BEGIN SELECT RAISE(ABORT, 'rows of audits are only ever added'); END;
CREATE TRIGGER scans_update BEFORE update ON scans
  BEGIN SELECT RAISE(ABORT, 'rows of scans are only ever added'); END;
CREATE TRIGGER scans_delete BEFORE delete ON scans
  BEGIN SELECT RAISE(ABORT, 'rows of scans are only ever added'); END;
INSERT INTO turns VALUES (x'{NAME}', 't', 's', 'h', NULL, NULL, 'human', NULL, NULL, 5.0);
INSERT INTO audits VALUES (x'{NAME}', 'f', NULL, 'silent', 0, 0.2, '{AUDIT}', 5.0);
INSERT INTO texts VALUES (x'{NAME}', 'do', '', 'did', 5.0);
INSERT INTO scans VALUES (1, 4.0, 5.0, '[]', '{{}}');
"""  # noqa: S608 our own words

SECOND = f"""
ALTER TABLE turns ADD COLUMN redaction INTEGER;
ALTER TABLE turns ADD COLUMN redacted TEXT;
ALTER TABLE audits ADD COLUMN probability REAL;
ALTER TABLE audits ADD COLUMN calibration TEXT;
CREATE TABLE keys (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO keys VALUES ('names', x'{NAME}');
CREATE TABLE samples (
  id INTEGER PRIMARY KEY, turn BLOB NOT NULL REFERENCES turns,
  queue TEXT NOT NULL CHECK (queue IN ('certification', 'audit', 'uncertain', 'repeat')),
  pi REAL NOT NULL CHECK (pi > 0 AND pi <= 1), policy TEXT, at REAL NOT NULL
) STRICT;
CREATE TABLE labels (
  id INTEGER PRIMARY KEY, turn BLOB NOT NULL REFERENCES turns,
  source TEXT NOT NULL
    CHECK (source IN ('adjudicated', 'human', 'import', 'hindsight', 'implicit')),
  at REAL NOT NULL, label TEXT NOT NULL, digest BLOB NOT NULL UNIQUE
) STRICT;
CREATE TABLE artefacts (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, body BLOB NOT NULL, at REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE events (
  seq INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
  previous TEXT NOT NULL UNIQUE, hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE INDEX labels_by_turn ON labels (turn);
CREATE INDEX samples_by_turn ON samples (turn);
CREATE TRIGGER keys_update BEFORE update ON keys
  BEGIN SELECT RAISE(ABORT, 'rows of keys are only ever added'); END;
CREATE TRIGGER keys_delete BEFORE delete ON keys
  BEGIN SELECT RAISE(ABORT, 'rows of keys are only ever added'); END;
CREATE TRIGGER samples_update BEFORE update ON samples
  BEGIN SELECT RAISE(ABORT, 'rows of samples are only ever added'); END;
CREATE TRIGGER samples_delete BEFORE delete ON samples
  BEGIN SELECT RAISE(ABORT, 'rows of samples are only ever added'); END;
CREATE TRIGGER labels_update BEFORE update ON labels
  BEGIN SELECT RAISE(ABORT, 'rows of labels are only ever added'); END;
CREATE TRIGGER labels_delete BEFORE delete ON labels
  BEGIN SELECT RAISE(ABORT, 'rows of labels are only ever added'); END;
CREATE TRIGGER artefacts_update BEFORE update ON artefacts
  BEGIN SELECT RAISE(ABORT, 'rows of artefacts are only ever added'); END;
CREATE TRIGGER artefacts_delete BEFORE delete ON artefacts
  BEGIN SELECT RAISE(ABORT, 'rows of artefacts are only ever added'); END;
CREATE TRIGGER events_update BEFORE update ON events
  BEGIN SELECT RAISE(ABORT, 'rows of events are only ever added'); END;
CREATE TRIGGER events_delete BEFORE delete ON events
  BEGIN SELECT RAISE(ABORT, 'rows of events are only ever added'); END;
INSERT INTO samples VALUES (1, x'{NAME}', 'audit', 0.1, NULL, 5.0);
INSERT INTO artefacts VALUES ('a', 'policy', x'00', 5.0);
"""  # noqa: S608 our own words

VERSIONS = {1: FIRST, 2: FIRST + SECOND}


def written(path: Path, version: int) -> Path:
    """Write a store as that version wrote it, with a row in each table."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(VERSIONS[version])
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {version}")
    return path


def shape(path: Path) -> dict[str, object]:
    """Tables with their columns, indexes and triggers, without how they are written."""
    with closing(sqlite3.connect(path)) as db:
        found: dict[str, object] = {
            f"{kind} {name}": None
            for kind, name in db.execute("SELECT type, name FROM sqlite_schema ORDER BY 1, 2")
        }
        for table in [name.split()[1] for name in found if name.startswith("table ")]:
            found[table] = db.execute(f"PRAGMA table_info({table})").fetchall()
    return found


def test_every_past_version_stands_here() -> None:
    assert list(VERSIONS) == list(range(1, len(MIGRATIONS)))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_store_of_a_past_version_goes_on(tmp_path: Path, version: int) -> None:
    path = written(tmp_path / "old.db", version)
    with Store(path) as store:
        (kept,) = store.audited()
        assert (kept.turn, kept.audit.turn, kept.audit.answer) == (NAME, "t", None)
        assert kept.text is not None
        assert store.stats().scans == 1
        found = Label(turn=kept.turn, nudge=Nudge.NO, source=Source.HUMAN, at=1.0)
        store.add_labels([found])
        subject = turn(say("Shall I?"))
        store.add(subject, audit(subject))
        store.flush()
        assert (store.stats().turns, store.stats().labels) == (2, 1)
        assert store.claim("s", "m", Deed.NUDGE, "w", 5.0)
        store.remember("s", Done(deed=Deed.NUDGE, recovery="r", message="m", request=None, at=5.0))
        assert (store.stats().deeds, len(store.samples())) == (1, version - 1)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("version", VERSIONS)
def test_it_gets_the_schema_of_a_new_store(tmp_path: Path, version: int) -> None:
    old, new = written(tmp_path / "old.db", version), tmp_path / "new.db"
    assert shape(old) != {}
    for path in (old, new):
        Store(path).close()
    assert shape(old) == shape(new)


@pytest.mark.parametrize("version", VERSIONS)
def test_many_may_open_it_at_once(tmp_path: Path, version: int) -> None:
    path = written(tmp_path / "old.db", version)

    def key(_: int) -> str:
        with Store(path) as store:
            return store.hidden("name")

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(key, range(8)))) == 1
