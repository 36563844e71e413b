"""What Codex CLI writes into texts: tool results, errors, words put into a user's mouth.

Knows nothing of rows and turns. Every function takes whatever was decoded and never raises.
"""

from __future__ import annotations

import re
from typing import Any

from auditor.harness._shapes import TRANSIENT, parsed, texts
from auditor.turn import FinishReason, TurnError, canonical

INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<skill>",
    "<user_shell_command>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<model_switch>",
    "<personality_spec>",
    "# AGENTS.md instructions for ",
    "Another language model started to solve this problem",
)
"""Beginnings of user items that no person wrote and that begin no turn."""

_IDE_REQUEST = "## My request for Codex:"  # the IDE extension puts open files before the request

_HEADER = re.compile(
    r"(?:Chunk ID: \S+\n)?(?:Exit code: (?P<exit>-?\d+)\n)?Wall time: [^\n]*\n"
    r"(?:Process exited with code (?P<code>-?\d+)\n"
    r"|Process running with session ID (?P<live>\S+)\n)?"
    r"(?:(?:[^\n]*\n){0,3}?Output:\n)?"
)
_FAILED = (  # how outputs begin that Codex writes in place of a result
    "aborted",
    "apply_patch verification failed",
    "Command blocked by ",
    "err:",
    "exec command rejected",
    "exec_command failed",
    "execution error",
    "failed ",
    "patch rejected",
    "request_user_input is unavailable",
    "unsupported c",
    "write_stdin failed",
)
_FINE = ("Plan updated", "Success.")

# `codex_error_info` of errors that may pass by themselves, and of those that will not.
_PASSING = ("server", "http_connection", "response_", "internal")
_LASTING = ("usage_limit", "unauthorized", "bad_request", "context_window", "session_budget")
_INCOMPLETE = {  # "Incomplete response returned, reason: …"
    "reason: max_output_tokens": FinishReason.LENGTH,
    "reason: content_filter": FinishReason.CONTENT_FILTER,
}


def request(text: str) -> str:
    """Return what the person asked for, without what the IDE extension put before it."""
    return text.partition(_IDE_REQUEST)[2].strip() or text


def outcome(output: Any) -> tuple[str, bool | None, str | None]:
    """Return text, failed, id of the process that still runs.

    The header with its chunk id and times is cut off: it differs between equal results.
    """
    match output:
        case {"content": content, "success": bool(success)}:
            return "\n".join(texts(content)), not success, None
        case {"content": content}:
            return _written("\n".join(texts(content)))
        case str() | list():
            return _written("\n".join(texts(output)))
    return "" if output is None else canonical(output), None, None


def _written(output: str) -> tuple[str, bool | None, str | None]:
    match parsed(output) if output.startswith(('{"output":', '{"content":')) else None:
        case {"output": str(text), "metadata": {"exit_code": int(code)}}:
            return text, code != 0, None
        case {"output": str(text)}:
            return text, None, None
        case {"content": content, "isError": bool(failed)}:
            return "\n".join(texts(content)), failed, None
    found = _HEADER.match(output)
    if found is None:
        return output, _known(output), None
    text, exit_code = output[found.end() :], found["exit"] or found["code"]
    return text, exit_code != "0" if exit_code else _known(text), found["live"]


def _known(text: str) -> bool | None:
    if text.startswith(_FAILED):
        return True
    return False if text.startswith(_FINE) else None


def error(value: Any) -> TurnError | None:
    """Read the error of a row; `codex_error_info` is a name or {name: more}."""
    match value:
        case {"message": str(message), "codex_error_info": str(name)}:
            return TurnError(name, message, None, _retryable(name, message))
        case {"message": str(message), "codex_error_info": dict(info)} if info:
            name, more = next(iter(info.items()))
            match more:
                case {"http_status_code": int(status)}:
                    return TurnError(name, message, status, status in TRANSIENT)
            return TurnError(name, message, None, _retryable(name, message))
        case {"message": str(message)}:
            return TurnError("", message, None, _retryable("", message))
    return None


def _retryable(name: str, message: str) -> bool | None:
    if name.startswith(_LASTING):
        return False
    return True if name.startswith(_PASSING) or message.startswith("stream disconnected") else None


def finish(found: TurnError | None) -> FinishReason:
    """Return how a completed task ended: Codex tells a clipped reply as an error."""
    if found is None:
        return FinishReason.STOP
    for words, reason in _INCOMPLETE.items():
        if found.message.endswith(words):
            return reason
    return FinishReason.ERROR
