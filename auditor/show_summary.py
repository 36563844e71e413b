"""What a scan counted and what a store holds, for people."""

from __future__ import annotations

from rich.cells import set_cell_size
from rich.console import Console
from rich.text import Text

from auditor.glimpse import one_line, visible
from auditor.show import NONE
from auditor.store import Stats
from auditor.summary import Asking, Share, Summary

TOP = 8
"""Lines of one list of the summary; the rest is counted (a guess)."""


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f} %"


def summary(to: Console, found: Summary) -> None:
    """Print the counts of a scan."""
    subagents = found.reasons.get("a sub-agent's turn", 0)
    head = f"{found.turns:,} turns in {_files(found.files)}; {found.would_nudge:,} would-be nudges"
    head += f" ({_percent(found.would_nudge / found.turns if found.turns else None)})"
    head += f", {subagents:,} of them sub-agents'" if subagents else ""
    to.print(Text(head, style="bold"))
    _counts(to, "verdicts", found.verdicts)
    _counts(to, "reasons", found.reasons)
    _shares(to, "harness", found.by_harness)
    _shares(to, "model", found.by_model)
    _troubles(to, found)
    _asking(to, found)
    if found.store:
        labels = f" and {found.labels:,} implied labels" if found.labels else ""
        to.print(Text(f"store     {found.stored:,} new audits{labels} in {visible(found.store)}"))
    if found.interrupted:
        to.print(Text("Interrupted: the counts above are what was done until then."))


def _asking(to: Console, found: Summary) -> None:
    """Say what the decision model was asked, and what nobody judged."""
    asking = found.asking
    residue = asking.asked + asking.remembered + asking.not_judged
    if asking.model is None:
        residue = found.turns - found.opinions.get("settled", 0)
        line = "none asked (--model none)"
    elif asking.problem is not None and not asking.asked + asking.remembered:
        line = "not asked"
    else:
        line = f"{one_line(asking.model)} answered for {asking.asked + asking.remembered:,}"
        line += f" of the {residue:,} turns that nothing settled"
        line += f", {asking.remembered:,} of them earlier" if asking.remembered else ""
    if left := residue - asking.asked - asking.remembered:
        line += f"; {left:,} of the residue not judged by a model"
        line += " (the next scan goes on; --ask N asks more)" if _stopped(asking) else ""
    to.print(Text(f"{'model':<10}{line}"), soft_wrap=True)
    if asking.problem is not None:
        to.print(Text(f"{'':<10}{one_line(asking.problem)}"), soft_wrap=True)


def _stopped(asking: Asking) -> bool:
    """Whether only the number of questions ended the asking."""
    return asking.model is not None and asking.problem is None


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _counts(to: Console, name: str, counts: dict[str, int]) -> None:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{key} {count:,}" for key, count in ordered[:TOP]]
    if more := sum(count for _, count in ordered[TOP:]):
        shown.append(f"others {more:,}")
    for number, line in enumerate(_wrapped(shown, to.width - 10)):
        to.print(Text(f"{name if number == 0 else '':<10}{line}"))


def _wrapped(pieces: list[str], width: int) -> list[str]:
    """Join pieces into lines of that width, none cut."""
    lines: list[str] = []
    for piece in pieces:
        if lines and len(lines[-1]) + len(piece) + 3 <= width:
            lines[-1] += f" · {piece}"
        else:
            lines.append(piece)
    return lines


def _shares(to: Console, name: str, shares: dict[str, Share]) -> None:
    ordered = sorted(shares.items(), key=lambda item: (-item[1].turns, item[0]))
    if not ordered:
        return
    to.print(Text(f"\n{name:<32}  turns  would-be nudges", style="dim"))
    for key, share in ordered[:TOP]:
        label = set_cell_size(one_line(key), 30)
        count = f"{share.turns:>7,}  {share.would_nudge:>6,}  {_percent(share.share):>7}"
        to.print(Text(f"  {label}{count}"))
    if (more := len(ordered) - TOP) > 0:
        to.print(Text(f"  and {more:,} more", style="dim"))


def _troubles(to: Console, found: Summary) -> None:
    lines = [
        f"  {kind.count:>7,} × {one_line(name)[:60]}, first at {visible(kind.first)}"
        for name, kind in sorted(found.unread.items(), key=lambda item: -item[1].count)
    ]
    lines += [
        f"  {visible(problem.path)}: {one_line(problem.reason)}" for problem in found.unreadable
    ]
    if found.ignored:
        lines.append(f"  {found.ignored:,} other files, no transcripts of a known harness")
    if lines:
        to.print(Text("\nnot read", style="dim"))
        for line in lines[: 2 * TOP]:
            to.print(Text(line), soft_wrap=True)
        if (more := len(lines) - 2 * TOP) > 0:
            to.print(Text(f"  and {more:,} more; --format json lists all", style="dim"))
    elif found.turns:
        to.print()


def stats(to: Console, found: Stats) -> None:
    """Print what a store holds."""
    to.print(Text(f"{visible(found.path)}, {found.size / 1e6:.1f} MB"), soft_wrap=True)
    to.print(f"turns {found.turns:,} · audits {found.audits:,} · scans {found.scans:,}")
    to.print(f"labels {found.labels:,} · nudges, stops and notices {found.deeds:,}")
    to.print(f"texts {found.texts:,} (auditor store purge deletes them)")
    _counts(to, "verdicts", found.verdicts)
