"""Codex CLI rollouts: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`.

Owns both shapes, `{timestamp, type, payload}` and the older bare items. Response items are the one
source of parts; `event_msg` rows say the same again and are read for bounds and errors only. Old
rollouts name no bounds: there, every message begins a turn and no finish reason is known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from auditor.events import Event, Unread
from auditor.files import Line, json_lines
from auditor.harness import _codex_items as items
from auditor.harness import _codex_texts as written
from auditor.harness._codex_rollout import HARNESS, Rollout
from auditor.harness._shapes import seconds, text_or_none
from auditor.turn import FinishReason, TurnError

NAME = HARNESS

_HEADS = (
    re.compile(
        rb'\s*\{"timestamp":\s*"[^"]*",\s*(?:"ordinal":\s*\d+,\s*)?"type":\s*"(?:session_meta'
        rb'|event_msg|response_item|turn_context|world_state|compacted)",\s*"(?:payload|metadata)":'
    ),
    re.compile(rb'\s*\{(?:"id":\s*"[^"]*",\s*)?"timestamp":\s*"[^"]*",\s*"instructions":'),
    re.compile(rb'\s*\{"record_type":\s*"state"'),
    re.compile(rb'\s*\{"type":\s*"message",[^\n]{0,200}?"type":\s*"input_text"'),
)

# Seen in rollouts of 0.2x to 0.171 or, so far as known, persisted by some version of Codex; each
# repeats a response item or is bookkeeping.
_QUIET = frozenset(
    (
        "agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break"
        " collab_agent_interaction_end collab_agent_spawn_end collab_close_end"
        " collab_waiting_end entered_review_mode exec_command_end exited_review_mode"
        " image_generation_end item_completed mcp_tool_call_end patch_apply_end plan_update"
        " stream_error thread_goal_updated thread_name_updated thread_rolled_back"
        " thread_settings_applied token_count undo_completed user_message view_image_tool_call"
        " warning web_search_end"
    ).split()
)


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001 - the contract of all harnesses
    """Whether a file that begins so is a rollout."""
    return any(pattern.match(head) for pattern in _HEADS)


def transcripts() -> Iterator[Path]:
    """All rollouts under `$CODEX_HOME` (default `~/.codex`), archived ones too."""
    home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    for folder in ("sessions", "archived_sessions"):
        yield from sorted((home / folder).rglob("rollout-*.jsonl*"))


def read(path: Path) -> Iterator[Event]:
    """Read one rollout."""
    return events(json_lines(path), path.stem)


def events(lines: Iterable[Line | Unread], session: str = "") -> Iterator[Event]:
    """Fold rows into events; `session` is the id until the rollout says its own."""
    rollout = Rollout(session)
    for line in lines:
        if isinstance(line, Unread):
            yield line
            continue
        rollout.line, row = line
        for event in _row(rollout, row):
            yield Unread(event.kind, rollout.line) if isinstance(event, Unread) else event


def _row(rollout: Rollout, row: Any) -> Iterable[Event]:
    """Take a row; nearly all have two types, which are looked up because patterns take longer."""
    if isinstance(row, dict) and isinstance(payload := row.get("payload"), dict):
        kind, inner = row.get("type"), payload.get("type")
        if isinstance(kind, str) and isinstance(inner, str) and kind in _TYPED:
            return _TYPED[kind](rollout, inner, payload, row.get("timestamp"))
    return _rarer(rollout, row)


def _rarer(rollout: Rollout, row: Any) -> Iterator[Event]:
    match row:
        case {"type": "world_state" | "token_usage_record"}:
            pass
        case {"type": "turn_context", "payload": {"model": str(model)}}:
            rollout.model = model
        case {"type": "session_meta", "payload": {"id": str(id_)} as meta}:
            rollout.meta(id_, meta)
        case {"type": "compacted"}:
            yield from rollout.compacted()
        case {"type": "turn_context" | "session_meta"}:
            pass
        case {"type": str(kind), "payload": _}:
            yield Unread(f"row type {kind}")
        case {"type": str(kind)}:  # the older shape: a bare item
            yield from items.events(rollout, kind, row, None)
        case {"record_type": str()}:
            pass
        case {"id": str(id_), "timestamp": str()}:  # the older first line
            rollout.meta(id_, {})
        case _:
            yield Unread("row without type")


def _item(rollout: Rollout, kind: str, item: dict[str, Any], stamp: object) -> Iterable[Event]:
    return items.events(rollout, kind, item, seconds(stamp))


def _event(rollout: Rollout, kind: str, event: dict[str, Any], stamp: object) -> Iterable[Event]:
    if kind in _QUIET:
        return _beside(rollout, event) if rollout.pending else ()
    if kind in _BOUNDS:
        return _BOUNDS[kind](rollout, event, seconds(stamp))
    return [Unread(f"event type {kind}")]


_TYPED: dict[str, Callable[[Rollout, str, dict[str, Any], object], Iterable[Event]]] = {
    "event_msg": _event,
    "response_item": _item,
}


def _beside(rollout: Rollout, event: dict[str, Any]) -> Iterator[Event]:
    """Take an event about what runs beside the turn."""
    match event:
        case {"process_id": str(process)} | {"item": {"process_id": str(process)}}:
            yield from rollout.ran(process)
        case {"type": "collab_waiting_end", "statuses": dict(names)}:
            yield from rollout.done(" ".join(names))
        case {"type": "collab_close_end", "receiver_thread_id": str(name)}:
            yield from rollout.done(name)


def _started(rollout: Rollout, event: dict[str, Any], _at: float | None) -> Iterator[Event]:
    rollout.task, rollout.error = text_or_none(event.get("turn_id")), None
    yield from ()


def _complete(rollout: Rollout, event: dict[str, Any], at: float | None) -> Iterator[Event]:
    error = written.error(event.get("error")) or rollout.error
    yield from rollout.end(written.finish(error), error, at)
    rollout.task = None


def _aborted(rollout: Rollout, event: dict[str, Any], at: float | None) -> Iterator[Event]:
    if event.get("reason") == "budget_limited":
        error = TurnError("budget_limited", retryable=False)
        yield from rollout.end(FinishReason.ERROR, error, at)
    else:
        yield from rollout.end(FinishReason.ABORTED, None, at)
    rollout.task = None


def _failed(rollout: Rollout, event: dict[str, Any], at: float | None) -> Iterator[Event]:
    rollout.error = error = written.error(event)
    if rollout.task is None:  # else its task_complete row follows
        yield from rollout.end(written.finish(error), error, at)


def _compacted(rollout: Rollout, _event: dict[str, Any], _at: float | None) -> Iterator[Event]:
    return rollout.compacted()


_BOUNDS: dict[str, Callable[[Rollout, dict[str, Any], float | None], Iterator[Event]]] = {
    "context_compacted": _compacted,
    "error": _failed,
    "task_complete": _complete,
    "task_started": _started,
    "turn_aborted": _aborted,
    "turn_complete": _complete,
    "turn_started": _started,
}
"""Events that say where a turn begins and ends."""
