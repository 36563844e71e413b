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
from auditor.glimpse import one_line, tail
from auditor.redact import redact
from auditor.summary import Summary
from auditor.turn import NUDGEABLE, Turn, Verdict

WIDTH = 120
"""Columns where the output is no terminal (a guess)."""

TEXT_WIDTH = 24
"""Columns that the end of the reply gets at least; other columns give way for it (a guess)."""

REPLY = 200
"""Characters of the reply's end that a row is made from: more than a line has (a guess)."""

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


class _Console(Console):
    """One whose reader may leave (`| head`): that is no error of the program's."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(file: IO[str], *, plain: bool = False) -> Console:
    """Make a console; `plain` for a file, which has no width and no colours."""
    width = WIDTH if plain or not file.isatty() else None
    return _Console(
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
            "verdict": audit.verdict or audit.opinion,
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
