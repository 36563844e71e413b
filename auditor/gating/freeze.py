"""Freeze a policy: fix its candidate thresholds from probabilities, before any label is asked for.

Owns when there are enough probabilities, and which attempt it is. Says so to the ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from auditor.errors import NotEnough
from auditor.gating.blind import PEOPLE, QUEUE
from auditor.gating.frozen import LEAST, Frozen, candidates
from auditor.gating.residue import Row, scored
from auditor.gating.states import Move, Past, told
from auditor.store import Store


def calibration_of(rows: Sequence[Row]) -> str:
    """Name the calibration that gave most of the newest probabilities. Raises `NotEnough`."""
    named = [row.calibration for row in rows if row.probability is not None and row.calibration]
    if not named:
        raise NotEnough(
            f"no residue turn has a calibrated probability ({len(rows)} residue turns are kept); a"
            f" policy needs {LEAST}: auditor scan, or fit a calibration first: auditor fit"
        )
    return Counter(named[-LEAST:]).most_common(1)[0][0]


def freeze(  # noqa: PLR0913 - what is fixed by it
    store: Store,
    now: float,
    rows: Sequence[Row],
    identity: dict[str, str],
    *,
    quantiles: Sequence[float],
    alpha: float,
    delta: float,
    cost: float | None = None,
) -> tuple[str, Frozen]:
    """Keep the policy under its name, and tell the ledger: from now on its turns are shadowed.

    `rows`: the residue kept so far. `identity` names the calibration (`identity.here`). `cost`: how
    many right nudges a wrong one undoes. Raises `NotEnough` under `LEAST` probabilities, or where
    all are the same.
    """
    from auditor.statistics.drift import counted, inner_edges  # noqa: PLC0415 - brings numpy

    calibration = identity["calibration"]
    found = [row.probability for row in scored(rows, calibration)]
    probabilities = [probability for probability in found if probability is not None]
    _enough(probabilities, calibration)
    edges = inner_edges(probabilities)
    policy = Frozen(
        at=now,
        calibration=calibration,
        identity=identity,
        candidates=candidates(probabilities, quantiles),
        scored=len(probabilities),
        edges=tuple(edges),
        counts=tuple(counted(edges, probabilities)),
        alpha=alpha,
        delta=delta,
        attempt=1 + failed(store, told(store.events())),
        floor=0.0 if cost is None else cost / (cost + 1.0),
    )
    name = store.add_artefact("policy", msgspec.json.encode(policy))
    body = {"policy": name, "why": "frozen by command", "evidence": msgspec.to_builtins(policy)}
    store.append_event(Move.FROZEN, body)
    return name, policy


def _enough(probabilities: Sequence[float], calibration: str) -> None:
    if (missing := LEAST - len(probabilities)) > 0:
        raise NotEnough(
            f"{len(probabilities)} residue turns have a probability by the calibration"
            f" {calibration}; a policy needs {LEAST}: {missing} more: auditor scan --ask all"
        )
    if min(probabilities) == max(probabilities):
        raise NotEnough(
            f"all {len(probabilities)} residue turns have the probability {probabilities[0]:g}: no"
            " threshold tells any from another; fit a calibration that does: auditor fit"
        )


def failed(store: Store, past: Past) -> int:
    """Count the policies so far whose labels were looked at and that have no certificate left."""
    lost = list(past.lost)
    if past.policy is not None and past.certificate is None:
        lost.append(past.policy)
    of = {sample.id: sample.policy for sample in store.samples(QUEUE)}
    looked_at = {of[label.sample] for label in store.labels(PEOPLE) if label.sample in of}
    return len(looked_at & set(lost))
