"""Paragraph after paragraph that is nearly an earlier one, until the text ends.

Owns repeats with small changes: a number that counts up, another path, a word exchanged. What is
alike by form (tables, lists, quotes, code) must be equal to count. Parallel reports about things
that the turn really looked at are spared: there is a call behind every paragraph.
"""

from __future__ import annotations

import re
from collections import Counter

from rapidfuzz import fuzz

from auditor.detectors._repeats import batch
from auditor.detectors._repetition import fences, last_words, recurs, spared, strength
from auditor.signals import Signal, Stage, evidence
from auditor.turn import Turn, Verdict

STAGE = Stage.TEXT

REPEATS = 4
"""Paragraphs alike that make a group (the count of DSH)."""

COPIES = 3
"""Paragraphs alike that are nothing new either, once one group is large enough: two wordings of
one plan take turns (a guess)."""

VARIED = 5
"""The same where no two of them are equal: they may be true of different things (a guess)."""

LONG = 100
"""Characters of a paragraph that is no label or verdict of one line (a guess)."""

ALIKE = 88.0
"""`fuzz.ratio` from which two paragraphs are alike (DSH: 8 % of the longer may differ)."""

COVER = 0.8
"""Share, from the first repeated paragraph on, that is repeated: of characters and of paragraphs
(a guess; a song with a chorus after every verse stays below)."""

EQUAL = 0.4
"""Share of characters in equal paragraphs that proves it without looking at the calls (a guess)."""

EDGE = 12
"""Characters at each end of a paragraph, one of which a near duplicate shares (a guess)."""

CANDIDATES = 4
"""Groups compared per edge: bounds the work, so that it grows with the number of paragraphs."""

COVERED = 300
"""Characters that must be repeated in all (a guess)."""

COMPARED = 1500
"""Characters of a paragraph that are compared (a guess)."""

_FORM = re.compile(r"\s*(?:[|>]|[-*+•] |\d{1,4}[.)] |```|~~~|#{1,6} [^\n]*\Z)")
_CODE = re.compile(r"^(?:[ \t]{2,}|.*[;{}()\[\],]$|[+-] )", re.M)


def _by_form(block: str) -> bool:
    """A table, list, quote, heading or code: alike by nature, so only equal ones count."""
    if _FORM.match(block):
        return True
    return len(_CODE.findall(block)) * 2 > block.count("\n") + 1


def detect(turn: Turn) -> Signal | None:
    if not recurs(turn):
        return None
    blocks = paragraphs(last_words(turn))
    if len(blocks) < REPEATS:
        return None
    groups = grouped(blocks)
    found = _repeated(blocks, groups, turn)
    if found is None or spared(turn):
        return None
    times, block = found
    return Signal(
        strength(times, REPEATS),
        Verdict.STUCK,
        evidence(f"{times} paragraphs like “{block[:80]}”"),
        settles=True,
    )


def paragraphs(text: str) -> list[str]:
    """Blocks between blank lines; a code block is one, whatever stands in it."""
    found: list[str] = []
    for number, piece in enumerate(fences(text)):
        blocks = [piece] if number % 2 else piece.split("\n\n")
        found += [block for raw in blocks if (block := raw.strip())]
    return found


def grouped(blocks: list[str]) -> list[int]:
    """For every block the number of its group: blocks alike are in one. About linear in time."""
    of_block: list[int] = []
    equal: dict[str, int] = {}
    leaders: list[str] = []
    edges: dict[str, list[int]] = {}
    for block in blocks:
        group = equal.get(block)
        if group is None:
            group = _like(block, leaders, edges)
        if group is None:
            group = len(leaders)
            leaders.append(block)
            for edge in _edges(block):
                edges.setdefault(edge, []).append(group)
        equal[block] = group
        of_block.append(group)
    return of_block


def _edges(block: str) -> tuple[str, str]:
    return "<" + block[:EDGE], ">" + block[-EDGE:]


def _like(block: str, leaders: list[str], edges: dict[str, list[int]]) -> int | None:
    """A group whose first block is alike, among the latest that share an edge."""
    if _by_form(block):
        return None
    for edge in _edges(block):
        for group in edges.get(edge, [])[-CANDIDATES:]:
            if alike(block, leaders[group]):
                return group
    return None


def alike(one: str, other: str) -> bool:
    """Nearly the same words, both in running text."""
    if _by_form(one) or _by_form(other):
        return one == other
    return fuzz.ratio(one[:COMPARED], other[:COMPARED], score_cutoff=ALIKE) > 0


def _repeated(blocks: list[str], groups: list[int], turn: Turn) -> tuple[int, str] | None:
    """Size of the largest group and one of its blocks, where groups make up the end."""
    sizes = Counter(groups)
    largest, times = sizes.most_common(1)[0]
    if times < REPEATS:
        return None
    old = [sizes[group] >= COPIES for group in groups]
    end = len(blocks) if old[-1] else len(blocks) - 1  # the last block may be cut short
    reach = range(old.index(True), end)
    copies = [blocks[place] for place in reach if old[place]]
    total = sum([len(blocks[place]) for place in reach])
    covered = sum(map(len, copies))
    if covered < max(COVERED, COVER * total) or len(copies) < COVER * len(reach):
        return None
    if not _equal_enough(copies, total) and not _varied_enough(copies, times, turn):
        return None
    return times, blocks[groups.index(largest)]


def _equal_enough(copies: list[str], total: int) -> bool:
    seen = Counter(copies)
    return sum([len(block) for block in copies if seen[block] >= COPIES]) >= EQUAL * total


def _varied_enough(copies: list[str], largest: int, turn: Turn) -> bool:
    """Long paragraphs that differ, about things the turn did not look at one by one."""
    mean = sum(map(len, copies)) / len(copies)
    return largest >= VARIED and mean >= LONG and len(turn.calls) < largest and not batch(turn)
