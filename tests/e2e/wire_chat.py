"""Acts → chat completions, streamed or whole: the wire format of OpenCode and others.

Owns bytes only. An act that is no bytes (silence, a broken connection) is for the server.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

from tests.e2e.acts import Call, ErrorPiece, Finish, Say, Step, Think

Json = dict[str, object]

TOOLS = {
    "shell": ("bash", "shell", "run_shell_command", "exec_command", "Bash"),
    "read": ("read", "read_file", "Read"),
    "write": ("write", "write_file", "Write"),
    "todo": ("todowrite", "todo_write", "TodoWrite", "update_plan"),
    "task": ("task", "agent", "Task"),
    "question": ("question", "ask_user"),
}
"""Abstract tools, and the names that harnesses give them, the likeliest first."""

_ids = itertools.count(1)


def named(tool: str, offered: tuple[str, ...]) -> str:
    """Give the name under which the request offers the tool; its own where it does not."""
    return next((name for name in TOOLS.get(tool, ()) if name in offered), tool)


def arguments(call: Call, name: str, workdir: str) -> str:
    """Give the call's arguments as JSON text, in the words of the harness's tool."""
    if isinstance(call.arguments, str):
        return call.arguments
    given = dict(call.arguments)
    if "path" in given:
        path = f"{workdir}/{given.pop('path')}"
        given = {"filePath" if name in ("read", "write") else "file_path": path, **given}
    if call.tool == "shell":
        given.setdefault("description", "Run a command")
    if call.tool == "task":
        given = {"description": "Look", "subagent_type": "general", **given}
    return json.dumps(given)


def piece(model: str, delta: Json, finish: str | None = None) -> bytes:
    """One event of the stream."""
    return event(
        {
            "id": "chatcmpl-fake",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
    )


def event(body: Json) -> bytes:
    """A server-sent event."""
    return b"data: " + json.dumps(body).encode() + b"\n\n"


def cut(text: str, size: int) -> Iterator[str]:
    """Cut a text into pieces."""
    for start in range(0, len(text), size):
        yield text[start : start + size]


def streamed(
    act: object, model: str, offered: tuple[str, ...], workdir: str, index: int
) -> Iterator[bytes]:
    """Give the events of an act that has some. `index`: of the call in its answer."""
    match act:
        case Say(text=text, piece=size):
            for each in cut(text, size):
                yield piece(model, {"content": each})
        case Think(text=text):
            for each in cut(text, 24):
                yield piece(model, {"reasoning_content": each})
        case Call():
            for call in _call(act, offered, workdir):
                yield piece(model, {"tool_calls": [{"index": index, **call}]})
        case ErrorPiece(message=message):
            yield event({"error": {"message": message, "type": "server_error"}})


def _call(act: Call, offered: tuple[str, ...], workdir: str) -> Iterator[Json]:
    name = named(act.tool, offered)
    said = arguments(act, name, workdir)
    first = {"id": f"call_{next(_ids)}", "type": "function"}
    if act.no_name or act.name_late:
        yield {**first, "function": {"name": None, "arguments": ""}}
        if act.name_late:
            yield {"function": {"name": name, "arguments": said}}
        return
    yield {**first, "function": {"name": name, "arguments": ""}}
    for each in cut(said, 40):
        yield {"function": {"arguments": each}}


def reason(step: Step) -> str | None:
    """Give the finish reason of a whole answer."""
    for act in step:
        if isinstance(act, Finish):
            return act.reason
    return "tool_calls" if any(isinstance(act, Call) for act in step) else "stop"


def end(model: str, finish: str | None) -> bytes:
    """The end of a stream: the finish reason, the tokens, the last word."""
    usage = event(
        {
            "id": "chatcmpl-fake",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": model,
            "choices": [],
            "usage": {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960},
        }
    )
    last = b"" if finish is None else piece(model, {}, finish)
    return last + usage + b"data: [DONE]\n\n"


def whole(step: Step, model: str, offered: tuple[str, ...], workdir: str) -> Json:
    """Give the answer of one who did not ask for a stream."""
    calls = [
        {
            "id": f"call_{next(_ids)}",
            "type": "function",
            "function": {
                "name": named(act.tool, offered),
                "arguments": arguments(act, named(act.tool, offered), workdir),
            },
        }
        for act in step
        if isinstance(act, Call)
    ]
    text = "".join(act.text for act in step if isinstance(act, Say))
    message: Json = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = calls
    return {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason(step) or "stop"}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960},
    }
