"""One prefill of a turn, read at its last token: the state, and the answer of a head.

No question and no letters: the evidence is decoded as every decision decodes it, and where the
reply ends the model's own state is read instead of what it would say.
"""

from __future__ import annotations

import time

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from auditor.backends._batch import Run
from auditor.backends._decision import TURN, Decision
from auditor.backends.head import Arithmetic, Head
from auditor.errors import JudgeUnavailable
from auditor.judge import WHOSE_MOVE, Answer, Asked


class Reading(Struct, frozen=True):
    """What is read where a reply ends: the state, -log P(end of turn) in nats, tokens decoded."""

    state: NDArray[np.float32]
    surprise: float
    tokens: int


def reading(decision: Decision, asked: Asked, budget: int) -> Reading:
    """Decode the evidence, cut to a budget of tokens, and read it at its end."""
    opening, turn = decision.turn(decision.rendered(asked, budget, orders=1))
    decision.restore(opening)
    logits, state = decision.context.read(Run(TURN, opening.length, turn))
    return Reading(state, decision.surprise(logits), len(turn))


class Readout:
    """Answers whose move is next by a head."""

    def __init__(self, decision: Decision, head: Head) -> None:
        """Make ready. Raises `JudgeUnavailable` for a head of another model."""
        if head.width != decision.context.width:
            raise JudgeUnavailable(
                f"the head reads {head.width} numbers, and the model has {decision.context.width};"
                " it is another model's"
            )
        self._decision, self._head, self._arithmetic = decision, head, Arithmetic(head)

    def answers(self, asked: Asked) -> bool:
        """Whether this is the question that the head was fitted for."""
        return asked.question == WHOSE_MOVE

    def decided(self, asked: Asked) -> Answer:
        """Answer. Raises `JudgeUnavailable`; the next call is none the worse for it."""
        began = time.perf_counter()
        found = reading(self._decision, asked, self._head.budget)
        if not np.isfinite(found.state).all():
            raise JudgeUnavailable("the decision model gives no answer: its state is no number")
        (logs,) = self._arithmetic.logprobs(found.state)
        return Answer(
            logprobs=dict(zip(self._head.options, logs.tolist(), strict=True)),
            coverage=None,
            spread=None,
            orders=0,
            model=self._decision.digest,
            scalars={"end_of_turn_surprise": found.surprise},
            tokens=found.tokens,
            seconds=time.perf_counter() - began,
        )

    def shown(self, asked: Asked) -> str:
        """Give what is decoded, as a person may read it."""
        parts = self._decision.rendered(asked, self._head.budget, orders=1)
        return self._decision.before(parts)
