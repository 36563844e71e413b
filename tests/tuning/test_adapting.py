"""An adapter is tried in llama.cpp on labelled turns of groups that nothing was fitted on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from auditor.backends.head import Arithmetic
from auditor.backends.llama import Llama
from auditor.models import registry
from auditor.statistics.arrays import Array
from auditor.tuning import adapting, heads
from auditor.tuning.adapting import Adapted, Try
from auditor.tuning.heads import Taught
from auditor.tuning.learning import held, lesson
from auditor.tuning.lora import SAMPLE, Settings, Trained
from auditor.tuning.states import Matrix, states
from tests import tiny_model
from tests.tuning import corpus
from tests.tuning.test_adapter import pairs

BUDGET, STRENGTH = 64, 0.01


@pytest.fixture
def wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Try:
    """Labelled and made turns of five repositories, one of which is held back."""
    corpus.registry(tmp_path, monkeypatch)
    learned = lesson([corpus.turns(tmp_path, 10)], made=True, seed=0)
    base = registry.resolve("tiny")
    shown = [example.evidence for example in learned.examples]
    with Llama(base.path, base.digest, threads=1) as model:
        read = states(shown, model, BUDGET, tmp_path / "states", lambda *_: None)
    taught = Taught(read.states, learned.options, learned.weights, learned.groups)
    apart = held(learned.groups, 0)
    assert 0 < (apart & learned.labels).sum() < apart.sum()
    return Try(base, shown, taught, read, apart, apart & learned.labels, STRENGTH, BUDGET)


def tried(
    wanted: Try, folder: Path, monkeypatch: pytest.MonkeyPatch, by: float, loss: float = 0.5
) -> tuple[Adapted | None, list[Any]]:
    """Try an adapter of random numbers, so many times as large as those of its own test.

    `loss`: that of validation after training, from 1.
    """
    change = np.zeros((SAMPLE, tiny_model.WIDTH))
    given: list[Any] = []

    def trained(*arguments: Any, **_: Any) -> Trained:
        given.extend(arguments)
        made = {name: (down, by * up) for name, (down, up) in pairs().items()}
        counts = (tiny_model.HEADS, tiny_model.HEADS)
        return Trained(
            made, 6.0, counts, change.astype(np.float32), {0: 1.0, 4: loss}, 4, "it was told to"
        )

    monkeypatch.setattr(adapting, "trained", trained)
    until = time.monotonic() + 1e9
    return adapting.adapted(wanted, folder, Settings(), until, lambda *_: None), given


def lost(wanted: Try, read: Matrix) -> Array:
    """Loss of each judged turn by a head on these states that has not seen its group."""
    taught = wanted.taught._replace(states=read)
    head = heads.fitted(taught.of(~wanted.held), STRENGTH, budget=BUDGET, base="0" * 64)
    judged = taught.of(wanted.judged)
    return heads.losses(judged, Arithmetic(head).logprobs(judged.states))


def test_labelled_turns_of_groups_held_back_decide(
    wanted: Try, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, (_, _, learned, validated, *_) = tried(wanted, tmp_path, monkeypatch, 1.0)
    assert found is not None
    weights = wanted.taught.weights[wanted.judged]
    before, after = lost(wanted, wanted.read.states), lost(wanted, found.read.states)
    assert found.before == pytest.approx(np.average(before, weights=weights), abs=1e-4)
    assert found.after == pytest.approx(np.average(after, weights=weights), abs=1e-4)
    assert found.gain == pytest.approx(found.before - found.after)
    assert abs(found.gain) > 1e-4
    assert (len(learned), len(validated)) == ((~wanted.held).sum(), wanted.held.sum())
    assert len(found.logprobs) == wanted.held.sum()
    assert found.agrees == 0.0  # torch is said to have seen no change


def test_an_adapter_that_changes_nothing_is_no_better(
    wanted: Try, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = tried(wanted, tmp_path, monkeypatch, 0.0)
    assert found is not None
    assert (found.before, found.gain, found.error) == (pytest.approx(found.after), 0.0, 0.0)
    assert not found.better


def test_one_whose_training_lowered_no_loss_is_not_read_with(
    wanted: Try, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapting, "states", lambda *_: pytest.fail("turns were read"))
    assert tried(wanted, tmp_path, monkeypatch, 1.0, loss=1.1)[0] is None


@pytest.mark.parametrize(
    ("gain", "agrees", "better"),
    [(0.02, 0.9, True), (0.01, 0.9, False), (0.02, 0.4, False), (-0.02, 0.9, False)],
)
def test_it_is_better_by_more_than_its_error_and_where_torch_agrees(  # noqa: PLR0917
    wanted: Try,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    gain: float,
    agrees: float,
    better: bool,
) -> None:
    found, _ = tried(wanted, tmp_path, monkeypatch, 0.0)
    assert found is not None
    assert structs.replace(found, gain=gain, error=0.01, agrees=agrees).better is better
