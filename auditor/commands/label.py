"""`auditor label` and `auditor labels`: would a nudge have been right? Parse, call, print."""

# ruff: noqa: D301, D411, D413, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.commands.store import Db

if TYPE_CHECKING:
    from auditor.labelling.drawing import Policy
    from auditor.store import Store

NOT_ENOUGH = 4

app = typer.Typer(help="Look after labels.", no_args_is_help=True, rich_markup_mode=None)


class QueueName(StrEnum):
    """What `--queue` takes."""

    certification = "certification"
    audit = "audit"
    uncertain = "uncertain"
    repeat = "repeat"


def label(
    queue: Annotated[
        QueueName | None,
        typer.Option(
            help="Ask about: would-be nudges, other turns, uncertain ones, or your own from days"
            " ago. Default: would-be nudges and others, mixed."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Turns at most.")] = 20,
    rater: Annotated[
        str, typer.Option(metavar="NAME", envvar="AUDITOR_RATER", help="Who answers.")
    ] = "me",
    db: Db = None,
) -> None:
    """Say turn by turn whether a nudge would have been right, with single keys.

    You see what was asked for, what the agent did, and how its reply ends; never what the auditor
    thinks, nor what came next. Every answer is kept at once; leave when you like.

    \b
    Keys: y yes, n no, u unsure, then 1 to 8 for the reason; s skip, z undo, ? help, q quit.
    Examples:
      auditor label                          20 turns
      auditor label --queue certification    would-be nudges, for a certificate
      printf 'n\\n6\\nq\\n' | auditor label    one key a line, for scripts
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor import show
        from auditor.labelling import keys
        from auditor.labelling.drawing import Queue
        from auditor.labelling.screen import Screen
        from auditor.labelling.sitting import Sitting, sitting
        from auditor.redact import redact
        from auditor.store import default_path, existing

        name = redact(rater.strip()) or "me"
        queues = [Queue(queue)] if queue else [Queue.CERTIFICATION, Queue.AUDIT]
        with existing(db or default_path()) as store:
            now, policy = time.time(), _policy(store)
            items = sitting(store, queues, rater=name, limit=limit, now=now, policy=policy)
            if not items:
                typer.echo("nothing waits for a label here; scan more: auditor scan")
                return
            to = show.console(sys.stdout)
            with keys.opened() as source:
                answered = Screen(Sitting(store, items, name), source, to).run()
            if source.live:
                to.clear()
            left = len(items) - answered
            typer.echo(
                f"{answered} turns labelled, {left} left of this sitting; auditor labels stats"
            )


def _policy(store: Store) -> Policy | None:
    """Read the frozen policy that is to be certified, if there is one."""
    from auditor.gating import gate, states
    from auditor.labelling.drawing import Policy

    past = states.told(store.events())
    frozen, _ = gate.current(store, past)
    if frozen is None or past.policy is None:
        return None
    return Policy(past.policy, frozen.at, frozen.calibration, frozen.loosest, frozen.pi)


Json = Annotated[bool, typer.Option("--json", help="One JSON object instead.")]


@app.command()
def agree(json: Json = False, db: Db = None) -> None:
    """Say how well raters agree, with one another and with themselves days later.

    Exit code 4: nobody has enough pairs of answers yet.
    """
    from auditor.commands.answering import answering

    with answering():
        import msgspec

        from auditor import show
        from auditor.labelling import agreeing
        from auditor.labelling import show as show_labels
        from auditor.store import default_path, existing

        with existing(db or default_path()) as store:
            sessions = {kept.turn: kept.session for kept in store.audited()}
            repeats = [sample.id for sample in store.samples("repeat")]
            found = agreeing.agreements(store.labels(), repeats, sessions.get)
        if json:
            typer.echo(msgspec.json.encode(found))
        else:
            show_labels.agreements(show.console(sys.stdout), found)
        if not found.enough:
            if not json:
                typer.echo("auditor: not enough pairs to say how well raters agree", err=True)
            raise typer.Exit(NOT_ENOUGH)


@app.command(name="import")
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Turn records with labels, or what `labels export` writes."
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check.")] = False,
    db: Db = None,
) -> None:
    """Take labels over from files: all of them, or none where anything is wrong."""
    from auditor.commands.answering import answering

    with answering():
        from auditor.labelling.files import read
        from auditor.store import default_path, existing

        with existing(db or default_path()) as store:
            found = read(store, files)
            new = len(found.labels) if dry_run else store.add_labels(found.labels)
        done = "would be imported" if dry_run else "imported"
        more = f"; {found.unlabelled:,} turn records without a label" if found.unlabelled else ""
        typer.echo(f"{new:,} labels {done}, {found.known:,} were there already{more}")


@app.command()
def export(
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there; whole or not at all.")
    ] = None,
    db: Db = None,
) -> None:
    """Write every label as a line of JSON, replaced ones too; no text of any turn is in them."""
    from auditor.commands.answering import answering

    with answering():
        import msgspec

        from auditor import writers
        from auditor.store import default_path, existing

        with existing(db or default_path()) as store, writers.opened(out) as to:
            to.file.writelines(msgspec.json.encode(each) + b"\n" for each in store.labels())


@app.command()
def stats(json: Json = False, db: Db = None) -> None:
    """Count labels, and say what is missing until a fit and a certificate."""
    from auditor.commands.answering import answering

    with answering():
        import msgspec

        from auditor import show
        from auditor.labelling import show as show_labels
        from auditor.labelling import stats as label_stats
        from auditor.store import default_path, existing

        with existing(db or default_path()) as store:
            found = label_stats.stats(store)
        if json:
            typer.echo(msgspec.json.encode(found))
        else:
            show_labels.stats(show.console(sys.stdout), found)
