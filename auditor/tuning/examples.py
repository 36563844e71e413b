"""What a decision model is taught: evidence, whose move is next, and the group it belongs to.

Owns how labels become options, which made turns are taken beside them, and how many of each group
and kind. Knows no model and no file; whoever reads records brings them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import isfinite

from msgspec import Struct

from auditor.evidence import Evidence, evidence
from auditor.judge import WHOSE_MOVE
from auditor.records import Label, Record
from auditor.tuning.synthetic import AGENT, NOBODY, USER, chance, made

OPTIONS = tuple([option.name for option in WHOSE_MOVE.options])

LABELLED = "labelled"
"""Kind of an example whose answer somebody gave; the others are kinds of `synthetic`."""

CAP = 20.0
"""The largest weight of one label, as in the fit of a calibration (`fitting.regression`)."""

GROUP, EACH = 480, 3
"""Made examples of one group, and of one turn, at most: large repositories would drown the others
(guesses)."""

SHARES = {"before_call": 3, "ended_well": 3, "asked": 2, "in_language": 2}
"""How many of a kind are taken in one round; 1 of every other kind. More of what real agents
wrote, fewer of our own phrases (guesses)."""

_ASKING = {"offer", "approval", "question", "blocked_on_user", "manual_step", "asked-user"}
"""Reasons of labels by which the move is the user's, whatever the verdict says: an offer is the
user's to take up."""


class Example(Struct, frozen=True):
    """One thing to learn. `group`: repository or session, never parted; `weight` 1 is usual."""

    id: str
    evidence: Evidence
    option: str
    group: str
    weight: float
    kind: str


def labelled(records: Iterable[Record]) -> list[Example]:
    """Give the labelled turns that were labelled for sure, the weights with mean 1."""
    found = [
        Example(
            record.id, evidence(record.turn), option, group(record), _weight(record.label), LABELLED
        )
        for record in records
        if record.label is not None and (option := option_of(record.label)) is not None
    ]
    mean = sum(example.weight for example in found) / max(len(found), 1)
    return [_weighed(example, example.weight / mean) for example in found]


def option_of(label: Label) -> str | None:
    """Whose move a label says is next; None: it is not sure."""
    match label.nudge, label.verdict:
        case "yes", _:
            return AGENT
        case "no", "awaiting_user":
            return USER
        case "no", _:
            return USER if label.reason in _ASKING else NOBODY
        case _:
            return None


def group(record: Record) -> str:
    """Repository, else session, else the turn itself; as `fitting.labelled` groups."""
    return str((record.meta or {}).get("repo") or record.session or record.id)


def free(records: Iterable[Record], *, seed: int, most: int = GROUP) -> list[Example]:
    """Give made turns of every group: at most `most` of one, its kinds in equal parts.

    Labels are not looked at. The same records give the same examples in whatever order they come.
    """
    by_group: dict[str, list[Example]] = {}
    for record in records:
        if record.parent is None:
            by_group.setdefault(group(record), []).extend(_made(record, seed))
    return [one for name in sorted(by_group) for one in _balanced(by_group[name], seed, most)]


def _made(record: Record, seed: int) -> Iterator[Example]:
    for one in made(record.turn, seed):
        yield Example(one.turn.id, evidence(one.turn), one.option, group(record), 1.0, one.kind)


def _balanced(found: list[Example], seed: int, most: int) -> list[Example]:
    """Take kinds in turn, by chance within a kind, and no turn more than `EACH` times."""
    kinds: dict[str, list[Example]] = {}
    for example in sorted(found, key=lambda one: chance(seed, one.id).random()):
        kinds.setdefault(example.kind, []).append(example)
    taken: list[Example] = []
    used: Counter[str] = Counter()
    while any(kinds.values()) and len(taken) < most:
        for kind in sorted(kinds):
            for _ in range(SHARES.get(kind, 1)):
                taken.extend(_next(kinds[kind], used))
    return taken[:most]


def _next(waiting: list[Example], used: Counter[str]) -> Iterator[Example]:
    """Take the first whose turn was not taken too often; none where there is none left."""
    while waiting:
        example = waiting.pop(0)
        turn = example.id.rpartition("/")[0]
        if used[turn] < EACH:
            used[turn] += 1
            yield example
            return


def _weight(label: Label | None) -> float:
    weight = label.weight if label is not None else 1.0
    return min(weight, CAP) if isfinite(weight) and weight > 0 else 1.0


def _weighed(example: Example, weight: float) -> Example:
    return Example(
        example.id, example.evidence, example.option, example.group, weight, example.kind
    )
