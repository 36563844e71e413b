"""The screen on which turns are labelled: one turn, one question, single keys.

Owns what is drawn and what a key does. Shows what the agent did and said, never what we think of it
nor what came next. What comes from a transcript is made visible and is never read as mark-up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text as Line

from auditor.glimpse import visible
from auditor.labelling.keys import DOWN, END, ENTER, ESCAPE, UP, Keys
from auditor.labelling.sitting import Item, Sitting
from auditor.labels import Nudge, Reason

QUESTION = "Would a nudge to continue have been right here?"

ANSWERS = {"y": Nudge.YES, "n": Nudge.NO, "u": Nudge.UNSURE}

REASONS = {
    "1": (Reason.ANNOUNCED, "announced something and did not do it"),
    "2": (Reason.PARTIAL, "did a part and stopped"),
    "3": (Reason.WAITING, "waits for something outside: a job, a build, a service"),
    "4": (Reason.DEFERRED, "put the rest off on purpose"),
    "5": (Reason.ASKED, "asked the user, or offers more"),
    "6": (Reason.DONE, "is done"),
    "7": (Reason.ERROR, "stopped on an error"),
    "8": (Reason.OTHER, "something else"),
}

KEYS = "y yes · n no · u unsure · s skip · z undo · space more · ? help · q quit"
REASON_KEYS = "1-8 why · Esc back"

HELP = """\
You see one turn: what the user asked for, what the agent did, how its reply ends.

A nudge is one short message, "continue", sent without anything else from the user.

y  It would have been right: work that was asked for is undone, can be done now, and nothing
   reserves it for the user.
n  It would have been wrong: the work is done; the agent asks, offers or needs something; it waits
   for a job; or the rest was put off on purpose.
u  You cannot tell from this.

Then say why, with one digit. The answer is kept at once.

s  skip: the turn comes again another time      z  undo: answer the turn before anew
space, arrows  page through a long turn          q  quit; the next sitting goes on here

Some turns come a second time, days later: so one learns how steady the answers are.
Nothing on this screen says what the auditor thinks, and nothing what came next: that is meant.
"""

PLAIN = 6
"""Lines around a page: head, place, and the question and the keys, which may take two each."""

LEAST_LINES, LEAST_COLUMNS = 4, 20
"""Lines of a turn and columns that are used on however small a terminal (a guess)."""


class Screen:
    """A sitting on a console, driven by keys."""

    def __init__(self, sitting: Sitting, keys: Keys, to: Console) -> None:
        self._sitting, self._keys, self._to = sitting, keys, to
        self._page = 0
        self._said = ""

    def run(self) -> int:
        """Ask until all is answered or the person leaves; give how many turns were answered."""
        while (item := self._sitting.item) is not None:
            self._draw(item, QUESTION, KEYS)
            if not self._press(item, self._key()):
                break
        return len(self._sitting.answered)

    def _press(self, item: Item, key: str) -> bool:
        """Do what a key means; False: leave."""
        self._said = ""
        match key:
            case "q" | "":
                return False
            case "y" | "n" | "u":
                return self._because(item, ANSWERS[key])
            case "s":
                self._sitting.skip()
                self._page = 0
            case "z":
                back = self._sitting.undo()
                self._page = 0
                self._said = (
                    "answer it anew; the old answer counts until you do"
                    if back
                    else ("nothing to undo: this is the first turn of the sitting")
                )
            case "?" | "h":
                return self._help()
            case " " | "j" if self._keys.live:
                self._page += 1
            case _ if key in (ENTER, DOWN):
                self._page += 1
            case _ if key in (UP, "k", "b"):
                self._page = max(0, self._page - 1)
            case _:
                self._said = f"{_named(key)} is no key here; ? says which are"
        return True

    def _because(self, item: Item, nudge: Nudge) -> bool:
        """Ask why, and keep the answer."""
        while True:
            self._draw(item, f"{nudge.value}, because the agent …", REASON_KEYS, reasons=True)
            key = self._key()
            if key in REASONS:
                self._sitting.answer(nudge, REASONS[key][0], time.time())
                self._page = 0
                return True
            if key in (END, "q"):
                return False
            if key in {ESCAPE, "z"}:
                return True
            self._said = f"{_named(key)} is no reason; 1 to 8 are"

    def _help(self) -> bool:
        if self._keys.live:
            self._to.clear()
        self._to.print(Line(HELP))
        if self._keys.live:
            self._to.print(Line("any key: back", style="dim"), end="")
            return self._keys.next() != END
        return True

    def _key(self) -> str:
        key = self._keys.next()
        return key.lower() if len(key) == 1 else key

    def _draw(self, item: Item, question: str, keys: str, *, reasons: bool = False) -> None:
        width = max(self._to.width, LEAST_COLUMNS)
        foot = [
            part
            for line in _foot(question, keys, reasons=reasons)
            for part in self._cut(line, width)
        ]
        shown, more = self._shown(self._sections(item, width), len(foot) + 2)
        if self._keys.live:
            self._to.clear()
        elif reasons:
            shown, more = [], ""  # what is scripted has shown the turn already
        self._to.print(self._head(), no_wrap=True, overflow="ellipsis", style="dim")
        for line in [*shown, Line(more, style="dim"), *foot[:-1]]:
            self._to.print(line, no_wrap=True, overflow="crop")
        self._to.print(foot[-1], no_wrap=True, end="" if self._keys.live else "\n")

    def _sections(self, item: Item, width: int) -> list[list[Line]]:
        """Make the parts of a turn, each a title and indented lines; all are safe to print."""
        found = []
        for title, text in _parts(item):
            lines = [
                Line("  ") + part
                for line in _safe(text).split("\n")
                for part in self._cut(Line(line), width - 2)
            ]
            found.append([Line(title, style="bold cyan"), *lines, Line("")])
        return found

    def _cut(self, line: Line, width: int) -> list[Line]:
        return list(line.wrap(self._to, width)) or [Line("")]

    def _head(self) -> Line:
        sitting = self._sitting
        left = f"turn {sitting.place + 1} of {sitting.total} · {len(sitting.answered)} answered"
        return Line(left + (f" · {self._said}" if self._said else ""))

    def _shown(self, sections: list[list[Line]], foot: int) -> tuple[list[Line], str]:
        """Choose the lines for the room there is, and say what more there is.

        Of a turn that is too long, first the middle of it is left out, then it is paged whole.
        """
        body = [line for section in sections for line in section]
        room = max(self._to.height - foot, LEAST_LINES)
        if not self._keys.live or len(body) <= room:
            return body, ""
        pages = max(self._to.height - PLAIN, LEAST_LINES)  # the same while it is asked why
        last = -(-len(body) // pages)
        self._page = min(self._page, last)
        if not self._page:
            return _brief(sections, room), "shortened · space: all of it"
        page = body[(self._page - 1) * pages :][: min(room, pages)]
        where = f"page {self._page} of {last}"
        return page, where + (" · space: more" if self._page < last else " · k: back")


def _brief(sections: list[list[Line]], room: int) -> list[Line]:
    """Shorten a turn: heads of its parts, but the end of its reply and of what was done."""
    *others, reply = sections
    each = max(2, room // (2 * len(others)) - 1)
    found: list[Line] = []
    for number, section in enumerate(others):
        title, *lines = section[:-1]
        found += [title, *(lines[:each] if number == 0 else lines[-each:])]
    title, *lines = reply[:-1]
    left = max(1, room - len(found) - 1)
    return [*found[: room - 2], title, *lines[-left:]][:room]


def _foot(question: str, keys: str, *, reasons: bool) -> Iterator[Line]:
    yield Line(question, style="bold")
    if reasons:
        for key, (_, words) in REASONS.items():
            yield Line(f"  {key}  {words}")
    yield Line(keys, style="dim")


def _parts(item: Item) -> Iterator[tuple[str, str]]:
    yield "request", item.text.request or "(not recorded)"
    yield "what was done", item.text.activity or "(no tools used)"
    if item.todos:
        yield "to-dos", item.todos
    yield "end of the reply", item.text.reply or "(no text)"


def _safe(text: str) -> str:
    return visible(text).expandtabs(4)


def _named(key: str) -> str:
    return "this" if key in (ENTER, ESCAPE, UP, DOWN) else f"{_safe(key)!r}"
