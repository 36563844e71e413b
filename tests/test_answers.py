"""The cache of answers: keeps numbers and no text, and is never in the way."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from auditor.answers import FORMAT, Answers, default_path, key
from auditor.errors import JudgeUnavailable
from auditor.evidence import Evidence, evidence
from auditor.judge import WHOSE_MOVE, Answer, Asked
from tests.words import say, turn

ANSWER = Answer({"agent": -0.1 / 3, "user": -7.0}, 0.5, None, 3, "m", {"x": 1e-300}, 12, 0.25)


def asked(reply: str = "Done.") -> Asked:
    return Asked(WHOSE_MOVE, evidence(turn(say(reply))))


class Model:
    """Answers the same, counts how often, and may be loaded too late."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> Model:
        return self

    def ask(self, asked: Asked, deadline_seconds: float | None = None) -> Answer:
        assert asked.question is WHOSE_MOVE
        self.asked += 1
        if deadline_seconds == 0:
            raise JudgeUnavailable("too late")
        return ANSWER


def test_an_answer_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.db"
    with Answers(path) as answers:
        assert answers.get(b"k") is None
        answers.put(b"k", ANSWER)
    with Answers(path) as answers:
        assert answers.get(b"k") == ANSWER
        assert answers.problem is None


def test_a_turn_is_decided_once(tmp_path: Path) -> None:
    model = Model()
    with Answers(tmp_path / "a.db") as answers:
        for _ in range(3):
            assert answers.ask("m", model, asked()) == ANSWER
        answers.ask("m", model, asked("Other."))
        answers.ask("other", model, asked())
    assert model.asked == 3


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    model = Model()
    with Answers(tmp_path / "a.db") as answers:
        with pytest.raises(JudgeUnavailable):
            answers.ask("m", model, asked(), 0)
        assert answers.ask("m", model, asked()) == ANSWER


def test_everything_that_is_sent_is_in_the_key() -> None:
    one = asked()
    others = [
        asked("Done"),
        structs.replace(one, question=structs.replace(WHOSE_MOVE, version=2)),
        structs.replace(one, question=structs.replace(WHOSE_MOVE, instructions="Who?")),
        structs.replace(one, question=structs.replace(WHOSE_MOVE, system="You.")),
        structs.replace(one, question=structs.replace(WHOSE_MOVE, options=WHOSE_MOVE.options[:2])),
        structs.replace(one, evidence=Evidence("do it", ("A fact.",), "Done.")),
        structs.replace(one, whole=True),
    ]
    keys = {key("m", each) for each in [one, *others]} | {key("n", one)}
    assert len(keys) == 2 + len(others)
    assert key("m", one) == key("m", asked())


@given(st.text(), st.text())
def test_texts_do_not_run_into_each_other(one: str, two: str) -> None:
    question = Evidence(one, (two,), "")
    other = Evidence(one + two, (), "")
    assert key("m", Asked(WHOSE_MOVE, question)) != key("m", Asked(WHOSE_MOVE, other))


def test_no_text_is_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Answers(path) as answers:
        answers.ask("m", Model(), asked("UNMISTAKABLE"))
    files = list(tmp_path.iterdir())
    assert files
    assert not [file for file in files if b"UNMISTAKABLE" in file.read_bytes()]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_oldest_answers_go(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Answers(path, rows=10) as answers:
        for number in range(25):
            answers.put(bytes([number]), ANSWER)
    with Answers(path) as answers:
        assert [n for n in range(25) if answers.get(bytes([n]))] == list(range(15, 25))


def test_another_format_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Answers(path) as answers:
        answers.put(b"k", ANSWER)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    with Answers(path) as answers:
        assert answers.get(b"k") is None
        answers.put(b"k", ANSWER)
        assert answers.get(b"k") == ANSWER


def test_a_damaged_file_of_ours_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Answers(path) as answers:
        answers.put(b"k", ANSWER)
    raw = bytearray(path.read_bytes())
    raw[100:] = b"\xff" * (len(raw) - 100)
    path.write_bytes(raw)
    with Answers(path) as answers:
        answers.put(b"k", ANSWER)
        assert answers.problem is None
        assert answers.get(b"k") == ANSWER


@pytest.mark.parametrize("content", [b"my diary" * 100, b"SQLite format 3\0" + b"x" * 100])
def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(content)
    model = Model()
    with Answers(path) as answers:
        assert answers.ask("m", model, asked()) == ANSWER
        assert "another program" in (answers.problem or "")
    assert path.read_bytes() == content


def test_where_nothing_can_be_written_the_model_answers(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with Answers(tmp_path / "file" / "a.db") as answers:
        assert answers.ask("m", Model(), asked()) == ANSWER
        assert answers.problem


def test_two_processes_may_share_it(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Answers(path) as one, Answers(path) as two:
        one.put(b"k", ANSWER)
        assert two.get(b"k") == ANSWER
        two.put(b"l", ANSWER)
        assert one.get(b"l") == ANSWER
        assert two.problem is None


def test_after_closing_nothing_is_kept_and_nothing_fails(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "a.db")
    answers.close()
    answers.close()
    answers.put(b"k", ANSWER)
    assert answers.get(b"k") is None


def test_it_lies_where_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_ANSWERS", "/somewhere/else.db")
    assert default_path() == Path("/somewhere/else.db")
    monkeypatch.delenv("AUDITOR_ANSWERS")
    assert default_path().name == "answers.db"
