"""`auditor doctor`: what it finds on sound and on broken machines, and that it changes nothing."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from typer.testing import CliRunner

from auditor import answers, doctor, doctor_files, doctor_model, findings, schema, sources
from auditor.answers import Answers
from auditor.cli import app
from auditor.errors import JudgeUnavailable
from auditor.findings import Finding, State
from auditor.harness import _sqlite
from auditor.judge import Answer, Asked
from auditor.models import registry
from auditor.store import Store
from tests.test_models_own import mine
from tests.test_scan import record, said, write
from tests.tiny_model import write as write_model
from tests.tuning import corpus

TRANSCRIPT = (
    '{"type":"user","uuid":"a","sessionId":"s","timestamp":"2026-01-05T10:00:00Z",'
    '"message":{"role":"user","content":"hi"}}\n'
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of its own: nothing found, nothing kept."""
    for name in ("AUDITOR_MODEL", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AUDITOR_DB", str(tmp_path / "store.db"))
    monkeypatch.setenv("AUDITOR_ANSWERS", str(tmp_path / "answers.db"))
    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path / "models"))
    return tmp_path


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_model(path)
    return str(path)


def by_check(*arguments: str) -> tuple[dict[str, dict[str, Any]], int]:
    done = CliRunner().invoke(app, ["doctor", "--json", "--quick", *arguments])
    assert done.stdout, done.output
    whole = json.loads(done.stdout)
    assert whole["ok"] is (done.exit_code == 0)
    return {found["check"]: found for found in whole["findings"]}, done.exit_code


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def contents(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in files(folder)}


def test_a_sound_machine_fails_nothing_and_is_left_as_it_was(home: Path, tiny: str) -> None:
    before = files(home)
    found, code = by_check("--model", tiny)
    assert code == 0
    assert {"backend", "threads", "model", "letters", "determinism", "memory", "store"} <= set(
        found
    )
    assert found["determinism"]["state"] == "ok"
    assert found["latency"]["state"] == "note"
    assert files(home) - before <= {home / "models", home / "models" / "digests.json"}


def test_every_finding_that_is_not_ok_says_what_to_do(tiny: str) -> None:
    found, _ = by_check("--model", tiny)
    for finding in found.values():
        if finding["state"] in {"warn", "FAIL"}:
            assert finding["advice"], finding


def test_people_read_a_line_for_each_check(tiny: str) -> None:
    done = CliRunner().invoke(app, ["doctor", "--model", tiny])
    assert done.exit_code == 0, done.output
    for length in doctor_model.LENGTHS:
        assert f"latency at {length}" in done.stdout
    assert "tokens/s" in done.stdout
    assert all(line[:6].strip() in {"ok", "note", "warn", ""} for line in done.stdout.splitlines())


def test_without_a_model_the_rest_is_still_checked() -> None:
    found, code = by_check()
    assert code == 0
    assert found["model"]["state"] == "warn"
    assert found["model"]["advice"] == f"auditor models pull {registry.default().name}"
    assert "store" in found


def test_a_damaged_model_fails(home: Path) -> None:
    (home / "models").mkdir()
    (home / "models" / registry.default().file).write_bytes(b"GGUF and no more")
    found, code = by_check()
    assert (code, found["model"]["state"]) == (1, "FAIL")
    assert "damaged" in found["model"]["found"]
    assert "letters" not in found


def test_a_known_model_named_by_its_path_is_said_to_be_it(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = hashlib.sha256(Path(tiny).read_bytes()).hexdigest()
    (first, *rest) = [model for model in registry.known() if model.own is None]
    renamed = structs.replace(first, name="tiny", sha256=digest)
    monkeypatch.setattr(registry, "known", lambda: [renamed, *rest])
    _, found = doctor.model(tiny)
    assert "it is tiny" in found.found


def test_a_file_changed_behind_its_time_is_read_anew(home: Path, tiny: str) -> None:
    path = home / "m.gguf"
    shutil.copy(tiny, path)
    before, _ = doctor.model(str(path))
    state = path.stat()
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"!")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    after, _ = doctor.model(str(path))
    assert before is not None
    assert after is not None
    assert before.digest != after.digest


def test_where_no_model_is_wanted_none_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_MODEL", "none")
    found, code = by_check()
    assert (code, found["model"]["state"]) == (0, "note")
    assert "letters" not in found


def test_a_llama_that_cannot_be_loaded_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> str:
        raise JudgeUnavailable("libgomp.so.1: cannot open")

    monkeypatch.setattr(doctor_model, "features", broken)
    (found,) = doctor.backend()
    assert found.state is State.FAIL
    assert "libgomp" in found.found


def test_a_file_that_is_no_model_fails(home: Path) -> None:
    (home / "m.gguf").write_bytes(b"GGUF" + bytes(64))
    found, code = by_check("--model", str(home / "m.gguf"))
    assert code == 1
    assert found["model"]["state"] == "FAIL"


def test_a_name_that_nobody_knows_is_a_wrong_option() -> None:
    done = CliRunner().invoke(app, ["doctor", "--model", "nonsense"])
    assert done.exit_code == 2
    assert "'nonsense' is no known model" in done.output


class Judge:
    """Answers the given answers, one after the other."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)

    def ask(self, asked: Asked, deadline_seconds: float | None = None) -> Answer:
        del asked, deadline_seconds
        return self._answers.pop(0)


ANSWER = Answer({"a": -0.5, "b": -1.0}, 0.5, 0.1, 3, "m", {"end_of_turn_surprise": 1.0}, 9, 0.1)


@pytest.mark.parametrize(
    ("change", "state"),
    [
        pytest.param({}, State.OK, id="the same"),
        pytest.param({"seconds": 9.0}, State.OK, id="only slower"),
        pytest.param({"logprobs": {"a": -0.5, "b": -1.0000001}}, State.FAIL, id="the last digits"),
        pytest.param({"scalars": {"end_of_turn_surprise": 1.1}}, State.FAIL, id="another scalar"),
        pytest.param({"coverage": 0.51}, State.FAIL, id="another coverage"),
        pytest.param({"spread": 0.11}, State.FAIL, id="another spread"),
    ],
)
def test_an_answer_that_changes_fails(change: dict[str, Any], state: State) -> None:
    first = [ANSWER] * 3
    between = structs.replace(ANSWER, tokens=1)
    again = [between, ANSWER, structs.replace(ANSWER, **change), ANSWER]
    (found,) = doctor_model.determinism(Judge(*again), first)
    assert found.state is state
    if state is State.FAIL:
        assert all(name in found.found for name in change)


@pytest.mark.parametrize(
    ("coverage", "state"), [(0.05, State.WARN), (0.1, State.OK), (None, State.NOTE)]
)
def test_coverage(coverage: float | None, state: State) -> None:
    (found,) = doctor_model.coverage([ANSWER, structs.replace(ANSWER, coverage=coverage)][1:])
    assert found.state is state


def test_a_head_has_no_coverage_and_that_is_all_right() -> None:
    read = structs.replace(ANSWER, coverage=None, spread=None, orders=0)
    (found,) = doctor_model.coverage([read, read])
    assert (found.state, found.found) == (State.OK, "none needed: a head reads whose move is next")


def test_memory() -> None:
    def state(after: int | None) -> State:
        (found,) = doctor_model.memory(0, after, 100)
        return found.state

    most = int(doctor_model.OVERHEAD) + 100
    assert [state(most), state(most + 1), state(None)] == [State.OK, State.WARN, State.NOTE]


def _foreign(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (x)")
    db.close()


def _ours(path: Path) -> None:
    with Store(path):
        pass


def _newer(path: Path) -> None:
    _ours(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 999")
    db.close()


def _locked(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("CREATE TABLE t (x)")
    db.execute("BEGIN EXCLUSIVE")
    return db


def _torn(path: Path) -> None:
    _ours(path)
    with path.open("r+b") as file:
        file.truncate(6000)


@pytest.mark.parametrize(
    ("make", "state", "said"),
    [
        pytest.param(_ours, "ok", "ours, schema", id="ours"),
        pytest.param(_foreign, "FAIL", "another program's", id="another program's"),
        pytest.param(_newer, "FAIL", "has schema 999", id="of a newer program"),
        pytest.param(_torn, "FAIL", "damaged", id="torn"),
        pytest.param(_locked, "FAIL", "is locked", id="locked"),
        pytest.param(lambda p: p.write_bytes(b"x" * 999), "FAIL", "is not a", id="no database"),
        pytest.param(lambda path: path.touch(), "ok", "schema 0, brought to", id="empty"),
        pytest.param(lambda path: path.mkdir(), "FAIL", "is a folder", id="a folder"),
    ],
)
def test_the_store(
    home: Path,
    make: Callable[[Path], object],
    state: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_sqlite, "PATIENCE", 0.05)
    kept = make(home / "store.db")
    before = contents(home)
    (found,) = doctor_files.kept_audits(home / "store.db")
    assert found.state == state
    assert said in found.found
    assert found.advice or state == "ok"
    assert contents(home) == before
    if isinstance(kept, sqlite3.Connection):
        kept.close()


def test_a_store_in_use_is_read_with_its_log(home: Path) -> None:
    with Store(home / "store.db"):
        (found,) = doctor_files.kept_audits(home / "store.db")
    assert found.state is State.OK
    assert f"schema {len(schema.MIGRATIONS)}," in found.found


def _answers(path: Path) -> None:
    with Answers(path) as kept:
        kept.put(b"k", ANSWER)


def _old_answers(path: Path) -> None:
    _answers(path)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {answers.FORMAT + 1}")
    db.close()


@pytest.mark.parametrize(
    ("make", "state", "said"),
    [
        pytest.param(lambda _: None, "ok", "none kept yet", id="none"),
        pytest.param(_answers, "ok", "1 kept", id="ours"),
        pytest.param(_old_answers, "ok", "begins", id="of another format"),
        pytest.param(_foreign, "warn", "another program's", id="another program's"),
        pytest.param(lambda p: p.write_bytes(b"x" * 999), "warn", "is not a", id="no database"),
        pytest.param(lambda path: path.mkdir(), "warn", "is a folder", id="a folder"),
    ],
)
def test_the_answers(home: Path, make: Callable[[Path], object], state: str, said: str) -> None:
    make(home / "answers.db")
    before = contents(home)
    (found,) = doctor_files.kept_answers(home / "answers.db")
    assert found.state == state
    assert said in found.found
    assert found.advice or state == "ok"
    assert contents(home) == before


def test_a_place_below_a_file_cannot_be_used(home: Path) -> None:
    (home / "file").touch()
    (answer,) = doctor_files.kept_answers(home / "file" / "answers.db")
    (audit,) = doctor_files.kept_audits(home / "file" / "store.db")
    assert (answer.state, audit.state) == (State.WARN, State.FAIL)
    assert "is no folder" in answer.found
    assert "is no folder" in audit.found


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(home: Path) -> None:
    (home / "closed").mkdir(mode=0o500)
    (found,) = doctor_files.kept_audits(home / "closed" / "store.db")
    assert (found.state, found.found) == (State.FAIL, f"{home / 'closed'} may not be written")


def test_a_harness_with_transcripts_is_counted(home: Path) -> None:
    folder = home / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text(TRANSCRIPT)
    found, _ = by_check()
    assert found["claude-code"]["state"] == "ok"
    assert found["claude-code"]["found"].startswith("1 transcript, newest ")
    assert "codex" in found["harnesses"]["found"]
    assert "claude-code" not in found["harnesses"]["found"]


def test_a_transcript_that_nobody_recognises_is_a_warning(home: Path) -> None:
    folder = home / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text("what is this?\n")
    found, code = by_check()
    assert (code, found["claude-code"]["state"]) == (0, "warn")
    assert "not recognised" in found["claude-code"]["found"]


def test_a_transcript_that_is_damaged_is_a_warning(home: Path) -> None:
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    db = sqlite3.connect(path)
    for table in ("session", "message", "part", "project"):
        db.execute(f"CREATE TABLE {table} (id TEXT)")
    db.close()
    path.write_bytes(path.read_bytes()[:5000])
    (found,) = doctor.harness("opencode")
    assert found.state is State.WARN
    assert str(path) in found.found


def test_a_folder_that_cannot_be_read_is_a_warning(home: Path) -> None:
    (home / ".claude" / "projects").mkdir(parents=True)
    (home / ".claude" / "projects" / "x.jsonl").symlink_to("x.jsonl")  # leads to itself
    found, code = by_check()
    assert (code, found["claude-code"]["state"]) == (0, "warn")
    assert "x.jsonl" in found["claude-code"]["found"]
    assert found["claude-code"]["advice"]


def test_a_check_that_breaks_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sources.in_default_places

    def broken(name: str) -> sources.Found:
        if name == "codex":
            raise RuntimeError("no such luck")
        return whole(name)

    monkeypatch.setattr(sources, "in_default_places", broken)
    found, code = by_check()
    assert code == 1
    assert "no such luck" in found["codex"]["found"]
    assert "claude-code" in found["harnesses"]["found"]


def test_it_does_not_depend_on_a_scan_having_run(home: Path, tiny: str) -> None:
    path = write(home, record("a", said("The parser has 2 states.")))
    CliRunner().invoke(app, ["scan", str(path), "--model", tiny])
    found, code = by_check("--model", tiny)
    assert code == 0
    assert found["answers"]["found"].startswith("1 kept in ")
    assert "schema" in found["store"]["found"]


def test_failed() -> None:
    assert findings.failed([Finding("a", State.FAIL, "x")])
    assert not findings.failed([Finding("a", State.WARN, "x")])


def test_the_default_model_passes(home: Path, default_model: Path) -> None:
    (home / "models").mkdir()
    shutil.copy(default_model, home / "models" / registry.default().file)
    found, code = by_check()
    assert code == 0
    states = {check: found[check]["state"] for check in ("model", "letters", "coverage", "memory")}
    assert set(states.values()) == {"ok"}, found
    assert next(iter(doctor.threads())).state in {State.OK, State.NOTE}


def test_a_tuned_model_is_checked_by_the_path_of_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = corpus.registry(tmp_path, monkeypatch)
    base = registry.named("tiny").sha256
    path = mine(tmp_path / "away", base)
    located, found = doctor.model(str(path))
    assert (found.state, located) == (State.OK, registry.resolve(str(path)))
    assert located is not None
    checks = {found.check: found for found in doctor_model.examined(located, quick=True)}
    assert checks["determinism"].state is State.OK
    assert checks["coverage"].found.startswith("none needed")
    (here / "tiny.gguf").unlink()
    assert doctor.model(str(path))[1].state is State.WARN
