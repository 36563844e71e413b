"""What a line of Aider's own says in its history: something done, an error, a turn that goes on.

Knows no turns; `aider` says what a line does to the turn under way.
"""

from __future__ import annotations

import re

from auditor.harness import _litellm
from auditor.turn import TurnError

_ERROR = re.compile(r"(?:litellm\.)?(?:exceptions\.)?(\w+): (.*)", re.DOTALL)

# Lines of the tool that tell of something done: (beginning, tool, whether it failed).
DONE: tuple[tuple[str, str, bool | None], ...] = (
    ("Applied edit to ", "edit", False),
    ("Commit ", "git_commit", False),
    ("Running ", "run", None),
    ("Scraping ", "web", None),
    ("The LLM did not conform to the edit format", "edit", True),
    ("Edit format error", "edit", True),
    ("Failed to apply edit", "edit", True),
)
# Answered yes, these put another message to the model.
GOES_ON = re.compile(
    r"(?:Add .* to the chat|Attempt to fix (?:lint|test) errors|Edit the files)\?.*: [yYaA]\w*$"
)
CUT = re.compile(r"Output tokens: .*exceeded output limit")
_FULL = re.compile(r"Input tokens: .*exhausted context window|The chat session is larger than")
INTERRUPTS = ("^C again to exit", "^C KeyboardInterrupt")
_GAVE_UP = re.compile(r"Only \d+ reflections allowed, stopping")


def error(line: str) -> TurnError | None:
    """The error that a line tells of, if any."""
    found = _ERROR.match(line)
    if found and (line.startswith("litellm.") or _litellm.known(found[1])):
        return _litellm.error(found[1], found[2])
    if _FULL.match(line):
        return _litellm.error("ContextWindowExceededError", line)
    return TurnError("ReflectionsExhausted", line) if _GAVE_UP.match(line) else None
