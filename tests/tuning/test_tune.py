"""`auditor tune` with a tiny model: what it writes, that it can be used, and what it refuses."""

from __future__ import annotations

import fcntl
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auditor import calibrations
from auditor.backends.head import read
from auditor.cli import app
from auditor.models import registry
from auditor.tuning import lower, states, tune
from tests.tuning import corpus


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return corpus.registry(tmp_path, monkeypatch)


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def files(folder: Path) -> set[str]:
    return {
        path.name for path in folder.iterdir() if path.name[0] != "." and "digests" not in path.name
    }


def test_a_head_is_fitted_written_and_used(tmp_path: Path, here: Path) -> None:
    data = corpus.turns(tmp_path)
    done = run("tune", data, "--name", "mine", "--head-only", "--labels-only")
    assert done.exit_code == 0, done.output
    assert "120 labelled and 0 made turns of 5 groups" in done.stdout
    assert "no adapter: it was not wanted (--head-only)" in done.stdout
    assert "AUC 1.000 on 120 labelled turns" in done.stdout
    assert done.stdout.splitlines()[-1] == ("use it: auditor scan --model mine --calibration mine")
    assert files(here) == {"tiny.gguf", "mine.toml", "mine.head.json", "mine.md"}
    model = registry.named("mine")
    head = read(here / "mine.head.json")
    assert (head.base, head.budget, head.adapter) == (model.sha256, tune.BUDGET, None)
    found = calibrations.named("mine", model.digest)
    assert found.model == model.digest
    assert found.counts.labels == found.counts.groups * 24 == 120
    scanned = run("scan", data, "--model", "mine", "--calibration", "mine", "--format", "json")
    assert scanned.exit_code == 0, scanned.output
    residue = [each for each in json.loads(scanned.stdout)["turns"] if each["answer"]]
    assert residue
    assert {each["answer"]["model"] for each in residue} == {model.digest}
    assert {each["calibration"] for each in residue} == {"mine"}


def test_the_card_says_what_was_learned_and_how_good_it_is(tmp_path: Path, here: Path) -> None:
    data = corpus.turns(tmp_path, 24)
    assert run("tune", data, "--name", "mine", "--head-only").exit_code == 0
    card = (here / "mine.md").read_text()
    assert "| labelled | agent | 24 |" in card
    assert f"`{registry.named('tiny').sha256}`" in card
    assert "| shares of the options alone |" in card
    assert "None: it was not wanted (--head-only)." in card


def test_the_same_data_gives_the_same_head_and_name(tmp_path: Path) -> None:
    data, made = corpus.turns(tmp_path, 12), []
    for number in range(2):
        out = tmp_path / f"out{number}"
        assert run("tune", data, "--head-only", "--out", out).exit_code == 0
        made.append({path.name: path.read_bytes() for path in out.glob("*.head.json")})
    assert made[0] == made[1]
    assert len(made[0]) == 1


def test_one_elsewhere_is_used_by_its_path(tmp_path: Path) -> None:
    data, out = corpus.turns(tmp_path, 12), tmp_path / "out"
    done = run("tune", data, "--head-only", "--name", "mine", "--out", out)
    command = done.stdout.splitlines()[-1]
    calibration = out / "calibration" / "mine.json"
    assert command == f"use it: auditor scan --model {out}/mine.toml --calibration {calibration}"
    assert (out / "mine.md").read_text().startswith("# Decision model `mine`")
    _, _, arguments = command.partition("scan ")
    assert run("scan", data, "--no-store", *arguments.split()).exit_code == 0
    asked = run("ask", "--reply", "Which one?", "--model", out / "mine.toml")
    assert "read by the head of the model" in asked.stdout


def test_too_few_labels_for_a_calibration_still_give_a_model(tmp_path: Path) -> None:
    data, out = corpus.turns(tmp_path, 8, 4), tmp_path / "out"
    done = run("tune", data, "--head-only", "--labels-only", "--name", "mine", "--out", out)
    assert done.exit_code == 0, done.output
    assert "no calibration was fitted: 24 labels" in done.stdout
    assert files(out) == {"mine.toml", "mine.head.json", "mine.md"}


# interrupted and begun again


def test_what_was_read_before_an_interruption_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = corpus.turns(tmp_path, 12), tmp_path / "out"
    arguments = ("tune", data, "--head-only", "--labels-only", "--name", "mine", "--out", out)
    with monkeypatch.context() as broken:
        broken.setattr(tune.heads, "chosen", _interrupted)
        done = run(*arguments)
    assert done.exit_code == 130
    assert "the same command goes on from there" in done.stderr
    assert files(out) == {"mine.work"}
    with monkeypatch.context() as no_more:
        no_more.setattr(states, "_read", lambda *_: pytest.fail("a turn was read again"))
        assert run(*arguments).exit_code == 0
    assert "mine.work" not in files(out)


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_unfinished_work_of_other_turns_is_not_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, heads = tmp_path / "out", set()
    for place, n in (("one", 12), ("two", 9)):
        (tmp_path / place).mkdir()
        arguments = ("tune", corpus.turns(tmp_path / place, n), "--head-only", "--labels-only")
        where = ("--name", "mine", "--out")
        with monkeypatch.context() as broken:
            broken.setattr(tune.heads, "chosen", _interrupted)
            assert run(*arguments, *where, out).exit_code == 130
        assert run(*arguments, *where, tmp_path / place).exit_code == 0
        heads.add((tmp_path / place / "mine.head.json").read_bytes())
    assert run(*arguments, *where, out).exit_code == 0
    assert (out / "mine.head.json").read_bytes() == (tmp_path / "two/mine.head.json").read_bytes()
    assert len(heads) == 2


def test_what_a_crash_left_half_written_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = corpus.turns(tmp_path, 12), tmp_path / "out"
    arguments = ("tune", data, "--head-only", "--labels-only", "--name", "mine", "--out", out)
    with monkeypatch.context() as broken:
        broken.setattr(tune.heads, "chosen", _interrupted)
        assert run(*arguments).exit_code == 130
    for number, file in enumerate(sorted((out / "mine.work" / "states").glob("*.npy"))):
        file.write_bytes(b"" if number else file.read_bytes()[:-1000])
    assert run(*arguments).exit_code == 0


def test_two_are_never_at_the_same_work(tmp_path: Path) -> None:
    data, work = corpus.turns(tmp_path, 12), tmp_path / "out" / "mine.work"
    work.mkdir(parents=True)
    with (work / "work.sha256").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        arguments = ("tune", data, "--head-only", "--name", "mine", "--out", tmp_path / "out")
        done = run(*arguments)
        assert done.exit_code == 2
        assert "another `auditor tune` is at this work now" in done.stderr
    assert run(*arguments).exit_code == 0


def test_an_adapter_whose_training_helped_nobody_is_not_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tune, "missing", list)
    monkeypatch.setattr(tune, "adapted", lambda *_: None)
    done = run("tune", corpus.turns(tmp_path, 40, 10), "--labels-only", "--name", "mine")
    assert done.exit_code == 0, done.output
    assert "no adapter: no loss of unseen groups fell while it was trained" in done.stdout


# refused


def test_an_adapter_that_is_wanted_needs_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tune, "missing", lambda: ["torch", "peft"])
    done = run("tune", corpus.turns(tmp_path, 8), "--adapter")
    assert done.exit_code == 2
    assert "an adapter needs torch, peft: pip install 'turn-auditor[tune]'" in done.stderr


def test_without_the_extra_a_head_is_made_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tune, "missing", lambda: ["torch"])
    done = run("tune", corpus.turns(tmp_path, 8), "--labels-only", "--name", "mine")
    assert done.exit_code == 0, done.output
    assert "no adapter: torch not installed (pip install 'turn-auditor[tune]')" in done.stdout


@pytest.mark.parametrize("more", [(), ("--labels-only",)])
def test_too_few_labels_to_try_an_adapter_on_are_said_before_it_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    """However many made turns there are beside them."""
    monkeypatch.setattr(tune, "missing", list)
    monkeypatch.setattr(tune, "adapted", lambda *_: pytest.fail("an adapter was trained"))
    done = run("tune", corpus.turns(tmp_path, 24), "--name", "mine", *more)
    assert done.exit_code == 0, done.output
    few = re.search(r"no adapter: (\d+) labelled turns in .* held back are too few", done.stdout)
    assert few is not None
    assert int(few[1]) in (12, 15)


def test_what_is_missing_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lower, "NEEDED", ("json", "a_package_that_is_not_there"))
    assert lower.missing() == ["a_package_that_is_not_there"]


@pytest.mark.parametrize(
    ("n", "repos", "said"),
    [
        (4, 2, "too few examples of some answer to whose move is next (agent 4, user 4, nobody 4)"),
        (12, 1, "of one repository or session"),
    ],
)
def test_too_few_labels_are_said_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int, repos: int, said: str
) -> None:
    monkeypatch.setattr(tune, "states", lambda *_: pytest.fail("turns were read"))
    done = run("tune", corpus.turns(tmp_path, n, repos), "--head-only", "--labels-only")
    assert done.exit_code == 4
    assert said in done.stderr


@pytest.mark.parametrize("name", ["Mine", "../mine", "tiny"])
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    done = run("tune", corpus.turns(tmp_path, 1), "--name", name)
    assert done.exit_code == 2
    assert f"--name {name!r}" in done.stderr


def test_a_tuned_model_is_no_base(tmp_path: Path) -> None:
    data = corpus.turns(tmp_path, 8)
    assert run("tune", data, "--head-only", "--labels-only", "--name", "mine").exit_code == 0
    done = run("tune", data, "--base", "mine")
    assert done.exit_code == 2
    assert "expected a plain model" in done.stderr


def test_help_says_what_is_written() -> None:
    assert "a card and a calibration" in " ".join(run("tune", "--help").stdout.split())
