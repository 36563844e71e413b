"""The command line: parse, call, print; no logic.

Nothing heavy is imported before a command runs, so that `--help` answers at once.
"""

# ruff: noqa: D301, PLC0415, PLR0913, PLR0917 (\b for click; lazy imports; one parameter an option)

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from auditor import (
    cli_ask,
    cli_check,
    cli_doctor,
    cli_evaluate,
    cli_fit,
    cli_gate,
    cli_label,
    cli_models,
    cli_replay,
    cli_serve,
    cli_store,
)
from auditor.cli_store import Db
from auditor.errors import AuditorError

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells have it."""

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""What the system says when there is no room."""

app = typer.Typer(
    name="auditor",
    help="Decide for every turn of a coding agent whose move is next.",
    epilog="Begin with: auditor scan",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(cli_store.app, name="store")
app.add_typer(cli_models.app, name="models")
app.command()(cli_ask.ask)
app.command()(cli_doctor.doctor)
app.command()(cli_serve.serve)
app.command()(cli_fit.fit)
app.command()(cli_label.label)
app.add_typer(cli_label.app, name="labels")
app.add_typer(cli_gate.policy, name="policy")
for command in (
    *(cli_evaluate.evaluate, cli_check.compare, cli_check.check),
    *(cli_replay.replay, cli_replay.simulate),
    *(cli_gate.certify, cli_gate.status, cli_gate.promote, cli_gate.demote),
):
    app.command()(command)


class Format(StrEnum):
    """What `--format` takes."""

    table = "table"
    jsonl = "jsonl"
    json = "json"


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
    except OSError as error:
        if error.errno not in FULL:
            raise
        typer.echo(f"auditor: the output cannot be written ({error.strerror})", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None


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
        str,
        typer.Option(
            metavar="N|all", help="New questions to the model at most; the next scan goes on."
        ),
    ] = "50",
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
    ] = Format.table,
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
        from auditor.writers import Format as Formats

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
                model=orders.model(model),
                questions=orders.questions(ask),
                offline=offline,
                calibration=orders.calibration(calibration),
            )
        )
        if done.interrupted:
            raise typer.Exit(INTERRUPTED)
