"""Agreement and counts of labels for people. Computes nothing."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from auditor.evaluation import Estimate
from auditor.glimpse import one_line
from auditor.labelling.agreeing import LEAST, RARE, Agreement, Agreements
from auditor.labelling.stats import Stats
from auditor.show import NONE

_ALPHA = "Krippendorff's alpha"
_MEASURES = {
    "equal answers": "raw",
    "Cohen's kappa": "kappa",
    _ALPHA: "alpha",
    "Gwet's AC1": "ac1",
}
_ANSWERS = ("yes", "no", "unsure")


def agreements(to: Console, found: Agreements) -> None:
    """Print how raters agree."""
    if not found.pairs:
        to.print("nobody has labelled anything yet: auditor label")
    for each in found.pairs:
        _agreement(to, each)
    if found.alpha is not None:
        title = f"all raters, {found.turns:,} turns that two or more of them labelled"
        to.print(Text(title, style="bold"))
        to.print(Text(f"  {_ALPHA:<22}{_number(found.alpha)}"))
    if found.enough:
        to.print(
            Text("1 is full agreement, 0 what chance gives; intervals: 95 %, by session", "dim")
        )


def _agreement(to: Console, found: Agreement) -> None:
    other = "their own repeats" if found.other is None else one_line(found.other)
    to.print(Text(f"{one_line(found.rater)} and {other}", style="bold"), soft_wrap=True)
    if found.raw is None:
        to.print(f"  not enough pairs: {found.pairs} of {LEAST}")
        return
    to.print(f"  {found.pairs:,} pairs")
    for name, field in _MEASURES.items():
        to.print(Text(f"  {name:<22}{_number(getattr(found, field))}"))
    if found.rarest is not None and found.rarest < RARE:
        to.print(
            Text(f"  one answer is rare ({found.rarest:.0%}): AC1 says more than kappa", "dim"),
            soft_wrap=True,
        )


def _number(found: Estimate | None) -> str:
    if found is None or found.value is None:
        return NONE
    if found.low is None or found.high is None:
        return f"{found.value:.2f}  (no interval: too few sessions)"
    return f"{found.value:.2f}  ({found.low:.2f} to {found.high:.2f})"


def stats(to: Console, found: Stats) -> None:
    """Print how many labels there are, and what is missing."""
    to.print(
        f"{found.turns:,} turns labelled, {found.people:,} by people; {found.labels:,} labels,"
        f" {found.superseded:,} of them replaced by a later one; {found.unsure:,} turns unsure"
    )
    for name, values in found.by.items():
        head = "".join(f"{answer:>8}" for answer in _ANSWERS)
        to.print(Text(f"\n{name:<34}{head}", style="dim"))
        for value, answers in values.items():
            counts = "".join(f"{answers.get(answer, 0):>8,}" for answer in _ANSWERS)
            to.print(Text(f"  {one_line(value)[:31]:<32}{counts}"))
    waiting = ", ".join(f"{name} {count:,}" for name, count in found.waiting.items())
    to.print(Text(f"\ndrawn and waiting: {waiting}", style="dim"))
    to.print(f"fit: {found.fit or 'enough labels'}", soft_wrap=True)
    to.print(f"certificate: {found.certificate or 'there is one'}", soft_wrap=True)
