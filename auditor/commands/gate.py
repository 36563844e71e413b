"""`auditor policy`, `certify`, `status`, `promote`, `demote`; parse, call, print."""

# ruff: noqa: D301, PLC0415, PLR0913, PLR0917 (\b for click; lazy imports; one parameter an option)

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.commands.store import Db

if TYPE_CHECKING:
    from auditor.gating.review import Reviewed
    from auditor.store import Store

policy = typer.Typer(
    help="Fix the thresholds that labels are to certify.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Json = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]


def _print(document: object, lines: Iterable[str], as_json: bool) -> None:
    if as_json:
        import msgspec

        typer.echo(msgspec.json.format(msgspec.json.encode(document)).decode())
        return
    for line in lines:
        typer.echo(line)


def _open(db: Path | None) -> Store:
    from auditor.store import default_path, existing

    return existing(db or default_path())


def _reviewed(store: Store) -> Reviewed:
    from auditor.asking import DEADLINE
    from auditor.gating.killswitch import off
    from auditor.gating.review import reviewed

    return reviewed(store, time.time(), off=off(store.path), deadline=DEADLINE)


@policy.command()
def freeze(
    single: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="One candidate, like 5%; for a weak ranking."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Certify under 10 % wrong nudges, not 20 %.")
    ] = False,
    risk: Annotated[
        float, typer.Option(metavar="DELTA", help="Risk that the certificate is false.")
    ] = 0.10,
    cost: Annotated[
        float | None,
        typer.Option(metavar="RATIO", help="How many right nudges a wrong one costs."),
    ] = None,
    calibration: Annotated[
        str | None, typer.Option(metavar="ID", help="Default: the one that gave most lately.")
    ] = None,
    as_json: Json = False,
    db: Db = None,
) -> None:
    """Freeze thresholds from the probabilities kept so far; labels from now on may certify them.

    \b
    Examples:
      auditor policy freeze                    the top 5 % and 10 % of what nothing settles
      auditor policy freeze --single 5%        the top 5 % alone
      auditor policy freeze --strict --cost 9  fewer and surer nudges
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor.gating import freeze as freezing
        from auditor.gating import frozen
        from auditor.gating import show as show_gate
        from auditor.gating.residue import residue
        from auditor.gating.review import identified

        quantiles = (
            frozen.QUANTILES if single is None else (1.0 - frozen.share(single, "--single"),)
        )
        frozen.checked(risk, cost)
        with _open(db) as store:
            rows = residue(store, calibration)
            identity = identified(calibration or freezing.calibration_of(rows))
            name, made = freezing.freeze(
                store,
                time.time(),
                rows,
                identity,
                quantiles=quantiles,
                alpha=frozen.STRICT if strict else frozen.ALPHA,
                delta=risk,
                cost=cost,
            )
        lines = [*show_gate.policy(name, made), "Next: auditor label --queue certification"]
        _print({"policy": name, "frozen": made}, lines, as_json)


@policy.command()
def show(as_json: Json = False, db: Db = None) -> None:
    """Show the policy in force."""
    from auditor.commands.answering import answering

    with answering():
        from auditor.gating import gate
        from auditor.gating import show as show_gate
        from auditor.gating.states import told

        with _open(db) as store:
            past = told(store.events())
            found, _ = gate.current(store, past)
        none = ["No policy is frozen: auditor policy freeze"]
        lines = show_gate.policy(past.policy or "", found) if found else none
        _print({"policy": past.policy, "frozen": found}, lines, as_json)


def certify(as_json: Json = False, db: Db = None) -> None:
    """Weigh the labels so far; look as often as you like. Exit 0 where they certify a threshold.

    Exit 1: more labels cannot; 3: another identity than the policy's; 4: not enough labels yet.
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor.gating import show as show_gate
        from auditor.gating import status
        from auditor.gating.review import certified

        with _open(db) as store:
            found = _reviewed(store)
            made = certified(store, found)
        facts = found.facts
        if facts is None:
            typer.echo("auditor: no policy is frozen: auditor policy freeze", err=True)
            raise typer.Exit(4)
        ranking = status.weak(facts, found.rows)
        verdict = status.verdict(facts, ranking)
        document = {
            "certificate": made,
            "verdict": verdict,
            "progress": facts.progress,
            "evidence": facts.evidence,
            "ranking": ranking,
            "differs": facts.differs,
        }
        _print(document, [*show_gate.progress(facts.progress), verdict], as_json)
        if facts.differs is not None:
            raise typer.Exit(3)
        if made is None:
            raise typer.Exit(1 if ranking else 4)


def status(as_json: Json = False, db: Db = None) -> None:
    """Say in plain words where we stand: observing, shadowing or nudging, and what is missing.

    And what happened live of late: nudges, what came of them, pauses, who watches.
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor.gating import gate, killswitch
        from auditor.gating import show as show_gate
        from auditor.gating import status as statuses
        from auditor.gating.history import history, untold

        with _open(db) as store:
            found, off = _reviewed(store), killswitch.off(store.path)
            here = gate.Here(off=off, identity=found.identity, canary=None)
            told = statuses.status(
                found,
                gate.standing(store, time.time(), here),
                [*gate.outcomes(store, found.past), *untold(store, found.past)],
                off=off,
                switch=killswitch.places(store.path)[0],
                ledger=store.verify_ledger(),
                live=history(store, time.time()),
            )
        _print(told, show_gate.status(told), as_json)


def promote(
    offline: Annotated[bool, typer.Option("--offline", help="Fetch nothing.")] = False,
    as_json: Json = False,
    db: Db = None,
) -> None:
    """Begin to nudge, if all conditions are met; prints the evidence either way.

    Exit 1: a condition failed; 3: another identity than the policy's; 4: not enough evidence.
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor.gating import review
        from auditor.gating import show as show_gate
        from auditor.gating.canary_taking import take
        from auditor.gating.promotion import conditions

        with _open(db) as store:
            found = _reviewed(store)
            ready = found.facts is not None and review.met(conditions(found.facts))
            readings, why = (
                take(found.facts.policy, offline) if ready and found.facts else (None, "")
            )
            done = review.promote(store, found, readings, why)
        head = "Promoted: nudges are sent from now on." if done.promoted else "Not promoted."
        lines = [*show_gate.conditions(done.conditions), head]
        _print(done, lines, as_json)
        if not done.promoted:
            raise typer.Exit(done.exit_code)


def demote(
    why: Annotated[str, typer.Option(metavar="TEXT", help="For the ledger.")] = "no reason given",
    as_json: Json = False,
    db: Db = None,
) -> None:
    """Stop nudging, and shadow; the certificate stays."""
    from auditor.commands.answering import answering

    with answering():
        from auditor.gating.review import demote as back
        from auditor.redact import redact

        with _open(db) as store:
            done = back(store, redact(why))
        _print(
            {"demoted": done},
            ["No nudge is sent any more." if done else "It was not nudging; nothing changed."],
            as_json,
        )
