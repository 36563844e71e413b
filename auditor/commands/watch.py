"""`auditor watch`: sit beside running agents; parse, call, print."""

# ruff: noqa: D301, PLC0415, PLR0913, PLR0917 (\b for click; lazy imports; one parameter an option)

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.commands.answering import answering
from auditor.commands.store import Db


def watch(
    harness: Annotated[str, typer.Argument(metavar="HARNESS", help="Which one: opencode.")],
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Its server. Default: http://127.0.0.1:4096, and every plugin that reports"
            " (auditor install opencode).",
        ),
    ] = None,
    directory: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR",
            help="A project of that server; may be given again. Default: the server's own.",
        ),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(
            metavar="observe|shadow|nudge",
            help="Only audit and keep; also say what a frozen policy would send; send it.",
        ),
    ] = "observe",
    rules_only: Annotated[
        bool,
        typer.Option(
            "--rules-only",
            help="With --mode nudge, without a promotion: recoveries that rest on what the harness"
            " states or on the shape of the text, never on its meaning.",
        ),
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|none",
            envvar="AUDITOR_MODEL",
            help="The decision model, as in a scan. Default: the default model.",
        ),
    ] = None,
    calibration: Annotated[
        str | None, typer.Option(metavar="ID|FILE|none", help="As in a scan.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Fetch nothing.")] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Settings. Default: AUDITOR_CONFIG, else the platform's config directory.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(metavar="N", help="Of GET /stats on this machine; 0: any free one.")
    ] = 8018,
    plain: Annotated[
        bool, typer.Option("--plain", help="Plain lines, also on a terminal.")
    ] = False,
    db: Db = None,
) -> None:
    """Watch running sessions: audit every turn as it ends, and bring back those that stalled.

    Out of the box it only observes. It sends something in nudge mode alone, and that wants a
    promotion (auditor status says what is missing), or --rules-only.

    \b
    Examples:
      auditor watch opencode                                   observe what runs on this machine
      auditor watch opencode --url http://127.0.0.1:4599 --directory ~/project
      auditor watch opencode --mode nudge --rules-only         recover stalls, broken streams, loops
      auditor pause --for 1h; auditor mode SESSION off         while it runs
    """
    with answering():
        from auditor.errors import ConfigError
        from auditor.store import default_path
        from auditor.watching.permits import WatchMode
        from auditor.watching.running import Wanted, run

        if harness != "opencode":
            raise ConfigError(f"watch: {harness!r} cannot be watched; expected opencode")
        if mode not in list(WatchMode):
            raise ConfigError(f"--mode: {mode!r} is none of {', '.join(WatchMode)}")
        if rules_only and mode != WatchMode.NUDGE:
            raise ConfigError(
                f"--rules-only says what may be sent, and --mode {mode} sends nothing"
            )
        run(
            Wanted(
                url=url,
                directories=tuple(directory or ()),
                mode=WatchMode(mode),
                rules_only=rules_only,
                model=model,
                calibration=calibration,
                offline=offline,
                config=config,
                port=port,
                plain=plain,
                db=db or default_path(),
            )
        )
