"""What a decision model holds at the end of each evidence: read once, kept on disk.

Owns chunks of evidence, each in a file named by everything that it depends on, so that what was
interrupted goes on where it stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from auditor.backends.head import EVIDENCE
from auditor.backends.llama import Llama
from auditor.evidence import Evidence
from auditor.judge import WHOSE_MOVE, Asked
from auditor.statistics.arrays import Array

CHUNK = 32
"""Turns of one file: seconds are lost at most."""

Matrix = NDArray[np.float64]


class Read(NamedTuple):
    """A row of `states` for each evidence, and -log P(end of turn) where its reply ends."""

    states: Matrix
    surprises: Array

    def of(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Read:
        """Give some of them."""
        return Read(self.states[rows], self.surprises[rows])


def states(
    shown: Sequence[Evidence],
    model: Llama,
    budget: int,
    folder: Path,
    told: Callable[[int, int], None],
) -> Read:
    """Read each evidence. `folder`: where it is kept; may raise `JudgeUnavailable`."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for at in range(0, len(shown), CHUNK):
        chunk = shown[at : at + CHUNK]
        file = folder / f"{_name(model.identity, budget, chunk)}.npy"
        kept = _kept(file)
        found.append(_read(chunk, model, budget, file) if kept is None else kept)
        told(at + len(chunk), len(shown))
    both = np.vstack(found) if found else np.zeros((0, 1))
    return Read(both[:, :-1], both[:, -1])


def _kept(file: Path) -> Matrix | None:
    """Load what was read before; None where nothing was, or a crash left half of it."""
    try:
        kept: Matrix = np.load(file)
    except (OSError, ValueError, EOFError):
        return None
    return kept


def _read(chunk: Sequence[Evidence], model: Llama, budget: int, file: Path) -> Matrix:
    read = [model.reading(Asked(WHOSE_MOVE, evidence), budget) for evidence in chunk]
    found = np.vstack([np.append(one.state.astype(np.float64), one.surprise) for one in read])
    part = file.with_suffix(".part.npy")
    np.save(part, found)
    part.replace(file)
    return found


def _name(identity: str, budget: int, chunk: Sequence[Evidence]) -> str:
    about = (identity, EVIDENCE, WHOSE_MOVE.system, budget, tuple(chunk))
    return hashlib.sha256(msgspec.json.encode(about, order="deterministic")).hexdigest()[:32]
