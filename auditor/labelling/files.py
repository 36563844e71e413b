"""Labels in files: read them whole or not at all.

A file holds turn records with labels, or lines of JSON that are labels, as `labels export` writes
them. Owns what is wrong with a file and how it is said; writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from auditor.errors import ConfigError, HarnessUnavailable
from auditor.events import Unread
from auditor.files import raw_lines
from auditor.labels import Label, Nudge, Reason, Source
from auditor.records import Record, claims, record
from auditor.redact import redact
from auditor.store import Store, address

SHOWN = 10
"""Faults of a file that are listed before they are only counted (a guess: half a screen)."""

REASONS = {
    **{reason.value: reason for reason in Reason},
    **dict.fromkeys(("announced",), Reason.ANNOUNCED),
    **dict.fromkeys(("partial", "truncated", "todos_open", "tool_unanswered"), Reason.PARTIAL),
    **dict.fromkeys(("background",), Reason.WAITING),
    **dict.fromkeys(("deferred_phase",), Reason.DEFERRED),
    **dict.fromkeys(
        ("question", "offer", "approval", "blocked_on_user", "manual_step"), Reason.ASKED
    ),
    **dict.fromkeys(("complete", "chitchat"), Reason.DONE),
    **dict.fromkeys(("provider_error", "limit"), Reason.ERROR),
}
"""Reasons of labelled turn records, and ours; any other word is `OTHER`."""

_ADDRESS = re.compile(r"[0-9a-f]{64}")


class Read(Struct, frozen=True):
    """What files hold: labels, how many the store has already, and records without a label."""

    labels: list[Label]
    known: int
    unlabelled: int


class _Found(Struct, frozen=True):
    where: str
    label: Label | None
    fault: str | None = None


Key = tuple[str, str, str | None, float]


def read(store: Store, paths: Iterable[Path]) -> Read:
    """Read label files against a store. Raises `ConfigError` that lists every fault by file:line.

    A fault: a line that cannot be read, a turn that the store does not have, the same label twice,
    two answers of one rater at one time. What the store has already is no fault.
    """
    kept = {_key(label): label for label in store.labels()}
    turns = {found.turn for found in store.audited()}
    samples = {sample.id: sample.turn for sample in store.samples()}
    seen: dict[Key, tuple[Label, str]] = {}
    faults: list[str] = []
    known = unlabelled = 0
    for path in paths:
        for found in _lines(path):
            if found.label is None:
                faults += [f"{found.where}: {found.fault}"] if found.fault else []
                unlabelled += found.fault is None
                continue
            label = _ours(found.label, samples)
            key = _key(label)
            fault = _fault(label, turns, seen.get(key), kept.get(key))
            seen.setdefault(key, (label, found.where))
            if fault:
                faults.append(f"{found.where}: {fault}")
            known += key in kept
    if faults:
        raise ConfigError(_listed(faults))
    fresh = [label for key, (label, _) in seen.items() if key not in kept]
    return Read(fresh, known, unlabelled)


def _key(label: Label) -> Key:
    return label.turn, label.source, label.rater, label.at


def _ours(label: Label, samples: dict[int, str]) -> Label:
    """Keep the drawing of a label only where this store drew that turn: others' do not count."""
    ours = label.sample is None or samples.get(label.sample) == label.turn
    return label if ours else structs.replace(label, sample=None)


def _fault(
    label: Label, turns: set[str], before: tuple[Label, str] | None, kept: Label | None
) -> str | None:
    if not _ADDRESS.fullmatch(label.turn):
        return f"{label.turn[:80]!r} is no address of a turn: 64 hexadecimal digits"
    if label.turn not in turns:
        return f"the store has no turn {label.turn[:16]}; scan its transcript first"
    if before is not None:
        if before[0] == label:
            return f"the same label as in {before[1]}; expected each once"
        return f"says {label.nudge}, {before[1]} says {before[0].nudge} of the same turn"
    if kept is not None and (kept.nudge, kept.reason) != (label.nudge, label.reason):
        return f"says {label.nudge}, the store has {kept.nudge} of the same turn, rater and time"
    return None


def _listed(faults: list[str]) -> str:
    more = len(faults) - SHOWN
    lines = faults[:SHOWN] + ([f"and {more:,} more"] if more > 0 else [])
    return "nothing was imported:\n  " + "\n  ".join(lines)


def _lines(path: Path) -> Iterator[_Found]:
    try:
        for line in raw_lines(path):
            yield _found(path, line)
    except HarnessUnavailable as error:
        raise ConfigError(str(error)) from error


def _found(path: Path, line: tuple[int, bytes] | Unread) -> _Found:
    if isinstance(line, Unread):
        return _Found(f"{path}:{line.line or 1}", None, line.kind)
    number, raw = line
    where = f"{path}:{number}"
    is_record = claims(raw)
    try:
        return _Found(where, _of_record(record(raw)) if is_record else _label(raw))
    except ValueError as error:
        return _Found(where, None, f"not a {'turn record' if is_record else 'label'}: {error}")


_LABEL = msgspec.json.Decoder(Label)


def _label(raw: bytes) -> Label:
    """Read one label. Raises ValueError."""
    label = _LABEL.decode(raw)
    if not 0.0 <= label.at < 1e11:
        raise ValueError(f"at: {label.at} is no moment; expected Unix seconds")
    rater, note = _clean(label.rater), _clean(label.note)
    return structs.replace(label, turn=label.turn.lower(), rater=rater, note=note)


def _of_record(line: Record) -> Label | None:
    """Make the label of a turn record; None: it has none. Raises ValueError."""
    if line.label is None:
        return None
    said = line.label
    if said.nudge not in set(Nudge):
        raise ValueError(f"label.nudge: {said.nudge!r}; expected yes, no or unsure")
    reason = None if said.reason is None else REASONS.get(said.reason, Reason.OTHER)
    return Label(
        turn=address(line.turn).hex(),
        nudge=Nudge(said.nudge),
        source=Source.IMPORT,
        at=max(0.0, line.ended or line.started or 0.0),
        reason=reason,
        rater=_clean(said.source),
        note=_clean(said.verdict and f"verdict: {said.verdict}"),
    )


def _clean(text: str | None) -> str | None:
    return None if text is None else redact(text)
