"""A located model in this process: its file, its letters, and its head and adapter if it has any.

The one place that turns what the registry found into a model that answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.backends.head import read
from auditor.backends.llama import ROOM, Llama
from auditor.errors import JudgeUnavailable
from auditor.judge import BUDGET, LETTERS

if TYPE_CHECKING:
    from auditor.backends.head import Head
    from auditor.models.registry import Located


def loaded(
    located: Located, *, threads: int | None = None, budget: int = BUDGET, room: int = ROOM
) -> Llama:
    """Load a model; see `Llama`. Raises `JudgeUnavailable`."""
    letters = located.model.letters if located.model else LETTERS
    return Llama(
        located.path,
        located.digest,
        letters,
        threads=threads,
        budget=budget,
        room=room,
        head=_head(located),
        adapter=located.adapter,
    )


def _head(located: Located) -> Head | None:
    """Read the head, and see that it was fitted on these very files."""
    if located.head is None or located.model is None or located.model.own is None:
        return None
    head, own = read(located.head), located.model.own
    theirs, ours = (head.base, head.adapter), (located.model.sha256, own.adapter)
    if theirs != (ours[0], ours[1].sha256 if ours[1] else None):
        raise JudgeUnavailable(
            f"{located.head} was fitted on other files than {located.model.name} has; expected a"
            f" base with sha256 {head.base} and an adapter with {head.adapter or 'none'}"
        )
    return head
