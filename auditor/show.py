"""Audits and summaries for people: tables and lists.

With `explanation` and `progress` the only module that uses rich. What comes out of a transcript is
redacted and safe to print when it gets here, or is made so here, and is never read as mark-up.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import IO

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from auditor.audit import Audit
from auditor.glimpse import one_line, tail, visible
from auditor.redact import redact
from auditor.store import Stats
from auditor.summary import Share, Summary
from auditor.turn import NUDGEABLE, Turn, Verdict

WIDTH = 120
"""Columns where the output is no terminal (a guess)."""

TEXT_WIDTH = 24
"""Columns that the end of the reply gets at least; other columns give way for it (a guess)."""

REPLY = 200
"""Characters of the reply's end that a row is made from: more than a line has (a guess)."""

TOP = 8
"""Lines of one list of the summary; the rest is counted (a guess)."""

NONE = "—"
STYLE = {
    Verdict.UNFINISHED: "yellow",
    Verdict.STUCK: "red",
    Verdict.AWAITING_USER: "cyan",
    Verdict.WAITING: "blue",
    Verdict.FINISHED: "green",
}
_WIDEST = {"when": 16, "harness": 14, "session": 8, "turn": 8, "verdict": 13, "by": 26}
_GIVE_WAY = ("harness", "session", "by")


class Row(Struct, frozen=True):
    """One line of the table; every text is safe to print. `seen` stands where there is no reply."""

    nudge: bool
    verdict: Verdict | None
    cells: dict[str, str]
    reply: str
    seen: str


def console(file: IO[str], *, plain: bool = False) -> Console:
    """Make a console; `plain` for a file, which has no width and no colours."""
    width = WIDTH if plain or not file.isatty() else None
    return Console(
        file=file, width=width, no_color=plain or None, highlight=False, markup=False, emoji=False
    )


def row(turn: Turn, audit: Audit) -> Row:
    """Make the line of one turn. A turn without a reply shows what its strongest signal saw."""
    strongest = max(audit.signals, key=lambda name: audit.signals[name].strength, default=None)
    seen = audit.by or strongest
    return Row(
        audit.would_nudge,
        audit.verdict,
        {
            "when": clock(audit.ended or audit.started),
            "harness": one_line(audit.harness),
            "session": _short(audit.session),
            "turn": _short(audit.turn),
            "verdict": audit.verdict or "residue",
            "by": seen or NONE,
        },
        one_line(tail(turn, REPLY)),
        one_line(redact(audit.signals[seen].evidence)) if seen else "",
    )


def table(to: Console, rows: Iterable[Row]) -> None:
    """Print the rows under a head, in the width there is."""
    rows = list(rows)
    if not rows:
        return
    widths = _widths(rows, to.width)
    rest = max(to.width - sum(width + 2 for width in widths.values()) - 2, 1)
    head = "  " + "".join(set_cell_size(name, width) + "  " for name, width in widths.items())
    to.print(Text(head + "end of the reply"[:rest], style="dim"), no_wrap=True, overflow="crop")
    for line in rows:
        to.print(_line(line, widths, rest), no_wrap=True, overflow="crop")
    to.print(Text("▶ a nudge would be right · why: auditor scan --explain TURN\n", style="dim"))


def _line(line: Row, widths: dict[str, int], rest: int) -> Text:
    text = Text().append("▶ " if line.nudge else "  ", "bold yellow")
    for name, width in widths.items():
        style = STYLE.get(line.verdict, "dim") if name == "verdict" and line.verdict else "dim"
        text.append(set_cell_size(line.cells[name], width) + "  ", style)
    if line.reply:
        return text.append(_end(line.reply, rest))
    return text.append(_beginning(f"[{line.seen}]", rest) if line.seen else "", "dim")


def _widths(rows: list[Row], width: int) -> dict[str, int]:
    widths = {
        name: min(widest, max(len(name), *(cell_len(line.cells[name]) for line in rows)))
        for name, widest in _WIDEST.items()
    }
    for name in _GIVE_WAY:
        if width - sum(column + 2 for column in widths.values()) - 2 >= TEXT_WIDTH:
            break
        del widths[name]
    return widths


def _end(text: str, width: int) -> str:
    """The last columns of a text, whatever its script."""
    if cell_len(text) <= width:
        return text
    while cell_len(text) > width - 1:
        text = text[max(1, (cell_len(text) - width) // 2) :]
    return "…" + text


def _beginning(text: str, width: int) -> str:
    """The first columns of a text."""
    return text if cell_len(text) <= width else set_cell_size(text, max(width - 1, 0)) + "…"


def _short(name: str) -> str:
    """The part of an id that tells it apart: all of a short one, the end of a long one."""
    name = one_line(name)
    return name if len(name) <= 8 else "…" + name[-7:]


def clock(when: float | None) -> str:
    """Write a moment in local time."""
    if when is None:
        return NONE
    try:
        return datetime.fromtimestamp(when).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return NONE  # no moment that a calendar has: milliseconds taken for seconds


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f} %"


def wants_attention(audit: Audit) -> bool:
    """Whether the table shows the turn when nobody asked for others."""
    return audit.would_nudge or audit.verdict in NUDGEABLE


def beginning(to: Console, found: Summary) -> None:
    """Say so when the examples were scanned."""
    if found.demo:
        to.print(
            "No transcripts in the default places of the harnesses, so these are the bundled"
            " examples.\nYours: auditor scan PATH\n"
        )


def more(to: Console, left: int) -> None:
    """Say how to see what the table left out, and how to look closer."""
    if left > 0:
        to.print(Text(f"and {left:,} more: --only nudge, --only stuck or --only all", style="dim"))


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
    if found.store:
        to.print(Text(f"store     {found.stored:,} new audits in {visible(found.store)}"))
    if found.interrupted:
        to.print(Text("Interrupted: the counts above are what was done until then."))


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
    to.print(f"texts {found.texts:,} (auditor store purge deletes them)")
    _counts(to, "verdicts", found.verdicts)
