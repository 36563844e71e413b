"""A gate for continuous integration: what an evaluation has to reach, and what it must not lose.

Owns the demands and the exit code. PASS where the whole interval meets a demand, WARN where only
the number does, FAIL where not even that, REFUSED where nothing can be said.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from auditor.evaluating import trust
from auditor.evaluating.compare import Difference, compared
from auditor.evaluating.figures import number, plain
from auditor.evaluation import Check, Estimate, Evaluation

FAILED, TOO_LITTLE = 1, 4
"""Exit codes (`errors`): the gate failed; not enough evidence."""


class Demands(Struct, frozen=True, kw_only=True):
    """Limits; None: not demanded. Shares are 0..1. `strict`: a WARN fails too."""

    wrong: float | None = None
    recall: float | None = None
    right: float | None = None
    auc: float | None = None
    log_loss: float | None = None
    strict: bool = False

    @property
    def any(self) -> bool:
        """Whether anything is demanded."""
        asked = (self.wrong, self.recall, self.right, self.auc, self.log_loss)
        return any(limit is not None for limit in asked)


def gated(
    found: Evaluation, demands: Demands, baseline: tuple[str, Evaluation] | None = None
) -> tuple[Check, ...]:
    """Hold an evaluation to demands and to a baseline; without either, to its own checks.

    Raises what `compare.compared` does.
    """
    if not demands.any and baseline is None:
        return found.checks
    rows = [check for check in found.checks if check.name == trust.ENOUGH]
    rows += _demanded(found, demands)
    if baseline is not None:
        (comparison,) = compared([baseline, ("this", found)], draws=found.draws)
        rows += [
            _kept(each)
            for each in comparison.differences
            if each.first is not None or each.second is not None
        ]
    return tuple(rows)


def _demanded(found: Evaluation, demands: Demands) -> list[Check]:
    ours, none = found.judges[0], Estimate(None)
    rows = []
    if demands.wrong is not None:
        rows.append(trust.at_most(trust.SAFE, ours.wrong, demands.wrong))
    if demands.recall is not None:
        rows.append(trust.at_least("recall", ours.recall, demands.recall))
    if demands.right is not None:
        rows.append(trust.at_least(trust.PRECISE, ours.right, demands.right))
    if demands.auc is not None:
        rows.append(trust.at_least("AUC", ours.auc or none, demands.auc, shares=False))
    if demands.log_loss is not None:
        loss = found.scores.log_loss if found.scores else none
        rows.append(trust.at_most("log loss", loss, demands.log_loss, shares=False))
    return rows


def _kept(found: Difference) -> Check:
    """Whether a number is no worse than the baseline's, beyond chance."""
    name, wanted = f"{found.name} against the baseline", "no worse"
    told = f"{plain(found.first)} → {plain(found.second)}, by {number(found.difference)}"
    value = found.difference.value
    if value is None:
        return Check(trust.REFUSED, name, "not defined in both", wanted)
    if found.says == "worse":
        return Check(trust.FAIL, name, told, wanted)
    return Check(trust.WARN if value * found.better < 0 else trust.PASS, name, told, wanted)


def exit_code(rows: Sequence[Check], demands: Demands) -> int:
    """Give 1 where something failed, else 4 where something was refused, else 0."""
    worst = trust.worst(row.state for row in rows)
    if worst == trust.FAIL or (demands.strict and trust.WARN in {row.state for row in rows}):
        return FAILED
    return TOO_LITTLE if worst == trust.REFUSED else 0
