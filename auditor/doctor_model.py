"""Whether a decision model answers as it must: letters, coverage, determinism, memory, speed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from auditor.answers import Judge
from auditor.backends.llama import ROOM, Llama
from auditor.errors import JudgeUnavailable
from auditor.evidence import Evidence
from auditor.findings import Finding, State
from auditor.judge import WHOSE_MOVE, Answer, Asked, Option, Question
from auditor.models.loaded import loaded
from auditor.models.registry import Located

LEAST_COVERAGE = 0.10
"""Share of all probability that the letters must have: with less, the field says, a model does
something else than answer."""

LENGTHS = (128, 256, 512, 1024)
"""Tokens of evidence at which a decision is timed."""

OVERHEAD = 180e6
"""Bytes beyond the model's file that a loaded model may take (the bar of benchmarks/model.py)."""

TURNS = (
    Evidence("Add a retry to the upload.", ("The agent called tools: bash (2).",), "Now I'll run"),
    Evidence("Why is the build slow?", (), "It links the same library twice. Shall I change that?"),
    Evidence("Sort the list by date.", ("The last command passed.",), "Done; all 12 tests pass."),
)
"""Turns written for this check: one of each answer."""

BETWEEN = Asked(
    Question(
        "doctor",
        1,
        "Which one?",
        (Option("x", "the first"), Option("y", "the second")),
        system="Another system text, so that the memory before the turn is another one.",
    ),
    Evidence("", (), "It is one of both."),
)
"""Asked between two times of the same question."""


def features() -> str:
    """Load llama.cpp, and name what it is built with. Raises `JudgeUnavailable`."""
    from auditor.backends._context import library  # noqa: PLC0415 - brings llama.cpp and numpy

    said: str = library().llama_print_system_info().decode("utf-8", "replace")
    _, _, flags = said.partition(":")
    there = [
        name.strip()
        for name, _, value in (f.partition("=") for f in flags.split("|"))
        if value.strip() == "1"
    ]
    return " ".join(there) or "any CPU"


def examined(located: Located, *, quick: bool) -> Iterator[Finding]:
    """Load the model and check it. What breaks is a finding."""
    before = resident()
    try:
        with loaded(located) as judge:
            yield from _letters(judge)
            answers = [judge.ask(Asked(WHOSE_MOVE, turn)) for turn in TURNS]
            yield from memory(before, resident(), located.path.stat().st_size)
            yield from coverage(answers)
            yield from determinism(judge, answers)
        if quick:
            found = "not measured (--quick)"
            yield Finding("latency", State.NOTE, found, "auditor doctor measures it")
        else:
            yield from _latency(located)
    except JudgeUnavailable as error:
        yield Finding("model", State.FAIL, str(error), "auditor models verify, or another --model")


def _letters(judge: Llama) -> Iterator[Finding]:
    """Every letter of the question has to be one token."""
    wanted, found = len(WHOSE_MOVE.options), judge.decision.options
    if found < wanted:
        said = f"only {found} letters are one token each; the question has {wanted} options"
        yield Finding("letters", State.FAIL, said, "name another model with --model")
    else:
        yield Finding("letters", State.OK, f"{found} letters are one token each ({wanted} needed)")


def coverage(answers: list[Answer]) -> Iterator[Finding]:
    """Say how much of all probability the letters had, at least."""
    least = min((a.coverage for a in answers if a.coverage is not None), default=None)
    if not any(answer.orders for answer in answers):
        found = "none needed: a head reads whose move is next"
        yield Finding("coverage", State.OK, found)
    elif least is None:
        yield Finding("coverage", State.NOTE, "the model does not say")
    elif least < LEAST_COVERAGE:
        found = f"the letters have {least:.3f} of all probability; {LEAST_COVERAGE:.2f} expected"
        advice = "this model does not follow the question; choose another: auditor models list"
        yield Finding("coverage", State.WARN, found, advice)
    else:
        spread = max(a.spread for a in answers if a.spread is not None)
        found = (
            f"the letters have at least {least:.2f} of all probability; spread up to {spread:.2f}"
        )
        yield Finding("coverage", State.OK, found)


def determinism(judge: Judge, first: list[Answer]) -> Iterator[Finding]:
    """Ask everything again, in another order: each answer must be the same to the last bit.

    Each decision restores the memory to what it was after the system text. The question between
    has another system text, so this is also the check of that restoring.
    """
    judge.ask(BETWEEN)
    for turn, before in reversed(list(zip(TURNS, first, strict=True))):
        differs = _differs(before, judge.ask(Asked(WHOSE_MOVE, turn)))
        if differs:
            found = f"the same question had another answer: {differs}"
            advice = "install turn-auditor again; if it stays so, report it with this output"
            yield Finding("determinism", State.FAIL, found, advice)
            return
    found = f"{len(first)} questions asked twice, others between: equal to the last bit"
    yield Finding("determinism", State.OK, found)


def _differs(before: Answer, again: Answer) -> str:
    """Say in what two answers differ, but for how long they took; empty if in nothing."""
    pairs = [
        (name, getattr(before, name), getattr(again, name)) for name in before.__struct_fields__
    ]
    found = [
        f"{name} {old} and {new}" for name, old, new in pairs if name != "seconds" and old != new
    ]
    return ", ".join(found)


def memory(before: int | None, after: int | None, file: int) -> Iterator[Finding]:
    """Say how much memory the loaded model takes beside the size of its file, in bytes."""
    if before is None or after is None:
        yield Finding("memory", State.NOTE, "not known here")
        return
    taken = after - before
    found = f"{taken / 1e6:,.0f} MB more once loaded, for a file of {file / 1e6:,.0f} MB"
    if taken > file + OVERHEAD:
        expected = f"{found}; at most {OVERHEAD / 1e6:.0f} MB beyond the file expected"
        advice = "where memory is short, choose a smaller model: auditor models list"
        yield Finding("memory", State.WARN, expected, advice)
    else:
        yield Finding("memory", State.OK, found)


def resident() -> int | None:
    """Bytes of memory this process has; None where the system does not say so."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _latency(located: Located) -> Iterator[Finding]:
    """Time a whole decision at several lengths of evidence; a head has a budget of its own."""
    with loaded(located, budget=LENGTHS[-1]) as judge:
        trained = judge.decision.context.trained
        for length in LENGTHS if judge.head is None else (judge.head.budget,):
            check = f"latency at {length}"
            if length + ROOM > trained:
                found = f"not measured: the model was trained for {trained:,} tokens"
                yield Finding(check, State.NOTE, found)
            else:
                yield _timed(check, judge, length)


def _timed(check: str, judge: Llama, length: int) -> Finding:
    text = _of_length(judge, length)
    asked = Asked(WHOSE_MOVE, Evidence("", (), text))
    judge.ask(asked)  # the first use of a length touches new memory
    wall, cpu = time.perf_counter(), time.process_time()
    answer = judge.ask(asked)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    found = f"{wall:.2f} s, {cpu:.2f} CPU seconds, {answer.tokens / wall:,.0f} tokens/s"
    orders = f" in {answer.orders} orders" if answer.orders else ""
    return Finding(check, State.OK, f"{found} ({answer.tokens} tokens{orders})")


def _of_length(judge: Llama, length: int) -> str:
    """A text of about so many tokens."""
    sentence = "The parser reads the header, then each record, and keeps what it cannot read. "
    each = judge.worked(lambda: len(judge.decision.context.tokens(sentence)))
    return sentence * (length // each)
