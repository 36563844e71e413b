"""`auditor store`: look after the file where audits are kept; parse, call, print."""

# ruff: noqa: D301, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Look after the store, where audits are kept.", no_args_is_help=True, rich_markup_mode=None
)

Db = Annotated[
    Path | None,
    typer.Option(
        "--db",
        metavar="PATH",
        help="The store. Default: AUDITOR_DB, else the platform's data directory.",
    ),
]


@app.command()
def path(db: Db = None) -> None:
    """Say where the store is."""
    from auditor.commands.answering import answering

    with answering():
        from auditor.store import default_path

        typer.echo(db or default_path())


@app.command()
def stats(db: Db = None) -> None:
    """Count what is kept."""
    from auditor.commands.answering import answering

    with answering():
        from auditor import show, show_summary
        from auditor.store import default_path, existing

        with existing(db or default_path()) as store:
            show_summary.stats(show.console(sys.stdout), store.stats())


@app.command()
def purge(
    before: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Only texts kept before a date or an age (30d)."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Db = None,
) -> None:
    """Delete the kept texts of turns, all or old ones; audits stay.

    \b
    Examples:
      auditor store purge --before 30d     texts kept more than 30 days ago
      auditor store purge --yes            all texts, without asking
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor.order import moment
        from auditor.store import FOREVER, default_path, existing

        until = FOREVER if before is None else moment(before, time.time(), option="--before")
        with existing(db or default_path()) as store:
            count = store.texts_before(until)
            if count and not yes:
                typer.confirm(f"Delete {count:,} texts?", abort=True, err=True)
            typer.echo(f"{store.purge(until):,} texts deleted")


@app.command()
def export(
    texts: Annotated[bool, typer.Option("--texts", help="With the kept texts of turns.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there; whole or not at all.")
    ] = None,
    db: Db = None,
) -> None:
    """Write every kept audit as a line of JSON."""
    from auditor.commands.answering import answering

    with answering():
        from auditor import writers
        from auditor.store import default_path, existing

        with existing(db or default_path()) as store, writers.opened(out) as to:
            to.file.writelines(store.export(texts=texts))
