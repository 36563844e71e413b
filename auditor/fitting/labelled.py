"""Labelled turns with their audits and features: what a fit and an evaluation work on.

Reads labelled turn records, or the labels of the store. A label that cannot be used is an error
with file and line, never guessed; a line that is no turn record is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from auditor import glimpse
from auditor.audit import Audit, Calibrated, Judge, audit
from auditor.errors import ConfigError
from auditor.events import Unread
from auditor.features import features
from auditor.files import raw_lines
from auditor.labels import FITTED, TRUSTED, Label, Nudge, Source, counting
from auditor.records import Record, record
from auditor.sieve import settled
from auditor.turn import Turn

if TYPE_CHECKING:
    from auditor.store import Kept, Store

GUESSED = {Source.HINDSIGHT: 0.5}
"""Weight of a label that no person gave, beside one that a person gave (a guess)."""

Told = Callable[[int], None]
"""Called with the number of turns read so far."""


class Example(Struct, frozen=True, kw_only=True):
    """A labelled turn and what was made of it. `group`: repository or session; never parted.

    `weight`: how many turns of the population it stands for. Texts are redacted and shortened,
    None where they are not kept; so is the turn, which a store does not keep.
    """

    id: str
    session: str
    group: str
    harness: str
    model: str | None
    reason: str | None
    nudge: Nudge
    weight: float
    turn: Turn | None
    audit: Audit
    features: dict[str, float]
    request: str | None
    reply: str | None

    @property
    def right(self) -> bool:
        """Whether a nudge would have been right."""
        return self.nudge is Nudge.YES

    @property
    def residue(self) -> bool:
        """Whether no proof settles it."""
        return self.audit.verdict is None


class Examples(Struct, kw_only=True):
    """All that was read. `unread`: why a line or a label could not be used."""

    examples: list[Example] = []
    unsure: int = 0
    unlabelled: int = 0
    duplicates: int = 0
    unread: list[str] = []
    data: tuple[str, ...] = ()
    grouped_by: str = "session"


def from_records(
    paths: Iterable[Path],
    *,
    judge: Judge | None = None,
    calibrations: Calibrated | None = None,
    told: Told | None = None,
) -> Examples:
    """Read labelled turn records and audit them.

    Raises `ConfigError`, with file and line, for a label that says nothing known, a weight that is
    none, and a turn that is labelled twice in different ways.
    """
    found = Examples(data=tuple([str(path) for path in paths]))
    seen: dict[str, tuple[bytes, str]] = {}
    grouped: set[str] = set()
    for path in map(Path, found.data):
        for where, line in _lines(path):
            if isinstance(line, Unread):
                found.unread.append(f"{where}: {line.kind}")
                continue
            if line.label is None:
                found.unlabelled += 1
                continue
            nudge, said = _nudge(line, where), msgspec.json.encode(line.label)
            before = seen.setdefault(line.id, (said, where))
            if before[1] != where:
                _same(line.id, before, said, where)
                found.duplicates += 1
            elif nudge is Nudge.UNSURE:
                found.unsure += 1
            else:
                grouped.add("repository" if (line.meta or {}).get("repo") else "session")
                found.examples.append(_example(line, nudge, judge, calibrations))
                if told is not None:
                    told(len(found.examples))
    if grouped:
        found.grouped_by = " or ".join(sorted(grouped))
    return found


def _lines(path: Path) -> Iterator[tuple[str, Record | Unread]]:
    """Give each line with its place. Raises `ConfigError` where the file cannot be read."""
    if not path.is_file():
        raise ConfigError(f"{path}: no such file; expected labelled turn records (JSON Lines)")
    for line in raw_lines(path):
        if isinstance(line, Unread):
            yield f"{path}:{line.line}", line
            continue
        number, raw = line
        try:
            yield f"{path}:{number}", record(raw)
        except ValueError as error:
            yield f"{path}:{number}", Unread(f"not a turn record: {error}", number)


def _nudge(line: Record, where: str) -> Nudge:
    label = line.label
    if label is None or label.nudge not in set(Nudge):
        said = label.nudge if label else None
        raise ConfigError(f"{where}: the label says {said!r}; expected yes, no or unsure")
    if not (isfinite(label.weight) and label.weight > 0):
        raise ConfigError(f"{where}: the label weighs {label.weight}; expected a number above 0")
    return Nudge(label.nudge)


def _same(name: str, before: tuple[bytes, str], said: bytes, where: str) -> None:
    if before[0] != said:
        raise ConfigError(
            f"{where}: the turn {name!r} has another label at {before[1]}; expected one label"
        )


def _example(
    line: Record, nudge: Nudge, judge: Judge | None, calibrations: Calibrated | None
) -> Example:
    turn, meta = line.turn, line.meta or {}
    made = audit(turn, judge=judge, calibrations=calibrations)
    return Example(
        id=turn.id,
        session=turn.session,
        group=str(meta.get("repo") or turn.session or turn.id),
        harness=turn.harness,
        model=turn.model,
        reason=line.label.reason if line.label else None,
        nudge=nudge,
        weight=line.label.weight if line.label else 1.0,
        turn=turn,
        audit=made,
        features=_features(made, made.facts),
        request=glimpse.opening(turn),
        reply=glimpse.tail(turn),
    )


def _features(made: Audit, known: dict[str, float]) -> dict[str, float]:
    return features(made.signals, settled(made.signals), made.answer, known)


def from_store(store: Store, *, told: Told | None = None) -> Examples:
    """Give the labelled turns of the store, by the label that counts; sessions are the groups."""
    labels = counting(store.labels(FITTED))
    drawn = {sample.id: sample.pi for sample in store.samples()}
    found = Examples(data=(str(store.path),))
    for number, (turn, label) in enumerate(labels.items(), 1):
        if label.nudge is Nudge.UNSURE:
            found.unsure += 1
        elif (kept := store.kept(turn)) is None:
            found.unread.append(f"{turn[:16]}: the store has no audit of this turn")
        elif not (known := kept.audit.facts):
            found.unread.append(f"{turn[:16]}: kept without its facts; scan its transcript again")
        else:
            found.examples.append(_kept(kept, label, _weight(label, drawn), known))
        if told is not None:
            told(number)
    return found


def _weight(label: Label, drawn: dict[int, float]) -> float:
    """One over the chance the turn was drawn with; less where no person said so."""
    pi = drawn.get(label.sample, 1.0) if label.sample is not None else 1.0
    return (1.0 if label.source in TRUSTED else GUESSED[label.source]) / pi


def _kept(kept: Kept, label: Label, weight: float, known: dict[str, float]) -> Example:
    made = kept.audit
    return Example(
        id=kept.turn,
        session=made.session,
        group=made.session or kept.turn,
        harness=made.harness,
        model=made.model,
        reason=label.reason,
        nudge=label.nudge,
        weight=weight,
        turn=None,
        audit=made,
        features=_features(made, known),
        request=kept.text.request if kept.text else None,
        reply=kept.text.reply if kept.text else None,
    )
