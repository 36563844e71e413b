"""The command line: every command in its place; each is a file of `commands`.

Nothing heavy is imported before a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.commands import (
    ask,
    check,
    doctor,
    evaluate,
    fit,
    gate,
    install,
    label,
    live,
    models,
    replay,
    scan,
    serve,
    store,
    tune,
    watch,
)

app = typer.Typer(
    name="auditor",
    help="Decide for every turn of a coding agent whose move is next.",
    epilog="Begin with: auditor scan",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
COMMANDS = (
    *(scan.scan, label.label, fit.fit, tune.tune),
    *(evaluate.evaluate, check.compare, check.check, replay.replay, replay.simulate),
    *(watch.watch, live.pause, live.resume, live.mode),
    *(gate.certify, gate.status, gate.promote, gate.demote),
    *(install.install, install.uninstall),
    *(ask.ask, serve.serve, doctor.doctor),
)
"""In the order of use: collect, label, fit and tune; evaluate; certify and promote; the rest."""

GROUPS = {"store": store.app, "labels": label.app, "policy": gate.policy, "models": models.app}

for command in COMMANDS:
    app.command()(command)
for name, group in GROUPS.items():
    app.add_typer(group, name=name)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - rarely

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
