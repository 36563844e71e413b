"""The screen: what it shows, what it hides, what keys do, on terminals of every size."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from msgspec import structs
from rich.console import Console

from auditor.labelling.drawing import Queue
from auditor.labelling.keys import DOWN, END, ENTER, ESCAPE, UP, Lines
from auditor.labelling.screen import REASONS, Screen
from auditor.labelling.sitting import Sitting, sitting
from auditor.labels import Nudge, Reason
from auditor.store import Store
from auditor.turn import Turn
from tests.labelling_words import DAY, filled, nudge, report
from tests.words import call, result, say, todo

NOW = 100 * DAY


class Pressed:
    """Keys that a person would press; notes the screen before each."""

    live = True

    def __init__(self, keys: list[str], out: io.StringIO) -> None:
        self._keys, self._out = keys, out
        self.screens: list[str] = []

    def next(self) -> str:
        self.screens.append(self._out.getvalue().rsplit("\x1b[2J", 1)[-1])
        return self._keys.pop(0) if self._keys else END


def press(
    path: Path, *keys: str, width: int = 80, height: int = 40
) -> tuple[Pressed, Sitting, list[Nudge]]:
    out = io.StringIO()
    with Store(path) as store:
        queues = [Queue.CERTIFICATION]
        person = Sitting(store, sitting(store, queues, rater="me", limit=20, now=NOW), "me")
        pressed = Pressed(list(keys), out)
        console = Console(
            file=out, force_terminal=True, width=width, height=height, highlight=False, emoji=False
        )
        Screen(person, pressed, console).run()
        return pressed, person, [label.nudge for label in store.labels()]


@pytest.fixture
def three(tmp_path: Path) -> Path:
    return filled(tmp_path / "a.db", *[nudge(f"s{n}", n) for n in range(3)])


def test_one_key_for_the_answer_and_one_for_the_reason(three: Path) -> None:
    pressed, person, kept = press(three, "y", "1", "N", "6", "u", "8")
    assert kept == [Nudge.YES, Nudge.NO, Nudge.UNSURE]
    assert [label.reason for label in person.answered.values()] == [
        Reason.ANNOUNCED,
        Reason.DONE,
        Reason.OTHER,
    ]
    assert "turn 1 of 3 · 0 answered" in pressed.screens[0]
    assert "turn 3 of 3 · 2 answered" in pressed.screens[-1]


def test_every_reason_has_a_key() -> None:
    assert [reason for reason, _ in REASONS.values()] == list(Reason)


def test_it_shows_the_turn_and_nothing_of_what_we_think(tmp_path: Path) -> None:
    one = structs.replace(nudge("s1", 7), todos=(todo("write tests"),))
    path = filled(tmp_path / "a.db", one, probability=0.875, calibration="cal-x")
    pressed, _, _ = press(path, "y")
    for screen in pressed.screens:
        for seen in ("Fix part 7", "read", "a.py", "Now I'll run the tests:", "to-dos open"):
            assert seen in screen, seen
        for hidden in ("unfinished", "announced_action", "settled", "87", "cal-x", "certification"):
            assert hidden not in screen.lower(), hidden


def test_no_reason_no_answer(three: Path) -> None:
    assert press(three, "y", "q")[2] == []
    assert press(three, "y")[2] == []
    pressed, person, kept = press(three, "y", ESCAPE, "n", "x", "6")
    assert kept == [Nudge.NO]
    assert person.place == 1
    assert "'x' is no reason; 1 to 8 are" in pressed.screens[-2]


def test_skip_undo_and_an_unknown_key(three: Path) -> None:
    pressed, person, kept = press(three, "z", "s", "k", "y", "1", "z", "n", "6", "w")
    assert "nothing to undo" in pressed.screens[1]
    assert "answer it anew" in pressed.screens[6]
    assert "'w' is no key here" in pressed.screens[-1]
    assert kept == [Nudge.YES, Nudge.NO]
    assert person.place == 2


def test_help_says_what_a_nudge_is_and_comes_back(three: Path) -> None:
    pressed, person, _ = press(three, "?", " ", "q", height=50)
    assert 'one short message, "continue"' in pressed.screens[1]
    assert "Would a nudge to continue have been right here?" in pressed.screens[2]
    assert person.place == 0


LONG = "\n".join(f"line {number} of the reply" for number in range(45)) + "\nNow I'll go on:"


def test_a_long_turn_is_shortened_to_its_ends_and_then_pages(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.db", _saying(LONG))
    pressed, _, kept = press(path, " ", DOWN, ENTER, UP, "y", "1", height=20)
    first, second = pressed.screens[:2]
    for seen in ("Fix part 0", "a", "line 44", "Now I'll go on:", "shortened · space: all of it"):
        assert seen in first, seen
    assert "line 2 of" not in first
    assert "page 1 of" in second
    assert "line 2 of" in second
    assert "line 44" not in second
    pages = [int(screen.split("page ")[1].split()[0]) for screen in pressed.screens[1:5]]
    assert pages == [1, 2, 3, 2]
    assert "page 2 of" in pressed.screens[5], "the page stays while it is asked why"
    assert kept == [Nudge.YES], "answers count on every page"


def test_the_last_page_is_the_last_and_nothing_is_lost(tmp_path: Path) -> None:
    pressed, _, _ = press(filled(tmp_path / "a.db", _saying(LONG)), *[" "] * 30, height=20)
    assert "Now I'll go on:" in pressed.screens[-1]
    assert "k: back" in pressed.screens[-1]
    seen = "".join(pressed.screens[1:])
    assert all(f"line {number} of the reply" in seen for number in range(45))


def test_a_turn_that_fits_is_shown_whole(tmp_path: Path) -> None:
    pressed, _, _ = press(filled(tmp_path / "a.db", _saying(LONG)), height=70)
    assert all(f"line {number} of the reply" in pressed.screens[0] for number in range(45))
    assert "shortened" not in pressed.screens[0]


def _saying(text: str) -> Turn:
    return structs.replace(nudge("s1"), parts=(call("read", path="a"), result("…"), say(text)))


@pytest.mark.parametrize(("width", "height"), [(20, 10), (40, 12), (80, 24), (200, 60), (1, 1)])
def test_it_fits_on_terminals_of_every_size(tmp_path: Path, width: int, height: int) -> None:
    text = (
        "a very long word " + "x" * 300 + " 日本語のとても長い文章です " * 5 + "\nNow I'll go on:"
    )
    path = filled(tmp_path / "a.db", _saying(text))
    pressed, _, kept = press(path, " ", " ", "y", "1", width=width, height=height)
    assert kept == [Nudge.YES]
    if height >= 12:
        assert all(screen.count("\n") < height for screen in pressed.screens[:3])


def test_control_characters_and_mark_up_do_nothing(tmp_path: Path) -> None:
    bad = "\x1b[2J\x1b]0;title\x07 [bold red]not red[/] [/nothing] :warning: \u202eevil\n\tNow I'll go:"  # noqa: E501
    one = structs.replace(_saying(bad), request="\x1b[31mred\x9b31m")
    pressed, _, _ = press(filled(tmp_path / "a.db", one))
    screen = pressed.screens[0]
    assert "[bold red]not red[/] [/nothing] :warning:" in screen
    assert "␛[2J" in screen
    assert not {"\x07", "\x9b", "\u202e", "\t"} & set(screen)
    assert "\x1b]0" not in screen


def test_lines_for_scripts(three: Path) -> None:
    out = io.StringIO()
    with Store(three) as store:
        items = sitting(store, [Queue.CERTIFICATION], rater="me", limit=20, now=NOW)
        person = Sitting(store, items, "me")
        keys = Lines(io.StringIO("yes\n1\n\n n\n6\nfoo\n"))
        assert Screen(person, keys, Console(file=out, width=100)).run() == 2
    said = out.getvalue()
    assert "\x1b" not in said
    assert "is no key here" in said
    assert said.count("end of the reply") >= 2


def test_an_empty_turn_says_so(tmp_path: Path) -> None:
    one = structs.replace(report("s1"), parts=(), request="", finish=None)
    pressed, _, _ = press(filled(tmp_path / "a.db", one, would_nudge=True))
    assert "(no text)" in pressed.screens[0]
    assert "(no tools used)" in pressed.screens[0]
    assert "(not recorded)" in pressed.screens[0]
