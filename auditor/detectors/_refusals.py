"""Results in which the user, not the tool, speaks: a call refused, a question waved away, a stop.

The phrases are those the harnesses themselves write into the result; a tool's own "permission
denied" is none of them.
"""

from __future__ import annotations

import re

from auditor.turn import ToolResult, Turn

_REFUSED = re.compile(
    r"\[Request interrupted by user"
    r"|(?:The )?user (?:doesn'?t|does not|did not|didn'?t) want to (?:proceed"
    r"|take this action|answer)"
    r"|(?:The )?user (?:has )?(?:rejected|denied|declined|dismissed|refused|cancell?ed|aborted"
    r"|interrupted|skipped)\b"
    r"|(?:rejected|denied|declined|dismissed|cancell?ed|aborted|interrupted"
    r"|skipped) by (?:the )?user"
    r"|(?:tool (?:call|use|execution)|operation|command|request|question) (?:was )?"
    r"(?:rejected|cancell?ed|dismissed)\b(?! by (?:the )?(?:server|system|timeout))",
    re.I,
)

_HINTS = ("user", "reject", "cancel", "dismiss")
"""One of these stands in every refusal, and in few other results."""

HEAD = 400
"""Characters of a result that are looked at: the harness's sentence stands first (a guess)."""

_BATCH = 6
"""Parts at the end that are looked at: a refusal ends a batch of parallel calls (a guess)."""


def refused(result: ToolResult) -> bool:
    """The user refused or interrupted the call."""
    if result.failed is False and not result.output.startswith(("The user", "User", "[Request")):
        return False
    output = result.output
    head = output if len(output) <= HEAD else output[:200] + output[-200:]
    plain = head.lower()
    return any(hint in plain for hint in _HINTS) and _REFUSED.search(head) is not None


def last_refusal(turn: Turn) -> ToolResult | None:
    """The refusal the turn ends on: no visible text and no accepted call follows it."""
    if type(turn.last) is not ToolResult:
        return None
    for part in reversed(turn.parts[-_BATCH:]):
        if type(part) is ToolResult and part.output:
            return part if refused(part) else None
    return None
