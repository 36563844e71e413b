"""SWE-agent trajectories (`.traj`): one JSON document, one turn, from the issue to the submission.

Owns the trajectories of versions 0.x and 1.x. What the model said and did is taken from
`trajectory`, which has every step, failed formats too; the request from `history`. One attempt of
a retried run is one turn. A trajectory has no clock.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from auditor.events import Event, PartAdded, TurnEnded, TurnStarted, Unread
from auditor.files import json_document
from auditor.harness._shapes import parsed, texts
from auditor.turn import FinishReason, Text, ToolCall, ToolResult, TurnError, canonical

NAME = "swe-agent"

_HEAD = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\{\s*\"(?:environment|trajectory|attempts|replay_config|problem_statement)\"\s*:"
)

# How the run ended, SWE-agent's `exit_status` -> what that is; the limits are the user's own, and
# no later try lifts them. From sweagent/agent/agents.py of versions 0.7 to 1.1.
_EXITS: dict[str, tuple[FinishReason, bool | None]] = {
    "submitted": (FinishReason.STOP, None),
    "exit_forfeit": (FinishReason.STOP, None),
    "skipped": (FinishReason.ABORTED, None),
    "exit_api": (FinishReason.ERROR, True),
    "exit_command": (FinishReason.ERROR, None),
    "exit_command_timeout": (FinishReason.ERROR, None),
    "exit_context": (FinishReason.ERROR, False),
    "exit_cost": (FinishReason.ERROR, False),
    "exit_environment_error": (FinishReason.ERROR, None),
    "exit_error": (FinishReason.ERROR, None),
    "exit_format": (FinishReason.ERROR, True),
    "exit_total_execution_time": (FinishReason.ERROR, False),
    "early_exit": (FinishReason.UNKNOWN, None),
}

# An observation that tells of a call which did not run.
_FAILED = ("EXECUTION TIMED OUT", "Your command was not recognized", "Your proposed edit has ")


def ended(status: object) -> tuple[FinishReason, TurnError | None] | None:
    """Finish reason and error of an `exit_status`; None while there is none.

    `submitted (exit_cost)` is a run that the limit ended, its changes sent in by the harness.
    """
    if not isinstance(status, str) or not status:
        return None
    inner = re.search(r"\((\w+)\)", status)
    name = inner[1] if inner else status.split()[0]
    finish, retryable = _EXITS.get(name, (FinishReason.UNKNOWN, None))
    if finish is FinishReason.STOP:
        return finish, None
    return finish, TurnError(name, status, None, retryable)


def _request(history: object) -> str:
    """The first message of the user that is no demonstration."""
    for message in history if isinstance(history, list) else []:
        match message:
            case {"is_demo": True} | {"message_type": "demonstration"}:
                continue
            case {"role": "user", "content": content}:
                return "\n\n".join(texts(content))
    return ""


def _model(attempt: dict[str, object]) -> str | None:
    """The model's name out of the configuration that version 1 keeps as JSON text."""
    match attempt:
        case {"replay_config": str(text)}:
            replay = parsed(text)
        case _:
            return None
    match replay:
        case {"agent": {"model": {"name": str(name)}}}:
            return name
    return None


def _steps(session: str, turn: str, steps: object) -> Iterator[Event]:
    """Text, call and observation of every step."""
    for number, step in enumerate(steps if isinstance(steps, list) else [], 1):
        match step:
            case {"action": str(action)}:
                yield from _step(session, step, action, f"{turn}.{number}")
            case _:
                yield Unread("step without an action", number)


def _step(session: str, step: dict[str, object], action: str, id_: str) -> Iterator[Event]:
    match step:
        case {"thought": str(said)} if said.strip():
            yield PartAdded(session, Text(said.strip()))
        case {"response": str(said)} if said.strip() and not action.strip():
            yield PartAdded(session, Text(said.strip()))
    words = action.split(None, 1)
    if not words:
        return
    yield PartAdded(session, ToolCall(words[0], canonical({"command": action.strip()}), id_))
    match step:
        case {"observation": str(output)}:
            failed = True if output.startswith(_FAILED) else None
            yield PartAdded(session, ToolResult(output, id_, failed))


def events(document: object, session: str) -> Iterator[Event]:
    """The events of a decoded trajectory; `session` names the run."""
    match document:
        case {"attempts": [*attempts]}:
            pass
        case {"trajectory": [*_]}:
            attempts = [document]
        case _:
            yield Unread("no trajectory")
            return
    for number, attempt in enumerate(attempts, 1):
        if not isinstance(attempt, dict):
            yield Unread("attempt that is no object", number)
            continue
        turn = f"{session}#{number}"
        yield TurnStarted(
            session=session,
            turn=turn,
            harness=NAME,
            request=_request(attempt.get("history")),
            model=_model(attempt),
        )
        yield from _steps(session, turn, attempt.get("trajectory"))
        match attempt:
            case {"info": {"exit_status": status}} if found := ended(status):
                yield TurnEnded(session=session, finish=found[0], error=found[1])


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """A trajectory names its environment, its steps or its attempts first."""
    if not _HEAD.match(head):
        return False
    return b'"trajectory"' in head and (b'"action"' in head or b'"attempts"' in head)


def transcripts() -> Iterator[Path]:
    """`trajectories` of the working folder, or what `SWE_AGENT_TRAJECTORY_DIR` names."""
    named = os.environ.get("SWE_AGENT_TRAJECTORY_DIR")
    yield from sorted(Path(named or "trajectories").glob("**/*.traj"))


def read(path: Path) -> Iterator[Event]:
    """The events of one trajectory."""
    return events(json_document(path), path.name.split(".traj")[0])
