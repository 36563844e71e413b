"""What of a turn a decision model is shown: the request, what was done, the end of the reply.

Owns the plain sentences: a model of this size neither counts nor infers, so what code can know is
said in words. Knows no model, no question and no budget but characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from auditor.turn import FinishReason, PendingKind, ToolCall, ToolResult, Turn

REQUEST, REPLY = 2_000, 6_000
"""Characters that are looked at before tokens are counted: more than a budget holds (a guess)."""

CALLS, ARGUMENTS, OUTPUT, ITEMS, ITEM = 3, 120, 160, 3, 80
"""Calls told in full, characters of their arguments and results, to-dos named, characters of a
name (guesses)."""

CUT = "…"
"""Stands where something was left out."""


class Evidence(Struct, frozen=True):
    """What of a turn is shown: head of the request, plain sentences, tail of the reply."""

    request: str
    facts: tuple[str, ...]
    reply: str


def evidence(turn: Turn) -> Evidence:
    """Say what of the turn the model is shown, without half pairs of surrogates."""
    return Evidence(
        request=_clean(turn.request[:REQUEST]),
        facts=tuple([_clean(fact) for fact in _facts(turn)]),
        reply=_bare(_clean(turn.reply[-REPLY:])),
    )


_COUNTED = re.compile(
    # What a harness prints under a reply: what it took, what it cost, a note to the model.
    r"\n[ \t]{0,8}(?:"
    r"<(system-reminder|environment_details)>(?:(?!</\1>).){0,2000}</\1>"
    r"|[^\w\n]{0,4}(?:tokens?|cost|duration|elapsed|took|worked for)\b[^\n]{0,60}\d[^\n]{0,20}"
    r"|[^\w\n]{1,4}\d[\d.,]{0,9} ?(?:ms|s|sec|seconds|min|m)\b[^\w\n]{0,4}"
    r")\Z",
    re.I | re.S,
)


def _bare(reply: str) -> str:
    """Take off what stands under the reply and is not the agent's: it moves a small model."""
    while (found := _COUNTED.search(reply, max(len(reply) - 2_100, 0))) and found.start():
        reply = reply[: found.start()].rstrip()
    return reply


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "").strip()


_WAITING = {
    PendingKind.BACKGROUND: "A background job is still running",
    PendingKind.SUBAGENT: "A sub-agent is still working",
    PendingKind.PERMISSION: "The user is being asked for a permission",
    PendingKind.QUESTION: "A question to the user is open",
    PendingKind.SCHEDULE: "Later work is scheduled",
}

_ENDED = {
    FinishReason.LENGTH: "The reply was cut off by the length limit.",
    FinishReason.CONTENT_FILTER: "A content filter cut the reply off.",
    FinishReason.ERROR: "The turn ended with an error.",
    FinishReason.ABORTED: "The user stopped the agent.",
    FinishReason.STALLED: "The stream fell silent.",
}


def _facts(turn: Turn) -> Iterator[str]:
    """Plain sentences, the most telling last: a cut takes from the front."""
    if turn.calls:
        counts = Counter(call.name for call in turn.calls)
        named = ", ".join(f"{name} ({times})" for name, times in counts.most_common(ITEMS))
        yield f"The agent called tools: {named}."
        yield from _told_calls(turn)
    if turn.todos:
        yield _told_todos(turn)
    for pending in turn.pending:
        yield f"{_WAITING[pending.kind]}{f': {_line(pending.what, ITEM)}' if pending.what else ''}."
    if turn.error is not None and turn.error.message:
        yield f"The turn ended with an error: {_line(turn.error.message, OUTPUT)}"
    elif turn.finish in _ENDED:
        yield _ENDED[turn.finish]
    if type(turn.last) is ToolCall:
        yield "The turn ends on a tool call."
    elif type(turn.last) is ToolResult:
        yield "The turn ends on the result of a tool."


def _told_calls(turn: Turn) -> Iterator[str]:
    """Tell the last calls and what came of them."""
    results: list[ToolResult] = [part for part in turn.parts if type(part) is ToolResult]
    by_call = {result.call: result for result in results if result.call is not None}
    for call in turn.calls[-CALLS:]:
        told = f"It called {call.name} {_line(call.arguments, ARGUMENTS)}".rstrip()
        result = by_call.get(call.id) if call.id is not None else None
        if result is None:
            yield f"{told}."
        else:
            verb = "failed" if result.failed else "returned"
            yield f"{told}, which {verb}: {_line(result.output, OUTPUT, end=True)}"
    if results and results[-1].failed is not None:
        yield f"The last command {'failed' if results[-1].failed else 'passed'}."


def _told_todos(turn: Turn) -> str:
    """Say how much of the agent's own list is done, and name what is open."""
    total, left = len(turn.todos or ()), turn.open_todos
    if not left:
        return "Every to-do is done."
    named = "; ".join(_line(todo.content, ITEM) for todo in left[:ITEMS])
    return f"{len(left)} of {total} to-dos are open: {named}."


def _line(text: str, length: int, *, end: bool = False) -> str:
    """One line of at most `length` characters: the beginning, or the end."""
    line = " ".join((text[-4 * length :] if end else text[: 4 * length]).split())
    if len(line) <= length:
        return line
    return CUT + line[1 - length :] if end else line[: length - 1] + CUT
