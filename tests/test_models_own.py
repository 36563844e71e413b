"""A tuned model in the registry: its base, with a head and an adapter of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from auditor import artefacts, calibrations
from auditor.asking import located
from auditor.backends.head import encoded
from auditor.errors import ConfigError, JudgeUnavailable
from auditor.evidence import evidence
from auditor.features import fingerprint
from auditor.gating import canary
from auditor.gating.canary_taking import taken
from auditor.judge import WHOSE_MOVE, Asked
from auditor.models import registry
from auditor.models.loaded import loaded
from auditor.models.own import Own, Piece, together
from auditor.models.pull import pull, remove
from auditor.serving.hosted import opened
from tests import tiny_model
from tests.backends.test_head import OTHER, asked, head
from tests.models import entry, sha256, write

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry of `tiny` and of `mine`, which is tuned on it and the default; both are here."""
    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path / "here"))
    monkeypatch.setattr(artefacts, "_PACKAGE", tmp_path / "auditor")
    (tmp_path / "here").mkdir()
    base = tiny_model.write(tmp_path / "here" / "tiny.gguf")
    models = tmp_path / "auditor" / "bundled" / "models"
    letters = [chr(ord("A") + number) for number in range(26)]
    write(models, entry("tiny", base.read_bytes(), letters=letters))
    mine(models, sha256(base.read_bytes()), default=True)
    return models


def mine(folder: Path, of: str, name: str = "mine", **more: Any) -> Path:
    """Write a tuned row and its head."""
    folder.mkdir(parents=True, exist_ok=True)
    raw = encoded(head(base=of))
    (folder / f"{name}.head.json").write_bytes(raw)
    row = {
        "name": name,
        "title": "Mine",
        "base": "tiny",
        "head": {"file": f"{name}.head.json", "sha256": sha256(raw)},
        "licence": "Apache-2.0",
        "question": "whose-move",
    }
    write(folder, row | more)
    return folder / f"{name}.toml"


def test_it_is_its_base_with_a_digest_of_its_own(shipped: Path) -> None:
    model, base = registry.default(), registry.named("tiny")
    assert (model.name, model.title, model.file, model.sha256) == (
        "mine",
        "Mine",
        base.file,
        base.sha256,
    )
    found = registry.resolve("mine")
    assert found.digest == model.digest != base.digest == base.sha256
    assert (found.path, found.head) == (registry.folder() / "tiny.gguf", shipped / "mine.head.json")
    assert registry.resolve("tiny").head is None


def test_the_digest_is_of_base_head_and_adapter() -> None:
    one, other = (Piece("h.json", letter * 64) for letter in "ab")
    owns = [Own("x", one), Own("x", other), Own("x", one, one), Own("x", one, other)]
    found = {together(base * 64, own) for base in "cd" for own in owns}
    assert len(found) == 8
    assert together("c" * 64, Own("elsewhere", one)) in found  # wherever they lie


def test_a_file_known_by_its_bytes_is_the_plain_model() -> None:
    found = registry.resolve(str(registry.folder() / "tiny.gguf"))
    assert found.model is not None
    assert (found.model.name, found.head) == ("tiny", None)


def test_it_is_pulled_like_its_base_and_answers_by_its_head() -> None:
    assert pull(registry.named("mine")) == registry.folder() / "tiny.gguf"
    with loaded(located("mine", offline=True), threads=1) as model:
        answer = model.ask(asked())
    assert (answer.model, answer.orders) == (registry.default().digest, 0)
    with loaded(located("tiny", offline=True), threads=1) as model:
        answer = model.ask(asked())
    assert (answer.model, answer.orders) == (registry.named("tiny").sha256, 3)


def test_a_tuned_model_that_is_here_is_known_by_its_name() -> None:
    base = registry.named("tiny").sha256
    path = mine(registry.folder(), base, "ours", default=True)
    assert [model.name for model in registry.known()] == ["mine", "tiny", "ours"]
    assert registry.default().name == "mine"  # what is here is never the default
    assert registry.resolve("ours") == registry.resolve(str(path))


def test_one_elsewhere_is_named_by_the_path_of_its_row(tmp_path: Path) -> None:
    path = mine(tmp_path / "away", registry.named("tiny").sha256, "theirs")
    assert "theirs" not in [model.name for model in registry.known()]
    with loaded(located(str(path), offline=True), threads=1) as model:
        assert model.ask(asked()).orders == 0


def test_a_head_that_is_not_what_the_row_says_is_refused(shipped: Path) -> None:
    raw = (shipped / "mine.head.json").read_bytes()
    (shipped / "mine.head.json").write_bytes(raw + b" ")
    with pytest.raises(JudgeUnavailable, match="not what its model was tuned to"):
        registry.resolve("mine")
    (shipped / "mine.head.json").unlink()
    with pytest.raises(JudgeUnavailable, match="cannot be read"):
        registry.resolve("mine")


def test_a_head_that_was_fitted_on_another_file_is_refused(shipped: Path) -> None:
    mine(shipped, "e" * 64)
    with pytest.raises(JudgeUnavailable, match="fitted on other files than mine has"):
        loaded(registry.resolve("mine"))


def test_verifying_it_reads_its_head_too(shipped: Path) -> None:
    assert registry.verified(registry.named("mine")) is None
    (shipped / "mine.head.json").write_bytes(b"{}")
    assert "not what its model was tuned to" in (registry.verified(registry.named("mine")) or "")


def test_an_adapter_that_the_head_does_not_know_is_refused(shipped: Path) -> None:
    (shipped / "mine.adapter.gguf").write_bytes(b"GGUF")
    adapter = {"file": "mine.adapter.gguf", "sha256": sha256(b"GGUF")}
    mine(shipped, registry.named("tiny").sha256, adapter=adapter)
    assert registry.resolve("mine").adapter == shipped / "mine.adapter.gguf"
    with pytest.raises(JudgeUnavailable, match="fitted on other files"):
        loaded(registry.resolve("mine"))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"base": "nobody"}, "'nobody' is no plain model"),
        ({"base": "mine"}, "'mine' is no plain model"),
        ({"file": "x.gguf"}, "file"),
        ({"head": {"file": "../h.json", "sha256": "a" * 64}}, "head"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(shipped: Path, more: dict[str, Any], said: str) -> None:
    mine(shipped, "a" * 64, **more)
    with pytest.raises(ConfigError, match=rf"mine\.toml cannot be used: .*{said}"):
        registry.known()


def test_a_canary_is_taken_with_the_head() -> None:
    shape = calibrations.read(ROOT / "calibration" / "no-model.json")
    digest = registry.default().digest
    readings = taken(structs.replace(shape, fingerprint=fingerprint(digest)), offline=True)
    assert readings.model == digest
    with loaded(registry.resolve("mine"), threads=1) as model:
        for turn in canary.TURNS:
            answer = model.ask(Asked(WHOSE_MOVE, evidence(turn)))
            assert readings.readings[turn.id].logprobs == answer.logprobs


def test_a_server_of_it_answers_typed_questions_by_letters() -> None:
    with opened(None) as (judge, hosted):
        assert (hosted.name, hosted.about, hosted.letters) == ("mine", "Mine", 26)
        assert judge.ask(OTHER).orders == 2
        assert judge.ask(asked()).orders == 0


def test_removing_one_of_ours_leaves_its_base_and_the_others() -> None:
    path = mine(registry.folder(), registry.named("tiny").sha256, "ours")
    path.with_suffix(".md").write_text("# ours")
    mine(registry.folder(), registry.named("tiny").sha256, "ours-2")
    there = sum(file.stat().st_size for file in registry.folder().glob("ours.*"))
    assert remove(registry.named("ours")) == there
    assert sorted(file.name for file in registry.folder().glob("*.*")) == [
        ".lock",
        "ours-2.head.json",
        "ours-2.toml",
        "tiny.gguf",
    ]


def test_removing_a_shipped_one_deletes_the_file_it_stands_on() -> None:
    assert remove(registry.named("mine")) == registry.named("tiny").bytes
    with pytest.raises(JudgeUnavailable, match="is not here"):
        registry.resolve("mine")
