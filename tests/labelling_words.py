"""Stores with turns that can be labelled: `filled(path, nudge("s1"), done("s2"), …)`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import structs

from auditor.audit import Audit, audit
from auditor.glimpse import redacted
from auditor.store import Store, address
from auditor.turn import Turn
from tests.words import call, result, say, turn

DAY = 86_400.0


def nudge(session: str, number: int = 0, **more: Any) -> Turn:
    """A turn that would be nudged: it announces and does not do."""
    made = turn(
        call("read", path="a.py"),
        result("…"),
        say(f"I read part {number}. Now I'll run the tests:"),
        request=f"Fix part {number}",
        **more,
    )
    return structs.replace(made, id=f"{session}-{number}", session=session)


def asked(session: str, number: int = 0, **more: Any) -> Turn:
    """A settled turn that would not be nudged: it asks."""
    made = turn(say(f"Shall I also do part {number}?"), request=f"Do part {number}", **more)
    return structs.replace(made, id=f"{session}-{number}", session=session)


def report(session: str, number: int = 0, **more: Any) -> Turn:
    """A turn that nothing settles."""
    made = turn(
        say(f"The parser of part {number} reads empty files, its tests pass."),
        request=f"Write part {number}",
        **more,
    )
    return structs.replace(made, id=f"{session}-{number}", session=session)


def filled(path: Path, *turns: Turn, **changes: Any) -> Path:
    """A store with the audits of these turns; `changes` are made to each audit."""
    with Store(path) as store:
        for each in turns:
            store.add(each, changed(each, **changes))
    return path


def changed(of: Turn, **changes: Any) -> Audit:
    return structs.replace(redacted(audit(of)), **changes)


def hexed(of: Turn) -> str:
    return address(of).hex()
