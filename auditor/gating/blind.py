"""Which labels certify: blind, by people, drawn for the policy, given after its freeze.

One for a session, of turns nobody had labelled before (a fit might have learned from it), all drawn
with the same chance: then they are a uniform sample of the would-be nudges (decisions.md 4.9 of the
field notes). Owns the choice, and why other labels do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from auditor.gating.frozen import Frozen
from auditor.gating.residue import Row
from auditor.label_rows import Sample
from auditor.labels import FITTED, Label, Nudge, Source, counting
from auditor.store import Store

QUEUE = "certification"
"""The queue whose labels certify."""

PEOPLE = (Source.ADJUDICATED, Source.HUMAN)


class Blind(Struct, frozen=True):
    """A label that counts. `at`: when the turn was first labelled (Unix seconds)."""

    turn: str
    at: float
    probability: float
    nudge: Nudge

    @property
    def wrong(self) -> bool:
        """Whether a nudge counts as wrong; unsure does."""
        return self.nudge is not Nudge.YES


class Evidence(Struct, frozen=True):
    """The labels that count, in order of arrival; `unlabelled` of the `drawn` turns wait.

    `ignored`: why other labels or drawings do not count, and how many.
    """

    labels: tuple[Blind, ...]
    drawn: int
    unlabelled: int
    ignored: dict[str, int]


def gathered(store: Store, name: str, policy: Frozen, rows: Iterable[Row]) -> Evidence:
    """Choose the labels that count for the policy of that name; `rows`: all residue."""
    ignored: Counter[str] = Counter()
    drawn = [sample for sample in store.samples(QUEUE) if sample.policy == name]
    turns = _one_a_session({row.turn: row for row in rows}, policy, drawn, ignored)
    labels = store.labels()
    for label in labels:
        if label.turn in turns and label.source in FITTED and label.at <= policy.at:
            ignored["the turn was labelled before the freeze"] += 1
            del turns[label.turn]
    people = [label for label in labels if label.turn in turns and label.source in PEOPLE]
    blind = [label for label in people if label.blind]
    ignored["a label was not blind"] += len(people) - len(blind)
    ours = {sample.id for sample in drawn}
    asked = {label.turn for label in blind if label.sample in ours}
    last = counting(blind)
    found = [
        Blind(turn, at, turns[turn], last[turn].nudge)
        for turn, at in _first(blind).items()
        if turn in asked
    ]
    unlabelled = len(turns.keys() - asked)
    return Evidence(
        tuple(found), len(drawn), unlabelled, {why: n for why, n in ignored.items() if n}
    )


def _one_a_session(
    rows: dict[str, Row], policy: Frozen, drawn: Sequence[Sample], ignored: Counter[str]
) -> dict[str, float]:
    """Give the probability of each drawn turn that may count: the first drawn of each session.

    Only one chance of being drawn may be among them, or they are no uniform sample.
    """
    sessions: set[str] = set()
    found: dict[str, float] = {}
    for sample in drawn:
        made = rows.get(sample.turn)
        if sample.turn in found:
            continue
        if sample.pi != policy.pi:
            ignored["drawn with another chance than the policy's"] += 1
        elif made is None or made.calibration != policy.calibration or made.probability is None:
            ignored["the turn has no probability by the policy's calibration"] += 1
        elif made.probability < policy.loosest:
            ignored["below every candidate threshold"] += 1
        elif made.session in sessions:
            ignored["a second turn of its session"] += 1
        else:
            sessions.add(made.session)
            found[sample.turn] = made.probability
    return found


def _first(labels: Iterable[Label]) -> dict[str, float]:
    """When each turn was first labelled, in that order."""
    found: dict[str, float] = {}
    for label in labels:
        found.setdefault(label.turn, label.at)
    return found
