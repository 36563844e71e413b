"""The scan: which turns, which are shown, what is counted, and that nothing ends it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auditor import order as orders
from auditor import scan as scanning
from auditor import sources
from auditor.audit import audit
from auditor.cli import app
from auditor.errors import ConfigError, StoreError
from auditor.events import Unread
from auditor.glimpse import redacted
from auditor.harness import HARNESSES
from auditor.models import registry
from auditor.order import PICKS, Order, moment
from auditor.scan import scan
from auditor.signals import EVIDENCE_SHOWN
from auditor.store import Store
from auditor.summary import MAX_KINDS, OTHER, Summary
from auditor.writers import Format
from tests.words import say, turn

ASKS = "Shall I go on with the second part?"
CALLED = [
    {"type": "tool_call", "id": "c", "name": "bash", "arguments": {"command": "make"}},
    {"type": "tool_result", "call": "c", "output": "built", "failed": False},
]


def record(id_: str, *parts: dict[str, Any], **more: Any) -> str:
    body = {"schema": "turn-record/1", "id": id_, "session": "s1", "harness": "test"}
    return json.dumps(body | {"parts": parts, "finish": "stop"} | more)


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def write(folder: Path, *lines: str, name: str = "turns.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(line + "\n" for line in lines))
    return path


def audits(folder: Path, *paths: Path, **order: Any) -> list[dict[str, Any]]:
    out = folder / "out.jsonl"
    scan(Order(paths=paths, format=Format.JSONL, out=out, **order))
    return [json.loads(line) for line in out.read_text().splitlines()]


def ids(folder: Path, *paths: Path, **order: Any) -> list[str]:
    return [found["turn"] for found in audits(folder, *paths, **order)]


def test_a_line_has_what_the_evaluation_builds_on(tmp_path: Path) -> None:
    (found,) = audits(tmp_path, write(tmp_path, record("t1", *CALLED, model="m")))
    assert found.keys() >= {
        "turn", "session", "harness", "model", "verdict", "opinion", "by", "probability", "score",
        "would_nudge", "decision", "reason", "remedy", "signals",
    }  # fmt: skip
    assert (found["turn"], found["probability"]) == ("t1", None)
    for signal in found["signals"].values():
        assert signal.keys() == {"strength", "points_to", "evidence", "settles"}


def test_each_turn_once_in_the_order_read(tmp_path: Path) -> None:
    path = write(tmp_path, record("b", said("x")), record("a", said("y")))
    assert ids(tmp_path, path, path) == ["b", "a"]


def test_a_broken_line_is_counted_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path, record("a", said("x")), "{broken", "{}", record("b", said("y")))
    summary = scan(Order(paths=(path,), format=Format.JSON, out=tmp_path / "o"))
    assert summary.turns == 2
    assert {kind.first for kind in summary.unread.values()} == {f"{path}:2", f"{path}:3"}


def test_the_document_is_one_object(tmp_path: Path) -> None:
    path = write(tmp_path, record("a", said("x")), record("b", *CALLED))
    out = tmp_path / "o.json"
    scan(Order(paths=(path,), format=Format.JSON, out=out))
    found = json.loads(out.read_text())
    assert [turn["turn"] for turn in found["turns"]] == ["a", "b"]
    assert found["summary"]["turns"] == 2
    assert found["summary"]["by_harness"]["test"]["turns"] == 2
    write(tmp_path)
    scan(Order(paths=(path,), format=Format.JSON, out=out, harness="records"))
    assert json.loads(out.read_text())["turns"] == []


def test_sessions_are_chosen_by_how_they_begin(tmp_path: Path) -> None:
    path = write(tmp_path, record("a", said("x"), session="one"), record("b", said("y")))
    assert ids(tmp_path, path, session="on") == ["a"]


def test_since_goes_by_the_turn_and_else_by_the_file(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        record("old", said("x"), started=100.0),
        record("new", said("y"), started=100.0, ended=300.0),
        record("unknown", said("z")),
    )
    os.utime(path, (400, 400))
    assert ids(tmp_path, path, since=200.0) == ["new", "unknown"]
    os.utime(path, (150, 150))  # nothing in a file is newer than its last change
    assert ids(tmp_path, path, since=200.0) == []


def test_last_takes_the_newest_of_all_files(tmp_path: Path) -> None:
    for name, times in (("a", (1, 50)), ("b", (30, 20)), ("c", (5, 5))):
        lines = [record(f"{name}{at}", said("x"), ended=float(at)) for at in times]
        path = write(tmp_path, *lines, name=name)
        os.utime(path, (60, 60))
    assert ids(tmp_path, tmp_path, last=3) == ["a50", "b30", "b20"]
    assert ids(tmp_path, tmp_path, last=99)[:2] == ["a50", "b30"]


def test_last_does_not_read_what_cannot_be_newer(tmp_path: Path) -> None:
    for name, at in (("a", 10), ("b", 20)):
        os.utime(write(tmp_path, record(name, said("x"), ended=at), name=name), (at, at))
    summary = scan(Order(paths=(tmp_path,), last=1, format=Format.JSON, out=tmp_path / "o"))
    assert (summary.files, summary.turns) == (1, 1)


def test_only_chooses_what_is_shown_and_not_what_is_counted(tmp_path: Path) -> None:
    path = write(tmp_path, record("ended", *CALLED), record("asks", said(ASKS)))
    every = {found["turn"]: found for found in audits(tmp_path, path)}
    assert every["ended"]["would_nudge"]
    assert not every["asks"]["would_nudge"]
    assert ids(tmp_path, path, only="nudge") == ["ended"]
    assert ids(tmp_path, path, only="log") == ["ended"]
    assert ids(tmp_path, path, only="silent") == ["asks"]
    assert ids(tmp_path, path, only="all") == ["ended", "asks"]
    assert ids(tmp_path, path, only=every["ended"]["verdict"]) == ["ended"]
    summary = scan(Order(paths=(path,), only="nudge", format=Format.JSON, out=tmp_path / "o"))
    assert summary.turns == 2


def test_a_sub_agents_turn_would_be_nudged_and_is_only_logged(tmp_path: Path) -> None:
    path = write(tmp_path, record("sub", *CALLED, parent="s0"))
    (found,) = audits(tmp_path, path, only="nudge")
    assert (found["decision"], found["reason"]) == ("log", "a sub-agent's turn")


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        ({"only": "nice"}, "--only: 'nice' is none of all, nudge, "),
        ({"harness": "emacs"}, "--harness: 'emacs' is none of "),
        ({"last": 0}, "--last: 0 is not a number of turns from 1 on"),
        ({"out": Path("/nowhere/at/all.json")}, "--out: there is no folder /nowhere/at"),
    ],
)
def test_a_wrong_option_says_what_was_expected(
    tmp_path: Path, order: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ConfigError) as error:
        scan(Order(paths=(write(tmp_path),), **order))
    assert sentence in str(error.value)
    assert error.value.exit_code == 2


def test_options_of_the_model() -> None:
    assert orders.model("none") is None
    assert orders.model("some-model") == "some-model"
    assert orders.model(None) == registry.default().name
    assert (orders.questions("7"), orders.questions("all")) == (7, None)
    for wrong in ("few", "-1", "٣", ""):
        with pytest.raises(ConfigError, match="neither a number of questions nor all"):
            orders.questions(wrong)


def test_moments() -> None:
    assert moment("7d", 1e6) == 1e6 - 7 * 86400
    assert moment("12h", 1e6) == 1e6 - 12 * 3600
    assert moment("2026-05-31T00:00:00+00:00", 0) == 1780185600
    for wrong in ("yesterday", "7y", "", "-1d"):
        with pytest.raises(ConfigError, match="2026-05-31"):
            moment(wrong, 0)


def test_scanning_twice_adds_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, record("a", said("x")), record("b", *CALLED))
    order = Order(paths=(path,), format=Format.JSON, out=tmp_path / "o", db=tmp_path / "s.db")
    assert scan(order).stored == 2
    assert scan(order).stored == 0
    with Store(tmp_path / "s.db") as store:
        assert (store.stats().audits, store.stats().scans) == (2, 2)


def test_a_store_that_fails_lets_the_scan_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Store, "add", full)
    path = write(tmp_path, record("a", said("x")), record("b", said("y")))
    out = tmp_path / "o.jsonl"
    with pytest.raises(StoreError, match="disk is full"):
        scan(Order(paths=(path,), format=Format.JSONL, out=out, db=tmp_path / "s.db"))
    assert len(out.read_text().splitlines()) == 2


def test_evidence_is_redacted_and_harmless(tmp_path: Path) -> None:
    path = write(tmp_path, record("a", said("\x1b[2J\x9b1mShall I mail joe@example.com now?")))
    out = tmp_path / "o.jsonl"
    scan(Order(paths=(path,), format=Format.JSONL, out=out))
    text = out.read_text()
    assert "joe@" not in text
    assert "\x9b" not in text
    assert "\\u001b" not in text


def test_a_detector_that_fails_costs_one_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = scanning.audit

    def sometimes(turn: Any, **more: Any) -> Any:
        if turn.id == "b":
            raise ZeroDivisionError("by nobody")
        return real(turn, **more)

    monkeypatch.setattr(scanning, "audit", sometimes)
    path = write(tmp_path, *(record(name, said("x")) for name in "abc"))
    summary = scan(Order(paths=(path,), format=Format.JSON, out=tmp_path / "o"))
    assert summary.turns == 2
    assert list(summary.unread) == ["not audited: ZeroDivisionError: by nobody"]


def test_a_reader_that_fails_costs_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(_: Path) -> Any:
        raise KeyError("surprise")
        yield

    monkeypatch.setattr(HARNESSES["codex"], "read", read)
    path = write(tmp_path, record("a", said("x")))
    summary = scan(Order(paths=(path,), harness="codex", format=Format.JSON, out=tmp_path / "o"))
    (problem,) = summary.unreadable
    assert (problem.path, problem.reason) == (
        str(path),
        "the codex reader failed: KeyError: 'surprise'",
    )


def test_a_file_that_vanishes_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, gone = (write(tmp_path, record(name, said("x")), name=name) for name in "ab")
    where = sources.in_paths([tmp_path])
    monkeypatch.setattr(sources, "in_paths", lambda *_: where)
    gone.unlink()
    summary = scan(Order(paths=(tmp_path,), format=Format.JSON, out=tmp_path / "o"))
    assert summary.turns == 1
    assert [(p.path, p.reason) for p in summary.unreadable] == [
        (str(gone), "No such file or directory")
    ]
    assert kept.exists()


def test_an_interrupt_keeps_what_was_done_and_leaves_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = scanning.audit

    def stopped(turn: Any, **more: Any) -> Any:
        if turn.id == "b":
            raise KeyboardInterrupt
        return real(turn, **more)

    monkeypatch.setattr(scanning, "audit", stopped)
    path = write(tmp_path, *(record(name, said("x")) for name in "abc"))
    out = tmp_path / "o.jsonl"
    out.write_text("before")
    summary = scan(Order(paths=(path,), format=Format.JSONL, out=out, db=tmp_path / "s.db"))
    assert summary.interrupted
    assert (summary.turns, summary.stored) == (1, 1)
    assert out.read_text() == "before"
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix != ".db") == [
        "o.jsonl", "turns.jsonl",
    ]  # fmt: skip


def test_the_examples_are_scanned_where_there_are_no_transcripts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "in_default_places", lambda _: sources.Found())
    db = tmp_path / "s.db"
    summary = scan(Order(format=Format.JSON, out=tmp_path / "o", db=db))
    assert summary.demo
    assert summary.turns > 0
    assert not db.exists()


def test_kinds_of_unread_entries_are_bounded() -> None:
    summary = Summary()
    for number in range(2 * MAX_KINDS):
        summary.count_unread(Unread(f"kind {number}", number), Path("f"))
    assert len(summary.unread) == MAX_KINDS + 1
    assert summary.unread[OTHER].count == MAX_KINDS


def test_every_verdict_and_decision_can_be_picked() -> None:
    assert {"all", "nudge", "log", "silent", "stuck", "settled", "judged", "residue"} <= set(PICKS)


KEYS = (
    "Let me deploy with AKIAABCDEFGHIJKLMNOP now:",
    "Let me open /Users/johannes/projects/app.py:",
    f"The key is sk-ant-api03-{'7LmAb9xQ' * 11} and next, let me run the deployment script:",
)


@pytest.mark.parametrize("reply", KEYS)
def test_no_secret_leaves_through_evidence(reply: str) -> None:
    """Redaction sees the words as they were written, and before they are cut."""
    found = redacted(audit(turn(say(reply))))
    kept = " ".join(signal.evidence for signal in found.signals.values()).lower()
    assert found.signals
    for secret in ("akiaabcdefgh", "johannes", "7lmab9xq"):
        assert secret not in kept
    assert all(len(signal.evidence) <= EVIDENCE_SHOWN for signal in found.signals.values())


def test_odd_names_and_far_dates_end_nothing(tmp_path: Path) -> None:
    """A file name that is no UTF-8, and milliseconds taken for seconds."""
    name = b"odd\xffname.jsonl"
    line = b'{"schema":"turn-record/1","id":"t1","session":"s1","ended":1796068838000,"parts":[]}'
    (tmp_path / os.fsdecode(name)).write_bytes(line + b"\nno json\n")
    for form in ("table", "json", "jsonl"):
        done = CliRunner().invoke(
            app, ["scan", str(tmp_path), "--format", form, "--db", str(tmp_path / "a.db")]
        )
        assert done.exit_code == 0, done.output


def _continued(*, before: str) -> list[str]:
    one = record("a", said(before), request="Write the parser.", started=1.0, ended=2.0)
    two = record("b", said("Done."), request="continue", started=3.0, ended=4.0)
    return [one, two]


def test_what_a_next_message_implies_is_kept_as_a_weak_label(tmp_path: Path) -> None:
    path = write(tmp_path, *_continued(before="The lexer is there. Now I'll write the parser:"))
    order = Order(paths=(path,), format=Format.JSON, out=tmp_path / "o", db=tmp_path / "s.db")
    assert scan(order).labels == 1
    assert scan(order).labels == 0  # it is the same label again
    with Store(tmp_path / "s.db") as store:
        (label,) = store.labels()
        (first, _) = store.audited()
    assert (label.source, label.nudge, label.turn) == ("implicit", "yes", first.turn)
    assert label.rule


def test_turns_that_do_not_follow_one_another_imply_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, *_continued(before="The lexer is there. Now I'll write the parser:"))
    more = {"format": Format.JSON, "out": tmp_path / "o", "db": tmp_path / "s.db"}
    assert scan(Order(paths=(path,), last=2, **more)).labels == 0  # type: ignore[arg-type]
