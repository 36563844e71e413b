"""Which turns are drawn for which queue, and with what chance; every drawing is kept with it.

Coins are thrown by a digest of the turn's address: the same turn falls the same way however often
one asks, and no answer changes a chance. Follows decisions.md 4.9 and 5.2 of the field notes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from enum import StrEnum

from msgspec import Struct

from auditor.label_rows import Sample
from auditor.labels import FITTED, TRUSTED, Source
from auditor.store import Kept, Store


class Queue(StrEnum):
    """Why a turn is asked about; never shown to who answers."""

    CERTIFICATION = "certification"
    AUDIT = "audit"
    UNCERTAIN = "uncertain"
    REPEAT = "repeat"


RESIDUE, SETTLED = 0.10, 0.02
"""Chance to be audited, of a turn that would not be nudged (decisions.md 7.7)."""

FLOOR = 0.2
"""Least chance in the queue of uncertain turns: none is out of reach (decisions.md 4.9)."""

REPEATED = 1 / 6
"""Share of repeats in a sitting: 15 to 20 % are wanted (decisions.md 5.2)."""

OLD = 3 * 86_400.0
"""Seconds after which a turn may be asked again (decisions.md 5.2)."""


class Policy(Struct, frozen=True):
    """The frozen policy that is to be certified: its name, when it was frozen, what it nudges."""

    name: str
    at: float
    calibration: str
    loosest: float
    pi: float


def chance(*names: str) -> float:
    """Throw the coin of these names: uniform in 0..1, the same for the same names."""
    digest = hashlib.sha256("\0".join(names).encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


class _Seen(Struct, frozen=True):
    """What counts of a turn that can be asked about. `unsure`: its chance in that queue."""

    turn: str
    session: str
    likely: bool
    settled: bool
    unsure: float


def fill(store: Store, queues: Iterable[Queue], policy: Policy | None = None) -> set[str]:
    """Draw what is due for the queues; give all turns whose texts are kept.

    A sub-agent's turn is in no queue: it is never nudged. `repeats` draws repeats.
    """
    texts: set[str] = set()
    seen: list[_Seen] = []
    for kept in store.audited(policy.calibration if policy else None):
        if kept.text is None:
            continue
        texts.add(kept.turn)
        if kept.audit.parent is None:
            seen.append(_seen(kept, policy))
    name = policy.name if policy else None
    for queue in queues:
        drawn = store.samples(queue)
        if queue is Queue.CERTIFICATION:
            _certification(store, seen, drawn, policy)
            continue
        known = {sample.turn for sample in drawn}
        due: dict[float, list[str]] = {}
        for turn in seen:
            pi = _chance(queue, turn)
            if turn.turn not in known and chance(queue, turn.turn) < pi:
                due.setdefault(pi, []).append(turn.turn)
        for pi, turns in due.items():
            store.draw(queue, pi, name, turns)
    return texts


def _seen(kept: Kept, policy: Policy | None) -> _Seen:
    p, settled = kept.audit.probability, kept.audit.by is not None
    unsure = 0.0 if p is None or settled else FLOOR + (1 - FLOOR) * 4 * p * (1 - p)
    return _Seen(kept.turn, kept.session, _likely(kept, policy), settled, unsure)


def _likely(kept: Kept, policy: Policy | None) -> bool:
    """Whether the turn would be nudged: by the frozen policy, if there is one, of the residue."""
    audit = kept.audit
    if policy is None:
        return audit.would_nudge
    ours = audit.by is None and audit.calibration == policy.calibration
    return ours and (audit.probability or 0.0) >= policy.loosest


def _chance(queue: Queue, turn: _Seen) -> float:
    """Give the chance of a turn in a queue that takes each by itself."""
    match queue:
        case Queue.AUDIT:
            return 0.0 if turn.likely else SETTLED if turn.settled else RESIDUE
        case Queue.UNCERTAIN:
            return turn.unsure
        case _:
            return 0.0


def _certification(
    store: Store, seen: Iterable[_Seen], drawn: Iterable[Sample], policy: Policy | None
) -> None:
    """Draw one would-be nudge of each session, whichever the coins like best.

    With a policy, none that a person labelled, or that a fit before the freeze may have seen: it
    would not count.
    """
    name, pi = (policy.name, policy.pi) if policy else (None, 1.0)
    before = {sample.turn for sample in drawn if sample.policy == name}
    labelled = {
        label.turn
        for label in (store.labels() if policy else ())
        if label.source in TRUSTED or (policy and label.source in FITTED and label.at <= policy.at)
    }
    best: dict[str, tuple[float, str]] = {}
    taken: set[str] = set()
    for turn in seen:
        if turn.turn in before:
            taken.add(turn.session)
        elif turn.likely and turn.turn not in labelled:
            thrown = (chance(Queue.CERTIFICATION, name or "", turn.turn), turn.turn)
            best[turn.session] = min(thrown, best.get(turn.session, thrown))
    chosen = [
        turn
        for session, (_, turn) in best.items()
        if session not in taken and chance("session", name or "", session) < pi
    ]
    store.draw(Queue.CERTIFICATION, pi, name, chosen)


def repeats(
    store: Store, rater: str, count: int, *, now: float, texts: AbstractSet[str]
) -> list[Sample]:
    """Draw turns that the rater labelled long ago, and once; those drawn and not asked go first.

    `texts`: turns whose texts are kept. `now`: Unix seconds.
    """
    drawn = store.samples(Queue.REPEAT)
    ids = {sample.id for sample in drawn}
    mine = [label for label in store.labels([Source.HUMAN]) if label.rater == rater]
    again = {label.turn for label in mine if label.sample in ids}
    latest = {label.turn: label.at for label in mine}
    old = {turn for turn, at in latest.items() if at <= now - OLD and turn in texts} - again
    waiting = list(dict.fromkeys(sample.turn for sample in drawn if sample.turn in old))
    left = sorted(old.difference(waiting), key=lambda turn: chance(Queue.REPEAT, rater, turn))
    new = left[: max(0, count - len(waiting))]
    if new:
        store.draw(Queue.REPEAT, len(new) / len(left), None, new)
    newest = {sample.turn: sample for sample in store.samples(Queue.REPEAT)}
    return [newest[turn] for turn in [*waiting, *new]][:count]
