"""A decision model in this process, by llama.cpp.

Owns its thread, its deadline and its end. One thread of our own does all the work, since OpenMP
keeps its threads with the one that began; `ask` may be called from any. What goes wrong is
`JudgeUnavailable`, and the next question is answered again. Importing this module is cheap:
llama.cpp and numpy come with the first model that is loaded.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from auditor.backends._cpus import granted
from auditor.closing import Closing
from auditor.errors import JudgeUnavailable
from auditor.judge import BUDGET, LETTERS, Answer, Asked, Rendered

if TYPE_CHECKING:
    from auditor.backends._decision import Decision
    from auditor.backends._readout import Reading, Readout
    from auditor.backends.head import Head

T = TypeVar("T")

ROOM = 640
"""Tokens of memory beside the evidence: the system text, the question and the orders of its
options; the shipped question takes about 300 in three orders and 500 in six."""


def identity(digest: str, *, orders: int | None = None, budget: int = BUDGET) -> str:
    """Say what two answers to one question must share to compare; loads nothing."""
    try:
        library = version("llama-cpp-python")
    except PackageNotFoundError:
        library = "none"
    return f"{digest} llama-cpp-python {library} orders {orders or 'each'} budget {budget}"


class Llama(Closing):
    """A loaded decision model; close it, or use it in a `with` block."""

    def __init__(  # noqa: PLR0913 - all but the file and its name have defaults
        self,
        path: Path | str,
        digest: str,
        letters: Sequence[str] = LETTERS,
        *,
        threads: int | None = None,
        orders: int | None = None,
        budget: int = BUDGET,
        room: int = ROOM,
        head: Head | None = None,
        adapter: Path | None = None,
    ) -> None:
        """Load the file. Raises `JudgeUnavailable`.

        `digest` names the file in answers and is taken on trust: whoever resolved the path has
        verified it. `orders`: how often the options are asked, default once for each option.
        `threads`: default the CPUs this process is granted. `room`: tokens of memory beside the
        budget of evidence, for the question and its orders. `head`: answers whose move is next,
        within its own budget; other questions are still answered by letters. `adapter`: a LoRA
        that all answers go through.
        """
        self.threads = threads or granted()
        self.identity = identity(digest, orders=orders, budget=budget)
        self._settings = (digest, tuple(letters), orders, budget)
        self._room, self.head, self._adapter = room, head, adapter
        self._readout: Readout | None = None
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._running: object = None
        self._open = True
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="auditor-llama")
        try:
            self.decision = self._worker.submit(self._load, Path(path)).result()
        except BaseException:
            self._worker.shutdown()
            raise

    def close(self) -> None:
        """Stop what runs and give the memory back; twice does no harm, nor after a fork."""
        if os.getpid() != self._process:
            return
        with self._lock:
            was_open, self._open = self._open, False
            if was_open:
                self.decision.context.stop(stopped=True)
        if was_open:
            self._worker.shutdown(cancel_futures=True)
            self.decision.context.close()

    def ask(self, asked: Asked, deadline_seconds: float | None = None) -> Answer:
        """Answer, or raise `JudgeUnavailable`: it failed, or is not done by the deadline."""
        return self.worked(lambda: self._by(asked).decided(asked), deadline_seconds)

    def reading(self, asked: Asked, budget: int) -> Reading:
        """Give what the model holds after so many tokens of evidence, at the end of the reply."""
        from auditor.backends._readout import reading  # noqa: PLC0415 - brings numpy

        return self.worked(lambda: reading(self.decision, asked, budget))

    def prompt(self, asked: Asked, budget: int) -> list[int]:
        """Give the tokens after which `reading` reads, from the first one on."""

        def tokens() -> list[int]:
            opening, turn = self.decision.turn(self.decision.rendered(asked, budget, orders=1))
            return [*opening.tokens, *turn]

        return self.worked(tokens)

    def rendered(self, asked: Asked) -> Rendered:
        """Give the texts as they are sent."""
        return self.worked(lambda: self.decision.rendered(asked))

    def shown(self, asked: Asked) -> str:
        """Give the whole prompt, if it has a question in its first order, as a person may read."""
        return self.worked(lambda: self._by(asked).shown(asked))

    def _by(self, asked: Asked) -> Decision | Readout:
        """Who answers: the head, where it was fitted for the question."""
        if self._readout is not None and self._readout.answers(asked):
            return self._readout
        return self.decision

    def _load(self, path: Path) -> Decision:
        from auditor.backends._context import Context  # noqa: PLC0415 - brings llama.cpp and numpy
        from auditor.backends._decision import MOST_ORDERS, Decision, Settings  # noqa: PLC0415
        from auditor.backends._readout import Readout  # noqa: PLC0415

        settings, head = Settings(*self._settings), self.head
        size = max(settings.budget, head.budget if head else 0) + self._room
        sequences = MOST_ORDERS + 2
        context = Context(
            path, threads=self.threads, size=size, sequences=sequences, adapter=self._adapter
        )
        try:
            decision = Decision(context, settings)
            self._readout = Readout(decision, head) if head is not None else None
        except BaseException:
            context.close()
            raise
        return decision

    def worked(self, work: Callable[[], T], deadline_seconds: float | None = None) -> T:
        """Let the worker do something and wait; whoever stops waiting stops the work."""
        if os.getpid() != self._process:
            raise JudgeUnavailable("the decision model was loaded before a fork; load it again")
        me = object()
        try:
            job = self._worker.submit(self._work, work, me)
        except RuntimeError:
            raise JudgeUnavailable("the decision model is closed") from None
        try:
            return job.result(deadline_seconds)
        except TimeoutError:
            raise JudgeUnavailable(
                f"the decision model did not answer within {deadline_seconds:g} s"
            ) from None
        except CancelledError:
            raise JudgeUnavailable("the decision model is closed") from None
        finally:
            self._abandon(job, me)

    def _abandon(self, job: Future[T], me: object) -> None:
        """Take back what nobody waits for: not begun, it never will; running, it stops."""
        with self._lock:
            if not job.cancel() and self._running is me:
                self.decision.context.stop(stopped=True)

    def _work(self, work: Callable[[], T], me: object) -> T:
        with self._lock:
            if not self._open:
                raise JudgeUnavailable("the decision model is closed")
            self._running = me
            self.decision.context.stop(stopped=False)
        try:
            return work()
        except JudgeUnavailable:
            raise
        except Exception as error:
            raise JudgeUnavailable(f"the decision model failed: {error!r}") from error
        finally:
            with self._lock:
                self._running = None
