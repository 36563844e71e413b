"""`auditor doctor`: what it finds on sound and on broken machines, and that it changes nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from typer.testing import CliRunner

from auditor import doctor, doctor_model, findings
from auditor.cli import app
from auditor.findings import Finding, State
from auditor.harness import HARNESSES
from auditor.judge import Answer, Asked
from auditor.models import registry
from auditor.store import Store
from tests.test_scan import record, said, write
from tests.tiny_model import write as write_model

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

    def ask(self, _: Asked) -> Answer:
        return self._answers.pop(0)


ANSWER = Answer({"a": -0.5, "b": -1.0}, 0.5, 0.1, 3, "m", {"end_of_turn_surprise": 1.0}, 9, 0.1)


@pytest.mark.parametrize(
    ("change", "state"),
    [
        pytest.param({}, State.OK, id="the same"),
        pytest.param({"seconds": 9.0}, State.OK, id="only slower"),
        pytest.param({"logprobs": {"a": -0.5, "b": -1.0000001}}, State.FAIL, id="the last digits"),
        pytest.param({"scalars": {"end_of_turn_surprise": 1.1}}, State.FAIL, id="another scalar"),
    ],
)
def test_an_answer_that_changes_fails(change: dict[str, Any], state: State) -> None:
    first = [ANSWER] * 3
    again = [ANSWER, structs.replace(ANSWER, **change), ANSWER]
    (found,) = doctor_model.determinism(Judge(*again), first)  # type: ignore[arg-type]
    assert found.state is state


@pytest.mark.parametrize(
    ("coverage", "state"), [(0.05, State.WARN), (0.1, State.OK), (None, State.NOTE)]
)
def test_coverage(coverage: float | None, state: State) -> None:
    (found,) = doctor_model.coverage([ANSWER, structs.replace(ANSWER, coverage=coverage)][1:])
    assert found.state is state


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


@pytest.mark.parametrize(
    ("make", "state", "said"),
    [
        pytest.param(_ours, "ok", "schema", id="ours"),
        pytest.param(_foreign, "FAIL", "another program's", id="another program's"),
        pytest.param(_newer, "FAIL", "has schema 999", id="of a newer program"),
        pytest.param(lambda path: path.write_bytes(b"x" * 999), "FAIL", "", id="no database"),
    ],
)
def test_the_store(home: Path, make: Callable[[Path], object], state: str, said: str) -> None:
    make(home / "store.db")
    before = (home / "store.db").read_bytes()
    found, _ = by_check()
    assert found["store"]["state"] == state
    assert said in found["store"]["found"]
    assert (home / "store.db").read_bytes() == before


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


def test_a_check_that_breaks_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr("auditor.sources.in_default_places", broken)
    found, code = by_check()
    assert code == 1
    assert "no such luck" in found["harnesses"]["found"]
    assert set(HARNESSES) & set(found) == set()


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
