"""`auditor install` and `uninstall`: a way into a harness that opens none; parse, call, print."""

# ruff: noqa: D301, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from auditor.commands.answering import answering


class Harness(StrEnum):
    """Harnesses that something can be installed in."""

    OPENCODE = "opencode"


Project = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="FOLDER",
        help="Only for this project. Default: for all projects of this user.",
    ),
]


def install(
    harness: Annotated[Harness | None, typer.Argument(help="The harness.")] = None,
    project: Project = None,
    status: Annotated[
        bool, typer.Option("--status", help="Change nothing; say what is installed, and where.")
    ] = False,
) -> None:
    """Let `auditor watch` see an OpenCode that listens on no port, through a small plugin.

    The plugin passes events to a watcher on this machine, and does what that one asks. OpenCode
    loads it when it starts.

    \b
    Examples:
      auditor install opencode               for every project
      auditor install opencode --project .   for this one
      auditor install --status               what is there
    """
    with answering():
        from auditor.errors import ConfigError
        from auditor.watching import installing

        if status:
            _status(project)
            return
        if harness is None:
            raise ConfigError("say in which harness: auditor install opencode")
        path, text = _file(project)
        match installing.install(path, text):
            case installing.State.CURRENT:
                typer.echo(f"{path} was there already")
            case installing.State.OLDER:
                typer.echo(f"{path} is renewed; start OpenCode again")
            case _:
                typer.echo(f"{path} is written; start OpenCode again, then: auditor watch opencode")


def uninstall(
    harness: Annotated[Harness, typer.Argument(help="The harness.")],
    project: Project = None,
) -> None:
    """Take away what `auditor install` put there, and nothing else."""
    del harness  # there is one
    with answering():
        from auditor.watching import installing

        path, text = _file(project)
        was = installing.uninstall(path, text)
        gone = (
            "there is none"
            if was is installing.State.ABSENT
            else "is deleted; what runs keeps it until it ends"
        )
        typer.echo(f"{path}: {gone}")


def _file(project: Path | None) -> tuple[Path, str]:
    """The plugin's place, and what is written there."""
    from auditor.watching import hub, installing

    path = installing.everywhere() if project is None else installing.within(project)
    return path, installing.written(hub.place())


SAID = {
    "absent": "not installed",
    "current": "installed",
    "older": "installed, of another version or for another store: auditor install opencode",
    "foreign": "a file of that name that is not ours",
}


def _status(project: Path | None) -> None:
    from auditor.watching import hub, installing

    text = installing.written(hub.place())
    places = {"all projects": installing.everywhere()}
    here = Path.cwd() if project is None else project
    places[f"project {here.resolve().name}"] = installing.within(here)
    width = max(len(name) for name in places)
    for name, path in places.items():
        found = installing.look(path, text)
        typer.echo(f"{name:<{width}}  {SAID[found.state]}  ({path})")
    watcher = "one takes reports now" if hub.taken(hub.place()) else "none runs"
    typer.echo(f"{'watcher':<{width}}  {watcher}  ({hub.place()})")
