"""One Codex rollout as its rows are read: the turn under way, and what outlives it.

Knows when a turn began, was answered and ended; no kinds of rows, items or events.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from auditor.events import Compacted, Event, PartAdded, TurnEnded, TurnStarted
from auditor.harness._shapes import text_or_none
from auditor.harness._waiting import Waiting
from auditor.turn import (
    FinishReason,
    Part,
    Pending,
    PendingKind,
    RequestKind,
    ToolResult,
    TurnError,
)

HARNESS = "codex"

_PROCESS, _AGENT = "process ", "agent "  # keys of what outlives a turn


class Rollout(Waiting):
    """What one rollout needs remembered between rows."""

    def __init__(self, session: str) -> None:
        super().__init__(session)
        self.line = 0  # the line that is read: the name of a call that has none
        self.model: str | None = None
        self.task: str | None = None  # the task under way; None where the rollout names none
        self.error: TurnError | None = None  # told by a row before the one that ends the task
        self.calls: dict[str, tuple[str, str]] = {}  # the turn's calls without an output
        self._parent: str | None = None
        self._agent = self._named = False
        self._turn_task: str | None = None  # the task that the turn began in
        self._open = False  # a turn began and has not ended
        self._bare = False  # …and nothing followed its request yet
        self._over: TurnEnded | None = None  # how the newest turn ended
        self._turns = 0

    def meta(self, id_: str, meta: dict[str, Any]) -> None:
        """Take the rollout's name; a fork repeats its origin's rows, the origin's meta row too."""
        if self._named:
            return
        self._named, self.session = True, id_
        match meta:
            case {"source": {"subagent": {"thread_spawn": {"parent_thread_id": str(parent)}}}}:
                self._agent, self._parent = True, parent
            case {"source": {"subagent": _}} | {"thread_source": "subagent"}:
                self._agent, self._parent = True, text_or_none(meta.get("parent_thread_id"))

    def start(self, request: str, kind: RequestKind, at: float | None) -> Iterator[Event]:
        """Begin a turn; a person's message inside a running one is queued and begins none."""
        human = kind is RequestKind.HUMAN
        if human and self.task and self._open and not self._bare:
            return
        fresh = self.task is not None and self.task != self._turn_task
        self._turns += not fresh
        turn = self.task if self.task and fresh else f"{self.task or self.session}#{self._turns}"
        self._turn_task, self._open, self._bare, self._over = self.task, True, True, None
        self.calls.clear()
        yield TurnStarted(
            session=self.session,
            turn=turn,
            harness=HARNESS,
            request=request,
            kind=RequestKind.AGENT if human and self._agent else kind,
            model=self.model,
            parent=self._parent,
            at=at,
        )

    def end(
        self, finish: FinishReason, error: TurnError | None, at: float | None
    ) -> Iterator[Event]:
        """End the turn, unless what ends is a task without one: a compaction, a shell command."""
        if not self._open or (self.task and self._turn_task and self.task != self._turn_task):
            return
        self._open = False
        self._over = TurnEnded(session=self.session, finish=finish, error=error, at=at)
        yield self._over
        yield from self.unasked()

    def add(self, part: Part, at: float | None) -> Iterator[Event]:
        """Add to the turn; a result that comes late reopens nothing."""
        if not self._open and self.task and self.task != self._turn_task:
            # A task nobody asked for: Codex or another agent set it going.
            kind = RequestKind.AGENT if self._agent else RequestKind.NUDGE
            yield from self.start("", kind, at)
        over = self._over if isinstance(part, ToolResult) else None
        self._bare, self.error, self._open, self._over = False, None, over is None, over
        yield PartAdded(self.session, part, at, self.model)
        if over is not None:
            yield over

    def compacted(self) -> Iterator[Event]:
        """A compaction, which is in no turn when it comes between two."""
        if self._open:
            yield Compacted(self.session)

    def runs(self, process: str, command: str) -> Iterator[Event]:
        """A command goes on beside the turn."""
        yield from self.wait(_PROCESS + process, Pending(PendingKind.BACKGROUND, command))

    def ran(self, process: object) -> Iterator[Event]:
        """A command that went on is over."""
        yield from self.over(f"{_PROCESS}{process}")

    def spawned(self, agent: str) -> Iterator[Event]:
        """A sub-agent works beside the turn."""
        yield from self.wait(_AGENT + agent, Pending(PendingKind.SUBAGENT, agent))

    def done(self, text: str) -> Iterator[Event]:
        """The sub-agents are over that a report of finished ones names."""
        agents = [key for key in self.pending if key.startswith(_AGENT)]
        yield from self.over(*[key for key in agents if key.removeprefix(_AGENT) in text])
