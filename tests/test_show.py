"""What people read: the table at every width, the summary, the explanation; nothing acts."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from auditor import explanation, progress, show, show_summary
from auditor.audit import Audit, audit
from auditor.events import Unread
from auditor.glimpse import one_line, redacted, visible
from auditor.policy import Action
from auditor.signals import Signal
from auditor.summary import Problem, Summary
from auditor.turn import RequestKind, Turn, Verdict
from tests.words import call, result, say, turn

UNFINISHED = Signal(0.9, Verdict.UNFINISHED, "saw it end on a colon:", settles=True)


def audited(verdict: Verdict | None = Verdict.UNFINISHED, **more: object) -> Audit:
    fields = {
        "turn": "0f3c-turn-1", "session": "0f3c", "harness": "claude-code", "model": None,
        "parent": None, "request_kind": RequestKind.HUMAN, "started": None, "ended": None,
        "verdict": verdict, "opinion": "settled" if verdict else "residue",
        "by": "dangling_ending" if verdict else None, "probability": None, "score": 0.95,
        "would_nudge": verdict is Verdict.UNFINISHED,
        "decision": Action.LOG if verdict is Verdict.UNFINISHED else Action.SILENT,
        "reason": "observing only", "remedy": None, "signals": {"dangling_ending": UNFINISHED},
    }  # fmt: skip
    return Audit(**(fields | more))  # type: ignore[arg-type]


def printed(what: object, *parts: object, width: int = 100) -> str:
    file = io.StringIO()
    what(Console(file=file, width=width, no_color=True, markup=False, highlight=False), *parts)  # type: ignore[operator]
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


ROWS = [
    show.row(turn(say("I have read both files. Now I will change the second one:")), audited()),
    show.row(
        turn(call("bash", command="make"), result("ok")),
        audited(Verdict.STUCK, by="repeated_error", signals={"repeated_error": UNFINISHED}),
    ),
    show.row(
        turn(say("全部完成了。需要我继续吗？")),
        audited(Verdict.AWAITING_USER, by="offer", signals={"offer": UNFINISHED}),
    ),
    show.row(turn(say("All done.")), audited(None, signals={})),
]

AT_100 = """\
  when  harness      session  turn      verdict        by               end of the reply
▶ —     claude-code  0f3c     …-turn-1  unfinished     dangling_ending  …will change the second one:
  —     claude-code  0f3c     …-turn-1  stuck          repeated_error   [saw it end on a colon:]
  —     claude-code  0f3c     …-turn-1  awaiting_user  offer            全部完成了。需要我继续吗？
  —     claude-code  0f3c     …-turn-1  residue        —                All done.
▶ a nudge would be right · why: auditor scan --explain TURN"""

AT_60 = """\
  when  turn      verdict        end of the reply
▶ —     …-turn-1  unfinished     …ill change the second one:
  —     …-turn-1  stuck          [saw it end on a colon:]
  —     …-turn-1  awaiting_user  全部完成了。需要我继续吗？
  —     …-turn-1  residue        All done.
▶ a nudge would be right · why: auditor scan --explain TURN"""


@pytest.mark.parametrize(("width", "golden"), [(100, AT_100), (60, AT_60)])
def test_the_table_is_as_written_here(width: int, golden: str) -> None:
    assert printed(show.table, ROWS, width=width).rstrip() == golden


@pytest.mark.parametrize("width", [20, 40, 80, 120, 200])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    long = show.row(turn(say("一" * 300)), audited(harness="h" * 99, model="m" * 99))
    lines = printed(show.table, [*ROWS, long], width=width).splitlines()
    assert all(cell_len(line) <= width for line in lines[:-1])


def test_no_rows_no_table() -> None:
    assert printed(show.table, []) == ""


HOSTILE = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e[bold]x[/bold] :smile: \x00end"


def test_nothing_in_a_transcript_acts_on_the_terminal_or_as_markup() -> None:
    subject = turn(
        call("b\x1b[1mash", command=HOSTILE), result("ok"), say(HOSTILE), request=HOSTILE
    )
    found = redacted(
        audited(
            turn=HOSTILE, session=HOSTILE, harness=HOSTILE, model=HOSTILE,
            signals={"dangling_ending": Signal(0.5, Verdict.UNFINISHED, HOSTILE)},
        )
    )  # fmt: skip
    summary = Summary()
    summary.count(found)
    summary.count_unread(Unread(HOSTILE, 1), Path(HOSTILE.replace("/", "").replace("\x00", "")))
    summary.unreadable.append(Problem(HOSTILE, HOSTILE))
    texts = [
        printed(show.table, [show.row(subject, found)], width=300),
        printed(explanation.explain, subject, found, Path("x\x1b")),
        printed(show_summary.summary, summary),
    ]
    for text in texts:
        assert not set(text) & set("\x1b\x07\x9b\x00\u202e")
        assert "[bold]x[/bold] :smile:" in text


def test_visible_keeps_lines_and_shows_controls() -> None:
    assert visible("a\tb\nc") == "a\tb\nc"
    assert visible("a\x1bb\x7f\x85\ud800") == "a␛b␡\ufffd\ufffd"
    assert one_line(" a\n\tb \r c") == "a b c"


def test_explain_says_what_settled_it_and_what_held_it_back() -> None:
    subject = turn(
        call("bash", command="make"), result("no", failed=True), say("Now I will fix it:"),
        request="build it",
    )  # fmt: skip
    text = printed(explanation.explain, subject, audited(remedy="continue"), Path("/x/y.jsonl"))
    for expected in (
        "turn 0f3c-turn-1", "in /x/y.jsonl", "build it", '(failed) bash {"command":"make"}',
        "Now I will fix it:", "dangling_ending: points to unfinished, strength 0.90, settles",
        "saw it end on a colon:", "unfinished, settled by dangling_ending",
        "held back: observing only", "remedy: continue", "finish reason: stop",
    ):  # fmt: skip
        assert expected in text


def test_explain_says_why_nothing_settled() -> None:
    two = {
        "a": UNFINISHED,
        "b": Signal(0.9, Verdict.FINISHED, "x", settles=True),
    }
    subject = turn(say("x"))
    disagree = printed(explanation.explain, subject, audited(None, signals=two), Path("x"))
    assert "none: proofs of one stage disagree" in disagree
    silent = printed(explanation.explain, subject, audited(None, signals={}), Path("x"))
    assert "none: no signal proves a verdict" in silent


def counted(*turns: Turn) -> Summary:
    summary = Summary(files=2)
    for each in turns:
        summary.count(audit(each))
    return summary


def test_the_summary_counts_everything() -> None:
    summary = counted(turn(call("bash"), result("ok"), model="m1"), turn(say("Shall I?")))
    summary.count_unread(Unread("malformed JSON", 7), Path("a.jsonl"))
    summary.count_unread(Unread("malformed JSON", 9), Path("a.jsonl"))
    summary.unreadable.append(Problem("b", "Permission denied"))
    summary.ignored = 3
    summary.store, summary.stored = "s.db", 2
    text = printed(show_summary.summary, summary)
    for expected in (
        "2 turns in 2 files; 1 would-be nudges (50.0 %)", "unfinished 1", "2 × malformed JSON",
        "first at a.jsonl:7", "b: Permission denied", "3 other files", "2 new audits in s.db",
        "m1", "50.0 %",
    ):  # fmt: skip
        assert expected in text


def test_an_undefined_share_is_a_dash() -> None:
    assert "0 turns in 0 files; 0 would-be nudges (—)" in printed(show_summary.summary, Summary())


def test_the_bar_shows_nothing_where_there_is_no_terminal() -> None:
    file = io.StringIO()
    with progress.Bar(Console(file=file), 10) as bar:
        bar.advance(turns=1, size=10)
    assert file.getvalue() == ""


def test_the_bar_shows_long_work_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SLOW", 0.0)
    file = io.StringIO()
    with progress.Bar(Console(file=file, force_terminal=True, width=80), 10) as bar:
        bar.advance(turns=1234, size=5)
        bar.advance(turns=0, size=0)
    assert "1,234 turns" in file.getvalue()
