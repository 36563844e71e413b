"""What an OpenCode session's state comes to: its newest turn, and a `Situation`.

Owns the reading of a state, by the same fold that reads transcripts. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from msgspec import structs

from auditor.assemble import Sessions
from auditor.events import TurnStarted, Unread
from auditor.harness import _opencode_parts as says
from auditor.harness._opencode_fold import HARNESS, Session
from auditor.harness._opencode_message import Message
from auditor.harness._opencode_state import ABORT, State
from auditor.live.situation import Child, Doing, Hold, HoldKind, Situation
from auditor.turn import FinishReason, Pending, PendingKind, Turn

_KINDS = {
    HoldKind.PERMISSION: PendingKind.PERMISSION,
    HoldKind.QUESTION: PendingKind.QUESTION,
    HoldKind.SHELL: PendingKind.BACKGROUND,
}
"""What a turn too says to be pending; a tool that runs it shows by itself."""

KEPT = 2
"""Turns kept: the newest, and the one before, whose sub-agents may still work in the background."""


def situation(state: State, children: Iterable[State], now: float, woke: float = -inf) -> Situation:
    """Say what is known of the session at this moment (`now`, `woke`: Unix seconds)."""
    newest, reply = state.newest, state.reply
    holds = (*state.waits.open.values(), *_tools(state, now), *_compaction(state, now))
    found = _turn(state, holds)
    orphan = state.doing is Doing.IDLE and reply is not None and _orphan(reply, found)
    id_ = says.string(reply.info, "id") if reply is not None else None
    return Situation(
        session=state.id,
        harness=HARNESS,
        directory=says.string(state.info, "directory") or "",
        title=says.string(state.info, "title") or "",
        parent=state.parent,
        created=says.when(state.info, "created"),
        doing=state.doing,
        retry_at=state.retry_at,
        turn=found,
        message=says.string(newest.info, "id") if newest is not None else None,
        reply=id_,
        request=state.asks.request,
        request_at=state.asks.request_at,
        reply_as=state.asks.reply_as,
        quiet_since=state.quiet_since if state.quiet_since is not None else now,
        idle_since=state.idle_since,
        holds=holds,
        children=tuple([_child(child, now) for child in children]),
        orphan=orphan,
        own=_own(state),
        woke=woke,
        unheard=newest is not None and not newest.heard,
        blank=newest is not None and newest.blank,
        aborted=_aborted(state, found),
        reverted=isinstance(state.info.get("revert"), dict),
        marks=tuple(state.asks.marks),
        progressed=state.progressed,
        observed=state.whole,
        tokens=_tokens(reply),
    )


def _turn(state: State, holds: tuple[Hold, ...]) -> Turn | None:
    """The newest turn. The messages before the turn before it are forgotten: nothing needs them."""
    sessions, fold = Sessions(), Session(state.id, state.parent)
    begun: list[str] = []
    for message in state.messages.values():
        for event in fold.message(message.info, message.listed()):
            match event:
                case Unread():
                    continue
                case TurnStarted():
                    begun.append(says.string(message.info, "id") or "")
            sessions.step(event)
    if len(begun) > KEPT:
        state.keep(begun[-KEPT])
    for event in fold.todos(state.todos):
        sessions.step(event)
    turn = sessions.turn(state.id)
    if turn is None:
        return None
    if state.error is not None and turn.finish is None:
        finish, error = says.failed(state.error)
        turn = structs.replace(turn, finish=finish, error=error)
    waits = tuple([Pending(_KINDS[hold.kind], hold.what) for hold in holds if hold.kind in _KINDS])
    if waits:
        turn = structs.replace(turn, pending=(*turn.pending, *waits))
    return turn


def _own(state: State) -> bool:
    """Whether what it does is the user's own; it works a moment before the message says so."""
    asked = next((each for each in reversed(state.messages.values()) if each.by_user), None)
    before = state.doing is Doing.BUSY and state.reply is not None and state.reply.ended
    return before or (asked is not None and asked.own())


def _tools(state: State, now: float) -> list[Hold]:
    """Tools that run: a part says so in a session that works; a crash leaves such parts behind."""
    if state.doing not in (Doing.BUSY, Doing.UNKNOWN) or (answer := state.answer) is None:
        return []
    found = []
    for part in answer.parts.values():
        match part:
            case {
                "type": "tool",
                "tool": str(name),
                "state": {"status": "pending" | "running"} as s,
            }:
                found.append(Hold(HoldKind.TOOL, name, says.when(s, "start") or now))
    return found


def _compaction(state: State, now: float) -> list[Hold]:
    newest = state.newest
    if newest is None or state.doing is Doing.IDLE or not _summarizes(newest):
        return []
    return [Hold(HoldKind.COMPACTION, "", says.when(newest.info, "created") or now)]


def _summarizes(message: Message) -> bool:
    if message.by_user:
        return any(part.get("type") == "compaction" for part in message.parts.values())
    match message.info:
        case {"role": "assistant", "summary": True} | {"role": "assistant", "mode": "compaction"}:
            return says.stamp(message.info, "completed") is None
    return False


def _child(state: State, now: float) -> Child:
    return Child(
        session=state.id,
        doing=state.doing,
        quiet_since=state.quiet_since if state.quiet_since is not None else now,
        failed=state.error is not None or (state.reply is not None and "error" in state.reply.info),
        # What runs in a session that was not read is not known: patience.
        tools=len(_tools(state, now)) or len(state.waits.open) or int(not state.whole),
        created=says.when(state.info, "created"),
    )


def _orphan(reply: Message, turn: Turn | None) -> bool:
    """Neither ended nor failed nor given up: the server died while it was written.

    What is written after the end of a turn is the user's own: a command, a compaction.
    """
    if turn is None or turn.finish is not None:
        return False
    reason, _ = says.reason(reply.info, reply.listed())
    unended = reason is None and "error" not in reply.info
    return unended and says.stamp(reply.info, "completed") is None


def _aborted(state: State, turn: Turn | None) -> str | None:
    newest = state.newest
    if newest is None:
        return None
    over = turn is not None and turn.finish is FinishReason.ABORTED
    error = newest.info.get("error")
    itself = isinstance(error, dict) and error.get("name") == ABORT["name"]
    stopped = state.aborted or over or itself
    return says.string(newest.info, "id") if stopped else None


def _tokens(reply: Message | None) -> int | None:
    match reply.info if reply is not None else None:
        case {"tokens": {"output": int(found)}}:
            return found
    return None
