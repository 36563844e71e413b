"""THE PIPELINE: a turn in, an audit out. Watching, hooks, scanning and evaluation all use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct, structs

from auditor.features import facts
from auditor.judge import Answer
from auditor.policy import NOTHING, OBSERVE, Action, Judged, Opinion, Past, Policy, Residue, decide
from auditor.ranking import ranked
from auditor.remedies import Remedy, remedy
from auditor.sieve import Settled, Signals, settled, sieve
from auditor.turn import RequestKind, Turn, Verdict

Judge = Callable[[Turn], Answer | None]
"""Asks the decision model about a turn; None: it did not answer, or was not asked."""


class Calibrated(Protocol):
    """What makes a probability of the evidence: `calibration.Calibrations`."""

    def judged(
        self,
        signals: Signals,
        proof: Settled | None,
        answer: Answer | None,
        known: dict[str, float],
    ) -> Judged | None:
        """Give the calibrated probability; `known`: the turn's facts. None: none is for this."""
        ...


class Audit(Struct, frozen=True, kw_only=True):
    """Everything needed to explain a decision; its JSON is one line of `auditor scan`.

    `verdict` None: nothing proves one. `opinion`: settled by a proof, judged by a calibrated
    probability, or residue. `probability` that a nudge is right, by which `calibration`; None:
    nothing calibrated said one. `answer`: what the decision model said, if it was asked.
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
    calibration: str | None = None
    score: float
    would_nudge: bool
    decision: Action
    reason: str
    remedy: Remedy | None
    signals: Signals
    facts: dict[str, float] = {}
    answer: Answer | None = None


def audit(
    turn: Turn,
    *,
    policy: Policy = OBSERVE,
    past: Past = NOTHING,
    judge: Judge | None = None,
    calibrations: Calibrated | None = None,
) -> Audit:
    """Audit one turn. The judge is asked only about what the sieve does not settle."""
    signals = sieve(turn)
    proof = settled(signals)
    answer = judge(turn) if judge is not None and proof is None else None
    known = facts(turn)
    judged = _rounded(calibrations.judged(signals, proof, answer, known)) if calibrations else None
    opinion: Opinion = proof or judged or Residue(answered=answer is not None)
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
        opinion=type(opinion).__name__.lower(),
        by=proof.by if proof else None,
        probability=judged.probability if judged else None,
        calibration=judged.calibration if judged else None,
        score=round(ranked(signals, proof), 4),
        would_nudge=decision.would_nudge,
        decision=decision.action,
        reason=decision.reason,
        remedy=remedy(signals, proof) if decision.would_nudge else None,
        signals=signals,
        facts=known,
        answer=answer,
    )


def _rounded(judged: Judged | None) -> Judged | None:
    """What is decided on is what is written down."""
    return judged and structs.replace(judged, probability=round(judged.probability, 4))
