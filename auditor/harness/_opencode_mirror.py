"""What one OpenCode server shows: bus events and answers in, situations of its sessions out.

Owns the routing of events to sessions, and how much is kept. Pure: whoever listens says what time
it is. An event nobody knows is counted in `unread` and costs nothing.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Container, Mapping
from math import inf

from auditor.harness._opencode_bus import ASIDE, STEPS
from auditor.harness._opencode_parts import Json, string
from auditor.harness._opencode_situation import situation
from auditor.harness._opencode_state import State
from auditor.live.situation import Doing, HoldKind, Situation

SESSIONS = 2_000
"""Sessions kept, those first forgotten that nothing was heard of for longest (a guess)."""

REPEATS = 4_096
"""Ids of events remembered, so that one which comes twice counts once (a guess)."""

KINDS = 200
"""Kinds of unread events that are told apart; a server has some fifty."""

NOTHING: frozenset[str] = frozenset()


class Mirror:
    """All sessions of one server and directory.

    Where an answer of the server is taken, `asked` is when it was asked for: what events said since
    is newer, and stays. Left out, the answer says how things are.
    """

    def __init__(self) -> None:
        self.unread: Counter[str] = Counter()
        """Kinds of events that nobody understood."""
        self._states: OrderedDict[str, State] = OrderedDict()
        self._children: dict[str, set[str]] = {}
        self._woke = -inf
        self._taken: OrderedDict[str, None] = OrderedDict()

    def sessions(self) -> tuple[str, ...]:
        """Name the sessions that are kept, the one heard of last at the end."""
        return tuple(self._states)

    def apply(self, event: object, now: float) -> frozenset[str]:
        """Take a bus event in; give the sessions that are worth a look because of it.

        One that is gone is worth a look too: its situation is None.
        """
        match event:
            case {"payload": {"type": "sync"}}:
                return NOTHING  # what is stored comes a second time so
            case {"payload": {"type": str(kind), "properties": dict(said), **more}}:
                pass
            case {"type": str(kind), "properties": dict(said), **more}:
                pass
            case _:
                return self._unknown("event")
        if kind in ASIDE or self._repeated(more.get("id")):
            return NOTHING
        session = _session(kind, said)
        if session is not None and kind == "session.deleted":
            return self._deleted(session)
        step = STEPS.get(kind)
        if session is None or step is None:
            return self._unknown(kind)
        new = session not in self._states
        state = self._state(session)
        state.whole = state.whole or (new and kind == "session.created")
        worth = step(state, said, now)
        if kind.startswith("session."):
            self._related(state)
        return _with_parent(state) if worth else NOTHING

    def read(self, session: Json, messages: list[object], now: float, asked: float = inf) -> None:
        """Take a session and its messages as the server gives them, for all that was known."""
        if (state := self._known(session)) is not None:
            state.read(messages, asked)
            state.quiet_since = state.quiet_since or now

    def known(self, session: Json) -> None:
        """Take what the server says of a session, without its messages."""
        self._known(session)

    def todos(self, session: str, items: object) -> None:
        """Take a session's list of to-dos."""
        if isinstance(items, list):
            self._state(session).todos = items

    def statuses(
        self,
        said: Mapping[str, object],
        now: float,
        only: Container[str] | None = None,
        asked: float = inf,
    ) -> None:
        """Take the server's list of sessions that do something; the others are idle.

        `only`: the sessions that it was asked for; of others, newer things may be known.
        """
        for id_ in said:
            if id_.startswith("ses_") and (only is None or id_ in only):
                self._state(id_)
        for state in self._asked_for(only):
            if state.said_at < asked and state.status(said.get(state.id, "idle"), now):
                state.quiet_since = now

    def waiting(
        self,
        kind: HoldKind,
        said: list[object],
        now: float,
        only: Container[str] | None = None,
        asked: float = inf,
    ) -> None:
        """Take the server's list of open permissions, or of questions; `only` as above."""
        by: dict[str, dict[str, str]] = {}
        for item in said:
            match item:
                case {"id": str(id_), "sessionID": str(session)} if session.startswith("ses_"):
                    by.setdefault(session, {})[id_] = string(item, "permission") or ""
        for session in by:
            if only is None or session in only:
                self._state(session)
        for state in self._asked_for(only):
            if state.waits.listed(kind, by.get(state.id, {}), now, asked):
                state.quiet_since = now

    def resumed(self, now: float, *, woke: bool = False) -> None:
        """Nobody listened until now: silence counts from here. `woke`: because all slept."""
        self._woke = now if woke else self._woke
        for state in self._states.values():
            state.resumed(now)

    def situation(self, session: str, now: float) -> Situation | None:
        """Say what is known of a session; None: nothing is."""
        state = self._states.get(session)
        if state is None:
            return None
        state.unseen = 0
        children = [self._states[id_] for id_ in sorted(self._children.get(session, ()))]
        return situation(state, children, now, self._woke)

    def doing(self, session: str) -> Doing | None:
        """Say what a session does; None: nothing is known of it."""
        state = self._states.get(session)
        return None if state is None else state.doing

    def streaming(self, session: str) -> str:
        """Give the text that is being written, the longest part of it."""
        state = self._states.get(session)
        answer = state.answer if state is not None else None
        return max(answer.grown.values(), key=len, default="") if answer is not None else ""

    def forget(self, session: str) -> None:
        """Forget a session."""
        state = self._states.pop(session, None)
        if state is None or state.parent is None:
            return
        others = self._children.get(state.parent, set()) - {session}
        if others:
            self._children[state.parent] = others
        else:
            self._children.pop(state.parent, None)

    def rest(self, before: float) -> None:
        """Drop the messages of sessions that are idle since before that moment."""
        for state in self._states.values():
            if state.doing is Doing.IDLE and (state.idle_since or 0.0) < before:
                state.messages, state.whole = {}, False

    def _state(self, session: str) -> State:
        state = self._states.get(session)
        if state is not None:
            self._states.move_to_end(session)
            return state
        if len(self._states) >= SESSIONS:
            self.forget(next(iter(self._states)))
        state = self._states[session] = State(session)
        return state

    def _asked_for(self, only: Container[str] | None) -> list[State]:
        return [each for id_, each in self._states.items() if only is None or id_ in only]

    def _known(self, session: Json) -> State | None:
        id_ = string(session, "id")
        if id_ is None or not id_.startswith("ses_"):
            return None
        state = self._state(id_)
        state.told(session)
        self._related(state)
        return state

    def _related(self, state: State) -> None:
        if state.parent is not None:
            self._children.setdefault(state.parent, set()).add(state.id)

    def _deleted(self, session: str) -> frozenset[str]:
        state = self._states.get(session)
        if state is None:
            return NOTHING
        self.forget(session)
        return _with_parent(state)

    def _repeated(self, id_: object) -> bool:
        if not isinstance(id_, str):
            return False
        if id_ in self._taken:
            return True
        self._taken[id_] = None
        if len(self._taken) > REPEATS:
            self._taken.popitem(last=False)
        return False

    def _unknown(self, kind: str) -> frozenset[str]:
        self.unread[kind if kind in self.unread or len(self.unread) < KINDS else "others"] += 1
        return NOTHING


def _with_parent(state: State) -> frozenset[str]:
    parent = state.parent
    return frozenset([state.id] if parent is None else [state.id, parent])


def _session(kind: str, said: Json) -> str | None:
    """Find the session an event is about; ids that are none are no session."""
    match said:
        case {"sessionID": str(id_)} | {"info": {"sessionID": str(id_)}}:
            pass
        case {"part": {"sessionID": str(id_)}}:
            pass
        case {"info": {"id": str(id_)}} if kind.startswith("session."):
            pass
        case _:
            return None
    return id_ if id_.startswith("ses_") else None
