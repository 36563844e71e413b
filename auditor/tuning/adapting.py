"""An adapter that has to earn its place: trained, tried in llama.cpp, kept where it helps.

Owns the comparison: the head on the model as it is, and one on the model with the adapter, both
fitted on the same groups and judged on the groups that neither has seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from auditor.backends.head import Arithmetic, Head
from auditor.backends.llama import Llama
from auditor.errors import JudgeUnavailable
from auditor.evidence import Evidence
from auditor.fitting.regression import gained, one_thread
from auditor.judge import WHOSE_MOVE, Asked
from auditor.models.registry import Located
from auditor.statistics.arrays import Array
from auditor.tuning import heads
from auditor.tuning.adapter import encoded, written
from auditor.tuning.heads import Taught
from auditor.tuning.lora import SAMPLE, Settings, Told, Trained, trained
from auditor.tuning.rows import Row
from auditor.tuning.states import Matrix, Read, states

AGREES = 0.5
"""Correlation of what the adapter adds in llama.cpp and in torch, below which it is not used: 0.85
was measured on a Q8_0 model, whose activations are rounded (field/model.md, section 6)."""


Mask = NDArray[np.bool_]


class Adapted(Struct, frozen=True):
    """How an adapter did.

    `logprobs`: of the examples held back. `before` and `after`: loss of the labelled ones among
    them; `gain` and its standard error, with whole groups as the unit; `agrees`: see `AGREES`.
    """

    path: Path
    sha256: str
    head: Head
    logprobs: Array
    read: Read
    before: float
    after: float
    gain: float
    error: float
    agrees: float
    steps: int
    ended: str
    losses: dict[int, float]

    @property
    def better(self) -> bool:
        """Whether it lowers the loss by more than its standard error, and can be trusted."""
        return self.gain > self.error and self.agrees >= AGREES


class Try(Struct, frozen=True):
    """What is to be tried: the base, what is learned and read, the groups held back.

    `judged`: the labelled turns among those. Made turns do not count: trained on 2,464 made turns,
    an adapter saved 15 % of the loss on those of five unseen repositories, and ordered 258 labelled
    turns of 37 others no better (AUC 0.837; 0.840 without).
    """

    base: Located
    shown: Sequence[Evidence]
    taught: Taught
    read: Read
    held: Mask
    judged: Mask
    strength: float
    budget: int


def adapted(
    wanted: Try, folder: Path, settings: Settings, until: float, told: Told
) -> Adapted | None:
    """Train an adapter and try it; None where training lowered no loss of the groups held back.

    Raises `ConfigError`, `JudgeUnavailable`.
    """
    rest, test = ~wanted.held, wanted.taught.of(wanted.judged)
    base = wanted.base.digest
    with one_thread():
        head = heads.fitted(
            wanted.taught.of(rest), wanted.strength, budget=wanted.budget, base=base
        )
    rows = _rows(wanted)
    found = trained(
        wanted.base.path,
        head,
        [row for row, on in zip(rows, rest, strict=True) if on],
        [row for row, on in zip(rows, rest, strict=True) if not on],
        folder,
        settings=settings,
        until=until,
        told=told,
    )
    if min(found.losses, key=found.losses.__getitem__) == 0:  # then it changes nothing
        return None
    path, sha256 = _written(found, folder)
    read = _read(wanted, path, sha256, folder, told)
    taught = wanted.taught._replace(states=read.states)
    with one_thread():
        tuned = heads.fitted(
            taught.of(rest), wanted.strength, budget=wanted.budget, base=base, adapter=sha256
        )
    before = heads.losses(test, Arithmetic(head).logprobs(test.states))
    after = heads.losses(test, Arithmetic(tuned).logprobs(read.states[wanted.judged]))
    gain, error = gained(before, after, test.weights, test.groups)
    change = (read.states - wanted.read.states)[wanted.held][:SAMPLE]
    return Adapted(
        path=path,
        sha256=sha256,
        head=tuned,
        logprobs=Arithmetic(tuned).logprobs(read.states[wanted.held]),
        read=read,
        before=_mean(before, test),
        after=_mean(after, test),
        gain=gain,
        error=error,
        agrees=_correlation(change, found.change.astype(np.float64)),
        steps=found.steps,
        ended=found.ended,
        losses=found.losses,
    )


def _rows(wanted: Try) -> list[Row]:
    with Llama(wanted.base.path, wanted.base.digest) as model:
        texts = [model.prompt(Asked(WHOSE_MOVE, each), wanted.budget) for each in wanted.shown]
    taught = wanted.taught
    return [
        Row(tuple(text), int(option), float(weight))
        for text, option, weight in zip(texts, taught.options, taught.weights, strict=True)
    ]


def _written(found: Trained, folder: Path) -> tuple[Path, str]:
    heads_q, heads_kv = found.heads
    raw = encoded(found.pairs, alpha=found.alpha, heads=heads_q, heads_kv=heads_kv)
    return written(folder / "adapter.gguf", raw), hashlib.sha256(raw).hexdigest()


def _read(wanted: Try, path: Path, sha256: str, folder: Path, told: Told) -> Read:
    """Read everything again through the adapter, in llama.cpp."""
    name = f"{wanted.base.digest} {sha256}"
    with Llama(wanted.base.path, name, adapter=path) as model:
        found = states(
            wanted.shown,
            model,
            wanted.budget,
            folder / "states",
            lambda done, total: told("reading with the adapter", done, total, ""),
        )
    if not np.isfinite(found.states).all():
        raise JudgeUnavailable("llama.cpp computes no numbers with the adapter")
    return found


def _mean(lost: Array, test: Taught) -> float:
    return float(test.weights @ lost / test.weights.sum())


def _correlation(ours: Matrix, theirs: Matrix) -> float:
    """Correlation of all numbers; 0 where one side does not move."""
    if not (np.ptp(ours) and np.ptp(theirs)):
        return 0.0
    return float(np.corrcoef(ours.ravel(), theirs.ravel())[0, 1])
