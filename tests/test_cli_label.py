"""`auditor label` and `auditor labels`, as they are called; single keys on a real terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from auditor.commands import label as cli_label
from auditor.labels import Label, Nudge, Source
from auditor.store import Store
from tests.labelling_words import filled, hexed, nudge

app = typer.Typer()
app.command()(cli_label.label)
app.add_typer(cli_label.app, name="labels")


def run(*arguments: str, keys: str = "") -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(arguments), input=keys)
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = filled(tmp_path / "a.db", *[nudge(f"s{n}", n) for n in range(4)])
    monkeypatch.setenv("AUDITOR_DB", str(path))
    return path


def labels(path: Path) -> list[Label]:
    with Store(path) as store:
        return store.labels()


def test_one_key_a_line_labels_and_the_next_call_goes_on(db: Path) -> None:
    code, out, _ = run("label", keys="y\n1\nn\n6\nq\n")
    assert code == 0
    assert "2 turns labelled, 2 left of this sitting" in out
    assert [(label.nudge, label.rater, label.blind) for label in labels(db)] == [
        (Nudge.YES, "me", True),
        (Nudge.NO, "me", True),
    ]
    code, out, _ = run("label", "--queue", "certification", "--limit", "1", keys="u\n8\n")
    assert "1 turns labelled, 0 left" in out
    assert "turn 1 of 1" in out
    assert len({label.turn for label in labels(db)}) == 3
    run("label", keys="y\n1\n")
    assert run("label")[1] == "nothing waits for a label here; scan more: auditor scan\n"
    assert run("label", "--queue", "repeat")[1].startswith("nothing waits")
    assert "turn 1 of 4" in run("label", "--rater", "you", keys="q\n")[1]


def test_no_store_is_a_sentence(tmp_path: Path) -> None:
    code, _, err = run("label", "--db", str(tmp_path / "none.db"))
    assert code == 1
    assert "there is no store" in err


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize("arguments", [["--limit", "0"], ["--queue", "best"]])
def test_what_cannot_be_meant_is_usage(arguments: list[str]) -> None:
    assert run("label", *arguments)[0] == 2


def test_a_secret_in_the_name_of_a_rater_is_not_kept(db: Path) -> None:
    run("label", "--rater", "someone@example.org", keys="y\n1\nq\n")
    assert "example.org" not in str(labels(db)[0].rater)


def many(path: Path, count: int) -> None:
    """Two raters on as many turns, who differ in a fifth of them."""
    turns = [nudge(f"m{n}", n) for n in range(count)]
    filled(path, *turns)
    with Store(path) as store:
        for rater in ("ada", "bob"):
            store.add_labels(
                Label(
                    turn=hexed(turn),
                    nudge=Nudge.YES if n % 2 or (rater == "bob" and n % 5 == 0) else Nudge.NO,
                    source=Source.HUMAN,
                    at=1000.0 + n,
                    rater=rater,
                )
                for n, turn in enumerate(turns)
            )


def test_agreement_needs_pairs(db: Path) -> None:
    many(db, 19)
    code, out, err = run("labels", "agree")
    assert code == 4
    assert "not enough pairs: 19 of 20" in out
    assert "not enough pairs" in err
    code, out, err = run("labels", "agree", "--json")
    assert (code, err) == (4, "")
    assert json.loads(out)["pairs"][2] == {
        "rater": "ada", "other": "bob", "pairs": 19, "rarest": None,
        "raw": None, "kappa": None, "alpha": None, "ac1": None,
    }  # fmt: skip


def test_agreement_of_two_raters(db: Path) -> None:
    many(db, 40)
    code, out, _ = run("labels", "agree")
    assert code == 0
    assert re.search(r"ada and bob\s+40 pairs\s+equal answers +0\.90  \(0\.\d\d to \d\.\d\d\)", out)
    assert re.search(r"Cohen's kappa +0\.80", out)
    found = json.loads(run("labels", "agree", "--json")[1])["pairs"][2]
    assert found["kappa"]["value"] == pytest.approx(0.8)
    assert found["kappa"]["low"] < 0.8 < found["kappa"]["high"]


@pytest.mark.usefixtures("db")
def test_nobody_agrees_with_nobody() -> None:
    code, out, _ = run("labels", "agree")
    assert code == 4
    assert "nobody has labelled anything yet" in out


def test_export_then_import_elsewhere(db: Path, tmp_path: Path) -> None:
    run("label", keys="y\n1\nn\n6\nq\n")
    file = tmp_path / "labels.jsonl"
    assert run("labels", "export", "--out", str(file))[0] == 0
    assert run("labels", "export")[1].encode() == file.read_bytes()
    assert run("labels", "import", str(file))[1] == "0 labels imported, 2 were there already\n"
    other = filled(tmp_path / "b.db", *[nudge(f"s{n}", n) for n in range(4)])
    dry = run("labels", "import", "--dry-run", str(file), "--db", str(other))[1]
    assert dry == "2 labels would be imported, 0 were there already\n"
    assert labels(other) == []
    assert run("labels", "import", str(file), "--db", str(other))[1].startswith("2 labels imported")
    assert [(each.turn, each.nudge, each.rater, each.sample) for each in labels(other)] == [
        (each.turn, each.nudge, each.rater, None) for each in labels(db)
    ], "a drawing of another store counts for nothing here"


def test_a_bad_file_imports_nothing(db: Path, tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    good = {"turn": hexed(nudge("s0", 0)), "nudge": "no", "source": "human", "at": 1.0}
    file.write_text(json.dumps(good) + "\n" + json.dumps({**good, "turn": "ab" * 32}) + "\n")
    code, _, err = run("labels", "import", str(file))
    assert code == 2
    assert f"{file}:2: the store has no turn {'ab' * 8}" in err
    assert labels(db) == []


@pytest.mark.usefixtures("db")
def test_stats_count_and_say_what_is_missing() -> None:
    run("label", keys="y\n1\nn\n6\nz\ny\n2\nq\n")
    code, out, _ = run("labels", "stats")
    assert code == 0
    assert "2 turns labelled, 2 by people; 3 labels, 1 of them replaced by a later one" in out
    assert re.search(r"certification +2 +0 +0", out)
    assert re.search(r"announced-not-done +1 +0 +0", out)
    assert "6 yes and 8 no and 14 of either more labels until a calibration can be fitted" in out
    assert "no policy is frozen yet" in out
    found = json.loads(run("labels", "stats", "--json")[1])
    assert found["by"]["rater"] == {"me": {"yes": 2}}
    assert found["waiting"] == {"certification": 2, "audit": 0, "uncertain": 0}


CODE = (
    "import typer; from auditor.commands import label as cli_label; app = typer.Typer();"
    "app.command()(cli_label.label); app()"
)


class Pty:
    """A program on a terminal of its own."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self.master, self.process = master, process
        self.seen = ""

    def until(self, words: str) -> str:
        """Wait until it has written these words since the last key; give what it wrote."""
        end = time.monotonic() + 30
        while words not in self.seen:
            assert time.monotonic() < end, f"{words!r} never came; last: {self.seen[-2000:]!r}"
            if select.select([self.master], [], [], 1)[0]:
                try:
                    self.seen += os.read(self.master, 65536).decode(errors="replace")
                except OSError:  # it has ended
                    pytest.fail(f"{words!r} never came; last: {self.seen[-2000:]!r}")
        return self.seen

    def press(self, keys: str) -> None:
        self.seen = ""
        os.write(self.master, keys.encode())


@contextmanager
def on_a_terminal(db: Path) -> Iterator[Pty]:
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (30, 100))
    environment = {**os.environ, "AUDITOR_DB": str(db), "TERM": "xterm", "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", CODE],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        start_new_session=True,
    )
    before = termios.tcgetattr(slave)
    try:
        yield Pty(master, process)
        process.wait(30)
        assert termios.tcgetattr(slave) == before, "the terminal is as it was"
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


QUESTION = "q quit"
WHY = "Esc back"


def test_single_keys_on_a_terminal(db: Path) -> None:
    with on_a_terminal(db) as terminal:
        terminal.until(QUESTION)
        terminal.press("?")
        terminal.until("any key: back")
        terminal.press("x")
        terminal.until("turn 1 of 4")
        terminal.until(QUESTION)
        terminal.press("y")
        terminal.until(WHY)
        terminal.press("\x1b")
        terminal.until(QUESTION)
        terminal.press("n")
        terminal.until(WHY)
        terminal.press("6")
        terminal.until("turn 2 of 4 · 1 answered")
        terminal.until(QUESTION)
        terminal.press("\x1b[B")
        terminal.until(QUESTION)
        terminal.press("z")
        terminal.until("answer it anew")
        terminal.until(QUESTION)
        terminal.press("y")
        terminal.until(WHY)
        terminal.press("1")
        terminal.until(QUESTION)
        terminal.press("q")
        terminal.until("1 turns labelled, 3 left of this sitting")
    assert terminal.process.returncode == 0
    assert [label.nudge for label in labels(db)] == [Nudge.NO, Nudge.YES]


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGHUP, 128 + signal.SIGHUP)],
)
def test_a_signal_restores_the_terminal_and_keeps_the_answers(
    db: Path, number: signal.Signals, code: int
) -> None:
    with on_a_terminal(db) as terminal:
        terminal.until(QUESTION)
        terminal.press("y")
        terminal.until(WHY)
        terminal.press("1")
        terminal.until("turn 2 of 4")
        terminal.until(QUESTION)
        terminal.process.send_signal(number)
        assert terminal.process.wait(30) == code
    assert len(labels(db)) == 1


def test_ctrl_c_restores_the_terminal(db: Path) -> None:
    with on_a_terminal(db) as terminal:
        terminal.until(QUESTION)
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.process.wait(30) == 130
