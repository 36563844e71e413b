"""THE PIPELINE: a turn in, an audit out. Watching, hooks, scanning and evaluation all use it."""

from __future__ import annotations

from msgspec import Struct

from auditor.policy import NOTHING, OBSERVE, Action, Opinion, Past, Policy, Residue, decide
from auditor.ranking import ranked
from auditor.remedies import Remedy, remedy
from auditor.sieve import Signals, settled, sieve
from auditor.turn import RequestKind, Turn, Verdict


class Audit(Struct, frozen=True, kw_only=True):
    """Everything needed to explain a decision; its JSON is one line of `auditor scan`.

    `verdict` None: residue that nobody judged. `probability` None: nothing calibrated said one.
    `score` 0..1 orders turns by how right a nudge would be; it is not a probability.
    `would_nudge` is before anything holds the nudge back; `reason` names what settled or held it.
    Times are Unix seconds.
    """

    turn: str
    session: str
    harness: str
    model: str | None
    parent: str | None
    request_kind: RequestKind
    started: float | None
    ended: float | None
    verdict: Verdict | None
    opinion: str
    by: str | None
    probability: float | None
    score: float
    would_nudge: bool
    decision: Action
    reason: str
    remedy: Remedy | None
    signals: Signals


def audit(turn: Turn, *, policy: Policy = OBSERVE, past: Past = NOTHING) -> Audit:
    """Audit one turn."""
    signals = sieve(turn)
    proof = settled(signals)
    score = ranked(signals, proof)
    opinion: Opinion = proof or Residue()
    decision = decide(turn, opinion, past, policy)
    return Audit(
        turn=turn.id,
        session=turn.session,
        harness=turn.harness,
        model=turn.model,
        parent=turn.parent,
        request_kind=turn.request_kind,
        started=turn.started,
        ended=turn.ended,
        verdict=proof.verdict if proof else None,
        opinion="settled" if proof else "residue",
        by=proof.by if proof else None,
        probability=None,
        score=round(score, 4),
        would_nudge=decision.would_nudge,
        decision=decision.action,
        reason=decision.reason,
        remedy=remedy(proof) if proof and decision.would_nudge else None,
        signals=signals,
    )
