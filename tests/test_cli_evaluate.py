"""`auditor evaluate`, `compare`, `check`, `replay`, `simulate`: what one gets, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from typer.testing import CliRunner, Result

from auditor import asking
from auditor.calibration import encoded
from auditor.commands import check as cli_check
from auditor.commands import evaluate as cli_evaluate
from auditor.commands import replay as cli_replay
from auditor.evaluation import Evaluation
from auditor.judge import Answer
from auditor.labels import Label, Nudge, Source
from auditor.store import Store
from tests.evaluation_words import ASKED, OPEN, PROVED, calibration, line, plain, write
from tests.gate_words import fill
from tests.tiny_model import write as write_model

app = typer.Typer()
for command in (
    cli_evaluate.evaluate,
    cli_check.compare,
    cli_check.check,
    cli_replay.replay,
    cli_replay.simulate,
):
    app.command()(command)

LITTLE = ("--draws", "20")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ANSWERS", "DB"):
        monkeypatch.setenv(f"AUDITOR_{name}", str(tmp_path / f"{name.lower()}.db"))
    monkeypatch.setenv("AUDITOR_CALIBRATIONS", str(tmp_path / "calibrations"))
    monkeypatch.setenv("AUDITOR_MODEL", "none")
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def named(folder: Path, name: str = "by-hand", **more: Any) -> Path:
    """Write a calibration of the user's own."""
    path = folder / "calibrations" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(encoded(calibration({"reply_length": -2.0}, id=name, **more)))
    return path


def saved(folder: Path, name: str, *arguments: object) -> Path:
    out = folder / name
    found = run("evaluate", write(folder, plain()), "--json", "--out", out, *LITTLE, *arguments)
    assert found.exit_code == 0, found.output
    return out


def test_a_person_reads_whether_to_trust_it(home: Path) -> None:
    found = run("evaluate", write(home, plain()), *LITTLE)
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("Trust it")
    parts = ("whether to trust it", "dangling rule", "sieve alone", "residue alone", "by harness")
    for part in (*parts, "detectors:", "worst mistakes", "time a turn"):
        assert part in found.stdout


def test_json_is_the_document(home: Path) -> None:
    found = run("evaluate", write(home, plain()), "--json", *LITTLE)
    made = msgspec.json.decode(found.stdout, type=Evaluation)
    assert (made.n, made.draws, len(made.rows)) == (80, 20, 80)
    assert made.calibration == "no-model"


def test_a_calibration_by_id_by_path_and_none(home: Path) -> None:
    path = named(home)
    for chosen in ("by-hand", path):
        made = json.loads(saved(home, "a.json", "--calibration", chosen).read_text())
        assert (made["calibration"], made["threshold"]) == ("by-hand", 0.5)
    made = json.loads(saved(home, "a.json", "--calibration", "none").read_text())
    assert (made["calibration"], made["scores"]) == (None, None)


def test_slices_mistakes_and_texts_are_as_asked(home: Path) -> None:
    data = write(home, plain())
    found = run("evaluate", data, *LITTLE, "--by", "opinion", "--mistakes", 1, "--texts")
    assert "by opinion" in found.stdout
    assert "by harness" not in found.stdout
    assert found.stdout.partition("worst mistakes")[2].count("ended: ") == 1
    assert "ended: The parser has" in found.stdout
    assert "ended:" not in run("evaluate", data, *LITTLE).stdout


def test_a_report_for_a_browser(home: Path) -> None:
    page = home / "report.html"
    found = run("evaluate", write(home, plain()), *LITTLE, "--html", page)
    assert found.exit_code == 0, found.output
    assert "<html" in page.read_text()
    assert f"report in {page}" in found.stderr


def test_labels_of_people_in_the_store_are_evaluated_and_guesses_are_not(home: Path) -> None:
    with Store(home / "db.db") as store:
        turns = fill(store, [0.2 + 0.01 * n for n in range(12)], facts={"reply_length": 0.3})
        given = [
            Label(turn=turn, nudge=Nudge.YES if n % 2 else Nudge.NO, source=source, at=1.0)
            for n, turn in enumerate(turns)
            for source in [Source.HUMAN if n < 8 else Source.IMPLICIT]
        ]
        store.add_labels(given)
    assert run("evaluate", *LITTLE).exit_code == 4  # all alike: one probability
    made = json.loads(run("evaluate", "--json", "--calibration", "none", *LITTLE).stdout)
    assert (made["n"], made["yes"]) == (8, 4)
    assert "dangling rule" not in {judge["name"] for judge in made["judges"]}


def other_fingerprint(home: Path) -> list[object]:
    path = named(home, fingerprint={"features": "other/9", "detectors": "x"})
    return [write(home, plain()), "--calibration", path]


def reads_a_model(home: Path) -> list[object]:
    from auditor.features import fingerprint  # noqa: PLC0415

    path = named(home, fingerprint=fingerprint("0" * 64))
    return [write(home, plain()), "--calibration", path]


def all_equal(home: Path) -> list[object]:
    path = home / "same.json"
    path.write_bytes(encoded(calibration(steps={}, id="same")))
    return [write(home, plain()), "--calibration", path]


def not_a_number(home: Path) -> list[object]:
    path = named(home)
    path.write_text(path.read_text().replace('"intercept": -1.0', '"intercept": NaN'))
    return [write(home, plain()), "--calibration", path]


BAD = [
    ("no file", lambda home: [home / "none.jsonl"], 2, "no such file"),
    ("an unknown label", lambda home: [write(home, [line(1, "maybe", OPEN)])], 2, "'maybe'"),
    (
        "a weight of nothing",
        lambda home: [write(home, [line(1, "yes", OPEN, weight=0.0)])],
        2,
        "above 0",
    ),
    (
        "conflicting labels",
        lambda home: [write(home, [line(1, "yes", OPEN), line(1, "no", OPEN)])],
        2,
        "another label",
    ),
    ("no label", lambda home: [write(home, [line(1, None, OPEN)])], 4, "no turn is labelled"),
    ("one class", lambda home: [write(home, [line(1, "no", OPEN)])], 4, "turns of both kinds"),
    ("another fingerprint", other_fingerprint, 3, "it was fitted for features other/9"),
    ("a model that is not asked", reads_a_model, 3, "reads the answers of a decision model"),
    ("all probabilities equal", all_equal, 4, "all 80 turns the same probability"),
    ("a calibration with NaN", not_a_number, 2, "is no calibration"),
    (
        "an unknown calibration",
        lambda home: [write(home, plain()), "--calibration", "nobody"],
        2,
        "no known calibration",
    ),
    ("an unknown slice", lambda home: [write(home, plain()), "--by", "colour"], 2, "--by colour"),
    ("negative draws", lambda home: [write(home, plain()), "--draws", "-1"], 2, "--draws -1"),
    ("an unknown model", lambda home: [write(home, plain()), "--model", "nobody"], 2, "nobody"),
    ("no store", lambda _: [], 1, "there is no store"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "code", "said"), [pytest.param(*row[1:], id=row[0]) for row in BAD]
)
def test_bad_input_is_one_sentence_and_nothing_is_written(home: Path, make, code, said) -> None:
    out, page = home / "out.json", home / "page.html"
    found = run("evaluate", *make(home), "--json", "--out", out, "--html", page)
    assert found.exit_code == code, found.output
    message = found.stderr.strip().splitlines()[-1]
    assert message.startswith("auditor: ")
    assert said in message
    assert found.stdout == ""
    assert not out.exists()
    assert not page.exists()


@pytest.mark.parametrize("option", ["--out", "--html"])
def test_where_nothing_can_be_written_is_said_before_the_work(home: Path, option: str) -> None:
    found = run("evaluate", home / "none.jsonl", option, home / "no" / "x")
    assert found.exit_code == 2
    assert f"{option}: there is no folder" in found.stderr


def test_lines_that_are_no_records_are_named_and_the_rest_is_evaluated(home: Path) -> None:
    path = write(home, [*plain(), "{}", "nonsense", '{"label": NaN'])
    found = run("evaluate", path, *LITTLE)
    assert found.exit_code == 0, found.output
    assert f"not read: {path}:81" in found.stderr
    assert "WARN    lines not read" in found.stdout


def test_the_same_label_twice_counts_once(home: Path) -> None:
    path = write(home, [*plain(), *plain()[:5]])
    made = json.loads(run("evaluate", path, "--json", *LITTLE).stdout)
    assert (made["n"], made["duplicates"]) == (80, 5)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_model(path)
    return path


def small() -> list[str]:
    return [line(1, "yes", PROVED), line(2, "no", ASKED)] + [line(n, "no", OPEN) for n in (3, 4, 5)]


def test_the_model_is_asked_about_the_residue_and_judged_alone(home: Path, model: Path) -> None:
    data = write(home, [*small(), line(6, "yes", OPEN)])
    found = run("evaluate", data, "--model", model, "--json", *LITTLE)
    assert found.exit_code == 0, found.output
    made = json.loads(found.stdout)
    assert made["timings"]["asked"] == 4
    assert made["residue_judges"][-1]["name"] == "the model's question alone"
    assert "the model's question alone" not in {judge["name"] for judge in made["judges"]}
    assert "4 that no detector settles" in found.stderr


def test_who_interrupts_goes_on_where_it_stopped(
    home: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, loaded = write(home, small()), asking.Asker._loaded
    answers: list[Answer] = []

    def stops(self: Any, located: Any) -> Any:
        if len(answers) == 2:
            raise KeyboardInterrupt
        llama = loaded(self, located)
        answers.append(llama)
        return llama

    monkeypatch.setattr(asking.Asker, "_loaded", stops)
    stopped = run("evaluate", data, "--model", model, "--json", "--out", home / "a.json")
    assert stopped.exit_code == 130
    assert not (home / "a.json").exists()
    monkeypatch.setattr(asking.Asker, "_loaded", loaded)
    asked: list[int] = []
    ask = asking.Asker.__call__

    def counting(self: Any, turn: Any) -> Any:
        answer = ask(self, turn)
        asked.append(self.done.asked)
        return answer

    monkeypatch.setattr(asking.Asker, "__call__", counting)
    found = run("evaluate", data, "--model", model, "--json", *LITTLE)
    assert json.loads(found.stdout)["timings"]["asked"] == 3
    assert asked == [0, 0, 1]  # two answers were kept


def test_a_model_that_cannot_be_had_ends_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_MODELS", str(home / "models"))
    data = write(home, plain())
    found = run("evaluate", data, "--model", "smollm2-135m-instruct", "--offline", "--json")
    assert found.exit_code == 5
    assert "--model none does without" in found.stderr
    assert found.stdout == ""


def test_compare_for_people_and_programs(home: Path) -> None:
    named(home)
    one = saved(home, "one.json")
    other = saved(home, "other.json", "--calibration", "by-hand")
    text = run("compare", one, other, "--draws", 20)
    assert text.exit_code == 0, text.output
    assert "second - first" in text.stdout
    assert "McNemar" in text.stdout
    made = json.loads(run("compare", one, other, one, "--json", "--draws", 20).stdout)
    assert [each["second"] for each in made["comparisons"]] == [str(other), str(one)]


def test_compare_says_what_it_cannot_read(home: Path) -> None:
    one = saved(home, "one.json")
    for arguments, code, said in (
        ((one,), 2, "two evaluations or more"),
        ((one, home / "none.json"), 2, "cannot be read"),
        ((one, write(home, plain())), 2, "is no evaluation"),
    ):
        found = run("compare", *arguments)
        assert (found.exit_code, said in found.stderr) == (code, True), found.output
    made = json.loads(one.read_text())
    made["rows"][0]["right"] = not made["rows"][0]["right"]
    (home / "other.json").write_text(json.dumps(made))
    found = run("compare", one, home / "other.json")
    assert (found.exit_code, "label 1 turns differently" in found.stderr) == (3, True)


def test_check_is_a_gate(home: Path) -> None:
    one = saved(home, "one.json")
    passed = run("check", one, "--wrong", 0.5, "--recall", 0.2)
    assert passed.exit_code == 0, passed.output
    assert "PASS    wrong nudges" in passed.stdout
    failed = run("check", one, "--recall", 0.99, "--json")
    assert failed.exit_code == 1
    made = json.loads(failed.stdout)
    assert (made["exit_code"], made["checks"][-1]["state"]) == (1, "FAIL")
    assert run("check", one, "--against", one).exit_code == 0
    assert run("check", one, "--wrong", 2).exit_code == 2
    few = saved(home, "few.json")
    made = json.loads(few.read_text())
    made["checks"][0]["state"] = "REFUSED"
    few.write_text(json.dumps(made, separators=(",", ":")))
    assert run("check", few, "--wrong", 0.5).exit_code == 4


def test_check_evaluates_labelled_turns_itself(home: Path) -> None:
    data = write(home, plain())
    found = run("check", data, "--recall", 0.2, *LITTLE)
    assert found.exit_code == 0, found.output
    assert run("check", data, "--recall", 0.99, *LITTLE).exit_code == 1


def test_replay_for_people_and_programs(home: Path) -> None:
    with Store(home / "db.db") as store:
        fill(store, [0.2, 0.4], facts={"reply_length": 0.3})
    named(home, threshold=0.01)
    text = run("replay", "--calibration", "by-hand")
    assert text.exit_code == 0, text.output
    assert "0 would-be nudges now, 2 then" in text.stdout
    made = json.loads(run("replay", "--calibration", "by-hand", "--threshold", 1, "--json").stdout)
    assert (made["turns"], made["after"], made["changes"]) == (2, 0, [])
    assert run("replay", "--threshold", 2).exit_code == 2


def test_replay_without_a_store_says_so(home: Path) -> None:
    found = run("replay", "--db", home / "none.db")
    assert (found.exit_code, "there is no store" in found.stderr) == (1, True)
    assert not (home / "none.db").exists()


def test_simulate_without_a_store_and_with_numbers() -> None:
    text = run("simulate")
    assert text.exit_code == 0, text.output
    assert "no policy is frozen" in text.stdout
    assert "if none is wrong from now on: 20" in text.stdout
    given = ("--precision", 0.95, "--alpha", 0.1, "--delta", 0.1, "--rate", 5, "--json")
    (row,) = json.loads(run("simulate", *given).stdout)["outlooks"]
    assert (row["likely"], row["likely_days"]) == (125, 25.0)
    assert run("simulate", "--precision", 1.2).exit_code == 2
