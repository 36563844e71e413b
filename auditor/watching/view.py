"""What a watcher shows while it runs: a calm screen on a terminal, plain lines elsewhere.

Owns the looks. Everything comes from the board, and is made safe to print here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from auditor.live.situation import Doing
from auditor.show import NONE, STYLE, console
from auditor.watching.board import Board, Happening, Kind, Seen, shown

ROWS = 12
RECENT = 5
"""Sessions and happenings on the screen at most: half of a small one (a guess)."""

AROUND = RECENT + 7
"""Lines of the screen that are no sessions; where there are fewer, sessions give way."""

EACH = 1.0
"""Times a second that the screen is drawn: enough for seconds to count down, and calm."""

MARKS = {Doing.BUSY: "●", Doing.RETRYING: "↻", Doing.IDLE: "○", Doing.UNKNOWN: "?"}
KINDS = {
    Kind.NUDGE: "bold yellow",
    Kind.ABORT: "yellow",
    Kind.TELL: "bold red",
    Kind.TROUBLE: "red",
    Kind.LOST: "red",
}
COUNTED = {
    Kind.AUDIT: "audits",
    Kind.NUDGE: "nudges",
    Kind.ABORT: "aborts",
    Kind.HELD: "held back",
    Kind.TELL: "given up",
    Kind.TROUBLE: "troubles",
}


@contextmanager
def opened(board: Board, file: IO[str], *, plain: bool = False) -> Iterator[None]:
    """Show the board as long as the block runs; `plain`: as lines, also on a terminal."""
    to = console(file)
    if to.is_terminal and not plain:
        with Live(
            console=to,
            get_renderable=lambda: screen(board, time.time(), to.height - AROUND),
            refresh_per_second=EACH,
            transient=True,
        ):
            yield
        to.print(counters(board))
        return
    lines = Lines(file)
    board.listeners.append(lines)
    try:
        yield
    finally:
        board.listeners.remove(lines)


class Lines:
    """A line for each happening; when nobody reads them any more, none."""

    def __init__(self, file: IO[str]) -> None:
        self._file: IO[str] | None = file

    def __call__(self, happening: Happening) -> None:
        """Write the line."""
        if self._file is None:
            return
        try:
            encoding = getattr(self._file, "encoding", None) or "utf-8"
            text = plain(happening).encode(encoding, "backslashreplace").decode(encoding)
            self._file.write(text + "\n")
            self._file.flush()
        except (OSError, ValueError):  # the reader left, the disk is full: the watch goes on
            self._file = None


def plain(happening: Happening, clock: str = "%Y-%m-%d %H:%M:%S") -> str:
    """Write a happening down: when, what, where, and the words for it."""
    when = time.strftime(clock, time.localtime(happening.at))
    name = "" if happening.name in happening.text else happening.name
    words = " ".join(shown(each) for each in (happening.session, name, happening.text) if each)
    return f"{when}  {happening.kind:<7}  {words}"


def screen(board: Board, now: float, rows: int = ROWS) -> RenderableType:
    """Draw everything, with so many sessions."""
    sessions, rows = board.sessions(), min(max(rows, 1), ROWS)
    parts: list[RenderableType] = [_head(board, now)]
    if sessions:
        parts += ["", _table(sessions[:rows], now)]
        if len(sessions) > rows:
            parts.append(Text(f"  and {len(sessions) - rows:,} more sessions", "dim", no_wrap=True))
    else:
        parts += ["", Text("No session yet.", "dim")]
    parts += ["", counters(board)]
    parts += [_line(each) for each in list(board.lines)[-RECENT:]]
    return Group(*parts)


def counters(board: Board) -> Text:
    """Write the counters in a line."""
    said = " · ".join([f"{COUNTED[kind]} {board.counts[kind]:,}" for kind in COUNTED])
    return Text(said, "dim", no_wrap=True, overflow="ellipsis")


def _head(board: Board, now: float) -> Text:
    doing = board.doing()
    links = len(board.links)
    about = (
        f"{links} connection{'' if links == 1 else 's'}",
        f"{doing[Doing.BUSY] + doing[Doing.RETRYING]:,} busy, {doing[Doing.IDLE]:,} idle",
        f"up {span(now - board.started)}",
        "Ctrl-C ends it",
    )
    return Text(board.mode, "bold", no_wrap=True, overflow="ellipsis").append(
        " · " + " · ".join(about), "dim"
    )


def _table(sessions: list[Seen], now: float) -> Table:
    table = Table(box=None, expand=True, padding=(0, 2, 0, 0), header_style="dim")
    for name, ratio in (("", 0), ("session", 3), ("verdict", 0), ("why", 4)):
        table.add_column(name, ratio=ratio or None, no_wrap=True, overflow="ellipsis")
    table.add_column("nudges", justify="right", no_wrap=True)
    table.add_column("seen", justify="right", no_wrap=True)
    for seen in sessions:
        style = STYLE.get(seen.verdict, "dim") if seen.verdict else "dim"
        table.add_row(
            MARKS[seen.doing],
            Text(shown(seen.title or seen.session)),
            Text(seen.verdict or NONE, style),
            Text(_why(seen, now), "dim"),
            str(seen.nudges) if seen.nudges else NONE,
            Text(span(now - seen.at), "dim"),
        )
    return table


def _why(seen: Seen, now: float) -> str:
    due = f"in {span(seen.due - now)}: " if seen.due is not None and seen.due > now else ""
    held = "held: " if seen.held else ""
    return due + held + shown(seen.reason) if seen.reason else NONE


def _line(happening: Happening) -> Text:
    text = Text(plain(happening, "%H:%M:%S"), no_wrap=True, overflow="ellipsis")
    text.stylize(KINDS.get(happening.kind, "dim"))
    return text


def span(seconds: float) -> str:
    """Write a span of time in its largest unit."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
