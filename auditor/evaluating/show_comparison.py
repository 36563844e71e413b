"""Comparisons, replays and what-ifs for people. Prints; computes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from auditor.evaluating.compare import Comparison
from auditor.evaluating.figures import NONE, number, plain, share
from auditor.evaluating.replay import Replayed
from auditor.evaluating.show import GAP, section, table
from auditor.evaluating.simulate import Outlook, Simulated
from auditor.show import clock

LISTED = 20
"""Changed turns that are listed; the rest is counted (a guess)."""


def comparisons(to: Console, found: Sequence[Comparison]) -> None:
    """Print each comparison with the first evaluation."""
    for each in found:
        to.print(Text(each.says, style="bold"), soft_wrap=True)
        told = f"{each.n:,} turns in {each.groups:,} groups are in both"
        told += f", {each.left:,} in one only" if each.left else ""
        to.print(Text(told, style="dim"), soft_wrap=True)
        to.print(
            f"{GAP}both right {each.both_right:,} · only the first {each.only_first:,} · only the"
            f" second {each.only_second:,} · neither {each.neither:,}",
            soft_wrap=True,
        )
        adjusted = f", {plain(each.adjusted)} for {len(found)} comparisons (Holm)"
        to.print(f"{GAP}exact McNemar p {plain(each.p)}{adjusted if len(found) > 1 else ''}")
        table(
            to,
            ("", "first", "second", "second - first", "the second is"),
            [
                (
                    row.name,
                    plain(row.first),
                    plain(row.second),
                    number(row.difference),
                    row.says,
                )
                for row in each.differences
            ],
        )
        to.print()


def replayed(to: Console, found: Replayed) -> None:
    """Print what would change."""
    head = f"{found.before:,} would-be nudges now, {found.after:,} then"
    head += f": {found.nudged:,} more turns nudged, {found.silenced:,} no longer"
    to.print(Text(head, style="bold"), soft_wrap=True)
    by = f"calibration {found.calibration or 'none'}, threshold {plain(found.threshold, digits=4)}"
    to.print(Text(by, style="dim"), soft_wrap=True)
    to.print(
        f"{found.turns:,} turns: {found.settled:,} settled by proof, {found.judged:,} judged by"
        f" their probability, {found.residue:,} with none",
        soft_wrap=True,
    )
    if found.without_facts:
        to.print(
            f"{found.without_facts:,} were kept by an older program and stay as they are; scan"
            " their transcripts again to judge them",
            soft_wrap=True,
        )
    if found.labels:
        told = " · ".join(f"{name} {count:,}" for name, count in found.labels.items())
        to.print(f"labels on the turns that change (would a nudge be right?): {told}")
    if found.changes:
        section(to, "turns that change")
        table(
            to,
            ("turn", "when", "harness", "now", "then", "probability", "was"),
            [
                (
                    each.turn[:12],
                    clock(each.when),
                    each.harness,
                    "nudge" if each.was else "silent",
                    "nudge" if each.would_nudge else "silent",
                    share(each.probability),
                    share(each.before),
                )
                for each in found.changes[:LISTED]
            ],
        )
        if (more := len(found.changes) - LISTED) > 0:
            to.print(Text(f"{GAP}and {more:,} more: --json lists all", style="dim"))


def simulated(to: Console, found: Simulated) -> None:
    """Print how many more labels it takes."""
    state = found.state
    goal = f"fewer than {share(state.alpha, digits=0)} wrong nudges, at a risk of"
    goal += f" {share(state.delta)} that the certificate is false"
    to.print(Text(f"Further labels until a certificate of {goal}", "bold"), soft_wrap=True)
    if state.policy is not None:
        told = f"policy {state.policy[:12]}, threshold {plain(state.threshold, digits=4)}:"
        to.print(f"{told} {state.n:,} labels count, {state.wrong:,} of them wrong nudges")
    else:
        to.print("no policy is frozen: from no label on")
    to.print(f"if none is wrong from now on: {_labels(found.least)}")
    if state.rate is not None:
        to.print(f"{state.rate:g} would-be nudges a day can be labelled")
    to.print()
    head = ("nudges that are right", "labels in half of all cases", "in nine of ten")
    days = ("days", "in nine of ten") if state.rate is not None else ()
    table(to, (*head, *days), [_outlook(each, days=bool(days)) for each in found.outlooks])


def _outlook(each: Outlook, *, days: bool) -> list[str]:
    cells = [share(each.precision, digits=1), _labels(each.likely), _labels(each.surely)]
    if days:
        cells += [
            NONE if value is None else f"{value:,.0f}"
            for value in (each.likely_days, each.surely_days)
        ]
    return cells


def _labels(found: int | None) -> str:
    return "never, or over 5,000" if found is None else f"{found:,}"
