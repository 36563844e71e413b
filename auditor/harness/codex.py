"""Codex CLI rollouts: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`.

Owns both shapes, `{timestamp, type, payload}` and the older bare items. Response items are the one
source of parts; `event_msg` rows say the same again and are read for bounds and errors only. Old
rollouts name no bounds: there, every message begins a turn and no finish reason is known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

from auditor.files import Line, json_lines
from auditor.harness import _codex_texts as written
from auditor.harness._shapes import parsed, seconds, texts, todos
from auditor.turn import (
    Compacted,
    Event,
    FinishReason,
    Part,
    PartAdded,
    Pending,
    PendingChanged,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    TodosChanged,
    ToolCall,
    ToolResult,
    TurnEnded,
    TurnError,
    TurnStarted,
    Unread,
    canonical,
)

NAME = "codex"

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
_QUIET = {
    "row": frozenset({"world_state", "token_usage_record", "turn_context", "session_meta"}),
    "item": frozenset({"ghost_snapshot", "other"}),
    "event": frozenset(
        {
            "agent_message",
            "agent_reasoning",
            "agent_reasoning_raw_content",
            "agent_reasoning_section_break",
            "collab_agent_interaction_end",
            "collab_agent_spawn_end",
            "entered_review_mode",
            "exec_command_end",
            "exited_review_mode",
            "image_generation_end",
            "item_completed",
            "mcp_tool_call_end",
            "patch_apply_end",
            "plan_update",
            "stream_error",
            "thread_goal_updated",
            "thread_name_updated",
            "thread_rolled_back",
            "thread_settings_applied",
            "token_count",
            "undo_completed",
            "user_message",
            "view_image_tool_call",
            "collab_close_end",
            "collab_waiting_end",
            "warning",
            "web_search_end",
        }
    ),
}
_HOOK_PROMPT = re.compile(r"<hook_prompt[^>]*>(.*?)</hook_prompt>", re.DOTALL)
_BEGINS = {  # user items that begin a turn without a person's message
    "<user_action>": RequestKind.COMMAND,
    "<goal_context>": RequestKind.NUDGE,
    "<codex_internal_context": RequestKind.NUDGE,
}
_ASKED = {
    "request_user_input": PendingKind.QUESTION,
    "request_permissions": PendingKind.PERMISSION,
}
_LASTING = frozenset(  # calls that change more than the project
    {
        "close_agent",
        "exec_command",
        "spawn_agent",
        "update_plan",
        "wait",
        "wait_agent",
        "write_stdin",
    }
)
_PROCESS, _AGENT = "process ", "agent "  # keys of what outlives a turn


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
    rollout = _Rollout(session)
    row: Any
    for line in lines:
        if isinstance(line, Unread):
            yield line
            continue
        number, row = line
        match row:
            case {"type": "response_item", "payload": {"type": str(kind)} as item}:
                take = _ITEMS.get(kind, _Rollout.other)
                yield from take(rollout, item, seconds(row.get("timestamp")), number)
            case {"type": "event_msg", "payload": {"type": str(kind)} as event}:
                if kind not in _QUIET["event"]:
                    yield from rollout.event(event, row.get("timestamp"), number)
                elif rollout.pending:
                    yield from rollout.beside(event)
            case _:
                yield from _rarer(rollout, row, number)


def _rarer(rollout: _Rollout, row: Any, number: int) -> Iterator[Event]:
    match row:
        case {"type": "turn_context", "payload": {"model": str(model)}}:
            rollout.model = model
        case {"type": "session_meta", "payload": {"id": str(id_)} as meta}:
            rollout.meta(id_, meta)
        case {"type": "compacted"}:
            yield from rollout.compacted()
        case {"type": str(kind)} if "payload" in row or kind in _QUIET["row"]:
            yield from _unread("row", kind, number)
        case {"type": str(kind)}:  # the older shape: a bare item
            yield from _ITEMS.get(kind, _Rollout.other)(rollout, row, None, number)
        case {"record_type": str()}:
            pass
        case {"id": str(id_), "timestamp": str()}:  # the older first line
            rollout.meta(id_, {})
        case _:
            yield Unread("row without type", number)


def _unread(what: str, kind: str, number: int) -> Iterator[Event]:
    if kind not in _QUIET[what]:
        yield Unread(f"{what} type {kind}", number)


class _Rollout:
    """What one rollout needs remembered between rows."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.parent: str | None = None
        self.agent = self.named = False
        self.model: str | None = None
        self.task: str | None = None  # the task under way; None where the rollout names none
        self.turn_task: str | None = None  # the task that the turn began in
        self.open = False  # a turn began and has not ended
        self.bare = False  # …and nothing followed its request yet
        self.over: TurnEnded | None = None  # how the newest turn ended
        self.turns = 0
        self.error: TurnError | None = None  # told by a row before the one that ends the task
        self.calls: dict[str, tuple[str, str]] = {}  # the turn's calls without an output
        self.pending: dict[str, Pending] = {}

    def meta(self, id_: str, meta: dict[str, Any]) -> None:
        if self.named:
            return  # a fork repeats the rows of its origin, headed by the origin's meta row
        self.named, self.session = True, id_
        match meta:
            case {"source": {"subagent": {"thread_spawn": {"parent_thread_id": str(parent)}}}}:
                self.agent, self.parent = True, parent
            case {"source": {"subagent": _}} | {"thread_source": "subagent"}:
                known = meta.get("parent_thread_id")
                self.agent, self.parent = True, known if isinstance(known, str) else None

    def start(self, request: str, kind: RequestKind, at: float | None) -> Iterator[Event]:
        """Begin a turn; a person's message inside a running one is queued and begins none."""
        human = kind is RequestKind.HUMAN
        if human and self.task and self.open and not self.bare:
            return
        fresh = self.task is not None and self.task != self.turn_task
        self.turns += not fresh
        turn = self.task if self.task and fresh else f"{self.task or self.session}#{self.turns}"
        self.turn_task, self.open, self.bare, self.over = self.task, True, True, None
        self.calls.clear()
        yield TurnStarted(
            session=self.session,
            turn=turn,
            harness=NAME,
            request=request,
            kind=RequestKind.AGENT if human and self.agent else kind,
            model=self.model,
            parent=self.parent,
            at=at,
        )

    def end(
        self, finish: FinishReason, error: TurnError | None, at: float | None
    ) -> Iterator[Event]:
        """End the turn, unless what ends is a task without one: a compaction, a shell command."""
        if not self.open or (self.task and self.turn_task and self.task != self.turn_task):
            return
        self.open = False
        self.over = TurnEnded(session=self.session, finish=finish, error=error, at=at)
        yield self.over
        for key in [key for key in self.pending if not key.startswith((_PROCESS, _AGENT))]:
            yield from self.wait(key, None)

    def add(self, part: Part, at: float | None) -> Iterator[Event]:
        if not self.open and self.task and self.task != self.turn_task:
            # A task nobody asked for: Codex or another agent set it going.
            kind = RequestKind.AGENT if self.agent else RequestKind.NUDGE
            yield from self.start("", kind, at)
        over = self.over if isinstance(part, ToolResult) else None
        self.bare, self.error, self.open, self.over = False, None, over is None, over
        yield PartAdded(self.session, part, at, self.model)
        if over is not None:  # a result that comes late reopens nothing
            yield over

    def compacted(self) -> Iterator[Event]:
        if self.open:  # a compaction between turns is in none
            yield Compacted(self.session)

    def message(self, item: dict[str, Any], at: float | None, _number: int) -> Iterator[Event]:
        found = texts(item.get("content"))
        match item:
            case {"role": "assistant"} if found:
                yield from self.add(Text("\n\n".join(found)), at)
            case {"role": "user", "content": content}:
                said = []
                for text in found:
                    if text.lstrip().startswith(written.INJECTED):
                        continue
                    if not (yield from self.marked(text, at)):
                        said.append(written.request(text))
                if said or (content and not found):  # an image alone is a request too
                    yield from self.start("\n\n".join(said), RequestKind.HUMAN, at)

    def reasoning(self, item: dict[str, Any], at: float | None, _number: int) -> Iterator[Event]:
        if found := texts(item.get("summary")) or texts(item.get("content")):
            yield from self.add(Reasoning("\n\n".join(found)), at)

    def other(self, item: dict[str, Any], at: float | None, number: int) -> Iterator[Event]:
        """Take the rarer items, and those of later versions as far as their names tell."""
        match item:
            case {"type": "compaction" | "compaction_summary" | "context_compaction"}:
                yield from self.compacted()
            case {"type": str(kind)} if kind.endswith("_output"):
                yield from self.result(item, at, number)
            case {"type": str(kind)} if kind.endswith("_call"):
                yield from self.hosted(kind.removesuffix("_call"), item, at, number)
            case {"type": str(kind)}:
                yield from _unread("item", kind, number)

    def marked(self, text: str, at: float | None) -> Generator[Event, None, bool]:
        """Take a user item in angle brackets; return whether Codex wrote it."""
        head = text.lstrip()[:40]
        if head.startswith("<hook_prompt"):
            # Stop hooks run only when the agent had stopped by itself.
            yield from self.end(FinishReason.STOP, None, at)
            said = unescape("\n\n".join(_HOOK_PROMPT.findall(text)))
            yield from self.start(said, RequestKind.STOP_HOOK, at)
        elif head.startswith("<turn_aborted>"):
            yield from self.end(FinishReason.ABORTED, None, at)
        elif head.startswith("<subagent_notification>"):
            yield from self.done(text)
        elif kinds := [kind for words, kind in _BEGINS.items() if head.startswith(words)]:
            yield from self.start(text, kinds[0], at)
        else:
            return False
        return True

    def call(self, item: dict[str, Any], at: float | None, number: int) -> Iterator[Event]:
        match item:
            case {"type": "local_shell_call"}:
                name, arguments = "local_shell", canonical(item.get("action", ""))
            case {"name": str(name)}:
                arguments = canonical(item.get("arguments", item.get("input", "")))
            case _:
                yield Unread("call without name", number)
                return
        id_ = _id(item, number)
        yield from self.add(ToolCall(name, arguments, id_), at)
        self.calls[id_] = name, arguments
        if kind := _ASKED.get(name):
            yield from self.wait(id_, Pending(kind, name))

    def result(self, item: dict[str, Any], at: float | None, number: int) -> Iterator[Event]:
        id_ = _id(item, number)
        text, failed, live = written.outcome(item.get("output"))
        yield from self.add(ToolResult(text, id_, failed), at)
        yield from self.wait(id_, None)
        name, arguments = self.calls.pop(id_, ("", ""))
        if name in _LASTING:
            yield from self.settle(name, arguments, text if not failed else "", live)

    def settle(self, name: str, arguments: str, text: str, live: str | None) -> Iterator[Event]:
        """Tell what a call changed beside the project; `text` is empty where it failed."""
        match name, parsed(arguments):
            case "update_plan", {"plan": steps} if (
                text and (plan := todos(steps, "step")) is not None
            ):
                yield TodosChanged(self.session, plan)
            case "exec_command", {"cmd": str(command)} if live:
                pending = Pending(PendingKind.BACKGROUND, command)
                yield from self.wait(f"{_PROCESS}{live}", pending)
            case "write_stdin", {"session_id": process} if not live:
                yield from self.wait(f"{_PROCESS}{process}", None)
            case "spawn_agent", _:
                match parsed(text):
                    case {"agent_id": str(agent)} | {"task_name": str(agent)}:
                        pending = Pending(PendingKind.SUBAGENT, agent)
                        yield from self.wait(f"{_AGENT}{agent}", pending)
            case "close_agent", _:
                yield from self.done(arguments)
            case "wait" | "wait_agent", _:
                yield from self.done(text)

    def hosted(
        self, name: str, item: dict[str, Any], at: float | None, number: int
    ) -> Iterator[Event]:
        """Take a call that the provider ran: its answer is no item of the rollout."""
        id_ = _id(item, number)
        arguments = item.get("action", item.get("arguments", ""))
        yield from self.add(ToolCall(name, canonical(arguments), id_), at)
        match item:
            case {"status": "completed" | "failed" as status} if name != "tool_search":
                yield from self.add(ToolResult("", id_, status == "failed"), at)

    def wait(self, key: str, pending: Pending | None) -> Iterator[Event]:
        if pending is not None:
            self.pending[key] = pending
        elif self.pending.pop(key, None) is None:
            return
        yield PendingChanged(self.session, tuple(self.pending.values()))

    def done(self, text: str) -> Iterator[Event]:
        """Take sub-agents off that a report of finished ones names."""
        for key in [key for key in self.pending if key.startswith(_AGENT)]:
            if key.removeprefix(_AGENT) in text:
                yield from self.wait(key, None)

    def event(self, event: dict[str, Any], stamp: object, number: int) -> Iterator[Event]:
        match event:
            case {"type": "task_started" | "turn_started"}:
                self.task = task if isinstance(task := event.get("turn_id"), str) else None
                self.error = None
            case {"type": "task_complete" | "turn_complete"}:
                error = written.error(event.get("error")) or self.error
                yield from self.end(written.finish(error), error, seconds(stamp))
                self.task = None
            case {"type": "turn_aborted", "reason": "budget_limited"}:
                error = TurnError("budget_limited", retryable=False)
                yield from self.end(FinishReason.ERROR, error, seconds(stamp))
                self.task = None
            case {"type": "turn_aborted"}:
                yield from self.end(FinishReason.ABORTED, None, seconds(stamp))
                self.task = None
            case {"type": "error"}:
                self.error = error = written.error(event)
                if self.task is None:  # else its task_complete row follows
                    yield from self.end(written.finish(error), error, seconds(stamp))
            case {"type": "context_compacted"}:
                yield from self.compacted()
            case {"type": str(kind)}:
                yield Unread(f"event type {kind}", number)

    def beside(self, event: dict[str, Any]) -> Iterator[Event]:
        """Take an event about what runs beside the turn."""
        match event:
            case {"process_id": str(process)} | {"item": {"process_id": str(process)}}:
                yield from self.wait(f"{_PROCESS}{process}", None)
            case {"type": "collab_waiting_end", "statuses": dict(names)}:
                yield from self.done(" ".join(names))
            case {"type": "collab_close_end", "receiver_thread_id": str(name)}:
                yield from self.done(name)


def _id(item: dict[str, Any], number: int) -> str:
    """Return the id that joins a call and its output; the line where the item has none."""
    id_ = item.get("call_id") or item.get("id")
    return id_ if isinstance(id_, str) else f"line {number}"


_Item = Callable[[_Rollout, dict[str, Any], float | None, int], Iterator[Event]]
_ITEMS: dict[str, _Item] = {
    "custom_tool_call": _Rollout.call,
    "function_call": _Rollout.call,
    "function_call_output": _Rollout.result,
    "local_shell_call": _Rollout.call,
    "message": _Rollout.message,
    "reasoning": _Rollout.reasoning,
}
