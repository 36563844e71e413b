"""One session of Copilot CLI, or one sub-agent in its file: the turn under way.

Knows when a turn began, was answered and ended; no kinds of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from auditor.events import Event, PartAdded, TurnEnded, TurnStarted
from auditor.harness._shapes import text_or_none
from auditor.harness._waiting import Waiting
from auditor.turn import FinishReason, Part, RequestKind, ToolResult, TurnError

HARNESS = "copilot-cli"


class Session(Waiting):
    """What one session, or one sub-agent in its file, needs remembered between rows."""

    def __init__(self, session: str, parent: str | None = None, request: str = "") -> None:
        super().__init__(session)
        self.model: str | None = None
        self.open = False  # a turn began and has not ended
        self.tools = False  # the newest message asks for tools
        self.asked: dict[str, str] = {}  # prompts of `task` calls under way
        self.calls: dict[str, tuple[str, Any]] = {}
        self._parent = parent
        self._request = request  # of a sub-agent: what it was told
        self._bare = False  # nothing followed the turn's request yet
        self._over: TurnEnded | None = None  # how the newest turn ended
        self._interaction: object = None
        self._turns = 0

    def left(self) -> Iterator[Event]:
        """A session that comes back left its turn behind."""
        self.open = False
        yield from self.unasked()

    def queued(self, interaction: object) -> bool:
        """Whether a request of this interaction goes into the turn under way."""
        return self.under_way and interaction == self._interaction

    @property
    def under_way(self) -> bool:
        """Whether something followed the request of a turn that has not ended."""
        return self.open and not self._bare

    def asks(
        self, id_: object, request: str, kind: RequestKind, interaction: object, at: float | None
    ) -> Iterator[Event]:
        """A request of an interaction begins a turn."""
        self._interaction = interaction
        yield from self.start(id_, request, kind, at)

    def start(
        self, id_: object, request: str, kind: RequestKind, at: float | None
    ) -> Iterator[Event]:
        self.open = self._bare = True
        self.tools, self._over = False, None
        self._turns += 1
        yield TurnStarted(
            session=self.session,
            turn=text_or_none(id_) or f"{self.session}#{self._turns}",
            harness=HARNESS,
            request=request,
            kind=RequestKind.AGENT if self._parent else kind,
            model=self.model,
            parent=self._parent,
            at=at,
        )

    def add(self, part: Part, at: float | None) -> Iterator[Event]:
        """Add to the turn; a result that comes late reopens nothing."""
        if self._parent and not self._turns:
            yield from self.start(None, self._request, RequestKind.AGENT, at)
        over = self._over if isinstance(part, ToolResult) else None
        self._bare, self.open, self._over = False, over is None, over
        yield PartAdded(self.session, part, at, self.model)
        if over is not None:
            yield over

    def end(
        self, finish: FinishReason, error: TurnError | None, at: float | None
    ) -> Iterator[Event]:
        if self.open:
            self.open = False
            self._over = TurnEnded(session=self.session, finish=finish, error=error, at=at)
            yield self._over
            yield from self.unasked()
