"""SpecStory histories: Markdown that its extensions and CLI write of other agents' sessions.

Owns what begins and ends a turn in them; `_specstory_pieces` cuts the lines into messages and
bubbles, `_specstory_bubbles` says what a bubble is, `_specstory_words` what a header says. The
turns carry the name of the agent that worked (`cursor`, `claude-code`, `copilot` …). A history
keeps no finish reason: `finish` is None unless somebody stopped the agent.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.events import (
    Compacted,
    Event,
    PartAdded,
    PendingChanged,
    TodosChanged,
    TurnEnded,
    TurnStarted,
    Unread,
)
from auditor.harness import _specstory_words as words
from auditor.harness._markdown import Line, text_lines
from auditor.harness._specstory_bubbles import Use, bubble, todos
from auditor.harness._specstory_pieces import Cutter, Header, Named
from auditor.turn import (
    FinishReason,
    Pending,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    Todo,
    ToolCall,
    ToolResult,
    canonical,
)

NAME = "specstory"

# The result of a call that the user refused: the agent halts (Claude Code's words).
_REFUSED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "The agent proposed a plan that was rejected by the user",
    words.INTERRUPTED,
)
# A bubble that says only this is the user's stop (Cursor's "User aborted request"; else a guess).
_STOPPED = frozenset({"user aborted request", "request cancelled", "request aborted", "cancelled"})

# Tools whose answer is the user's: open while no result is printed.
_ASKS = {
    "askuserquestion": PendingKind.QUESTION,
    "askquestion": PendingKind.QUESTION,
    "exitplanmode": PendingKind.PERMISSION,
}


# Claude Code's jobs in the background: how one begins, and what tells that it is over.
_JOB = re.compile(r"Command running in background with ID: (\w+)")
_JOB_TOOLS = frozenset({"BashOutput", "TaskOutput", "KillShell", "KillBash", "TaskStop"})
_KILLERS = frozenset({"KillShell", "KillBash", "TaskStop"})
_JOB_OVER = re.compile(r"<status>(?:completed|failed|killed)</status>")


class _Reader:
    """Pieces to events: one session, and beside it the side-chains of its sub-agents."""

    def __init__(self, session: str) -> None:
        self.agent, self.session = "", session
        self.at = session  # the session that speaks: `session` or its side-chain
        self.role, self.detail = "", ""
        self.begun: dict[str, int] = {}
        self.calls = 0
        self.asked: tuple[str, list[str]] | None = None  # a request that waits to be said
        self.todos: list[Todo] = []
        self.pending: dict[str, Pending] = {}  # by the id of a job, or "" for what the user owes

    def take(self, piece: Header | Named | list[str]) -> Iterator[Event]:
        """One piece in, its events out."""
        match piece:
            case Header(role, detail):
                if role == "User" or self.role == "User":
                    yield from self.request(detail)
                self.role, self.detail = role, detail
                chain = "sidechain" in detail
                self.at = f"{self.session}/sidechain" if chain else self.session
                if role == "User":
                    self.asked = (detail, [])
            case Named(agent, session):
                yield from self.request("")
                self.agent, self.session, self.role = words.named(agent) or self.agent, session, ""
                self.at, self.todos = session, []
            case lines if self.role == "User":
                if self.asked is not None:
                    self.asked[1].extend(lines)
            case lines if self.role:
                yield from self.part(lines)

    def request(self, next_detail: str) -> Iterator[Event]:
        """Say the request that was read; the header after it may name the agent."""
        if self.asked is None:
            return
        (detail, lines), self.asked = self.asked, None
        text = "\n".join(lines).strip().removesuffix("\n---").removesuffix("---").strip()
        if not self.agent:
            self.agent = words.guessed(next_detail)
        kind = RequestKind.AGENT if self.at != self.session else RequestKind.HUMAN
        if self.agent == "claude-code" and kind is RequestKind.HUMAN:
            if text.startswith(words.INTERRUPTED):
                yield TurnEnded(session=self.at, finish=FinishReason.ABORTED)
            if text.startswith(words.SUMMARY):
                yield Compacted(self.at)
            if (said := words.claude_kind(text)) is None:
                return
            kind = said
        number = self.begun[self.at] = self.begun.get(self.at, 0) + 1
        yield TurnStarted(
            session=self.at,
            turn=f"{self.at}#{number}",
            harness=self.agent,
            request=text,
            kind=kind,
            model=words.model(next_detail),
            parent=self.session if self.at != self.session else None,
            at=words.time(detail),
        )
        yield from self.settle(text)

    def part(self, lines: list[str]) -> Iterator[Event]:
        """One bubble of the agent."""
        found = bubble(lines)
        if found is None:
            return
        yield from self.settle("")
        at, model = words.time(self.detail), words.model(self.detail)
        match found:
            case Use():
                yield from self.use(found, at, model)
            case Text(text) if text.strip("*_[]()\n. ").lower() in _STOPPED:
                yield TurnEnded(session=self.at, finish=FinishReason.ABORTED, at=at)
            case Text(text) if self.role == "Thinking" or "thinking" in self.detail:
                yield PartAdded(self.at, Reasoning(text), at, model)
            case _:
                yield PartAdded(self.at, found, at, model)

    def use(self, use: Use, at: float | None, model: str | None) -> Iterator[Event]:
        """The use of a tool: the call, its result, and what they change."""
        self.calls += 1
        id_ = f"c{self.calls}"
        called = ToolCall(use.name, canonical(use.arguments), id_, use.clipped)
        yield PartAdded(self.at, called, at, model)
        kind = _ASKS.get(use.name.lower().replace("_", ""))
        if use.output is not None and not (kind and not use.output):
            clipped = use.clipped and not use.output
            yield PartAdded(self.at, ToolResult(use.output, id_, use.failed, clipped), at)
            if use.failed and use.output.startswith(_REFUSED):
                yield TurnEnded(session=self.at, finish=FinishReason.ABORTED, at=at)
        elif kind:
            yield from self.wait("", Pending(kind, use.name))
        if job := _JOB.match(use.output or ""):
            yield from self.wait(job[1], Pending(PendingKind.BACKGROUND, str(use.arguments)))
        elif use.name in _JOB_TOOLS:
            yield from self.settle(f"{use.arguments} {use.output}", killed=use.name in _KILLERS)
        if (listed := todos(use)) is not None:
            items, amends = listed
            known = {todo.content: todo for todo in self.todos} if amends else {}
            known |= {todo.content: todo for todo in items}
            self.todos = list(known.values())
            yield TodosChanged(self.at, tuple(self.todos))

    def wait(self, key: str, what: Pending) -> Iterator[Event]:
        """Something is pending from now on."""
        self.pending[key] = what
        yield PendingChanged(self.at, tuple(self.pending.values()))

    def settle(self, said: str, *, killed: bool = False) -> Iterator[Event]:
        """The session went on: what was asked is answered, and jobs may be told to be over."""
        over = killed or _JOB_OVER.search(said)
        done = {key for key in self.pending if not key or (over and key in said)}
        if done:
            self.pending = {key: what for key, what in self.pending.items() if key not in done}
            yield PendingChanged(self.at, tuple(self.pending.values()))


def events(lines: Iterable[Line | Unread], session: str) -> Iterator[Event]:
    """The events of a history's lines; `session` names it where no comment does."""
    reader = _Reader(session)
    for piece in Cutter(lines).pieces():
        if isinstance(piece, Unread):
            yield piece
        else:
            yield from reader.take(piece)
    yield from reader.request("")


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """A history begins by naming its generator."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<!-- Generated by SpecStory")


def transcripts() -> Iterator[Path]:
    """`.specstory/history` of the working folder and those above it, and of the home folder."""
    here = Path.cwd()
    home = Path(os.path.expanduser("~"))  # noqa: PTH111
    for folder in dict.fromkeys((here, *here.parents, home)):
        yield from sorted(folder.glob(".specstory/history/**/*.md"))


def read(path: Path) -> Iterator[Event]:
    """The events of one history."""
    return events(text_lines(path), path.stem)
