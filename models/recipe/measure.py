"""How good a head is: alone, and beside the detectors, on turns of repositories it has not seen.

Owns which numbers the card shows. Everything is cross-fitted by repository: the head that judges a
repository learned from no turn of it. Intervals draw whole repositories.
"""

# ruff: noqa: INP001 (a script; it is not imported by the product)

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from card import Number, Table
from lifts import columns, lift, measured, some
from msgspec.structs import replace
from sklearn.model_selection import GroupKFold

from auditor.backends.head import Arithmetic, Head
from auditor.features import PROOFS, features, logit
from auditor.fitting.crossfit import EVIDENCE, Data, Mask, Plan, _centred, data, fitter, said
from auditor.fitting.labelled import Example as Labelled
from auditor.sieve import settled
from auditor.tuning.examples import OPTIONS, Example
from auditor.tuning.heads import Matrix, Taught, fitted

FOLDS = 10


LOOKED_AT, KANA = 600, 5
"""Characters of a reply whose script is looked at; Japanese signs of one in Chinese (guesses)."""


class How(NamedTuple):
    """How strongly a head is held back (scikit-learn's C), and what its states are of."""

    strength: float
    budget: int
    base: str


PHRASES = frozenset(
    {
        "announced_action",
        "approval_gate",
        "blocked_on_user",
        "chanted_sentence",
        "claim_after_failure",
        "completion_claim",
        "cut_text",
        "dangling_ending",
        "deferred_work",
        "done_claim_open_todos",
        "offer",
        "question_to_user",
        "remaining_work",
        "unfinished_list",
    }
)
"""Detectors that know wordings. They were written with the labelled turns at hand; without them is
how turns look whose words nobody has met."""


def crossed(
    examples: Sequence[Example],
    states: Matrix,
    judged: Sequence[str],
    rows: Matrix,
    how: How,
) -> Matrix:
    """Log-probabilities of `rows`, each by a head without the groups of its fold (`judged`)."""
    groups = np.array(judged)
    found = np.zeros((len(rows), len(OPTIONS)))
    for _, test in GroupKFold(min(FOLDS, len(set(judged)))).split(rows, groups=groups):
        held = set(groups[test])
        kept = [n for n, example in enumerate(examples) if example.group not in held]
        found[test] = Arithmetic(taught(examples, states, kept, how)).logprobs(rows[test])
    return found


def taught(examples: Sequence[Example], states: Matrix, kept: Sequence[int], how: How) -> Head:
    """Fit a head on some of the examples."""
    chosen = [examples[n] for n in kept]
    return fitted(
        Taught(
            states[list(kept)],
            np.array([OPTIONS.index(example.option) for example in chosen], np.intp),
            np.array([example.weight for example in chosen]),
            [example.group for example in chosen],
        ),
        how.strength,
        budget=how.budget,
        base=how.base,
    )


def logits(logprobs: Matrix) -> Matrix:
    """Log odds of "the move is the agent's", held as a calibration holds them."""
    return np.array([logit(p) for p in np.exp(logprobs[:, OPTIONS.index("agent")])])


def read(found: Labelled, logprobs: Matrix, *, phrases: bool) -> Labelled:
    """Give the features of a labelled turn with this answer, with or without phrase detectors."""
    signals = {
        name: signal
        for name, signal in found.audit.signals.items()
        if phrases or name not in PHRASES
    }
    proof = settled(signals)
    made = features(signals, proof, None, found.audit.facts)
    if proof is None:  # only what nothing settles is asked about
        made |= {"answered": 1.0, "agent_logit": float(logits(logprobs[None])[0])}
    verdict = None if proof is None else proof.verdict
    return replace(found, features=made, audit=replace(found.audit, verdict=verdict))


ALONE = (
    "The head alone, by its probability that the move is the agent's. Labelled turns are those of"
    " public repositories, weighted to the population, each judged by a head that learned nothing"
    " from its repository. Our own turns (`data/labelled.jsonl`) were never learned from."
)
BESIDE = (
    "Logistic regression over detectors and facts, then scaling (`auditor.fitting`), with and"
    " without the head's log odds; cross-fitted by repository. On our own turns: fitted on all"
    " labelled ones. The last row of each block is the difference, with paired intervals."
)

Turns = tuple[Sequence[Labelled], Matrix]
"""Labelled turns and their states, row by row."""


def tables(  # noqa: PLR0913, PLR0917 - what it learned from, what it is judged on, what it is
    learned: Sequence[Example],
    known: Matrix,
    judged: Turns,
    own: Turns,
    head: Head,
    how: How,
) -> tuple[Table, ...]:
    """Measure the head alone, then beside the detectors, with and without phrases."""
    groups = [found.group for found in judged[0]]
    logprobs = crossed(learned, known, groups, judged[1], how)
    ours = Arithmetic(head).logprobs(own[1])
    alone: dict[str, dict[str, Number]] = {}
    more: dict[str, dict[str, Number]] = {}
    for phrases in (True, False):
        theirs, others = (
            data(
                [read(found, row, phrases=phrases) for found, row in zip(turns, rows, strict=True)]
            )
            for turns, rows in ((judged[0], logprobs), (own[0], ours))
        )
        where = "all detectors" if phrases else "without phrase detectors"
        if phrases:
            for what, turns, rows, given in (
                ("labelled turns", theirs, judged[0], logprobs),
                ("our own turns", others, own[0], ours),
            ):
                found = _ordered(turns, rows, logits(given))
                alone[what] = measured(columns(turns), found)
                for language, on in _languages(turns).items():
                    alone[f"{what}, {language}"] = measured(some(columns(turns), on), found[on])
        for what, turns, said_of in (
            ("labelled turns", theirs, beside(theirs)),
            ("our own turns", others, carried(theirs, others)),
        ):
            before, after = said_of.values()
            for name, s in said_of.items():
                more[f"{what}, {where}: {name}"] = measured(columns(turns), s)
            more[f"{what}, {where}: the head's lift"] = lift(columns(turns), before, after)
    return Table("Alone", ALONE, alone), Table("Beside the detectors", BESIDE, more)


def _languages(turns: Data) -> dict[str, Mask]:
    """Tell Chinese replies from the others; the others are English for the most part."""
    chinese = np.array([_chinese(one.turn.reply if one.turn else "") for one in turns.examples])
    return {"replies in Chinese": chinese, "other replies": ~chinese}


def _chinese(reply: str) -> bool:
    """Whether a tenth of the end are Chinese signs, and there are hardly any Japanese ones."""
    end = reply[-LOOKED_AT:]
    signs = sum("\u4e00" <= sign <= "\u9fff" for sign in end)
    return signs > len(end) / 10 and sum("\u3040" <= sign <= "\u30ff" for sign in end) <= KANA


def _ordered(turns: Data, rows: Sequence[Labelled], found: Matrix) -> Matrix:
    """Bring what was found row by row into the order of the columns."""
    by_id = dict(zip([row.id for row in rows], found.tolist(), strict=True))
    return np.array([by_id[example.id] for example in turns.examples])


PLANS = {"detectors": Plan(EVIDENCE, tuple(PROOFS))}
PLANS["detectors and head"] = Plan(EVIDENCE, (*PROOFS, "agent_logit"))


def beside(found: Data) -> dict[str, Matrix]:
    """Cross-fitted probabilities of each plan."""
    return {what: said(found, plan) for what, plan in PLANS.items()}


def carried(found: Data, others: Data) -> dict[str, Matrix]:
    """Probabilities of other turns, by numbers fitted on all of `found`."""
    return {what: _carried(found, others, plan) for what, plan in PLANS.items()}


def _carried(found: Data, others: Data, plan: Plan) -> Matrix:
    made = fitter(found, plan)(np.arange(len(found.y)))
    kinds = np.array([float(PROOFS.get(name, 0)) for name in plan.steps])
    columns = others.columns(plan.steps)
    given = _centred(columns, others.answered, kinds, made.means, made.units)
    return made.scale.of(made.line.of(others.columns(plan.line)), given)
