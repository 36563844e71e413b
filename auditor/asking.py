"""The decision model of a scan: fetched when it is not here, loaded with the first question.

Owns what may be asked (a number of questions), what is told about it, and that no failure of a
model ends a scan. The answers themselves are `answers`' and the backends'.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from auditor import show
from auditor.closing import Closing
from auditor.errors import JudgeUnavailable
from auditor.models import registry
from auditor.models.registry import Located
from auditor.summary import Asking

if TYPE_CHECKING:
    from auditor.answers import Answers
    from auditor.backends.llama import Llama
    from auditor.judge import Answer
    from auditor.turn import Turn

DEADLINE = 30.0
"""Seconds for one answer: ten times what the default model takes with a full budget on two busy
CPUs (a guess)."""

WITHOUT = "; --model none does without"

FAILURES = 3
"""Failures in a row after which a model is not asked again (a guess)."""


def located(name: str, *, offline: bool, advice: str = "") -> Located:
    """Find a model; one of the registry is fetched where it is not here: `advice` is told first.

    Raises `ConfigError` for a name nobody knows and `JudgeUnavailable` for what cannot be had.
    """
    model = registry.found(name)
    if model is None or registry.present(model):
        return registry.resolve(name)
    if offline:
        raise JudgeUnavailable(f"{registry.absent(model)} (--offline: nothing is fetched)")
    from auditor.models.pull import pull  # noqa: PLC0415 - only where something is fetched
    from auditor.models.transfer import Transfer  # noqa: PLC0415

    to = show.console(sys.stderr)
    to.print(
        f"Fetching the decision model {model.name} ({model.bytes / 1e6:,.0f} MB, once){advice}."
    )
    with Transfer(to, model.name) as told:
        pull(model, told)
    return registry.resolve(name)


class Asker(Closing):
    """Asks about turns, until the questions are used up or the model fails; use it in `with`."""

    def __init__(self, name: str | None, *, questions: int | None, offline: bool) -> None:
        """`name` None: nobody is asked. `questions` None: no limit. Raises `ConfigError`."""
        self.done = Asking(model=name)
        self._left = questions
        self._failures = 0
        self._located: Located | None = None
        self._answers: Answers | None = None
        self._llama: Llama | None = None
        if name is None:
            return
        try:
            self._located = located(name, offline=offline, advice=WITHOUT)
        except JudgeUnavailable as error:
            self.done.problem = str(error)

    def close(self) -> None:
        """Give back what is open."""
        if self._llama is not None:
            self._llama.close()
        if self._answers is not None:
            self._answers.close()

    def again(self) -> None:
        """Ask again, where the model failed too often: whoever runs for days does so at times."""
        self._failures = 0

    @property
    def digest(self) -> str | None:
        """The digest of the model that is asked, if one can be."""
        return self._located.digest if self._located else None

    def __call__(self, turn: Turn) -> Answer | None:
        """Give the model's answer about a turn, if it was asked and did answer."""
        answer = self._answer(turn) if self._located else None
        if answer is None:
            self.done.not_judged += 1
        return answer

    def _answer(self, turn: Turn) -> Answer | None:
        from auditor.answers import Answers, key  # noqa: PLC0415 - brings SQLite
        from auditor.backends.llama import identity  # noqa: PLC0415
        from auditor.evidence import evidence  # noqa: PLC0415
        from auditor.judge import WHOSE_MOVE, Asked  # noqa: PLC0415

        if self._located is None:
            return None
        if self._answers is None:
            self._answers = Answers()
        at = key(identity(self._located.digest), asked := Asked(WHOSE_MOVE, evidence(turn)))
        if (kept := self._answers.get(at)) is not None:
            self.done.remembered += 1
            return kept
        if self._left == 0 or self._failures >= FAILURES:
            return None
        if self._left is not None:
            self._left -= 1
        try:
            answer = self._loaded(self._located).ask(asked, DEADLINE)
        except JudgeUnavailable as error:
            self._failures = FAILURES if self._llama is None else self._failures + 1
            self.done.problem = str(error)
            return None
        self._failures = 0
        self.done.asked += 1
        self._answers.put(at, answer)
        return answer

    def _loaded(self, located: Located) -> Llama:
        if self._llama is None:
            from auditor.models.loaded import loaded  # noqa: PLC0415

            self._llama = loaded(located)
        return self._llama
