"""Whether to trust what an evaluation found: a list of checks, and one sentence.

Owns the limits and the words. Looks at numbers only; whoever wants other limits for a gate uses
`demands`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from auditor.evaluating.figures import number, percent, plain, share
from auditor.evaluation import Check, Drift, Estimate, Judge, Scores

LEAST, PLENTY, OF_CLASS = 50, 200, 8
"""Labelled turns below which nothing is said, below which it is provisional, and of each kind at
least (field tools refuse under 50 and say provisional under 200: decisions.md 4.10; 8: 7.4)."""

GROUPS = 20
"""Groups below which a bootstrap's intervals are too short (`statistics.intervals.bootstrap`)."""

WRONG = 0.02
"""Share of the silence-deserving turns that may be nudged (a guess: one turn in fifty)."""

RIGHT = 0.80
"""Share of nudges that are right: what a certificate asks for at least (decisions.md 7.5)."""

RANKING = (0.85, 0.75)
"""Area under the curve on the residue: a top 5 % of nudges is right at about 0.9 of the time from
the first on; below the second no threshold reaches 0.8 (decisions.md 4.6, measured)."""

PASS, WARN, FAIL, REFUSED = "PASS", "WARN", "FAIL", "REFUSED"

ENOUGH, SAFE, PRECISE = "labels", "wrong nudges", "right nudges"
"""Names of the checks that the sentence is made from."""


class Evidence(Struct, frozen=True, kw_only=True):
    """What the checks look at. `rule`: the dangling rule, where it could be judged.

    `unanswered`: residue turns that a model was to be asked about and did not answer.
    """

    n: int
    yes: int
    groups: int
    grouped_by: str
    unread: int
    ours: Judge
    rule: Judge | None
    residue: Judge | None
    scores: Scores | None
    drift: Drift | None
    model: str | None
    unanswered: int
    calibration: str | None
    provisional: bool


def checks(found: Evidence) -> tuple[Check, ...]:
    """Give every check that there is something to say about."""
    return (
        *_data(found),
        at_most(SAFE, found.ours.wrong, WRONG),
        at_least(PRECISE, found.ours.right, RIGHT),
        *_rule(found),
        *_ranking(found),
        *_probabilities(found),
    )


def at_most(name: str, found: Estimate, limit: float, *, shares: bool = True) -> Check:
    """PASS where the whole interval is within the limit, WARN where only the number is."""
    wanted = f"at most {share(limit) if shares else plain(limit)}"
    if found.value is None:
        return Check(REFUSED, name, "there is nothing to count", wanted)
    high = found.value if found.high is None else found.high
    state = PASS if high <= limit else WARN if found.value <= limit else FAIL
    return Check(state, name, percent(found) if shares else number(found), wanted)


def at_least(name: str, found: Estimate, limit: float, *, shares: bool = True) -> Check:
    """PASS where the whole interval reaches the limit, WARN where only the number does."""
    wanted = f"at least {share(limit) if shares else plain(limit, digits=2)}"
    if found.value is None:
        return Check(REFUSED, name, "there is nothing to count", wanted)
    low = found.value if found.low is None else found.low
    state = PASS if low >= limit else WARN if found.value >= limit else FAIL
    return Check(state, name, percent(found) if shares else number(found), wanted)


def _data(found: Evidence) -> list[Check]:
    rarer = min(found.yes, found.n - found.yes)
    state = PASS if found.n >= PLENTY else WARN
    if found.n < LEAST or rarer < OF_CLASS:
        state = REFUSED
    told = f"{found.n:,}, {found.yes:,} of them deserve a nudge"
    rows = [
        Check(state, ENOUGH, told, f"{PLENTY}, and {OF_CLASS} of each kind"),
        Check(
            PASS if found.groups >= GROUPS else WARN,
            "independent groups",
            f"{found.groups:,} ({found.grouped_by})",
            f"at least {GROUPS}",
        ),
    ]
    if found.unread:
        rows.append(Check(WARN, "lines not read", f"{found.unread:,}", "none"))
    if found.unanswered:
        told = f"{found.unanswered:,} residue turns not answered by {found.model}"
        rows.append(Check(WARN, "answers of the model", told, "all residue turns"))
    return rows


def _rule(found: Evidence) -> list[Check]:
    ours, rule = found.ours, found.rule
    if rule is None:
        return []
    numbers = (ours.recall.value, rule.recall.value, ours.wrong.value, rule.wrong.value)
    recall, its_recall, wrong, its_wrong = (value or 0.0 for value in numbers)
    better = (recall > its_recall) + (wrong < its_wrong)
    told = (
        f"finds {share(recall)} against {share(its_recall)},"
        f" nudges wrongly {share(wrong)} against {share(its_wrong)}"
    )
    return [Check((FAIL, WARN, PASS)[better], "against the dangling rule", told, "better in both")]


def _ranking(found: Evidence) -> list[Check]:
    area = found.residue.auc if found.residue else None
    if area is None or area.value is None:
        return []
    good, weak = RANKING
    state = PASS if area.value >= good else WARN if area.value >= weak else FAIL
    wanted = f"at least {plain(good, digits=2)}"
    return [Check(state, "ranking of the residue (AUC)", number(area), wanted)]


def _probabilities(found: Evidence) -> list[Check]:
    scores = found.scores
    if scores is None:
        wanted = "a calibration: auditor fit"
        return [Check(REFUSED, "probabilities", "no calibrated probability for every turn", wanted)]
    rows = [_informative(scores), *_error(scores), _slope(scores)]
    if found.provisional:
        rows.append(
            Check(WARN, "calibration", f"{found.calibration} is provisional", "100 labels or more")
        )
    if found.drift is not None and found.drift.psi is not None and found.drift.limit is not None:
        state = PASS if found.drift.psi <= found.drift.limit else WARN
        told, most = plain(found.drift.psi), plain(found.drift.limit)
        rows.append(Check(state, "drift since the fit (PSI)", told, f"at most {most}"))
    return rows


def _informative(scores: Scores) -> Check:
    loss, base = scores.log_loss, scores.log_loss_base.value or 0.0
    high = loss.value if loss.high is None else loss.high
    state = FAIL
    if loss.value is not None and high is not None:
        state = PASS if high < base else WARN if loss.value < base else FAIL
    wanted = f"below the base rate's {plain(base)}"
    return Check(state, "log loss", number(loss), wanted)


def _error(scores: Scores) -> list[Check]:
    """Hold the calibration error to its noise; nothing is said where noise takes all of it."""
    error, floor = scores.ece.value, scores.ece_floor
    if error is None or not floor:
        return []
    wanted = f"at most {plain(floor)}, which chance shows"
    return [Check(PASS if error <= floor else WARN, "calibration error", plain(error), wanted)]


def _slope(scores: Scores) -> Check:
    slope = scores.slope
    if slope.low is None or slope.high is None:
        return Check(REFUSED, "calibration slope", "not defined", "an interval around 1")
    state = PASS if slope.low <= 1.0 <= slope.high else WARN
    return Check(state, "calibration slope", number(slope, digits=2), "an interval around 1")


def headline(rows: Sequence[Check], ours: Judge, n: int) -> str:
    """Say in a sentence whether to trust it, and what it does, in numbers."""
    state = {row.name: row.state for row in rows}
    if state[ENOUGH] == REFUSED:
        return (
            f"Too few labels to say anything: {n:,} turns; expected {LEAST} or more, and"
            f" {OF_CLASS} of each kind."
        )
    told = (
        f"it finds {percent(ours.recall)} of the turns that deserve a nudge, and nudges"
        f" {percent(ours.wrong)} of those that deserve silence ({n:,} labelled turns,"
        " 95 % intervals)"
    )
    return f"{_opening(state)}: {told}."


def _opening(state: dict[str, str]) -> str:
    deciding = {state[SAFE], state[PRECISE]}
    if FAIL in deciding:
        return "Do not let it nudge"
    if REFUSED in deciding:
        return "It nudges nothing here"
    weak = worst(state.values()) == FAIL
    if weak or WARN in deciding or state[ENOUGH] == WARN:
        return "Trust it provisionally, on turns like these"
    return "Trust it on turns like these"


def worst(states: Iterable[str]) -> str:
    """Give the worst of states: FAIL, REFUSED, WARN, PASS."""
    found = set(states)
    return next((state for state in (FAIL, REFUSED, WARN) if state in found), PASS)
