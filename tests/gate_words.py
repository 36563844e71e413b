"""Words for tests of the gate: a store with made-up probabilities, drawn from and labelled."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import structs

from auditor.audit import audit
from auditor.gating.blind import QUEUE
from auditor.gating.freeze import freeze
from auditor.gating.frozen import ALPHA, DELTA, QUANTILES, Frozen
from auditor.gating.residue import Row, residue, scored
from auditor.gating.states import Move, told
from auditor.labels import Label, Nudge, Source
from auditor.store import Store, address
from auditor.turn import Turn
from tests.words import say, turn

IDENTITY = {"calibration": "c1", "code": "x"}
DAY = 86400.0
NOW = time.time()
FROZEN = NOW - 10 * DAY
_MADE = audit(turn(say("The parser is changed.")))


def made(number: int, *, session: str | None = None, ended: float | None = None) -> Turn:
    plain = turn(say(f"Change {number} is in the parser."))
    return structs.replace(
        plain, id=f"t{number}", session=session or f"s{number}", ended=ended or FROZEN + number
    )


def fill(
    store: Store,
    probabilities: Iterable[float],
    *,
    start: int = 0,
    ended: float | None = None,
    session: str | None = None,
    calibration: str = "c1",
    **more: object,
) -> list[str]:
    """Keep a residue turn for each probability; give their addresses."""
    found = []
    for number, probability in enumerate(probabilities, start):
        one = made(number, session=session, ended=ended)
        judged = structs.replace(
            _MADE,
            **{
                "turn": one.id,
                "session": one.session,
                "ended": one.ended,
                "opinion": "judged",
                "probability": probability,
                "calibration": calibration,
                **more,
            },
        )
        store.add(one, judged)
        found.append(address(one).hex())
    store.flush()
    return found


def frozen(store: Store, **more: object) -> tuple[str, Frozen]:
    """Freeze from what is kept, ten days ago."""
    options = {"quantiles": QUANTILES, "alpha": ALPHA, "delta": DELTA, "cost": None} | more
    at, identity = options.pop("at", FROZEN), options.pop("identity", IDENTITY)
    return freeze(store, at, residue(store), identity, **options)  # type: ignore[arg-type]


_clock = itertools.count(1)


def said(turn: str, nudge: str, *, sample: int | None = None, **more: object) -> Label:
    """A blind label by a person, each a second after the last, all after the freeze."""
    given = {"source": Source.HUMAN, "at": FROZEN + DAY + next(_clock), "blind": True, "rater": "r"}
    return Label(turn=turn, nudge=Nudge(nudge), sample=sample, **(given | more))  # type: ignore[arg-type]


def eligible(store: Store, name: str, policy: Frozen, rows: Iterable[Row]) -> list[str]:
    """Would-be nudges of sessions that were not drawn from, none labelled before the freeze."""
    early = {label.turn for label in store.labels() if label.at <= policy.at}
    drawn = {sample.turn for sample in store.samples(QUEUE) if sample.policy == name}
    rows = list(rows)
    sessions = {each.session for each in rows if each.turn in drawn}
    return [
        each.turn
        for each in scored(rows, policy.calibration)
        if (each.probability or 0.0) >= policy.loosest
        and each.turn not in early
        and each.session not in sessions
    ]


def labelled(store: Store, name: str, policy: Frozen, nudges: Iterable[str]) -> list[str]:
    """Draw eligible turns, one for each answer, and answer; give the turns."""
    turns = eligible(store, name, policy, residue(store))
    pairs = list(zip(turns, nudges, strict=False))
    ids = store.draw(QUEUE, policy.pi, name, [turn for turn, _ in pairs])
    store.add_labels(
        said(turn, nudge, sample=sample) for (turn, nudge), sample in zip(pairs, ids, strict=True)
    )
    return [turn for turn, _ in pairs]


def spread(n: int) -> Iterator[float]:
    """Probabilities spread evenly below 0.96, then n at and above it: the top of the residue."""
    yield from (round(0.1 + 0.8 * i / (9 * n), 4) for i in range(9 * n))
    yield from (round(0.9 + 0.09 * i / n, 4) for i in range(n))


def promoted(store: Store, name: str, certificate: str | None = None) -> float:
    """Write the promotion of a policy, conditions or not; give when."""
    body = {"policy": name, "certificate": certificate}
    store.append_event(Move.CERTIFIED, body)
    return store.append_event(Move.PROMOTED, body).at


def state(store: Store) -> str:
    return told(store.events()).state


def opened(path: Path) -> Store:
    return Store(path)
