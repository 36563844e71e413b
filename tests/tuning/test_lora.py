"""An adapter is trained with torch on the tiny model: it learns, resumes, and llama.cpp agrees."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from auditor.backends.llama import Llama
from auditor.errors import ConfigError
from auditor.models import registry
from auditor.tuning import lora
from auditor.tuning.lora import Settings, Trained, trained
from auditor.tuning.rows import Row
from tests import tiny_model
from tests.backends.test_head import head
from tests.tuning import corpus
from tests.tuning.test_tune import files, run

SETTINGS = Settings(layers=1, rank=4, batch=4, every=4, epochs=3, rate=1e-2, warm=2, threads=1)
ENDS = ((5, 6, 7), (9, 9, 4), (3, 1, 2))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tiny_model.write(tmp_path / "tiny.gguf")


def rows(n: int, seed: int = 1) -> list[Row]:
    """Texts of tokens whose first tokens, far from where they are read, say the option."""
    chance = np.random.default_rng(seed)
    return [
        Row((*ENDS[k % 3], *chance.integers(20, 90, 6 + k % 5).tolist()), k % 3, 1.0)
        for k in range(n)
    ]


def learn(path: Path, folder: Path, until: float = 1e9, **more: Any) -> Trained:
    settings = structs.replace(SETTINGS, **more)
    return trained(
        path,
        head(),
        rows(48),
        rows(12, 2),
        folder,
        settings=settings,
        until=time.monotonic() + until,
        told=lambda *_: None,
    )


def test_the_loss_on_other_texts_falls(path: Path, tmp_path: Path) -> None:
    found = learn(path, tmp_path)
    assert found.steps == 36
    assert min(found.losses.values()) < 0.8 * found.losses[0]
    assert set(found.pairs) == {f"blk.1.{name}" for name in lora.MODULES.values()}
    assert found.heads == (tiny_model.HEADS, tiny_model.HEADS)
    assert np.abs(found.change).max() > 0.01


def test_an_interruption_changes_nothing(path: Path, tmp_path: Path) -> None:
    """Cut at a look, when all is kept: what comes after is the same, number by number."""
    whole = learn(path, tmp_path / "one")

    def stop(what: str, done: int, _: int, __: str) -> None:
        if what.startswith("training") and done == 14:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(
            path,
            head(),
            rows(48),
            rows(12, 2),
            tmp_path / "two",
            settings=SETTINGS,
            until=time.monotonic() + 1e9,
            told=stop,
        )
    again = learn(path, tmp_path / "two")
    assert again.losses == whole.losses
    assert all(np.array_equal(again.pairs[name][1], whole.pairs[name][1]) for name in whole.pairs)


def test_it_ends_when_the_time_is_over_or_nothing_helps(path: Path, tmp_path: Path) -> None:
    found = learn(path, tmp_path / "one", until=-1.0)
    assert (found.steps, found.ended) == (0, "the time was over")
    assert set(found.losses) == {0}
    lost = learn(path, tmp_path / "two", rate=0.0, patience=2)
    assert (lost.steps, lost.ended) == (8, "no lower loss of the validation groups")


def test_what_was_learned_until_the_time_was_over_is_looked_at(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count()
    monkeypatch.setattr(lora.time, "monotonic", lambda: float(next(clock)))
    found = trained(
        path,
        head(),
        rows(48),
        rows(12, 2),
        tmp_path,
        settings=structs.replace(SETTINGS, every=50),
        until=30.0,
        told=lambda *_: None,
    )
    assert found.ended == "the time was over"
    assert 0 < found.steps < 36
    assert found.losses[found.steps] < found.losses[0]


def test_a_model_of_another_kind_is_refused(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers  # noqa: PLC0415 - the extra

    read = transformers.AutoModelForCausalLM.from_pretrained

    def other(*given: Any, **more: Any) -> Any:
        found = read(*given, **more)
        found.config.model_type = "gemma3"
        return found

    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", other)
    with pytest.raises(ConfigError, match=r"of gemma3; --head-only works with any"):
        learn(path, tmp_path)


def test_the_command_keeps_an_adapter_only_if_it_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice from end to end: once as it is, once where llama.cpp would not agree with torch."""
    monkeypatch.setattr("auditor.tuning.tune.Settings", lambda **_: SETTINGS)
    corpus.registry(tmp_path, monkeypatch)
    data = corpus.turns(tmp_path, 40, 10)
    arguments = ("tune", data, "--adapter", "--labels-only", "--name")
    monkeypatch.setattr("auditor.tuning.adapting.Adapted.better", True)
    done = run(*arguments, "mine", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "the adapter is kept" in done.stdout
    correlation = float(done.stdout.split("correlation with torch ")[1].split()[0])
    assert correlation > 0.9
    names = {"mine.toml", "mine.head.json", "mine.md", "mine.adapter.gguf"}
    assert files(tmp_path / "out") - {"calibration"} == names
    located = registry.resolve(str(tmp_path / "out" / "mine.toml"))
    asked = run("ask", "--reply", "Which one is right?", "--model", tmp_path / "out" / "mine.toml")
    assert asked.exit_code == 0, asked.output
    with (
        Llama(located.path, "a", threads=1, adapter=located.adapter) as with_it,
        Llama(located.path, "b", threads=1) as without,
    ):
        about = corpus.asked()
        assert not np.allclose(with_it.reading(about, 64).state, without.reading(about, 64).state)
    monkeypatch.setattr("auditor.tuning.adapting.Adapted.better", False)
    done = run(*arguments, "plain", "--out", tmp_path / "out")
    assert "no adapter: it saves" in done.stdout
    assert not (tmp_path / "out" / "plain.adapter.gguf").exists()
