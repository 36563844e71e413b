"""Evaluations for people: what was found, in tables; comparisons, gates and what-ifs too.

Every number stands with its interval and the turns behind it. Prints; computes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from auditor.evaluating.figures import NONE, number, percent, plain, share
from auditor.evaluation import Check, DetectorRow, Evaluation, Judge, Mistake, Scores, Slice
from auditor.glimpse import one_line, visible

STYLE = {"PASS": "green", "WARN": "yellow", "FAIL": "bold red", "REFUSED": "magenta"}

NAME = 30
"""Columns that a name gets at most (a guess)."""

GAP = "  "


def evaluation(to: Console, found: Evaluation) -> None:
    """Print everything."""
    to.print(Text(found.headline, style="bold"), soft_wrap=True)
    _origin(to, found)
    section(to, "whether to trust it")
    checks(to, found.checks)
    section(to, f"decisions, {found.n:,} turns, {found.yes:,} of them deserve a nudge")
    _judges(to, found.judges)
    if found.residue_judges:
        section(
            to, f"decisions on the residue alone, {found.residue:,} turns that no proof settles"
        )
        _judges(to, found.residue_judges)
    _scores(to, found)
    _slices(to, found.slices)
    section(to, "detectors: how often what they see is so")
    table(to, *_detectors(found.detectors))
    _mistakes(to, found.mistakes)
    _times(to, found)


def section(to: Console, title: str) -> None:
    """Print the title of a part."""
    to.print(Text(f"\n{title}", style="bold"), soft_wrap=True)


def table(to: Console, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under a head; the first column to the left, numbers to the right."""
    lines = [list(map(one_line, row)) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(head, *lines, strict=True)]
    widths[0] = min(widths[0], NAME)
    for number_, cells in enumerate([list(head), *lines]):
        first = set_cell_size(cells[0], widths[0])
        rest = [
            " " * (width - cell_len(cell)) + cell
            for cell, width in zip(cells[1:], widths[1:], strict=True)
        ]
        text = GAP + GAP.join([first, *rest])
        to.print(Text(text, style="dim" if number_ == 0 else ""), soft_wrap=True)


def checks(to: Console, rows: Iterable[Check]) -> None:
    """Print a gate, a line each."""
    rows = list(rows)
    width = max((cell_len(row.name) for row in rows), default=0)
    for row in rows:
        line = Text().append(f"{GAP}{row.state:<8}", STYLE.get(row.state, ""))
        line.append(f"{set_cell_size(row.name, width)}{GAP}{row.found}")
        to.print(line.append(f"  (wanted: {row.wanted})", "dim"), soft_wrap=True)


def _origin(to: Console, found: Evaluation) -> None:
    """Say what it was made from."""
    turns = f"{found.n:,} labelled turns in {found.groups:,} groups ({found.grouped_by})"
    more = [f"{found.unsure:,} unsure left out"] if found.unsure else []
    more += [f"{found.unread:,} lines not read"] if found.unread else []
    more += [f"{found.duplicates:,} twice"] if found.duplicates else []
    lines = [
        f"data         {', '.join(found.data)}",
        f"turns        {'; '.join([turns, *more])}",
        f"model        {found.model or 'none asked'}",
        f"calibration  {found.calibration or 'none'}"
        + (", cross-fitted here" if found.cross_fitted else ""),
        f"intervals    95 %, {found.draws:,} draws of whole groups",
        *found.notes,
    ]
    for line in lines:
        to.print(Text(visible(line), style="dim"), soft_wrap=True)


def _judges(to: Console, judges: Sequence[Judge]) -> None:
    table(
        to,
        ("", "finds %", "nudges wrongly %", "of its nudges right %"),
        [
            (
                judge.name,
                percent(judge.recall, unit=""),
                percent(judge.wrong, unit=""),
                percent(judge.right, unit=""),
            )
            for judge in judges
        ],
    )
    ranked = [judge for judge in judges if judge.ranked]
    if not ranked:
        return
    to.print()
    table(
        to,
        ("as a ranking", "AUC", "average precision"),
        [
            (judge.name, _number(judge, "auc"), _number(judge, "average_precision"))
            for judge in ranked
        ],
    )
    to.print()
    table(
        to,
        ("most % nudged wrongly: finds %", *(judge.name for judge in ranked)),
        [
            (
                f"{100 * float(limit):g}",
                *(percent(judge.recall_at[limit], unit="") for judge in ranked),
            )
            for limit in ranked[0].recall_at
        ],
    )


def _number(judge: Judge, name: str) -> str:
    found = judge.auc if name == "auc" else judge.average_precision
    return number(found) if found else NONE


def _scores(to: Console, found: Evaluation) -> None:
    columns = [("all turns", found.scores), ("residue", found.residue_scores)]
    shown = [(name, scores) for name, scores in columns if scores is not None]
    if not shown:
        return
    section(to, "probabilities")
    rows = zip(*[_column(scores) for _, scores in shown], strict=True)
    table(
        to,
        ("", *(name for name, _ in shown)),
        [(same[0][0], *(cell for _, cell in same)) for same in rows],
    )
    if found.risk_coverage is not None:
        area = plain(found.risk_coverage.area, digits=4)
        to.print(Text(f"{GAP}area under the risk-coverage curve {area}"))
    if found.drift is not None:
        psi, limit = plain(found.drift.psi), plain(found.drift.limit)
        to.print(
            Text(f"{GAP}drift of the residue since the fit: PSI {psi}, chance gives {limit}"),
            soft_wrap=True,
        )


def _column(scores: Scores) -> list[tuple[str, str]]:
    return [
        ("log loss", number(scores.log_loss)),
        ("log loss of the base rate", number(scores.log_loss_base)),
        ("Brier score", number(scores.brier, digits=4)),
        ("Brier of the base rate", number(scores.brier_base, digits=4)),
        ("Brier: miscalibration", number(scores.miscalibration, digits=4)),
        ("Brier: discrimination", number(scores.discrimination, digits=4)),
        ("Brier: uncertainty", number(scores.uncertainty, digits=4)),
        ("calibration error", number(scores.ece)),
        ("its noise, 95 %", plain(scores.ece_floor)),
        ("calibration slope", number(scores.slope, digits=2)),
        ("calibration intercept", number(scores.intercept, digits=2)),
        ("Spiegelhalter's z", plain(scores.spiegelhalter_z, digits=2)),
    ]


def _slices(to: Console, slices: Sequence[Slice]) -> None:
    for by in dict.fromkeys(each.by for each in slices):
        mine = [each for each in slices if each.by == by]
        shown = [each for each in mine if not _hidden(each)]
        section(to, f"by {by}")
        table(
            to,
            (by, "turns", "deserve", "finds %", "wrongly %", "AUC"),
            [
                (
                    each.name,
                    f"{each.n:,}",
                    f"{each.yes:,}",
                    percent(each.recall, unit=""),
                    percent(each.wrong, unit=""),
                    number(each.auc, digits=2),
                )
                for each in shown
            ],
        )
        if hidden := len(mine) - len(shown):
            turns = sum(each.n for each in mine if _hidden(each))
            to.print(Text(f"{GAP}and {hidden:,} with too few turns ({turns:,})", style="dim"))


def _hidden(each: Slice) -> bool:
    return each.recall.value is None and each.wrong.value is None


def _detectors(rows: Sequence[DetectorRow]) -> tuple[Sequence[str], list[Sequence[str]]]:
    return ("", "points to", "fired", "rightly %", "settled", "rightly %"), [
        (
            row.detector,
            row.points_to,
            f"{row.fired:,}",
            percent(row.right, unit=""),
            f"{row.settled:,}",
            percent(row.settled_right, unit=""),
        )
        for row in rows
    ]


def _mistakes(to: Console, found: Sequence[Mistake]) -> None:
    if not found:
        return
    section(to, "worst mistakes")
    for each in found:
        kind = "missed stop " if each.right else "wrong nudge "
        by = f"by {each.by}" if each.by else f"probability {share(each.probability)}"
        reason = f", labelled {each.reason}" if each.reason else ""
        line = Text(GAP).append(kind, "yellow" if each.right else "red")
        line.append(one_line(f"{each.turn}  {each.harness}  {by}{reason}"))
        to.print(line, soft_wrap=True)
        for name, text in (("asked", each.request), ("ended", each.reply)):
            if text:
                to.print(Text(f"{GAP * 2}{name}: {one_line(text)[-300:]}", "dim"), soft_wrap=True)


def _times(to: Console, found: Evaluation) -> None:
    pairs = (("sieve", found.timings.sieve), ("model", found.timings.model))
    told = [f"{name} {pair[0]:.3g} ms (95 %: {pair[1]:.3g})" for name, pair in pairs if pair]
    if told:
        to.print(Text(f"\ntime a turn, median: {' · '.join(told)}", style="dim"), soft_wrap=True)
