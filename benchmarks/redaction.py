"""What `redact` takes out of real turns: how much, of what kind, where; and a sample to judge.

    python benchmarks/redaction.py [RECORDS.jsonl.gz] [--sample N] [--mark '<KEY>'] [--seed N]

Every text of every turn goes through `redact` by kind: the request, the visible texts, reasoning,
the arguments of calls, their results. A share is of texts that changed, and of characters that
went. `--sample` prints cuts drawn uniformly (of one placeholder with `--mark`) with what stood
around them, for a person to say which were no secrets: it prints what was taken out, so look at it
and throw it away. Counts without a judgement say nothing about wrong cuts; no bar.

What was seen in one sample of 97 cuts of the shared turns (which were redacted before they were
shared, so real secrets are rare in them): 33 homes of one service account, most others stand-ins in
the place of a secret (`test123`, `your-key`), three that were masked already (`****`), and two that
cut no secret at all (systemd units, left alone since).
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field

from auditor.records import Record, records
from auditor.redact import PLACEHOLDERS, redacted_with_counts
from auditor.turn import Reasoning, Text, ToolCall, ToolResult, Turn

SHARED = Path(os.environ.get("AUDITOR_SHARED", Path(__file__).parents[2] / "shared"))
AROUND = 45  # characters shown on both sides of a cut


class Kind(Struct):
    """Texts of one kind: how many, how long, how much was taken out."""

    texts: int = 0
    characters: int = 0
    changed: int = 0
    gone: int = 0
    marks: Counter[str] = field(default_factory=Counter)


def texts(turn: Turn) -> Iterator[tuple[str, str]]:
    """Every text of a turn with its kind."""
    yield "request", turn.request
    for part in turn.parts:
        match part:
            case Text(text):
                yield "reply", text
            case Reasoning(text):
                yield "reasoning", text
            case ToolCall(arguments=text):
                yield "call", text
            case ToolResult(output=text):
                yield "result", text


def cuts(before: str, after: str) -> Iterator[tuple[str, str]]:
    """What stands where a placeholder came, line by line: the placeholder and its surroundings."""
    lines = before.split("\n"), after.split("\n")
    pairs = zip(*lines, strict=True) if len(lines[0]) == len(lines[1]) else ((before, after),)
    for old, new in pairs:
        if old == new:
            continue
        for what, a, b, c, d in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
            mark = next((m for m in PLACEHOLDERS if m[1:3] in new[c - 2 : d + 4]), None)
            if what != "equal" and mark and b - a > 1:
                yield mark, f"{old[max(0, a - AROUND) : a]}⟦{old[a:b]}⟧{old[b : b + AROUND]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path", nargs="?", type=Path, default=SHARED / "turns" / "records.jsonl.gz")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--mark", choices=PLACEHOLDERS)
    parser.add_argument("--seed", type=int, default=20261201)
    options = parser.parse_args()
    kinds: defaultdict[str, Kind] = defaultdict(Kind)
    shown: list[tuple[str, str, str]] = []
    turns = touched = 0
    seconds = 0.0
    for record in records(options.path):
        if not isinstance(record, Record):
            continue
        turns, any_changed = turns + 1, False
        for name, text in texts(record.turn):
            kind = kinds[name]
            began = time.perf_counter()
            clean, counts = redacted_with_counts(text)
            seconds += time.perf_counter() - began
            kind.texts += 1
            kind.characters += len(text)
            if clean != text:
                any_changed = True
                kind.changed += 1
                kind.gone += max(len(text) - len(clean), 0)
                kind.marks.update(counts)
                if options.sample and set(counts) & {options.mark or next(iter(counts), "")}:
                    shown.append((name, text, clean))
        touched += any_changed
    print(f"{turns} turns, {touched / turns:.1%} of them changed somewhere")
    print(f"{'':10}{'texts':>8}{'changed':>9}{'MB':>8}{'gone':>9}  placeholders")
    for name, kind in kinds.items():
        marks = ", ".join(f"{mark} {count}" for mark, count in kind.marks.most_common())
        print(
            f"{name:10}{kind.texts:8}{kind.changed / kind.texts:9.2%}{kind.characters / 1e6:8.1f}"
            f"{kind.gone / max(kind.characters, 1):9.3%}  {marks}"
        )
    size = sum(kind.characters for kind in kinds.values())
    print(f"{size / 1e6 / seconds:.0f} MB/s")
    chance = random.Random(options.seed)  # noqa: S311 - a sample to look at
    chance.shuffle(shown)
    for name, before, after in shown[: options.sample]:
        found = [(m, around) for m, around in cuts(before, after) if options.mark in (None, m)]
        if found:
            mark, around = chance.choice(found)
            print(f"{name:10}{mark:8} {' '.join(around.split())[:240]}")


if __name__ == "__main__":
    main()
