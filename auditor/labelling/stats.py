"""How many labels there are, of what kind, and what is missing until a fit and a certificate.

Counts only; what a fit and a certificate ask for is theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from auditor.labelling.drawing import Queue
from auditor.labels import FITTED, TRUSTED, Label, Nudge, Source, counting
from auditor.store import Store


class Stats(Struct, frozen=True, kw_only=True):
    """Counts of labels: all that were given, and the one that counts of each turn (`turns`).

    `by`: property -> value -> answer -> labels, of those that count. `waiting`: queue -> turns
    drawn that no person has answered. `fit`, `certificate`: what is missing for it; empty: nothing.
    """

    labels: int
    superseded: int
    turns: int
    people: int
    unsure: int
    by: dict[str, dict[str, dict[str, int]]]
    waiting: dict[str, int]
    fit: str
    certificate: str


def stats(store: Store) -> Stats:
    """Count the labels of a store."""
    labels = store.labels()
    held = counting(labels)
    queues = {sample.id: sample.queue for sample in store.samples()}
    asked = {label.turn for label in labels if label.source in (Source.HUMAN, Source.ADJUDICATED)}
    return Stats(
        labels=len(labels),
        superseded=len(labels) - len({(each.turn, each.source, each.rater) for each in labels}),
        turns=len(held),
        people=sum(label.source in TRUSTED for label in held.values()),
        unsure=sum(label.nudge is Nudge.UNSURE for label in held.values()),
        by=_by(held.values(), queues),
        waiting={
            queue.value: len({s.turn for s in store.samples(queue)} - asked)
            for queue in Queue
            if queue is not Queue.REPEAT
        },
        fit=_fit(held.values()),
        certificate=_certificate(store),
    )


def _by(labels: Iterable[Label], queues: dict[int, str]) -> dict[str, dict[str, dict[str, int]]]:
    counts: dict[str, dict[str, Counter[str]]] = {}
    for label in labels:
        queue = None if label.sample is None else queues.get(label.sample)
        values = {
            "source": label.source.value,
            "queue": queue or "—",
            "reason": label.reason.value if label.reason else "—",
            "rater": label.rater or label.rule or "—",
        }
        for name, value in values.items():
            counts.setdefault(name, {}).setdefault(value, Counter())[label.nudge.value] += 1
    return {
        name: {value: dict(answers) for value, answers in sorted(found.items())}
        for name, found in counts.items()
    }


def _fit(labels: Iterable[Label]) -> str:
    """Say what a fit still needs."""
    from auditor.fitting.fit import LEAST, LEAST_OF_CLASS, PROVISIONAL  # noqa: PLC0415 - scikit-learn

    answers = Counter(label.nudge for label in labels if label.source in FITTED)
    yes, no = answers[Nudge.YES], answers[Nudge.NO]
    missing = {
        "yes": LEAST_OF_CLASS - yes,
        "no": LEAST_OF_CLASS - no,
        "of either": LEAST - max(yes, LEAST_OF_CLASS) - max(no, LEAST_OF_CLASS),
    }
    needed = [f"{count} {name}" for name, count in missing.items() if count > 0]
    if needed:
        return f"{' and '.join(needed)} more labels until a calibration can be fitted"
    left = PROVISIONAL - yes - no
    return f"{left} more labels until a fitted calibration is not provisional" if left > 0 else ""


def _certificate(store: Store) -> str:
    """Say what a certificate still needs."""
    from auditor.gating import blind, certify, gate, states  # noqa: PLC0415 - only asked for here
    from auditor.gating.residue import residue  # noqa: PLC0415

    past = states.told(store.events())
    policy, certificate = gate.current(store, past)
    if policy is None or past.policy is None:
        return "no policy is frozen yet: auditor policy freeze"
    if certificate is not None:
        return ""
    found = certify.progress(
        policy,
        blind.gathered(store, past.policy, policy, residue(store, policy.calibration)).labels,
    )
    first = found[0]
    likely = "" if first.likely is None else f", {first.likely} at the present share of wrong ones"
    return (
        f"at least {first.more} more labels of would-be nudges at or above"
        f" {first.threshold:.2f}, if none is wrong{likely}"
    )
