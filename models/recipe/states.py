"""What the base model holds at the last token of each evidence, kept on disk.

Owns the extraction: chunks of evidence, each in a file named by everything it depends on, so that
what was interrupted goes on where it stopped. One thread for each process: the same numbers,
however many processes share the work.
"""

# ruff: noqa: INP001 (a script; it is not imported by the product)

from __future__ import annotations

import hashlib
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from auditor.backends.llama import Llama
from auditor.evidence import Evidence
from auditor.judge import WHOSE_MOVE, Asked

CHUNK = 50
"""Turns of one file: at most half a minute is lost."""

States = NDArray[np.float32]

_reader: Reader | None = None


class Reader:
    """A loaded model that reads evidence, and the budget of tokens."""

    def __init__(self, model: Path, digest: str, budget: int) -> None:
        self._model, self._budget = Llama(model, digest, threads=1, budget=budget), budget

    def state(self, evidence: Evidence) -> States:
        """Read the evidence once."""
        return self._model.reading(Asked(WHOSE_MOVE, evidence), self._budget).state


def states(  # noqa: PLR0913 - what is read, by what, and how it is told
    shown: Sequence[Evidence],
    model: Path,
    digest: str,
    budget: int,
    cache: Path,
    *,
    jobs: int,
    told: Callable[[int, int], None],
) -> States:
    """Give the state of each evidence, a row of float32 for each, out of the cache or computed."""
    cache.mkdir(parents=True, exist_ok=True)
    chunks = [tuple(shown[at : at + CHUNK]) for at in range(0, len(shown), CHUNK)]
    files = [cache / f"{_name(chunk, digest, budget)}.npy" for chunk in chunks]
    missing = [pair for pair in zip(chunks, files, strict=True) if not pair[1].is_file()]
    with multiprocessing.get_context("spawn").Pool(jobs, _load, (model, digest, budget)) as workers:
        for done, _ in enumerate(workers.imap_unordered(_compute, missing), 1):
            told(len(chunks) - len(missing) + done, len(chunks))
    return np.vstack([np.load(file) for file in files])


def cost(
    shown: Sequence[Evidence], model: Path, digest: str, budget: int, rounds: int = 40
) -> float:
    """Give the CPU milliseconds of the median turn, over every so many of them."""
    reader, found = Reader(model, digest, budget), []
    for evidence in shown[:: max(len(shown) // rounds, 1)]:
        began = time.process_time()
        reader.state(evidence)
        found.append(time.process_time() - began)
    return 1000 * statistics.median(found)


def _name(chunk: Sequence[Evidence], digest: str, budget: int) -> str:
    text = msgspec.json.encode((digest, budget, WHOSE_MOVE.system, chunk), order="deterministic")
    return hashlib.sha256(text).hexdigest()[:32]


def _load(model: Path, digest: str, budget: int) -> None:
    global _reader  # noqa: PLW0603 - one model for each process
    os.nice(10)
    _reader = Reader(model, digest, budget)


def _compute(work: tuple[Sequence[Evidence], Path]) -> None:
    """Read a chunk and write its file, whole or not at all."""
    assert _reader is not None  # noqa: S101 - `_load` ran first
    chunk, file = work
    part = file.with_suffix(".part.npy")
    np.save(part, np.vstack([_reader.state(evidence) for evidence in chunk]))
    part.replace(file)
