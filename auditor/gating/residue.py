"""The residue in the store, row by row: what passed by, with which probability, answered or not.

Owns what counts as a turn that could be nudged by its probability: an agent's own turn that no
detector settles. Knows no policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from auditor.store import Kept, Store


class Row(Struct, frozen=True):
    """One residue turn. `when` it ended, else when it was kept (Unix seconds).

    `seconds`: how long the decision model took; None: it did not answer, or was not asked.
    """

    turn: str
    session: str
    when: float
    probability: float | None
    calibration: str | None
    seconds: float | None


def row(kept: Kept) -> Row | None:
    """Make the row of a kept turn; None: it is settled, or a sub-agent's."""
    audit = kept.audit
    if audit.by is not None or audit.parent is not None:
        return None
    when = kept.at if audit.ended is None else audit.ended
    seconds = audit.answer.seconds if audit.answer else None
    return Row(kept.turn, audit.session, when, audit.probability, audit.calibration, seconds)


def residue(store: Store, calibration: str | None = None) -> list[Row]:
    """Give every residue turn of the store, in the order they ended."""
    found = [made for kept in store.audited(calibration) if (made := row(kept)) is not None]
    return sorted(found, key=lambda each: (each.when, each.turn))


def scored(rows: Iterable[Row], calibration: str) -> Iterator[Row]:
    """Keep those with a probability by that calibration."""
    return (row for row in rows if row.calibration == calibration and row.probability is not None)
