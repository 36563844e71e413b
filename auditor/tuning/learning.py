"""Files of labelled turn records -> what is learned from them, in an order that stays the same.

Owns the reading, and which groups an adapter is tried on. What an example is, is `examples`'.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from auditor.backends.head import OPTIONS
from auditor.errors import ConfigError, NotEnough
from auditor.events import Unread
from auditor.records import Record, records
from auditor.tuning.examples import LABELLED, Example, free, labelled

HELD = 0.3
"""Share of the examples, at most, in the groups that an adapter is tried on (a guess)."""


class Lesson(Struct, frozen=True):
    """What is learned. `unread`: lines that are no turn records."""

    examples: tuple[Example, ...]
    records: int
    unread: int

    @property
    def groups(self) -> list[str]:
        """The group of each example."""
        return [example.group for example in self.examples]

    @property
    def options(self) -> NDArray[np.intp]:
        """The option of each example, by its number."""
        return np.array([OPTIONS.index(example.option) for example in self.examples], np.intp)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each example."""
        return np.array([example.weight for example in self.examples], np.float64)

    @property
    def labels(self) -> NDArray[np.bool_]:
        """Which of them somebody labelled."""
        return np.array([example.kind == LABELLED for example in self.examples], np.bool_)

    @property
    def digest(self) -> str:
        """Another one for other examples."""
        return hashlib.sha256(msgspec.json.encode(self.examples)).hexdigest()


def lesson(paths: Sequence[Path], *, made: bool, seed: int) -> Lesson:
    """Read the records; `made`: take turns that are cut or ended by us beside the labelled ones.

    Raises `ConfigError` for a file that cannot be read and `NotEnough` where nothing is labelled.
    """
    read = list(_read(paths))
    found = [record for record in read if isinstance(record, Record)]
    given = labelled(found)
    if not given:
        raise NotEnough(
            f"none of {len(found):,} turns has a label that is sure; expected labelled turn"
            " records, or transcripts with turns that were labelled by `auditor label`"
        )
    every = [*given, *(free(found, seed=seed) if made else ())]
    every.sort(key=lambda example: (example.group, example.kind, example.id))
    return Lesson(tuple(every), len(found), len(read) - len(found))


def _read(paths: Sequence[Path]) -> Iterator[Record | Unread]:
    for path in paths:
        if not path.is_file():
            raise ConfigError(f"{path}: no such file; expected labelled turn records (JSON Lines)")
        yield from records(path)


def held(groups: Sequence[str], seed: int) -> NDArray[np.bool_]:
    """Choose, by chance, groups with `HELD` of the examples at most: those an adapter is tried on.

    No example is in one of them where every group is larger than that.
    """
    counts, taken, left = Counter(groups), set(), HELD * len(groups)
    for name in sorted(counts, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest()):
        if counts[name] <= left:
            left -= counts[name]
            taken.add(name)
    return np.array([group in taken for group in groups], np.bool_)
