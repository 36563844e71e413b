"""The command line: parse, call, print; no logic.

Nothing heavy is imported before a command runs, so that `--help` answers at once.
"""

# ruff: noqa: D301, PLC0415, PLR0913, PLR0917 (\b for click; lazy imports; one parameter an option)

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from auditor import cli_ask, cli_models, cli_serve
from auditor.errors import AuditorError

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells have it."""

app = typer.Typer(
    name="auditor",
    help="Decide for every turn of a coding agent whose move is next.",
    epilog="Begin with: auditor scan",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
store_app = typer.Typer(
    help="Look after the store, where audits are kept.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(store_app, name="store")
app.add_typer(cli_models.app, name="models")
app.command()(cli_ask.ask)
app.command()(cli_serve.serve)


class Format(StrEnum):
    """What `--format` takes."""

    table = "table"
    jsonl = "jsonl"
    json = "json"


Db = Annotated[
    Path | None,
    typer.Option(
        "--db",
        metavar="PATH",
        help="The store. Default: AUDITOR_DB, else the platform's data directory.",
    ),
]


@contextmanager
def answering() -> Iterator[None]:
    """Turn errors for the person into a message and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest
    try:
        yield
        sys.stdout.flush()
    except AuditorError as error:
        typer.echo(f"auditor: {error}", err=True)
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt:
        typer.echo("auditor: interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader has seen enough (`| head`); keep the interpreter from flushing again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"turn-auditor {version('turn-auditor')}")
        except PackageNotFoundError:
            typer.echo("turn-auditor, not installed (run from its folder)")
        raise typer.Exit


@app.callback()
def main(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Decide for every turn of a coding agent whose move is next."""


@app.command()
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
            " awaiting_user, waiting, finished (verdicts); settled, residue; all.",
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(metavar="TURN", help="Explain one turn; its id, or how it begins or ends."),
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="none|NAME", help="The decision model for what nothing settles.")
    ] = "none",
    format_: Annotated[
        Format,
        typer.Option("--format", help="For people, or one JSON line a turn, or one JSON object."),
    ] = Format.table,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there; whole or not at all.")
    ] = None,
    db: Db = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep nothing.")] = False,
) -> None:
    """Audit transcripts: whose move was next after each turn, and why.

    The table shows the turns that a nudge would have helped, then a summary of all. Nothing leaves
    this machine, and nothing is sent to an agent.

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
        from auditor.writers import Format as Formats

        orders.without_model(model)
        done = scanning.scan(
            orders.Order(
                paths=tuple(paths or ()),
                harness=harness,
                since=None if since is None else orders.moment(since, time.time()),
                last=last,
                session=session,
                only=only,
                explain=explain,
                format=Formats(format_),
                out=out,
                db=None if no_store else db or default_path(),
            )
        )
        if done.interrupted:
            raise typer.Exit(INTERRUPTED)


@store_app.command()
def path(db: Db = None) -> None:
    """Say where the store is."""
    with answering():
        from auditor.store import default_path

        typer.echo(db or default_path())


@store_app.command()
def stats(db: Db = None) -> None:
    """Count what is kept."""
    with answering():
        from auditor import show
        from auditor.store import default_path, existing

        with existing(db or default_path()) as store:
            show.stats(show.console(sys.stdout), store.stats())


@store_app.command()
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
    with answering():
        from auditor.order import moment
        from auditor.store import FOREVER, default_path, existing

        until = FOREVER if before is None else moment(before, time.time(), option="--before")
        with existing(db or default_path()) as store:
            count = store.texts_before(until)
            if count and not yes:
                typer.confirm(f"Delete {count:,} texts?", abort=True, err=True)
            typer.echo(f"{store.purge(until):,} texts deleted")


@store_app.command()
def export(
    texts: Annotated[bool, typer.Option("--texts", help="With the kept texts of turns.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there; whole or not at all.")
    ] = None,
    db: Db = None,
) -> None:
    """Write every kept audit as a line of JSON."""
    with answering():
        from auditor import writers
        from auditor.store import default_path, existing

        with existing(db or default_path()) as store, writers.opened(out) as to:
            to.file.writelines(store.export(texts=texts))
