"""`auditor policy`, `certify`, `status`, `promote`, `demote`: to nudging and back."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from msgspec import structs
from typer.testing import CliRunner

from auditor import calibrations
from auditor.calibration import Calibration, Counts
from auditor.commands import gate as cli_gate
from auditor.features import fingerprint
from auditor.gating import gate, review
from auditor.gating.identity import here
from auditor.gating.states import State, told
from auditor.labelling.drawing import Policy, Queue
from auditor.labelling.drawing import fill as draw
from auditor.labels import Label, Nudge, Source
from auditor.store import Store
from tests.gate_words import DAY, fill, frozen, spread

app = typer.Typer()
app.add_typer(cli_gate.policy, name="policy")
for command in (cli_gate.certify, cli_gate.status, cli_gate.promote, cli_gate.demote):
    app.command()(command)

CALIBRATION = Calibration(
    id="c1",
    created="2026-01-01",
    description="made up for a test",
    kind="logistic",
    features="none",
    intercept=0.0,
    weights={},
    slope=1.0,
    offset=0.0,
    steps={},
    threshold=0.5,
    chosen="by hand",
    points=(),
    counts=Counts(
        labels=30, yes=15, no=15, unsure=0, residue=30, residue_yes=15, answered=0, groups=1,
        grouped_by="session", effective=30.0,
    ),
    metrics={},
    reliability=(),
    fingerprint=fingerprint(),
    labels="",
    provisional=True,
    reference=(),
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("AUDITOR_DB", str(tmp_path / "a.db"))
    monkeypatch.setenv("AUDITOR_CALIBRATIONS", str(tmp_path / "calibration"))
    monkeypatch.delenv("AUDITOR_OFF", raising=False)
    calibrations.write(CALIBRATION, "", tmp_path / "calibration")
    return tmp_path / "a.db"


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


def kept(path: Path, probabilities: Any, **more: Any) -> None:
    with Store(path) as store:
        fill(store, probabilities, **more)


def answered(store: Store, queue: Queue, wrong: int, at: float) -> None:
    """Draw what is due, and answer as one rater: the first of each ten turns so."""
    past = told(store.events())
    policy, _ = gate.current(store, past)
    assert policy is not None
    bound = Policy(past.policy or "", policy.at, policy.calibration, policy.loosest, policy.pi)
    draw(store, [queue], bound)
    store.add_labels(
        Label(
            turn=sample.turn,
            nudge=Nudge.NO if number < wrong else Nudge.YES,
            source=Source.HUMAN,
            at=at + number,
            blind=True,
            rater="r",
            sample=sample.id,
        )
        for number, sample in enumerate(store.samples(queue))
    )


@pytest.mark.usefixtures("path")
def test_without_a_store_one_sentence_says_what_to_do() -> None:
    for words in (["status"], ["certify"], ["promote"], ["demote"], ["policy", "show"]):
        done = run(*words)
        assert done.exit_code == 1
        assert "auditor scan" in done.output


def test_freeze_counts_what_is_missing_and_exits_4(path: Path) -> None:
    kept(path, list(spread(40))[:100])
    done = run("policy", "freeze")
    assert done.exit_code == 4
    assert "100 more: auditor scan --ask all" in done.output
    assert run("certify").exit_code == 4
    assert run("promote").exit_code == 2
    assert "It was not nudging" in run("demote").output


@pytest.mark.parametrize(
    "words",
    [("--single", "x"), ("--risk", "2"), ("--cost", "-1"), ("--calibration", "nobody")],
)
def test_a_wrong_option_writes_nothing(path: Path, words: tuple[str, str]) -> None:
    kept(path, spread(40))
    done = run("policy", "freeze", *words)
    assert done.exit_code == 2, done.output
    with Store(path) as store:
        assert store.events() == []


def test_a_calibration_of_other_detectors_exits_3(path: Path) -> None:
    kept(path, spread(40))
    other = structs.replace(CALIBRATION, fingerprint=fingerprint() | {"detectors": "others"})
    calibrations.write(other, "", path.parent / "calibration")
    done = run("policy", "freeze")
    assert done.exit_code == 3
    assert "detectors" in done.output


def test_freeze_and_show_say_the_same(path: Path) -> None:
    kept(path, spread(40))
    done = run("policy", "freeze", "--cost", "9", "--strict")
    assert done.exit_code == 0, done.output
    assert (
        "wrong nudges under 10% at the risk 0.05 (attempt 1), from 400 scored turns" in done.output
    )
    assert "top 5%" in done.output
    assert "by cost: probability from 0.9" in done.output
    assert run("policy", "show").output in done.output
    frozen_ = msgspec.json.decode(run("policy", "show", "--json").output)["frozen"]
    assert [each["quantile"] for each in frozen_["candidates"]] == [0.95, 0.9]


def test_status_in_every_state_is_text_and_json(path: Path) -> None:
    kept(path, spread(40))
    assert "Mode: observing" in run("status").output
    run("policy", "freeze")
    done = run("status")
    assert done.exit_code == 0, done.output
    for told_ in (
        "Mode: shadowing",
        "about 40 more labels (20 of them at or above 0.945)",
        "more repeats: auditor label --queue repeat",
        "Ledger: ok",
        "not set",
    ):
        assert told_ in done.output
    document = msgspec.json.decode(run("status", "--json").output)
    assert (document["state"], document["next"], document["nudging"]) == ("shadow", "nudge", False)


def test_the_kill_switch_shows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(path, spread(40))
    monkeypatch.setenv("AUDITOR_OFF", "1")
    assert "SET: AUDITOR_OFF is set" in run("status").output


def test_from_observing_to_nudging_and_back(path: Path) -> None:
    """The whole way through the commands; only the freeze is dated back, so as not to wait."""
    now = time.time()
    with Store(path) as store:
        fill(store, spread(60), ended=now - 20 * DAY)
        frozen(store, at=now - 10 * DAY, identity=here(CALIBRATION))
        fill(store, spread(60), start=2000, ended=now - 5 * DAY)
    assert run("certify").exit_code == 4
    done = run("promote")
    assert done.exit_code == 4
    assert "Not promoted" in done.output
    with Store(path) as store:
        answered(store, Queue.CERTIFICATION, wrong=5, at=now - 6 * DAY)
        again = [sample.turn for sample in store.samples(Queue.CERTIFICATION)][:25]
        ids = store.draw(Queue.REPEAT, 1.0, None, again)
        first = {label.turn: label for label in store.labels()}
        store.add_labels(
            structs.replace(first[turn], at=now - DAY + number, sample=sample)
            for number, (turn, sample) in enumerate(zip(again, ids, strict=True))
        )
    done = run("certify", "--json")
    assert done.exit_code == 0, done.output
    made = msgspec.json.decode(done.output)
    assert made["certificate"]["alpha"] == 0.2
    assert made["verdict"].startswith("Certified: ")
    done = run("promote")
    assert done.exit_code == 0, done.output
    assert "PASS    certificate" in done.output
    assert "Promoted" in done.output
    assert "Mode: nudging" in run("status").output
    done = run("promote")
    assert done.exit_code == 2
    with Store(path) as store:
        past = told(store.events())
        found = gate.Here(off=None, identity=review.identity("c1"), canary=None)
        assert gate.standing(store, time.time(), found).may_nudge
        assert past.state is State.NUDGE
    changed = structs.replace(CALIBRATION, intercept=0.1)
    calibrations.write(changed, "", path.parent / "calibration")
    done = run("status")
    assert "but not now: the probabilities come from something else now (numbers" in done.output
    assert run("certify").exit_code == 3
    assert "No nudge is sent" in run("demote", "--why", "a holiday").output
    assert run("promote").exit_code == 3
    with Store(path) as store:
        assert store.verify_ledger() is None
        assert [event.kind for event in store.events()] == [
            "gate.frozen", "gate.certified", "gate.promoted", "gate.shadowed",
        ]  # fmt: skip


def test_a_ranking_that_is_too_weak_exits_1(path: Path) -> None:
    kept(path, [round(0.2 + i / 1000, 4) for i in range(400)])
    run("policy", "freeze")
    done = run("certify")
    assert done.exit_code == 1
    assert "Ranking too weak: best achievable precision at 5%" in done.output
