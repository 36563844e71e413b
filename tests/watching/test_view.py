"""What a watcher shows: the screen, the lines, and that nothing of a transcript acts on either."""

from __future__ import annotations

import io
import os
import pty
import time
from contextlib import suppress
from pathlib import Path

import pytest
from rich.console import Console

from auditor.live.settings import DEFAULTS
from auditor.live.situation import Doing
from auditor.turn import Verdict
from auditor.watching import view
from auditor.watching.board import HAPPENINGS, SESSIONS, Board, Happening, Kind, Seen
from auditor.watching.face import LINE, Face

NOW = 1_000_000.0


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def board() -> Board:
    made = Board("observe", NOW - 7200)
    made.happened(
        Kind.LINK, "connected: OpenCode 1.18.33, /srv/app", at=NOW - 7200, name="/srv/app"
    )
    return made


def drawn(shown: Board, width: int = 100, rows: int = view.ROWS) -> list[str]:
    file = io.StringIO()
    to = Console(file=file, width=width, highlight=False, markup=False, emoji=False)
    to.print(view.screen(shown, NOW, rows))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_the_screen() -> None:
    shown = board()
    shown.saw(
        Seen(
            session="ses_1",
            at=NOW - 70,
            title="Fix the parser",
            doing=Doing.IDLE,
            verdict=Verdict.UNFINISHED,
            reason="clipped_ending",
            due=NOW + 12,
            nudges=2,
        )
    )
    shown.saw(Seen(session="ses_2", at=NOW, doing=Doing.BUSY, reason="a tool runs"))
    shown.saw(Seen(session="ses_3", at=NOW, doing=Doing.IDLE, reason="observing only", held=True))
    shown.happened(Kind.NUDGE, "sent", at=NOW - 70, session="ses_1", name="clipped_ending")
    assert drawn(shown) == [
        "observe · 1 connection · 1 busy, 2 idle · up 2 h · Ctrl-C ends it",
        "",
        "   session                       verdict     why                                     nudges   seen",  # noqa: E501
        "○  ses_3                         —           held: observing only                         —    0 s",  # noqa: E501
        "●  ses_2                         —           a tool runs                                  —    0 s",  # noqa: E501
        "○  Fix the parser                unfinished  in 12 s: clipped_ending                      2  1 min",  # noqa: E501
        "",
        "audits 0 · nudges 1 · aborts 0 · held back 0 · given up 0 · troubles 0",
        "11:46:40  link     connected: OpenCode 1.18.33, /srv/app",
        "13:45:30  nudge    ses_1 clipped_ending sent",
    ]


def test_an_empty_one() -> None:
    assert drawn(Board("nudge", NOW)) == [
        "nudge · 0 connections · 0 busy, 0 idle · up 0 s · Ctrl-C ends it",
        "",
        "No session yet.",
        "",
        "audits 0 · nudges 0 · aborts 0 · held back 0 · given up 0 · troubles 0",
    ]


@pytest.mark.parametrize("width", [20, 40, 80, 300])
def test_it_fits_whatever_the_width_and_however_many_sessions(width: int) -> None:
    shown = board()
    for number in range(50):
        title = f"{number} " + "長い" * 100
        shown.saw(Seen(session=f"ses_{number}", at=NOW, title=title, reason="x " * 200))
        shown.happened(Kind.HELD, "y" * 500, at=NOW, session=f"ses_{number}")
    lines = drawn(shown, width)
    assert len(lines) <= 30
    assert any("38 more ses" in line for line in lines)


@pytest.mark.parametrize(("rows", "sessions"), [(-3, 1), (0, 1), (5, 5), (100, view.ROWS)])
def test_on_a_low_screen_sessions_give_way(rows: int, sessions: int) -> None:
    shown = board()
    for number in range(50):
        shown.saw(Seen(session=f"ses_{number}", at=NOW))
    assert sum("ses_" in line for line in drawn(shown, rows=rows)) == sessions


def test_what_a_transcript_says_neither_acts_nor_tells_a_secret() -> None:
    shown = board()
    key = "sk-ant-api03-" + "A1b2C3d4" * 6
    title = f"\x1b[2J\x1b]0;x\x07[bold]{key}\r\nsecond"
    shown.saw(Seen(session="ses_1", at=NOW, title=title, reason=f"\x9b31m{key}"))
    shown.happened(Kind.TROUBLE, title, at=NOW, session="ses_\x1b[1m", name="\x00")
    everything = "\n".join(drawn(shown, 300))
    assert "second" in everything
    assert "[bold]" in everything
    assert key not in everything
    assert "<KEY>" in everything
    assert not {"\x1b", "\x07", "\x9b", "\r", "\x00"} & set(everything)


def test_elsewhere_than_on_a_terminal_every_happening_is_a_line() -> None:
    shown, file = board(), io.StringIO()
    with view.opened(shown, file):
        shown.saw(Seen(session="ses_1", at=NOW))
        shown.happened(Kind.ABORT, "a loop", at=NOW, session="ses_1", name="tool_loop")
        shown.happened(Kind.LOST, "gone\nfor good", at=NOW, name="/srv/app")
        assert file.getvalue().count("\n") == 2  # at once, not at the end
    shown.happened(Kind.ABORT, "later", at=NOW)
    assert file.getvalue() == (
        "1970-01-12 13:46:40  abort    ses_1 tool_loop a loop\n"
        "1970-01-12 13:46:40  lost     /srv/app gone for good\n"
    )
    assert shown.links == set()


def test_a_reader_who_leaves_ends_no_watch(tmp_path: Path) -> None:
    shown = board()
    ends = os.pipe()
    os.close(ends[0])
    with suppress(BrokenPipeError), os.fdopen(ends[1], "w") as file, view.opened(shown, file):
        for _ in range(3):
            shown.happened(Kind.AUDIT, "x", at=NOW)
    assert shown.counts[Kind.AUDIT] == 3
    closed = (tmp_path / "x").open("w")
    closed.close()
    view.Lines(closed)(shown.lines[-1])


def test_a_terminal_that_cannot_write_it_gets_it_spelled_out(tmp_path: Path) -> None:
    with (tmp_path / "x").open("w", encoding="ascii") as file:
        lines = view.Lines(file)
        lines(Happening(NOW, Kind.AUDIT, "fertig ✓ \ud800"))
        lines(Happening(NOW, Kind.AUDIT, "the next one"))
    first, second = (tmp_path / "x").read_text("ascii").splitlines()
    assert "fertig \\u2713" in first
    assert second.endswith("the next one")


@pytest.mark.parametrize("before", range(2 * LINE - 60, 2 * LINE + 10, 10))
def test_a_secret_that_a_line_ends_in_is_none_of_it(before: int) -> None:
    told = Board("observe", NOW)
    key = "sk-ant-api03-" + "A1b2C3d4" * 6
    Face(told, DEFAULTS, lambda: NOW).line(f"{'x ' * (before // 2)}{key}")
    assert "A1b2" not in told.lines[-1].text


def test_on_a_terminal_it_is_drawn_and_leaves_its_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = board()
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as file, view.opened(shown, file):
        shown.saw(Seen(session="ses_1", at=NOW, title="Fix the parser"))
        shown.happened(Kind.AUDIT, "x", at=NOW)
    said = ""
    with suppress(OSError):  # the end of what is read
        while piece := os.read(ours, 1 << 16):
            said += piece.decode()
    os.close(ours)
    assert "observe" in said
    assert "audits 1 · nudges 0 · aborts 0 · held back 0" in said[-120:]


def test_the_board_stays_as_small_as_it_is() -> None:
    shown = board()
    for number in range(3 * SESSIONS):
        shown.saw(Seen(session=f"ses_{number}", at=NOW))
        shown.happened(Kind.AUDIT, "x", at=NOW)
    assert [len(shown.sessions()), len(shown.lines)] == [SESSIONS, HAPPENINGS]
    assert shown.sessions()[0].session == f"ses_{3 * SESSIONS - 1}"
    assert shown.counts[Kind.AUDIT] == 3 * SESSIONS
    shown.gone("ses_nobody")
    shown.gone(shown.sessions()[0].session)
    assert len(shown.sessions()) == SESSIONS - 1


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-5, "0 s"), (0, "0 s"), (59, "59 s"), (60, "1 min"), (5400, "2 h"), (200_000, "2 d")],
)
def test_spans(seconds: float, said: str) -> None:
    assert view.span(seconds) == said
