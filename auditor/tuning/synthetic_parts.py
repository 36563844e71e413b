"""A turn taken apart: the paragraphs said on the way, the first calls, where the reply begins.

Pure; knows nothing of what is made of the pieces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from auditor.turn import Part, Text, ToolCall, ToolResult, Turn


def paragraphs(text: str) -> list[str]:
    """Blocks between blank lines, but never a part of a fenced block."""
    found: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        if found and found[-1].count("```") % 2:
            found[-1] += "\n\n" + block
        elif block.strip():
            found.append(block.strip())
    return found


def before(turn: Turn) -> list[str]:
    """Paragraphs of the text before the reply."""
    texts = [part.text for part in turn.parts[: reply_start(turn)] if type(part) is Text]
    return [said for text in texts for said in paragraphs(text)]


def reply_start(turn: Turn) -> int:
    """Place of the first part of the reply."""
    start = len(turn.parts)
    while start and type(turn.parts[start - 1]) not in (ToolCall, ToolResult):
        start -= 1
    return start


def steps(turn: Turn, kept: int) -> tuple[Part, ...]:
    """Give the first calls, with their results."""
    calls = set(map(id, turn.calls[:kept]))
    names = {call.id for call in turn.calls[:kept]}
    return tuple(
        part
        for part in turn.parts
        if id(part) in calls or (type(part) is ToolResult and part.call in names)
    )


def texts(said: Sequence[str]) -> tuple[Part, ...]:
    """Give the paragraphs as one text again; nothing for none."""
    return (Text("\n\n".join(said)),) if said else ()
