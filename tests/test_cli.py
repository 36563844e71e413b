"""The command line: exit codes, one sentence for a wrong option, nothing heavy for `--help`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auditor.cli import app
from auditor.harness import HARNESSES

pytestmark = pytest.mark.usefixtures("db")

HEAVY = ("numpy", "sklearn", "llama_cpp", "rapidfuzz", "sqlite3", "zstandard", "msgspec")
SAID = {"type": "text", "text": "Done."}
CALLED = [
    {"type": "tool_call", "id": "c", "name": "bash", "arguments": {"command": "make"}},
    {"type": "tool_result", "call": "c", "output": "built", "failed": False},
]


def record(id_: str, *parts: dict[str, Any]) -> str:
    head = {"schema": "turn-record/1", "id": id_, "session": "s1", "harness": "test"}
    return json.dumps(head | {"parts": parts, "finish": "stop"}) + "\n"


@pytest.fixture
def turns(tmp_path: Path) -> Path:
    path = tmp_path / "turns.jsonl"
    path.write_text(record("t-one", SAID) + record("t-two", *CALLED))
    return path


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "store.db"
    monkeypatch.setenv("AUDITOR_DB", str(path))
    return path


def run(*arguments: object, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def process(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "auditor", *(str(argument) for argument in arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, **more
    )


@pytest.mark.parametrize("arguments", [["--help"], ["scan", "--help"], ["store", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        f"import sys; sys.argv[1:] = {arguments}\n"
        "from auditor.cli import app\n"
        "try: app()\n"
        f"except SystemExit as done: print([n for n in {HEAVY} if n in sys.modules], done.code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"
    assert "Usage" in done.stdout


def test_scan_prints_a_table_and_a_summary_and_exits_0(turns: Path, db: Path) -> None:
    done = run("scan", turns)
    assert done.exit_code == 0, done.output
    assert "▶" in done.stdout
    assert "2 turns in 1 file; 1 would-be nudges" in done.stdout
    assert "t-one" not in done.stdout  # nothing to see there
    assert db.exists()


def test_only_all_shows_all(turns: Path) -> None:
    assert "t-one" in run("scan", turns, "--only", "all").stdout


def test_no_store_keeps_nothing(turns: Path, db: Path) -> None:
    assert run("scan", turns, "--no-store").exit_code == 0
    assert not db.exists()


def test_jsonl_has_lines_on_stdout_and_the_summary_on_stderr(turns: Path) -> None:
    done = run("scan", turns, "--format", "jsonl")
    assert [json.loads(line)["turn"] for line in done.stdout.splitlines()] == ["t-one", "t-two"]
    assert "2 turns in 1 file" in done.stderr


def test_json_is_one_object(turns: Path) -> None:
    done = run("scan", turns, "--format", "json")
    assert json.loads(done.stdout)["summary"]["turns"] == 2


def test_out_takes_the_table_as_plain_text(turns: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.txt"
    assert run("scan", turns, "--out", out).stdout == ""
    assert "2 turns in 1 file" in out.read_text()
    assert "\x1b" not in out.read_text()


@pytest.mark.parametrize("wanted", ["t-two", "t-t", "two", "…two"])
def test_explain_takes_an_id_or_its_beginning_or_end(turns: Path, wanted: str) -> None:
    done = run("scan", turns, "--explain", wanted)
    assert done.exit_code == 0, done.output
    assert "turn t-two" in done.stdout
    assert "signals, in the order of evidence" in done.stdout


def test_explain_for_programs_is_the_audit(turns: Path) -> None:
    done = run("scan", turns, "--explain", "t-two", "--format", "jsonl")
    assert json.loads(done.stdout)["turn"] == "t-two"


def test_explain_writes_into_a_file(turns: Path, tmp_path: Path) -> None:
    run("scan", turns, "--explain", "t-two", "--out", tmp_path / "o.txt")
    assert "turn t-two" in (tmp_path / "o.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--explain", "t-"], "could be t-one, t-two; give more of the id"),
        (["--explain", "zzz"], "no turn's id begins or ends with 'zzz'"),
        (["--only", "nice"], "--only: 'nice' is none of all, nudge, log, silent"),
        (["--since", "soon"], "neither a date like 2026-05-31 nor an age like 7d"),
        (["--harness", "emacs"], "--harness: 'emacs' is none of "),
        (["--model", "big"], "'big' is no known model; known: "),
        (["--ask", "few"], "--ask: 'few' is neither a number of questions nor all"),
        (["--last", "0"], "--last: 0 is not a number of turns"),
        (["--last", "few"], "Invalid value for '--last'"),
        (["--format", "xml"], "'xml' is not one of 'table', 'jsonl', 'json'"),
        (["--out", "/nowhere/at/all"], "--out: there is no folder /nowhere/at"),
        (["/nowhere/at/all"], "no such file or folder: /nowhere/at/all"),
        (["--colour"], "No such option: --colour"),
    ],
)
def test_usage_errors_exit_2_and_say_what_was_expected(
    turns: Path, arguments: list[str], sentence: str
) -> None:
    done = run("scan", turns, *arguments)
    assert done.exit_code == 2, done.output
    assert sentence in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_a_store_that_cannot_be_used_exits_1(turns: Path, tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"no database" * 100)
    done = run("scan", turns, "--db", tmp_path / "x.db")
    assert done.exit_code == 1
    assert "is not a database; name another file with --db" in done.stderr


def test_without_transcripts_the_examples_are_scanned_and_it_says_so(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in HARNESSES.values():
        monkeypatch.setattr(module, "transcripts", lambda: iter(()))
    done = run("scan")
    assert done.exit_code == 0, done.output
    assert "these are the bundled examples" in done.stdout
    assert not db.exists()


def test_store_commands(turns: Path, db: Path, tmp_path: Path) -> None:
    assert run("store", "path").stdout.strip() == str(db)
    assert run("store", "stats").exit_code == 1
    assert not db.exists()  # looking makes none
    run("scan", turns)
    assert "turns 2 · audits 2 · scans 1" in run("store", "stats").stdout
    exported = run("store", "export", "--texts").stdout.splitlines()
    assert len({json.loads(line)["turn"] for line in exported}) == 2
    assert "t-one" not in "".join(exported)  # names are hidden
    assert all("text" in json.loads(line) for line in exported)
    run("store", "export", "--out", tmp_path / "e.jsonl")
    assert '"text":{' not in (tmp_path / "e.jsonl").read_text()
    assert run("store", "purge", stdin="n\n").exit_code == 1
    assert "texts 2" in run("store", "stats").stdout
    assert "0 texts deleted" in run("store", "purge", "--before", "30d", "--yes").stdout
    assert "2 texts deleted" in run("store", "purge", "--yes").stdout
    assert "texts 0" in run("store", "stats").stdout
    assert run("store", "purge", "--before", "never").exit_code == 2


def test_version() -> None:
    assert run("--version").stdout.startswith("turn-auditor")


def test_it_runs_as_a_process_and_in_a_poor_terminal(turns: Path, tmp_path: Path) -> None:
    poor = os.environ | {"PYTHONIOENCODING": "ascii", "AUDITOR_DB": str(tmp_path / "s.db")}
    assert process("scan", turns, env=poor).returncode == 0
    assert process("scan", "--only", "nice", turns, env=poor).returncode == 2


@pytest.mark.parametrize("form", ["table", "jsonl", "json"])
def test_a_reader_that_has_seen_enough_is_no_error(turns: Path, form: str) -> None:
    turns.write_text(record("t", SAID) * 5000)
    command = f"'{sys.executable}' -m auditor scan '{turns}' --no-store --only all --format {form}"
    done = subprocess.run(
        ["/bin/bash", "-c", f"{command} | head -n 1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.strip()
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize("form", ["table", "jsonl", "json"])
def test_a_full_disk_is_one_sentence(turns: Path, form: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "auditor", "scan", str(turns), "--format", form],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "auditor: the output cannot be written (No space left on device)" in done.stderr
    assert "Traceback" not in done.stderr


def test_out_keeps_a_link_and_the_mode_of_what_it_replaces(turns: Path, tmp_path: Path) -> None:
    there, link, new = tmp_path / "there.jsonl", tmp_path / "link.jsonl", tmp_path / "new.jsonl"
    there.write_text("before")
    there.chmod(0o640)
    link.symlink_to(there)
    mask = os.umask(0o022)
    try:
        for out in (link, new):
            assert run("scan", turns, "--format", "jsonl", "--out", out).exit_code == 0
    finally:
        os.umask(mask)
    assert link.is_symlink()
    assert there.read_text() == new.read_text() != "before"
    assert (there.stat().st_mode & 0o777, new.stat().st_mode & 0o777) == (0o640, 0o644)


def test_ctrl_c_exits_130_and_says_what_was_done(turns: Path) -> None:
    turns.write_text(record("t", SAID) * 300_000)
    started = subprocess.Popen(
        [sys.executable, "-m", "auditor", "scan", str(turns), "--no-store", "--format", "jsonl"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert started.stdout is not None
    started.stdout.readline()
    started.send_signal(signal.SIGINT)
    _, told = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "Interrupted" in told
    assert "Traceback" not in told
