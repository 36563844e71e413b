"""The decision model in process, against what llama.cpp itself needs for the same tokens.

    python benchmarks/model.py [MODEL.gguf] [--rounds N]

CPU time of all threads where a bar is a ratio, sides turn about in one run, medians. The turn is as
long as the budget allows. Without a path, AUDITOR_TEST_MODEL names the file, or else the default
decision model is measured: its base asked as any model is, and itself. Exits 1 for a missed bar.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path

from auditor.backends._batch import Run
from auditor.backends.llama import Llama
from auditor.evidence import evidence
from auditor.judge import WHOSE_MOVE, Asked
from auditor.models import registry
from auditor.models.loaded import loaded
from auditor.turn import Text, Turn

BUSY = 4
PREFILL = 512
RUN_ONCE = "--memory"
MOST = 600
"""Milliseconds of CPU for a decision of the default model: its card says where from."""

Bar = tuple[str, float, float, str]
"""What, measured, at most, unit."""


def asked(number: int = 0) -> Asked:
    """A question about a turn that fills the budget."""
    reply = "".join(
        f"Step {number + step}: I read the module, changed the function and ran its tests again. "
        for step in range(60)
    )
    turn = Turn(
        id="t",
        session="s",
        harness="test",
        request="Please go through the modules one after the other and repair what fails. " * 20,
        parts=(Text(reply + "Let me now look at the next one."),),
    )
    return Asked(WHOSE_MOVE, evidence(turn))


def cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def medians(rounds: int, *works: Callable[[], object]) -> list[float]:
    """CPU seconds of each, turn about."""
    for work in works:
        work()
    taken = [[cpu(work) for work in works] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*taken, strict=True)]


def bare(model: Llama, question: Asked) -> Callable[[], object]:
    """Only llama_decode, over the tokens of a decision."""
    decision = model.decision
    tokens = model.worked(lambda: decision.tokens(decision.rendered(question)))
    turn, orders = decision.batches(tokens)

    def work() -> None:
        decision.restore(tokens.opening)
        decision.context.decode(*turn)
        decision.fork(len(orders))
        decision.context.decode(*orders)

    return lambda: model.worked(work)


def prefill(model: Llama) -> Callable[[], object]:
    """llama.cpp's own measure: a prompt of 512 tokens in an empty memory."""
    context = model.decision.context
    prompt = Run(0, 0, range(PREFILL), PREFILL)

    def work() -> None:
        context.forget()
        context.decode(prompt)

    return lambda: model.worked(work)


def wall(rounds: int, work: Callable[[], object]) -> float:
    """Seconds, the median."""
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def spin() -> None:
    while True:
        pass


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Other processes that take all the CPU they get."""
    method = multiprocessing.get_context("spawn")
    spinning = [method.Process(target=spin, daemon=True) for _ in range(processes)]
    for process in spinning:
        process.start()
    time.sleep(1)
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.join()


def peak_of_a_scan(path: Path) -> float:
    """Megabytes: the most that a fresh process had in memory over 20 decisions."""
    command = [sys.executable, __file__, str(path), RUN_ONCE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return float(done.stdout)


def memory(path: Path) -> None:
    with Llama(path, "bench") as model:
        for number in range(20):
            model.ask(asked(number))
    rows = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    print(next(int(row.split()[1]) for row in rows if row.startswith("VmHWM")) * 1024 / 1e6)


def differing(model: Llama) -> int:
    """Answers that are not the same to the last bit when asked again, in another order."""
    questions = [asked(number) for number in range(4)]
    first = [model.ask(question) for question in questions]
    again = [model.ask(question) for question in reversed(questions)][::-1]
    return sum(
        (one.logprobs, one.scalars, one.coverage) != (two.logprobs, two.scalars, two.coverage)
        for one, two in zip(first, again, strict=True)
    )


def as_shipped(rounds: int) -> Iterator[Bar]:
    """The default decision model, as a scan loads it."""
    located = registry.located(registry.default())
    with loaded(located) as model:
        question = asked()
        (once,) = medians(rounds, lambda: model.ask(question))
        print(f"{model.ask(question).tokens} tokens a decision of {registry.default().name}")
        yield "CPU time of a decision as shipped", once * 1e3, MOST, "ms"


def measured(path: Path, rounds: int) -> Iterator[Bar]:
    with ExitStack() as stack:
        model, single, six = (
            stack.enter_context(Llama(path, "bench", orders=orders)) for orders in (None, 1, 6)
        )
        question = asked()
        ask = lambda: model.ask(question)  # noqa: E731
        whole, decode = medians(rounds, ask, bare(model, question))
        yield "a decision, against llama_decode of its tokens", whole / decode, 1.05, "×"
        one, many = medians(rounds, lambda: single.ask(question), lambda: six.ask(question))
        yield "six orders of the options, against one", many / one, 1.6, "×"
        decision = model.decision
        opening = model.worked(lambda: decision.tokens(decision.rendered(question))).opening
        restore = lambda: decision.restore(opening)  # noqa: E731
        fork = lambda: decision.fork(len(WHOSE_MOVE.options))  # noqa: E731
        yield "restore the prefix", model.worked(lambda: wall(200, restore)) * 1e3, 2, "ms"
        yield "fork the orders", model.worked(lambda: wall(200, fork)) * 1e3, 2, "ms"
        yield "answers that differ when asked again", differing(model), 0, ""
        tokens, own = model.ask(question).tokens, prefill(model)
        decided, filled = tokens / wall(rounds, ask), PREFILL / wall(rounds, own)
        print(f"{tokens} tokens a decision, {model.threads} threads, {whole:.2f} CPU-s")
        print(f"{decided:.0f} tokens/s in decisions, {filled:.0f} in llama.cpp's own prefill")
        quiet = medians(rounds, ask)[0]
        with busy(BUSY):
            slowed = medians(rounds, ask)[0]
        yield f"CPU time beside {BUSY} busy processes, against quiet", slowed / quiet, 2, "×"
    size = path.stat().st_size / 1e6
    yield "resident memory beyond the file", peak_of_a_scan(path) - size, 180, "MB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    named = os.environ.get("AUDITOR_TEST_MODEL")
    parser.add_argument("path", type=Path, nargs="?", default=named and Path(named))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(RUN_ONCE, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        memory(options.path)
        return 0
    bars = iter(())
    if options.path is None:
        options.path = registry.located(registry.default()).path
        bars = as_shipped(options.rounds)
    missed = 0
    for what, found, most, unit in chain(bars, measured(options.path, options.rounds)):
        missed += found > most
        verdict = "met" if found <= most else "MISSED"
        print(f"{what}: {found:.3g}{unit} (at most {most:g}{unit}): {verdict}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
