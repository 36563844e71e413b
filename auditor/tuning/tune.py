"""Labelled turns -> a decision model of one's own: a head, an adapter if it helps, and their row.

Owns the order of the work, what is kept while it is under way, and the answers that a calibration
may be fitted on: each is by numbers that its repository or session had no part in. Files are
`files`', the comparison `adapting`'s.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from msgspec import Struct

from auditor.asking import located
from auditor.backends.head import OPTIONS, Head
from auditor.backends.llama import Llama
from auditor.errors import ConfigError
from auditor.fitting.regression import one_thread
from auditor.judge import Answer
from auditor.models.registry import Located
from auditor.statistics.ranks import auc
from auditor.tuning import heads
from auditor.tuning.adapting import Adapted, Try, adapted
from auditor.tuning.heads import Chosen, Taught
from auditor.tuning.learning import Lesson, held, lesson
from auditor.tuning.lora import Settings, Told
from auditor.tuning.lower import missing
from auditor.tuning.states import Matrix, Read, states
from auditor.tuning.work import WORK, alone

BUDGET = 176
"""Tokens of evidence: 600 ms of one CPU at the median turn of the shared records, with the default
model as it is built for any x86-64 CPU."""

ENOUGH = 30
"""Labelled turns on which an adapter is tried, at least; as many as a calibration needs."""


class Order(Struct, frozen=True, kw_only=True):
    """What is wanted. `adapter` None: where what it needs is installed. `minutes`: of training."""

    data: tuple[Path, ...]
    name: str | None
    base: str
    out: Path
    adapter: bool | None = None
    made: bool = True
    budget: int = BUDGET
    minutes: float = 60.0
    seed: int = 0
    threads: int = 2


class Tuned(Struct, frozen=True, kw_only=True):
    """What came of it.

    `answers`: of labelled turns, by numbers that have not seen their group; `auc` of these, agent
    against the rest; `why`: why no adapter is part of it.
    """

    order: Order
    name: str
    base: Located
    lesson: Lesson
    head: Head
    chosen: Chosen
    adapted: Adapted | None
    why: str | None
    answers: dict[str, Answer]
    auc: float | None

    @property
    def kept(self) -> Adapted | None:
        """The adapter, if it is part of the model."""
        return self.adapted if self.why is None else None


def tuned(order: Order, told: Told) -> Tuned:
    """Do it all but the files. Raises `AuditorError` of many kinds."""
    _installed(order)
    learned = lesson(order.data, made=order.made, seed=order.seed)
    heads.enough(learned.options, learned.groups)  # before anything is fetched or read
    base = _base(order.base)
    name = order.name or f"tuned-{learned.digest[:8]}"
    about = (learned.digest, base.digest, order.budget, order.seed)
    with alone(order.out / f"{name}{WORK}", about) as folder:
        shown = [example.evidence for example in learned.examples]
        with Llama(base.path, base.digest) as model:
            read = states(
                shown,
                model,
                order.budget,
                folder / "states",
                lambda done, total: told("reading the turns", done, total, ""),
            )
        taught = Taught(read.states, learned.options, learned.weights, learned.groups)
        told("fitting the head", 0, 1, "")
        with one_thread():
            chosen = heads.chosen(taught)
            head = heads.fitted(taught, chosen.strength, budget=order.budget, base=base.digest)
        told("fitting the head", 1, 1, f"loss on unseen groups {min(chosen.losses.values()):.4f}")
        tried, why = _adapter(order, learned, base, taught, read, chosen, folder, told)
    return _outcome(order, name, base, learned, head, chosen, read, tried, why)


def _installed(order: Order) -> None:
    if order.adapter and (lacks := missing()):
        raise ConfigError(
            f"an adapter needs {', '.join(lacks)}: pip install 'turn-auditor[tune]';"
            " --head-only does without"
        )


def _base(name: str) -> Located:
    """Find the base, fetched where it is not here. Raises `ConfigError` for a tuned one."""
    base = located(name, offline=False)
    if base.head is not None or base.model is None:
        raise ConfigError(f"--base {name}: expected a plain model of `auditor models list`")
    return base


def _adapter(  # noqa: PLR0913, PLR0917 - everything that was found so far
    order: Order,
    learned: Lesson,
    base: Located,
    taught: Taught,
    read: Read,
    chosen: Chosen,
    folder: Path,
    told: Told,
) -> tuple[Adapted | None, str | None]:
    """Try an adapter; say why none is part of the model, where that is so."""
    if order.adapter is False:
        return None, "it was not wanted (--head-only)"
    if lacks := missing():
        return None, f"{', '.join(lacks)} not installed (pip install 'turn-auditor[tune]')"
    apart = held(learned.groups, order.seed)
    judged = apart & learned.labels
    if judged.sum() < ENOUGH:
        few = f"{judged.sum()} labelled turns in the repositories or sessions held back"
        return None, f"{few} are too few to try it on; expected {ENOUGH}"
    for mask in (apart, ~apart):
        if np.bincount(taught.options[mask], minlength=len(OPTIONS)).min() < heads.LEAST:
            few = f"fewer than {heads.LEAST} examples of some option"
            return None, f"parted by repository or session, one part has {few}"
    wanted = Try(
        base,
        [example.evidence for example in learned.examples],
        taught,
        read,
        apart,
        judged,
        chosen.strength,
        order.budget,
    )
    settings = Settings(seed=order.seed, threads=order.threads)
    found = adapted(wanted, folder, settings, time.monotonic() + 60 * order.minutes, told)
    if found is None:
        return None, "no loss of unseen groups fell while it was trained"
    if found.better:
        return found, None
    return found, (
        f"it saves {found.gain:.4f} of the loss of labelled turns of unseen groups, with a standard"
        f" error of {found.error:.4f}, and agrees with torch to {found.agrees:.2f}: too little"
    )


def _outcome(  # noqa: PLR0913, PLR0917 - everything that was found
    order: Order,
    name: str,
    base: Located,
    learned: Lesson,
    head: Head,
    chosen: Chosen,
    read: Read,
    tried: Adapted | None,
    why: str | None,
) -> Tuned:
    places = np.arange(len(learned.examples))
    said: Matrix = chosen.logprobs
    if tried is not None and why is None:
        places, said = places[held(learned.groups, order.seed)], tried.logprobs
        read, head = tried.read, tried.head
    answers = {
        learned.examples[place].id: _answer(row, float(read.surprises[place]))
        for place, row in zip(places, said, strict=True)
        if learned.labels[place]
    }
    judged = places[learned.labels[places]]
    by_place = dict(zip(places.tolist(), said, strict=True))
    agent = OPTIONS.index("agent")
    return Tuned(
        order=order,
        name=name,
        base=base,
        lesson=learned,
        head=head,
        chosen=chosen,
        adapted=tried,
        why=why,
        answers=answers,
        auc=auc(
            learned.options[judged] == agent,
            [float(by_place[place][agent]) for place in judged.tolist()],
            learned.weights[judged],
        ),
    )


def _answer(logs: Matrix, surprise: float) -> Answer:
    return Answer(
        logprobs=dict(zip(OPTIONS, logs.tolist(), strict=True)),
        coverage=None,
        spread=None,
        orders=0,
        model="",
        scalars={"end_of_turn_surprise": surprise},
        tokens=0,
        seconds=0.0,
    )
