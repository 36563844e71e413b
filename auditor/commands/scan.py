"""`auditor scan`: audit transcripts on disk; parse, call, print."""

# ruff: noqa: D301, PLC0415, PLR0913, PLR0917 (\b for click; lazy imports; one parameter an option)

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from auditor.commands.answering import INTERRUPTED, answering
from auditor.commands.store import Db
from auditor.formats import Format


def scan(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Transcripts, or folders that hold some. Default: where the harnesses keep them.",
        ),
    ] = None,
    harness: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Read files as this harness's; in folders, keep to it. `records`: turn records.",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Turns since a date (2026-05-31) or an age (7d, 12h)."),
    ] = None,
    last: Annotated[
        int | None, typer.Option(metavar="N", help="The newest N turns of all.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Turns of sessions whose id begins so.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="Show only: nudge (would be nudged), log, silent (decisions); unfinished, stuck,"
            " awaiting_user, waiting, finished (verdicts); settled, judged, residue; all.",
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(metavar="TURN", help="Explain one turn; its id, or how it begins or ends."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|none",
            envvar="AUDITOR_MODEL",
            help="The decision model that is asked what nothing settles: a known one, the path of a"
            " GGUF file, or none. Default: the default model, fetched on first use.",
        ),
    ] = None,
    ask: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="New questions to the model at most; the next scan goes on. Default: 50.",
        ),
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Fetch nothing.")] = False,
    calibration: Annotated[
        str | None,
        typer.Option(
            metavar="ID|FILE|none",
            help="What makes a probability of signals and answers. Default: the shipped one.",
        ),
    ] = None,
    format_: Annotated[
        Format,
        typer.Option("--format", help="For people, or one JSON line a turn, or one JSON object."),
    ] = Format.TABLE,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there; whole or not at all.")
    ] = None,
    db: Db = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep nothing.")] = False,
) -> None:
    """Audit transcripts: whose move was next after each turn, and why.

    The table shows the turns that a nudge would have helped, then a summary of all. What the sieve
    does not settle is asked a small decision model on this machine; what it says is kept. Nothing
    leaves this machine, and nothing is sent to an agent.

    \b
    Examples:
      auditor scan                              everything on this machine
      auditor scan --since 7d --only nudge      what would have been nudged this week
      auditor scan --last 20 --only all         the newest 20 turns
      auditor scan --explain 3f2a1b             one turn: signals, evidence, decision
      auditor scan run.jsonl --format jsonl     one JSON line a turn
    """
    with answering():
        from auditor import order as orders
        from auditor import scan as scanning
        from auditor.store import default_path

        done = scanning.scan(
            orders.Order(
                paths=tuple(paths or ()),
                harness=harness,
                since=None if since is None else orders.moment(since, time.time()),
                last=last,
                session=session,
                only=only,
                explain=explain,
                format=format_,
                out=out,
                db=None if no_store else db or default_path(),
                model=orders.model(model),
                questions=orders.questions(ask),
                offline=offline,
                calibration=orders.calibration(calibration),
            )
        )
        if done.interrupted:
            raise typer.Exit(INTERRUPTED)
