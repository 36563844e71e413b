"""`auditor evaluate`: parse, call, print; and what its sister commands share."""

# ruff: noqa: D301, PLC0415, PLR0913, PLR0917 (\b for click; lazy imports; one parameter an option)

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.commands.store import Db

if TYPE_CHECKING:
    from rich.console import Console

    from auditor.evaluating.evaluate import Wanted
    from auditor.evaluation import Evaluation
    from auditor.writers import Output

Data = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[DATA]...",
        help="Labelled turn records (.jsonl, .jsonl.gz). Default: what people labelled in the"
        " store.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|none",
        envvar="AUDITOR_MODEL",
        help="The decision model that is asked what nothing settles, as in a scan. Default: the"
        " default model.",
    ),
]
CalibrationOption = Annotated[
    str | None,
    typer.Option(
        "--calibration",
        metavar="ID|PATH|none",
        help="The calibration whose probabilities are held to the labels. Default: the one that a"
        " scan uses.",
    ),
]
Offline = Annotated[bool, typer.Option("--offline", help="Fetch nothing.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object instead of tables.")]
Draws = Annotated[
    int,
    typer.Option(metavar="N", help="Bootstrap draws behind the intervals; 0: no intervals."),
]
DRAWS = 2000
"""As `statistics.intervals.DRAWS`, which brings numpy."""


class Groups(StrEnum):
    """What `--group` takes."""

    repo = "repo"
    session = "session"


def evaluate(
    data: Data = None,
    model: Model = None,
    calibration: CalibrationOption = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Slices, with commas: harness, model, reason, opinion (settled or residue), by"
            " (what settled it), request (what kind).",
        ),
    ] = "harness,model,reason",
    group: Annotated[
        Groups,
        typer.Option(help="What the intervals draw: turns of one are no independent news."),
    ] = Groups.repo,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report for a browser too.")
    ] = None,
    as_json: Json = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there; whole or not at all.")
    ] = None,
    mistakes: Annotated[int, typer.Option(metavar="N", help="List the worst N mistakes.")] = 20,
    texts: Annotated[
        bool, typer.Option("--texts", help="With what was asked and answered there, redacted.")
    ] = False,
    draws: Draws = DRAWS,
    offline: Offline = False,
    db: Db = None,
) -> None:
    """Say how right the audits are, on labelled turns, and whether to trust them.

    Beside plain references: always silent, the dangling rule, the sieve alone, the model's question
    alone. A calibration that was fitted on the same labels is fitted anew without the repository
    that is judged. Answers of the model are kept: after Ctrl-C the same command goes on.

    \b
    Examples:
      auditor evaluate                                the turns you labelled
      auditor evaluate labelled.jsonl.gz --model none
      auditor evaluate labelled.jsonl.gz --html report.html --texts
      auditor evaluate labelled.jsonl.gz --json --out a.json    for compare and check
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor.evaluating import show as show_evaluation
        from auditor.evaluating.evaluate import Group

        told = wanted(
            by=tuple([name.strip() for name in by.split(",") if name.strip()]),
            group=Group(group),
            mistakes=mistakes,
            texts=texts,
            draws=draws,
        )
        with ExitStack() as stack:
            page = stack.enter_context(_opened(html, "--html")) if html else None
            to = stack.enter_context(_opened(out, "--out"))
            found = evaluated_now(data, model, calibration, offline, db, told)
            if page is not None:
                from auditor.reporting.report import written

                page.file.write(written(found).encode())
            if as_json:
                document(to, found)
            else:
                printed(to, lambda console: show_evaluation.evaluation(console, found))
            if html is not None and out is None and not as_json:
                typer.echo(f"report in {html}", err=True)


def wanted(**more: object) -> Wanted:
    """Check what is to be told, before anything takes long. Raises `ConfigError`."""
    import msgspec

    from auditor.evaluating.evaluate import Wanted
    from auditor.evaluating.judges import checked

    made = msgspec.convert(
        {"created": datetime.now(UTC).isoformat(timespec="seconds"), **more}, Wanted
    )
    checked(made.by)
    not_negative("--draws", made.draws)
    not_negative("--mistakes", made.mistakes)
    return made


def evaluated_now(
    data: list[Path] | None,
    model: str | None,
    calibration: str | None,
    offline: bool,
    db: Path | None,
    told: Wanted,
) -> Evaluation:
    """Read, ask and evaluate; no data: what people labelled in the store."""
    from msgspec import structs

    from auditor import order
    from auditor.evaluating import reading
    from auditor.evaluating.evaluate import evaluated
    from auditor.store import default_path

    source = reading.Source(
        paths=tuple(data or ()),
        db=db or default_path(),
        model=order.model(model),
        calibration=calibration,
        offline=offline,
    )
    read = reading.read(source)
    asked = source.model if read.digest is not None else None
    return evaluated(read.examples, structs.replace(told, model=asked, digest=read.digest), read.by)


def _opened(path: Path | None, option: str) -> Output:
    from auditor import writers
    from auditor.errors import ConfigError

    if path is not None and not path.resolve().parent.is_dir():
        raise ConfigError(f"{option}: there is no folder {path.parent}")
    if path is not None and path.exists() and not path.is_file():
        raise ConfigError(f"{option}: {path} is not a file that can be replaced")
    return writers.opened(path)


def document(to: Output, found: object) -> None:
    """Write one line of JSON."""
    import msgspec

    to.file.write(msgspec.json.encode(found) + b"\n")


def printed(to: Output, print_: Callable[[Console], None]) -> None:
    """Print to a terminal, or plainly into a file."""
    from auditor import show

    if not to.is_file:
        print_(show.console(sys.stdout))
        return
    text = io.TextIOWrapper(to.file, encoding="utf-8", errors="replace", write_through=True)
    print_(show.console(text, plain=True))
    text.detach()


def not_negative(option: str, value: int) -> None:
    """Raise `ConfigError` for a number below 0."""
    from auditor.errors import ConfigError

    if value < 0:
        raise ConfigError(f"{option} {value}: expected 0 or more")
