"""One turn out of many, by its id: the id itself, else the only one that begins or ends so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from auditor import sources
from auditor.errors import ConfigError, HarnessUnavailable
from auditor.sources import Source
from auditor.turn import Turn

CANDIDATES = 5
"""Ids named when what was given is not enough to tell (a guess)."""


def looked_up(found: list[Source], wanted: str, session: str | None) -> tuple[Turn, Path]:
    """Give the turn and its transcript. Raises `ConfigError` where none, or several, could be."""
    exact: list[tuple[Turn, Path]] = []
    parts: dict[tuple[str, str], tuple[Turn, Path]] = {}
    for source in found:
        for turn in _turns(source):
            if session is not None and not turn.session.startswith(session):
                continue
            if turn.id == wanted:
                exact = [(turn, source.path)]
            elif len(parts) < CANDIDATES and _fits(turn.id, wanted):
                parts[turn.session, turn.id] = (turn, source.path)
    candidates = exact or list(parts.values())
    if not candidates:
        raise ConfigError(f"--explain: no turn's id begins or ends with {wanted!r}")
    if len(candidates) > 1:
        ids = ", ".join(turn.id for turn, _ in candidates)
        raise ConfigError(f"--explain: {wanted!r} could be {ids}; give more of the id")
    return candidates[0]


def _fits(name: str, wanted: str) -> bool:
    return name.startswith(wanted) or name.endswith(wanted.removeprefix("…"))


def _turns(source: Source) -> Iterator[Turn]:
    try:
        for found in sources.turns(source):
            if isinstance(found, Turn):
                yield found
    except HarnessUnavailable:
        return  # a scan reports it; here only the one turn counts
