"""mini-swe-agent trajectories (`.traj.json`): one JSON document of messages.

Owns both ways it calls its one tool: a fenced shell block in the text (version 1), or a call of
the API (version 2, also of the Responses API). The run ends with a submission or a limit. Who
runs it at a terminal can interrupt, refuse a command, or add a task: only a task begins a turn.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from auditor.events import Event, PartAdded, TurnEnded, TurnStarted, Unread
from auditor.files import json_document
from auditor.harness import _mini_swe_messages as says
from auditor.turn import FinishReason, Reasoning, Text, ToolCall, ToolResult, canonical

NAME = "mini-swe-agent"

_HEAD = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\{\s*\"info\"\s*:\s*\{\s*"
    rb"\"(?:exit_status|submission|model_stats|mini_version|config)\"\s*:"
)
_FENCED = re.compile(r"```(?:bash|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)

# What its terminal says in the user's name: minisweagent/agents/interactive.py.
_NEW_TASK = "The user added a new task: "
_INTERRUPTED = "Interrupted by user: "
_NO_COMMENT = "Temporary interruption caught."


class _Reader:
    """Messages to events: one session, one turn for each task."""

    def __init__(self, session: str, model: str | None) -> None:
        self.session, self.model = session, model
        self.turns = 0
        self.calls = 0
        self.open: list[str] = []  # ids of calls without a result
        self.ended = False

    def take(self, message: object, line: int) -> Iterator[Event]:
        """One message in, its events out."""
        if not isinstance(message, dict):
            yield Unread("message that is no object", line)
            return
        match message:
            case {"role": "system" | "developer"}:
                return
            case {"role": "assistant"} | {"object": "response"}:
                yield from self.assistant(message)
            case {"role": "exit", "extra": {"exit_status": str(status)}}:
                yield from self.end(status, says.content(message))
            case {"role": "tool", "tool_call_id": str(id_)}:
                yield from self.result(id_, message)
            case {"type": "function_call_output", "call_id": str(id_)}:
                yield from self.result(id_, message)
            case {"role": "user"}:
                yield from self.user(message)
            case {"role": str(role)}:
                yield Unread(f"role {role}", line)
            case _:
                yield Unread("message without a role", line)

    def user(self, message: dict[str, object]) -> Iterator[Event]:
        """The task, an observation, or what the user or the program put in between."""
        text = says.content(message)
        if not self.turns:
            yield from self.start(text, message)
        elif text.startswith(_NEW_TASK):  # asked when a submission has been accepted
            yield from self.end("Submitted", "")
            yield from self.start(text.removeprefix(_NEW_TASK), message)
        elif text.startswith(_INTERRUPTED) and not text.endswith(_NO_COMMENT):
            yield TurnEnded(session=self.session, finish=FinishReason.ABORTED, at=says.at(message))
            yield from self.start(text.removeprefix(_INTERRUPTED), message)
        elif self.open:
            yield from self.result(self.open[0], message)

    def start(self, request: str, message: dict[str, object]) -> Iterator[Event]:
        """A task begins a turn."""
        self.turns += 1
        self.open, self.ended = [], False
        yield TurnStarted(
            session=self.session,
            turn=f"{self.session}#{self.turns}",
            harness=NAME,
            request=request,
            model=self.model,
            at=says.at(message),
        )

    def assistant(self, message: dict[str, object]) -> Iterator[Event]:
        """What the model thought and said, then its calls."""
        at, model = says.at(message), says.model(message)
        self.open = []
        match message:
            case {"reasoning_content": str(thought)} if thought.strip():
                yield PartAdded(self.session, Reasoning(thought), at, model)
        text = says.content(message)
        calls = list(says.calls(message))
        if not calls and (found := _FENCED.findall(text)) and len(found) == 1:
            calls = [("bash", {"command": found[0]}, "")]
            text = _FENCED.sub("", text)
        if text.strip():
            yield PartAdded(self.session, Text(text.strip()), at, model)
        for name, arguments, id_ in calls:
            self.calls += 1
            self.open.append(id_ or f"c{self.calls}")
            known = canonical(arguments)
            yield PartAdded(self.session, ToolCall(name, known, self.open[-1]), at, model)

    def result(self, id_: str, message: dict[str, object]) -> Iterator[Event]:
        """The observation that answers a call."""
        if id_ in self.open:
            self.open.remove(id_)
        result = ToolResult(says.content(message), id_, says.failed(message))
        yield PartAdded(self.session, result, says.at(message))

    def end(self, status: str, message: str) -> Iterator[Event]:
        """The run ended; a submission is what the last call printed."""
        if not status or self.ended:
            return
        self.ended = True
        finish, error = says.ended(status, message)
        if finish is FinishReason.STOP and self.open:
            said = ToolResult(message, self.open.pop(), failed=False, clipped=not message)
            yield PartAdded(self.session, said)
        yield TurnEnded(session=self.session, finish=finish, error=error)


def events(document: object, session: str) -> Iterator[Event]:
    """The events of a decoded trajectory; `session` names it where it has no instance."""
    match document:
        case {"messages": [*messages]}:
            pass
        case _:
            yield Unread("no messages")
            return
    model = None
    match document:
        case {"instance_id": str(name)} if name:
            session = name
    match document:
        case {"info": {"config": {"model": {"model_name": str(name)}}}}:
            model = name
    reader = _Reader(session, model)
    for number, message in enumerate(messages, 1):
        yield from reader.take(message, number)
    match document:
        case {"info": {"exit_status": str(status), "submission": str(said)}}:
            yield from reader.end(status, said)
        case {"info": {"exit_status": str(status)}}:
            yield from reader.end(status, "")


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """A trajectory begins with what is known of the run."""
    return _HEAD.match(head) is not None or b'"trajectory_format": "mini-swe-agent' in head


def transcripts() -> Iterator[Path]:
    """Where `mini` keeps its last run: its configuration folder."""
    named = os.environ.get("MSWEA_GLOBAL_CONFIG_DIR")
    folder = Path(named or platformdirs.user_config_dir("mini-swe-agent"))
    yield from sorted(folder.glob("**/*.traj.json"))


def read(path: Path) -> Iterator[Event]:
    """The events of one trajectory."""
    return events(json_document(path), path.name.split(".traj")[0])
