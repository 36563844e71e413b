"""Aider's history (`.aider.chat.history.md`): `####` lines of the user, `>` lines of the tool.

Owns how Aider prints a session. Aider edits files itself after a reply and the model never hears
of it, so the edits, commits and commands of a reply are told before it: the reply stays the last
word. Its clock has no zone, so no event has a time. What is not prefixed is the model's text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.events import Event, PartAdded, TurnEnded, TurnStarted, Unread
from auditor.harness import _aider_lines as says
from auditor.harness._markdown import Fences, Line, text_lines
from auditor.turn import (
    FinishReason,
    Part,
    RequestKind,
    Text,
    ToolCall,
    ToolResult,
    TurnError,
    canonical,
)

NAME = "aider"

_BEGUN = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_MODEL = re.compile(r"(?:Main model|Models?): (\S+)")

# Commands that put a question to the model: the rest of the line is the request.
_ASKING = frozenset({"/ask", "/code", "/architect", "/context", "/help"})
# Commands that let Aider ask the model by itself, when there is something to mend.
_MENDING = frozenset({"/lint", "/test"})

# A command, or `!` and a shell's; a path is neither.
_COMMAND = re.compile(r"!|/[a-z][a-z-]*(?:\s|$)")


class _Reader:
    """Lines to events: one session, its turn under way and the reply that is being written."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.sessions: dict[str, int] = {}
        self.turns = 0
        self.model: str | None = None
        self.trimmed = False  # somebody's editor removed the two spaces that end Aider's lines
        self.asked: list[str] = []
        self.command = ""  # a command whose request is only a turn when the model answers
        self.open = False  # a turn has begun
        self.quiet = False  # what a command printed is nobody's text
        self.fences = Fences()
        self.text: list[str] = []
        self.done: list[Part] = []
        self.calls = 0
        self.awaited = False  # the model has been asked and has not reported its tokens
        self.blank = True  # the line before was blank
        self.finish: FinishReason | None = None
        self.error: TurnError | None = None

    def take(self, line: str) -> Iterator[Event]:
        """One line in, its events out."""
        blank, self.blank = self.blank, not line.strip()
        if line.startswith("# aider") and (begun := _BEGUN.match(line)):
            yield from self.end()
            self.begin(begun[1])
        elif line.startswith("####") and self.own(line) and (blank or self.asked):
            if blank:  # each message begins with a blank line, so this is not the one before
                yield from self.end()
            self.asked.append(line.removeprefix("####").removeprefix(" ").rstrip())
        elif line.startswith(">") and self.own(line):
            yield from self.say()
            self.blank = True  # a line of the tool ends whatever was before it
            yield from self.tool(line.removeprefix(">").strip())
        elif not self.blank or self.text:
            yield from self.say()
            yield from self.write(line)

    def own(self, line: str) -> bool:
        """Whether Aider wrote the prefix: its lines end in two spaces, the model's rarely do."""
        if line.startswith("> Aider v"):
            self.trimmed = not line.endswith("  ")
        known = line.startswith(("> Tokens: ", "> litellm.")) or line[2:].startswith(
            says.INTERRUPTS
        )
        return (line.endswith("  ") or self.trimmed) and (known or not self.fences)

    def begin(self, stamp: str) -> None:
        """A session begins."""
        number = self.sessions[stamp] = self.sessions.get(stamp, 0) + 1
        self.session = stamp if number == 1 else f"{stamp} ({number})"
        self.turns, self.model, self.trimmed, self.command = 0, None, False, ""
        self.quiet = True  # notices of the start

    def say(self) -> Iterator[Event]:
        """The user's lines are complete: a turn begins, or a command runs."""
        if not self.asked:
            return
        request = "\n".join(self.asked).strip()
        self.asked, self.command, self.quiet = [], "", False
        first, *rest = request.split(None, 1) or [""]
        if first in ("", "<blank>"):
            self.quiet = True
        elif first in _MENDING:
            self.command = request
        elif first in _ASKING and rest:
            yield from self.start(rest[0], RequestKind.HUMAN)
        elif _COMMAND.match(request) and first != "/ok":
            self.quiet = True
        else:
            yield from self.start(request, RequestKind.HUMAN)

    def start(self, request: str, kind: RequestKind) -> Iterator[Event]:
        """A turn begins."""
        self.turns += 1
        self.open, self.awaited, self.command = True, True, ""
        yield TurnStarted(
            session=self.session,
            turn=f"{self.session}#{self.turns}",
            harness=NAME,
            request=request,
            kind=kind,
            model=self.model,
        )

    def write(self, line: str) -> Iterator[Event]:
        """A line of the model."""
        if self.command and not self.blank:
            yield from self.start(self.command, RequestKind.COMMAND)
        if self.quiet or not self.open:
            return
        if not self.blank and not self.awaited:  # Aider asked again by itself
            yield from self.reply()
            self.awaited, self.finish = True, None
        if not self.text:
            self.error = None  # a retry that was answered is no error
        self.fences.take(line)
        self.text.append(line)

    def tool(self, line: str) -> Iterator[Event]:
        """A line of the tool."""
        if found := _MODEL.match(line):
            self.model = found[1]
        if not self.open:
            return
        error = says.error(line)
        if error or line.startswith(("Tokens: ", *says.INTERRUPTS)):
            self.fences.reset()
        if line.startswith("Tokens: "):
            self.awaited = False
            self.finish = self.finish or FinishReason.STOP
        elif line.startswith(says.INTERRUPTS):
            if self.awaited:  # else the user left the prompt
                self.finish = FinishReason.ABORTED
        elif error:
            self.error = error
        elif says.CUT.match(line):
            self.finish = FinishReason.LENGTH
        elif says.GOES_ON.match(line):
            yield from self.reply()
            self.awaited, self.finish = True, None
        else:
            self.did(line)

    def did(self, line: str) -> None:
        """Keep what the tool did, if the line tells of it."""
        for start, tool, failed in says.DONE:
            if line.startswith(start):
                self.calls += 1
                id_ = f"c{self.calls}"
                what = "" if failed else line.removeprefix(start)
                self.done.append(ToolCall(tool, canonical(what), id_, clipped=True))
                self.done.append(ToolResult(line if failed else "", id_, failed))
                return

    def reply(self) -> Iterator[Event]:
        """Say what was done, then the text that asked for it."""
        for part in self.done:
            yield PartAdded(self.session, part, None, self.model)
        if text := "\n".join(self.text).strip():
            yield PartAdded(self.session, Text(text), None, self.model)
        self.text, self.done = [], []
        self.fences.reset()

    def end(self) -> Iterator[Event]:
        """The turn under way is over, as far as its lines say how."""
        yield from self.say()
        if self.open:
            yield from self.reply()
            finish = FinishReason.ERROR if self.error else self.finish
            if finish:
                yield TurnEnded(session=self.session, finish=finish, error=self.error)
        self.open = self.awaited = False
        self.finish, self.error, self.text, self.done = None, None, [], []
        self.fences.reset()


def events(lines: Iterable[Line | Unread], session: str = NAME) -> Iterator[Event]:
    """The events of a history's lines; `session` names what stands before the first session."""
    reader = _Reader(session)
    for line in lines:
        if isinstance(line, Unread):
            yield line
        else:
            yield from reader.take(line[1])
    yield from reader.end()


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """A history begins with the start of a session."""
    return head.lstrip()[:64].startswith(b"# aider chat started at ")


def transcripts() -> Iterator[Path]:
    """The history of the working folder, of those above it, and the one the environment names."""
    named = os.environ.get("AIDER_CHAT_HISTORY_FILE")
    here = Path.cwd()
    places = [folder / ".aider.chat.history.md" for folder in (here, *here.parents, Path.home())]
    for path in dict.fromkeys([Path(named), *places] if named else places):
        if path.is_file():
            yield path


def read(path: Path) -> Iterator[Event]:
    """The events of a history file: many sessions."""
    return events(text_lines(path))
