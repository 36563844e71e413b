"""Decide stored turns again by another calibration or threshold, and say what would change.

Owns what stands in for a turn that is not kept any more: an audit has its signals, facts and what
the model answered, and nothing else is asked for. No model is asked, nothing is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from auditor.audit import Audit
from auditor.calibration import Calibrations
from auditor.labels import TRUSTED, Nudge, counting
from auditor.policy import NOTHING, Decision, Judged, Opinion, Policy, Residue, decide
from auditor.sieve import Settled
from auditor.store import Kept, Store
from auditor.turn import Turn


class Change(Struct, frozen=True, kw_only=True):
    """A turn that would be decided otherwise; `label`: what people said of it, where they did.

    `turn`: its address in the store. `when`: Unix seconds. `was`: whether it would be nudged now.
    """

    turn: str
    session: str
    harness: str
    when: float | None
    would_nudge: bool
    was: bool
    probability: float | None
    before: float | None
    reason: str
    label: Nudge | None


class Replayed(Struct, frozen=True, kw_only=True):
    """What would change, of `turns` in the store; `nudged` and `silenced` count the changes.

    `without_facts`: residue kept by an older program, which no calibration can judge: as it was.
    """

    schema: str = "replay/1"
    calibration: str | None
    threshold: float | None
    turns: int
    settled: int
    judged: int
    residue: int
    without_facts: int
    before: int
    after: int
    nudged: int
    silenced: int
    labels: dict[str, int]
    """Of the turns that change, how often people said yes or no: `nudged yes`, `silenced no`, …"""
    changes: tuple[Change, ...]


def replayed(store: Store, by: Calibrations, threshold: float | None) -> Replayed:
    """Decide every kept turn again, by its newest audit. `threshold` None: the calibration's own.

    Raises `StoreError`.
    """
    policy = Policy(probability=threshold)
    labels = {turn: label.nudge for turn, label in counting(store.labels(TRUSTED)).items()}
    kinds: Counter[str] = Counter()
    changes = []
    for kept in store.audited():
        opinion = _again(kept.audit, by, threshold)
        if opinion is None:
            kinds.update(_unchanged(kept.audit))
            continue
        decision = decide(_stand_in(kept.audit), opinion, NOTHING, policy)
        kinds.update(_counted(kept.audit, opinion, decision))
        if decision.would_nudge is not kept.audit.would_nudge:
            changes.append(_change(kept, opinion, decision, labels.get(kept.turn)))
    main = by.model or by.plain
    return Replayed(
        calibration=main.id if main else None,
        threshold=threshold if threshold is not None or main is None else main.threshold,
        turns=kinds["turns"],
        settled=kinds["settled"],
        judged=kinds["judged"],
        residue=kinds["residue"],
        without_facts=kinds["without facts"],
        before=kinds["before"],
        after=kinds["after"],
        nudged=sum(each.would_nudge for each in changes),
        silenced=sum(not each.would_nudge for each in changes),
        labels=_labelled(changes),
        changes=tuple(changes),
    )


def answered(store: Store) -> str | None:
    """Name the model that answered most of what is kept, by its digest. Raises `StoreError`."""
    models = Counter(kept.audit.answer.model for kept in store.audited() if kept.audit.answer)
    return max(sorted(models), key=lambda model: models[model], default=None)


def _again(audit: Audit, by: Calibrations, threshold: float | None) -> Opinion | None:
    """Form the opinion anew: the proof is the kept one, the probability the calibration's.

    None: it cannot be formed. A kept probability still meets a threshold that is given.
    """
    if audit.verdict is not None and audit.by is not None:
        return Settled(audit.verdict, audit.by)
    if audit.facts:
        found = by.probability(audit.signals, None, audit.answer, audit.facts)
        if found is None:
            return Residue(answered=audit.answer is not None)
        return Judged(found[0], found[1].id, found[1].threshold)
    if threshold is None or audit.probability is None or audit.calibration is None:
        return None
    return Judged(audit.probability, audit.calibration, threshold)


def _stand_in(audit: Audit) -> Turn:
    """Make a turn that has what a policy looks at, and no text."""
    return Turn(
        id=audit.turn,
        session=audit.session,
        harness=audit.harness,
        request="",
        request_kind=audit.request_kind,
        parent=audit.parent,
        started=audit.started,
        ended=audit.ended,
    )


def _unchanged(audit: Audit) -> list[str]:
    found = ["turns", "residue", "without facts"]
    return [*found, "before", "after"] if audit.would_nudge else found


def _counted(audit: Audit, opinion: Opinion, decision: Decision) -> list[str]:
    found = ["turns", type(opinion).__name__.lower()]
    if audit.would_nudge:
        found.append("before")
    if decision.would_nudge:
        found.append("after")
    return found


def _change(kept: Kept, opinion: Opinion, decision: Decision, label: Nudge | None) -> Change:
    audit = kept.audit
    return Change(
        turn=kept.turn,
        session=audit.session,
        harness=audit.harness,
        when=audit.ended or audit.started,
        would_nudge=decision.would_nudge,
        was=audit.would_nudge,
        probability=round(opinion.probability, 4) if isinstance(opinion, Judged) else None,
        before=audit.probability,
        reason=decision.reason,
        label=label,
    )


def _labelled(changes: Iterable[Change]) -> dict[str, int]:
    said = Counter(
        f"{'nudged' if each.would_nudge else 'silenced'} {each.label}"
        for each in changes
        if each.label is not None
    )
    return dict(sorted(said.items()))
