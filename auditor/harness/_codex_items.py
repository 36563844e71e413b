"""Response items of a Codex rollout: what the person asked, what the model said and called.

Knows what every item does to the rollout; nothing of the rows that carry items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from html import unescape
from typing import Any

from auditor.events import Event, TodosChanged, Unread
from auditor.harness import _codex_texts as written
from auditor.harness._codex_rollout import Rollout
from auditor.harness._shapes import parsed, texts, todos
from auditor.turn import (
    FinishReason,
    Pending,
    PendingKind,
    Reasoning,
    RequestKind,
    Text,
    ToolCall,
    ToolResult,
    canonical,
)

_QUIET = frozenset({"ghost_snapshot", "other"})
_COMPACTIONS = frozenset({"compaction", "compaction_summary", "context_compaction"})

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

Item = dict[str, Any]


def events(rollout: Rollout, kind: str, item: Item, at: float | None) -> Iterable[Event]:
    """The events of one item."""
    return _ITEMS.get(kind, _other)(rollout, item, at)


def _message(rollout: Rollout, item: Item, at: float | None) -> Iterator[Event]:
    found, role = texts(item.get("content")), item.get("role")
    if role == "assistant" and found:
        yield from rollout.add(Text("\n\n".join(found)), at)
    elif role == "user" and "content" in item:
        said = []
        for text in found:
            if text.lstrip().startswith(written.INJECTED):
                continue
            if not (yield from _marked(rollout, text, at)):
                said.append(written.request(text))
        if said or (item["content"] and not found):  # an image alone is a request too
            yield from rollout.start("\n\n".join(said), RequestKind.HUMAN, at)


def _marked(rollout: Rollout, text: str, at: float | None) -> Generator[Event, None, bool]:
    """Take a user item in angle brackets; return whether Codex wrote it."""
    head = text.lstrip()[:40]
    if head.startswith("<hook_prompt"):
        # Stop hooks run only when the agent had stopped by itself.
        yield from rollout.end(FinishReason.STOP, None, at)
        said = unescape("\n\n".join(_HOOK_PROMPT.findall(text)))
        yield from rollout.start(said, RequestKind.STOP_HOOK, at)
    elif head.startswith("<turn_aborted>"):
        yield from rollout.end(FinishReason.ABORTED, None, at)
    elif head.startswith("<subagent_notification>"):
        yield from rollout.done(text)
    elif kinds := [kind for words, kind in _BEGINS.items() if head.startswith(words)]:
        yield from rollout.start(text, kinds[0], at)
    else:
        return False
    return True


def _reasoning(rollout: Rollout, item: Item, at: float | None) -> Iterator[Event]:
    if found := texts(item.get("summary")) or texts(item.get("content")):
        yield from rollout.add(Reasoning("\n\n".join(found)), at)


def _local_shell(rollout: Rollout, item: Item, at: float | None) -> Iterator[Event]:
    return _called(rollout, item, at, "local_shell", item.get("action", ""))


def _call(rollout: Rollout, item: Item, at: float | None) -> Iterable[Event]:
    name = item.get("name")
    if not isinstance(name, str):
        return [Unread("call without name")]
    return _called(rollout, item, at, name, item.get("arguments", item.get("input", "")))


def _called(
    rollout: Rollout, item: Item, at: float | None, name: str, given: object
) -> Iterator[Event]:
    id_, arguments = _id(rollout, item), canonical(given)
    yield from rollout.add(ToolCall(name, arguments, id_), at)
    rollout.calls[id_] = name, arguments
    if kind := _ASKED.get(name):
        yield from rollout.wait(id_, Pending(kind, name))


def _result(rollout: Rollout, item: Item, at: float | None) -> Iterator[Event]:
    id_ = _id(rollout, item)
    text, failed, live = written.outcome(item.get("output"))
    yield from rollout.add(ToolResult(text, id_, failed), at)
    yield from rollout.over(id_)
    name, arguments = rollout.calls.pop(id_, ("", ""))
    if name in _LASTING:
        yield from _LASTING[name](rollout, arguments, "" if failed else text, live)


def _other(rollout: Rollout, item: Item, at: float | None) -> Iterator[Event]:
    """Take the rarer items, and those of later versions as far as their names tell."""
    kind = item["type"]
    if kind in _COMPACTIONS:
        yield from rollout.compacted()
    elif kind.endswith("_output"):
        yield from _result(rollout, item, at)
    elif kind.endswith("_call"):
        yield from _hosted(rollout, kind.removesuffix("_call"), item, at)
    elif kind not in _QUIET:
        yield Unread(f"item type {kind}")


def _hosted(rollout: Rollout, name: str, item: Item, at: float | None) -> Iterator[Event]:
    """Take a call that the provider ran: its answer is no item of the rollout."""
    id_, status = _id(rollout, item), item.get("status")
    arguments = canonical(item.get("action", item.get("arguments", "")))
    yield from rollout.add(ToolCall(name, arguments, id_), at)
    if status in ("completed", "failed") and name != "tool_search":
        yield from rollout.add(ToolResult("", id_, status == "failed"), at)


def _id(rollout: Rollout, item: Item) -> str:
    """Return the id that joins a call and its output; the line where the item has none."""
    id_ = item.get("call_id") or item.get("id")
    return id_ if isinstance(id_, str) else f"line {rollout.line}"


_ITEMS: dict[str, Callable[[Rollout, Item, float | None], Iterable[Event]]] = {
    "custom_tool_call": _call,
    "function_call": _call,
    "function_call_output": _result,
    "local_shell_call": _local_shell,
    "message": _message,
    "reasoning": _reasoning,
}


# Calls that change more than the project. What each takes: the call's arguments, its output, which
# is empty where it failed, and the process that it left running.


def _planned(rollout: Rollout, arguments: str, text: str, _live: str | None) -> Iterator[Event]:
    match parsed(arguments):
        case {"plan": steps} if text and (plan := todos(steps, "step")) is not None:
            yield TodosChanged(rollout.session, plan)


def _executed(rollout: Rollout, arguments: str, _text: str, live: str | None) -> Iterator[Event]:
    match parsed(arguments):
        case {"cmd": str(command)} if live:
            yield from rollout.runs(live, command)


def _typed(rollout: Rollout, arguments: str, _text: str, live: str | None) -> Iterator[Event]:
    match parsed(arguments):
        case {"session_id": process} if not live:
            yield from rollout.ran(process)


def _spawned(rollout: Rollout, _arguments: str, text: str, _live: str | None) -> Iterator[Event]:
    match parsed(text):
        case {"agent_id": str(agent)} | {"task_name": str(agent)}:
            yield from rollout.spawned(agent)


def _closed(rollout: Rollout, arguments: str, _text: str, _live: str | None) -> Iterator[Event]:
    return rollout.done(arguments)


def _waited(rollout: Rollout, _arguments: str, text: str, _live: str | None) -> Iterator[Event]:
    return rollout.done(text)


_LASTING: dict[str, Callable[[Rollout, str, str, str | None], Iterator[Event]]] = {
    "close_agent": _closed,
    "exec_command": _executed,
    "spawn_agent": _spawned,
    "update_plan": _planned,
    "wait": _waited,
    "wait_agent": _waited,
    "write_stdin": _typed,
}
