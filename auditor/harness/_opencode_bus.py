"""OpenCode's bus events, one step each: what an event does to its session.

Owns the table of events; a step says whether the session is worth a look because of it.
"""

from __future__ import annotations

from collections.abc import Callable

from auditor.harness._opencode_message import Sign
from auditor.harness._opencode_parts import Json, string
from auditor.harness._opencode_state import State
from auditor.live.situation import HoldKind

LOOK = 500
"""Characters of a stream after which it is worth another look: a paragraph or two (a guess)."""

Step = Callable[[State, Json, float], bool]


def _delta(state: State, said: Json, now: float) -> bool:
    match said:
        case {"messageID": str(message), "partID": str(part), "delta": str(text)} if text:
            state.quiet_since = now
            if said.get("field", "text") == "text":
                state.delta(message, part, text, now)
    return state.unseen >= LOOK


def _part(state: State, said: Json, now: float) -> bool:
    match said:
        case {"part": dict(part)} if (message := string(part, "messageID")) is not None:
            shown = state.part(part, message, now)
        case _:
            return False
    if shown is Sign.NOTHING:
        return False
    state.quiet_since = now
    return shown is Sign.LOOK or state.unseen >= LOOK


def _message(state: State, said: Json, now: float) -> bool:
    match said:
        case {"info": dict(info)} if state.message(info, now):
            state.quiet_since = now
            return True
    return False


def _removed(state: State, said: Json, _: float) -> bool:
    match said:
        case {"messageID": str(message)}:
            state.removed(message, string(said, "partID"))
    return True


def _failed(state: State, said: Json, now: float) -> bool:
    state.quiet_since = now
    state.failed(said.get("error"))
    return True


def _todos(state: State, said: Json, _: float) -> bool:
    match said:
        case {"todos": list(items)}:
            state.todos = items
    return True


def _created(state: State, said: Json, now: float) -> bool:
    state.quiet_since = now
    return _updated(state, said, now)


def _updated(state: State, said: Json, _: float) -> bool:
    """What a session is; that is no activity, but a rewind is worth a look."""
    before = state.info.get("revert")
    match said:
        case {"info": dict(info)}:
            state.told(info)
    return state.info.get("revert") != before


def _asked(kind: HoldKind) -> Step:
    def step(state: State, said: Json, now: float) -> bool:
        match said:
            case {"id": str(id_)}:
                state.waits.ask(kind, id_, string(said, "permission") or "", now)
        return True

    return step


def _answered(state: State, said: Json, now: float) -> bool:
    match said:
        case {"requestID": str(id_)} | {"permissionID": str(id_)}:
            if state.waits.answer(id_, now):
                state.quiet_since = now
    return True


def _status(state: State, said: Json, now: float) -> bool:
    return _became(state, said.get("status"), now)


def _idle(state: State, _: Json, now: float) -> bool:
    return _became(state, "idle", now)


def _interrupted(state: State, _: Json, now: float) -> bool:
    return _became(state, "interrupted", now)


def _became(state: State, said: object, now: float) -> bool:
    state.said_at = now
    if not state.status(said, now):
        return False
    state.quiet_since = now
    return True


STEPS: dict[str, Step] = {
    "message.part.delta": _delta,
    "message.part.updated": _part,
    "message.part.removed": _removed,
    "message.updated": _message,
    "message.removed": _removed,
    "session.status": _status,
    "session.idle": _idle,
    "session.interrupted": _interrupted,
    "session.error": _failed,
    "session.compacted": lambda _state, _said, _now: True,
    "session.created": _created,
    "session.updated": _updated,
    "todo.updated": _todos,
    "permission.asked": _asked(HoldKind.PERMISSION),
    "permission.updated": _asked(HoldKind.PERMISSION),
    "permission.replied": _answered,
    "question.asked": _asked(HoldKind.QUESTION),
    "question.replied": _answered,
    "question.rejected": _answered,
}

ASIDE = frozenset(
    "server.connected server.heartbeat server.instance.disposed global.disposed session.diff"
    " command.executed file.edited file.watcher.updated vcs.branch.updated"
    " project.updated project.directories.updated plugin.added catalog.updated integration.updated"
    " reference.updated installation.updated lsp.updated mcp.tools.changed"
    " mcp.browser.open.failed pty.created pty.updated pty.exited pty.deleted worktree.ready"
    " worktree.failed workspace.ready workspace.failed workspace.status tui.prompt.append"
    " tui.command.execute tui.toast.show tui.session.select".split()
)
"""Known, and nothing that a session does: what 1.18.33 can send, by its own list. A `pty` is the
user's own terminal."""
