"""What a model holds is read once: an interruption loses a chunk at most."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from auditor.backends.llama import Llama
from auditor.evidence import Evidence
from auditor.judge import WHOSE_MOVE, Asked
from auditor.tuning.states import CHUNK, states
from tests import tiny_model

SHOWN = [Evidence("", (), f"Reply {number}.") for number in range(CHUNK + 3)]


class Interrupted(Exception):
    pass


def test_what_was_read_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, heard = tiny_model.write(tmp_path / "tiny.gguf"), []

    def stop(done: int, total: int) -> None:
        assert total == len(SHOWN)
        raise Interrupted(done)

    with Llama(path, "tiny", threads=1) as model:
        whole = states(SHOWN, model, 32, tmp_path / "one", lambda *_: None)
        with pytest.raises(Interrupted):
            states(SHOWN, model, 32, tmp_path / "two", stop)
        monkeypatch.setattr(model, "reading", spy := _Counted(model.reading))
        again = states(SHOWN, model, 32, tmp_path / "two", lambda *at: heard.append(at))
        assert spy.times == 3
        assert heard == [(CHUNK, len(SHOWN)), (len(SHOWN), len(SHOWN))]
        found = model.reading(Asked(WHOSE_MOVE, SHOWN[-1]), 32)
    assert np.array_equal(whole.states, again.states)
    assert np.array_equal(whole.states[-1], found.state.astype(float))
    assert whole.surprises[-1] == found.surprise
    assert whole.states.shape == (len(SHOWN), tiny_model.WIDTH)


def test_another_budget_or_model_is_read_anew(tmp_path: Path) -> None:
    path = tiny_model.write(tmp_path / "tiny.gguf")
    files = []
    for digest, budget in (("a", 32), ("a", 48), ("b", 48), ("b", 48)):
        with Llama(path, digest, threads=1) as model:
            states(SHOWN[:2], model, budget, tmp_path / "kept", lambda *_: None)
        files.append(len(list((tmp_path / "kept").iterdir())))
    assert files == [1, 2, 3, 3]


class _Counted:
    """A function, and how often it was called."""

    def __init__(self, work: object) -> None:
        self._work, self.times = work, 0

    def __call__(self, *arguments: object) -> object:
        self.times += 1
        return self._work(*arguments)  # type: ignore[operator]
