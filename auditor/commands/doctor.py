"""`auditor doctor`: whether everything works here, and what to do where not; parse, call, print."""

# ruff: noqa: D301, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.findings import Finding


def doctor(
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|none",
            envvar="AUDITOR_MODEL",
            help="A known model, the path of a GGUF file, or none. Default: the default model.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out the timing, which takes half a minute.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Check what the auditor needs on this machine: model, speed, store, transcripts.

    Each finding is ok, a note, a warning or a failure; what is not ok says what to do. Changes
    nothing. The exit code is 1 when something failed.

    \b
    Examples:
      auditor doctor                      everything
      auditor doctor --quick --json       for scripts
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor import doctor as checks
        from auditor.findings import failed

        found = checks.examined(model, quick=quick)
        findings = list(_watched(found) if json else _printed(found))
        if json:
            typer.echo(_as_json(findings))
        if failed(findings):
            raise typer.Exit(1)


def _watched(found: Iterator[Finding]) -> Iterator[Finding]:
    """Say on standard error that work goes on; not while a finding is printed."""
    from auditor import show

    with show.console(sys.stderr).status("checking …") as working:
        for finding in found:
            working.stop()
            yield finding
            working.start()


def _printed(found: Iterator[Finding]) -> Iterator[Finding]:
    """Print each finding as it comes."""
    from rich.text import Text

    from auditor import show
    from auditor.glimpse import one_line

    to = show.console(sys.stdout)
    styles = {"ok": "green", "note": "dim", "warn": "yellow", "FAIL": "bold red"}
    for finding in _watched(found):
        line = Text().append(f"{finding.state:<6}", styles[finding.state])
        line.append(f"{one_line(finding.check):<18}", "bold").append(one_line(finding.found))
        to.print(line, soft_wrap=True)
        if finding.advice:
            to.print(Text(f"{'':<24}→ {one_line(finding.advice)}", "dim"), soft_wrap=True)
        yield finding


def _as_json(findings: list[Finding]) -> str:
    import msgspec

    from auditor.findings import failed

    whole = {"ok": not failed(findings), "findings": findings}
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode()
