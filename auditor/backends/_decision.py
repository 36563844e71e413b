"""One decision of a loaded model: tokens, three calls of llama.cpp, and what is read of them.

The memory is laid out the same every time: sequence 0 holds the system text, decoded once and
restored from a copy before each decision; sequence 1 is 0 and the turn; one sequence more for each
order of the options. There is one path, so that the same question has the same answer to the last
bit, whatever was asked before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from auditor.backends._batch import Run
from auditor.backends._context import Context
from auditor.backends._template import frame
from auditor.errors import JudgeUnavailable, QuestionTooLong
from auditor.judge import WHOSE_MOVE, Answer, Asked, Rendered, breaker, combined, rendered

SYSTEM_TEXT, TURN, FIRST_ORDER = 0, 1, 2
"""Sequences of the memory."""

MOST_ORDERS = 8
"""Sequences kept for orders of the options: four options, forwards and backwards (a guess)."""

FEW_ORDERS = 2
"""Orders of more options than that: no few of them would balance the places (a guess)."""

OPENINGS = 4
"""System texts that are kept decoded: a server's questions bring their own (a guess)."""


class Settings(Struct, frozen=True):
    """What a model is asked with: see `Llama`."""

    digest: str
    letters: tuple[str, ...]
    orders: int | None
    budget: int


class Opening(Struct, frozen=True):
    """What every turn begins with: its tokens, and the memory after them."""

    tokens: tuple[int, ...]
    state: bytes

    @property
    def length(self) -> int:
        """How many tokens stand before the turn."""
        return len(self.tokens)


class Tokens(Struct, frozen=True):
    """What is computed: the turn, how much of it ends with the reply, and a tail for each order."""

    opening: Opening
    turn: list[int]
    read: int
    tails: list[list[int]]


class Decision:
    """A model made ready: its template taken apart, its letters found, the system text decoded."""

    def __init__(self, context: Context, settings: Settings) -> None:
        """Make ready. Raises `JudgeUnavailable` for a model that cannot be asked."""
        self.context, self._settings = context, settings
        bos, eos, end = context.ends()
        self.frame = frame(context.template, context.text(bos), context.text(eos))
        self._harmless: Callable[[str], str] = breaker({*context.special(), *self.frame.markers})
        self._labels = _labels(context, self.frame.answer, settings.letters)
        after = context.tokens(self.frame.question, special=True)
        self._end = after[0] if after and context.is_end(after[0]) else end
        self._openings: dict[str, Opening] = {}
        self._opening(WHOSE_MOVE.system)

    @property
    def options(self) -> int:
        """How many options it tells apart, at most."""
        return len(self._labels)

    @property
    def digest(self) -> str:
        """What the model is called in answers."""
        return self._settings.digest

    def rendered(
        self, asked: Asked, budget: int | None = None, orders: int | None = None
    ) -> Rendered:
        """Give the texts as they are sent; for another budget or fewer orders where given."""
        options = len(asked.question.options)
        usual = options if options <= MOST_ORDERS else FEW_ORDERS
        if not 2 <= options <= len(self._labels):
            raise JudgeUnavailable(
                f"the decision model can tell 2 to {len(self._labels)} options apart"
            )
        return rendered(
            asked,
            budget or self._settings.budget,
            lambda text: len(self.context.tokens(text)),
            orders=orders or min(self._settings.orders or usual, MOST_ORDERS),
            letters=self._settings.letters,
            harmless=self._harmless,
        )

    def shown(self, asked: Asked) -> str:
        """Give the whole prompt in the first order of the options, as a person may read it."""
        parts, around = self.rendered(asked), self.frame
        question = f"{around.question}{parts.question}{parts.orders[0]}{around.answer}"
        return self.before(parts) + question

    def before(self, parts: Rendered) -> str:
        """Give what stands before the question."""
        around = self.frame
        begin = f"{around.opening}{parts.system}{around.user}{parts.user}"
        return f"{begin}{around.agent}{parts.agent}"

    def decided(self, asked: Asked) -> Answer:
        """Answer. Raises `JudgeUnavailable`; the next call is none the worse for it."""
        began = time.perf_counter()
        parts = self.rendered(asked)
        tokens = self.tokens(parts)
        turn, orders = self.batches(tokens)
        self.restore(tokens.opening)
        surprise = self.surprise(*self.context.decode(*turn))
        self.fork(len(orders))
        read = zip(self.context.decode(*orders), parts.places, strict=False)
        by_order = [self._by_option(logits, order) for logits, order in read]
        logprobs, spread = combined(asked.question, [found for found, _ in by_order])
        return Answer(
            logprobs=logprobs,
            coverage=min(share for _, share in by_order),
            spread=spread,
            orders=len(orders),
            model=self._settings.digest,
            scalars={"end_of_turn_surprise": surprise},
            tokens=len(tokens.turn) + sum(map(len, tokens.tails)),
            seconds=time.perf_counter() - began,
        )

    def tokens(self, parts: Rendered) -> Tokens:
        """Tokenise, our texts and the template's pieces each for themselves.

        Orders of the options that the memory has no room for are left out, but never all.
        """
        tokens, around = self.context.tokens, self.frame
        opening, turn = self.turn(parts)
        after = [*tokens(around.question, special=True), *tokens(parts.question)]
        answer = tokens(around.answer, special=True)
        tails = [[*tokens(order), *answer] for order in parts.orders]
        room = self.context.size - opening.length - len(turn) - len(after)
        while tails and sum(map(len, tails)) > room:
            tails.pop()
        if not tails:
            raise QuestionTooLong("the question is longer than the decision model's memory")
        return Tokens(opening, [*turn, *after], len(turn), tails)

    def turn(self, parts: Rendered) -> tuple[Opening, list[int]]:
        """Tokenise all that stands before the question; it ends with the reply."""
        tokens, around = self.context.tokens, self.frame
        turn = [*tokens(parts.user), *tokens(around.agent, special=True), *tokens(parts.agent)]
        return self._opening(parts.system), turn

    def batches(self, tokens: Tokens) -> tuple[list[Run], list[Run]]:
        """What is decoded in which call: the turn; then the orders, each after the whole turn."""
        turn = Run(TURN, tokens.opening.length, tokens.turn, tokens.read)
        start = tokens.opening.length + len(tokens.turn)
        orders = [
            Run(FIRST_ORDER + number, start, tail, len(tail))
            for number, tail in enumerate(tokens.tails)
        ]
        return [turn], orders

    def restore(self, opening: Opening) -> None:
        """Make the memory what it was before the first question, and fork the turn's sequence."""
        self.context.restore(opening.state, SYSTEM_TEXT)
        self.context.fork(SYSTEM_TEXT, TURN)

    def fork(self, orders: int) -> None:
        """Let each order begin with the whole turn."""
        for number in range(orders):
            self.context.fork(TURN, FIRST_ORDER + number)

    def _opening(self, system: str) -> Opening:
        """Decode a system text, once."""
        if system not in self._openings:
            if len(self._openings) >= OPENINGS:
                del self._openings[next(iter(self._openings))]
            tokens, before = self.context.tokens, self.frame.opening
            begin = self.context.text(self.context.ends()[0])
            begun = bool(begin) and before.startswith(begin)
            prefix = [*tokens(before, special=True, begin=not begun), *tokens(system)]
            prefix += tokens(self.frame.user, special=True)
            self.context.forget()
            self.context.decode(Run(SYSTEM_TEXT, 0, prefix))
            self._openings[system] = Opening(tuple(prefix), self.context.saved(SYSTEM_TEXT))
        return self._openings[system]

    def surprise(self, logits: NDArray[np.float32]) -> float:
        """-log P(end of turn) where the reply ends, in nats."""
        return _log_total(logits) - float(logits[self._end])

    def _by_option(
        self, logits: NDArray[np.float32], order: Sequence[int]
    ) -> tuple[list[float], float]:
        """Log-probability of each option among the letters, and the share of the letters."""
        letters = logits[self._labels[: len(order)]]
        among = _log_total(letters)
        found = [0.0] * len(order)
        for letter, option in zip(letters, order, strict=True):
            found[option] = float(letter) - among
        return found, float(np.exp(among - _log_total(logits)))


def _log_total(logits: NDArray[np.float32]) -> float:
    """log(sum(exp(x))) in double precision. Raises `JudgeUnavailable` for what is no number."""
    top = float(logits.max())
    total = top + float(np.log(np.exp(logits.astype(np.float64) - top).sum()))
    if not np.isfinite(total):
        raise JudgeUnavailable("the decision model computes no numbers: its file is damaged")
    return total


def _labels(context: Context, cue: str, letters: Sequence[str]) -> list[int]:
    """Find the token of each letter as the answer: one token after the cue, for all letters.

    Plain, or for all of them after a space; forms are never mixed. Letters from the first that has
    no token of its own are left out.
    """
    before = context.tokens(cue, special=True)
    best: list[int] = []
    for form in ("{}", " {}"):
        found: list[int] = []
        for letter in letters:
            after = context.tokens(cue + form.format(letter), special=True)
            if after[:-1] != before or after[-1] in found:
                break
            found.append(after[-1])
        best = max(best, found, key=len)
    if len(best) < 2:
        raise JudgeUnavailable("the decision model has no single tokens for the letters of options")
    return best
