"""What Claude Code itself tells in its rows: system rows, attachments, notes in the queue.

Knows what they change in a session; nothing of messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from auditor.events import Compacted, Event, Heartbeat, Unread
from auditor.harness._claude_session import Session, time_of

_NOTES = (
    "away_summary bridge_status file_snapshot informational local_command memory_saved"
    " microcompact_boundary permission_retry scheduled_task_fire thinking"
)
_IGNORED = frozenset(_NOTES.split())
"""Subtypes of system rows that change nothing for a turn."""

_NOTIFIED = "<task-notification>"
"""How a note begins by which the harness says that work beside the turn is over."""


def system(session: Session, row: Any) -> Iterator[Event]:
    """The harness's own row, which has a subtype."""
    match row:
        case {"subtype": "stop_hook_summary" | "turn_duration"}:
            yield from session.stopped(time_of(row))
        case {"subtype": "compact_boundary", "compactMetadata": {"trigger": "manual"}}:
            pass  # the person compacted between two turns
        case {"subtype": "compact_boundary"}:
            yield Compacted(session.id)
        case {"subtype": "api_error"}:  # the harness is trying again
            yield Heartbeat(session.id, time_of(row))
        case {"subtype": "agents_killed"}:
            session.work.killed()
            yield from session.work.changes()
        case {"subtype": str(subtype)}:
            if subtype not in _IGNORED:
                yield Unread(f"system row {subtype[:40]}")


def attachment(session: Session, attached: Any) -> Iterator[Event]:
    """Context the harness added; it may say in the middle of a turn that work is over."""
    match attached:
        case {"type": "queued_command", "prompt": str(text)} if text.startswith(_NOTIFIED):
            session.work.notified(text)
        case {"type": "task_status", "taskId": str(task), "status": str(status)}:
            session.work.notified(f"<task-id>{task}</task-id><status>{status}</status>")
        case _:
            return
    session.work.settle()
    yield from session.work.changes()


def queued(session: Session, text: str) -> None:
    """A note that waits for its turn; it is told with the next thing that happens."""
    if text.startswith(_NOTIFIED):
        session.work.notified(text)
