"""`auditor pause`, `resume`, `mode`: tell those who watch; parse, call, print."""

# ruff: noqa: D301, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

import time
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.commands.answering import answering
from auditor.commands.store import Db

if TYPE_CHECKING:
    from auditor.store import Store

ALL = "all"

Session = Annotated[
    str | None, typer.Argument(metavar="SESSION", help="Its id. Default: every session.")
]


class ModeName(StrEnum):
    """What `auditor mode` takes."""

    default = "default"
    off = "off"
    recovery = "recovery"
    loop = "loop"


def pause(
    session: Session = None,
    for_: Annotated[
        str | None,
        typer.Option("--for", metavar="TIME", help="Like 30m, 2h or 1d. Default: until resumed."),
    ] = None,
    db: Db = None,
) -> None:
    """Send nothing for a while, to a session or to any; watching goes on. Outlives restarts.

    \b
    Examples:
      auditor pause                       nothing is sent until auditor resume
      auditor pause --for 1h              for an hour
      auditor pause ses_4f2a --for 30m    in one session
    """
    with answering():
        from auditor.config import span
        from auditor.live.switches import Switch

        now = time.time()
        until = None if for_ is None else now + span(for_, "--for")
        one = _one(session)
        with _store(db) as store:
            store.switch(Switch.PAUSE, one, now, until=until)
            _check(store, one)
        back = "" if one is None else f" {one}"
        ends = f"until auditor resume{back}" if until is None else f"until {_clock(until)}"
        typer.echo(f"Paused {_what(one)} {ends}; turns are audited as before.")


def resume(
    session: Session = None,
    now_: Annotated[
        bool,
        typer.Option("--now", help="Send SESSION one nudge now, whatever holds it; pauses stay."),
    ] = False,
    db: Db = None,
) -> None:
    """Lift a pause: that of everything, or of one session. With --now, ask for one nudge.

    \b
    Examples:
      auditor resume                   lift the pause of everything
      auditor resume ses_4f2a --now    one nudge, past pauses, cooldown and caps
    """
    with answering():
        from auditor.errors import ConfigError
        from auditor.live.switches import Switch

        one, now = _one(session), time.time()
        if now_ and one is None:
            raise ConfigError("--now: expected the SESSION that is to be nudged")
        with _store(db) as store:
            store.switch(Switch.NOW if now_ else Switch.RESUME, one, now)
            _check(store, one)
            left = store.pauses(now)
            watched = _watched(store, now)
        if now_:
            typer.echo(f"One nudge is asked for in {_what(one)}.{watched}")
            return
        typer.echo(f"Resumed {_what(one)}.{_still([each.session for each in left], one)}")


def mode(
    session: Annotated[str, typer.Argument(metavar="SESSION|all", help="A session's id, or all.")],
    mode: Annotated[
        ModeName | None,
        typer.Argument(
            metavar="MODE",
            help="default: as the watcher was started; off: nothing is sent; recovery: bring it"
            " back when it stalls; loop: also go on when it is done. Without: say which it is.",
        ),
    ] = None,
    db: Db = None,
) -> None:
    """Say what may be done to a session, or to all that have no mode of their own.

    \b
    Examples:
      auditor mode ses_4f2a off        never send it anything
      auditor mode all recovery        in every session, only recoveries
      auditor mode ses_4f2a default    as all the others again
    """
    with answering():
        from auditor.live.settings import Mode
        from auditor.live.switches import Switch

        one = _one(session)
        with _store(db) as store:
            if mode is not None:
                store.switch(Switch.MODE, one, time.time(), mode=Mode(mode.value))
            found = store.mode(one)
            _check(store, one)
        typer.echo(f"Mode of {_what(one)}: {found.value}")


def _store(db: Path | None) -> Store:
    """Open the store, made where there is none: one may pause before anything was watched."""
    from auditor.store import Store, default_path

    return Store(db or default_path())


def _one(session: str | None) -> str | None:
    """Read which session is meant; None: all."""
    from auditor.errors import ConfigError

    if session is None or session == ALL:
        return None
    if not session.strip() or session != session.strip():
        raise ConfigError(f"SESSION: {session!r} is not the id of a session")
    return session


def _check(store: Store, session: str | None) -> None:
    """Say so where nothing is known of the session: its id may be wrong."""
    if session is not None and not store.knows(session):
        typer.echo(f"auditor: no turn of {_what(session)} is kept yet; is its id right?", err=True)


def _what(session: str | None) -> str:
    from auditor.glimpse import one_line

    return "every session" if session is None else f"session {one_line(session)}"


def _clock(when: float) -> str:
    return datetime.fromtimestamp(when).astimezone().strftime("%Y-%m-%d %H:%M")


def _watched(store: Store, now: float) -> str:
    """Say so where nobody seems to watch."""
    from auditor.gating.history import alive

    if any(alive(each, now) for each in store.watchers(0.0)):
        return ""
    return " Nobody seems to watch: auditor watch opencode"


def _still(paused: list[str | None], session: str | None) -> str:
    """Say what stays paused all the same."""
    if session is not None:
        return " Everything is paused all the same: auditor resume" if None in paused else ""
    if not paused:
        return ""
    return f" Paused by themselves: {len(paused)} sessions (auditor status)"
