"""`auditor fit`: labelled turns in, a calibration and its card out; parse, call, print."""

# ruff: noqa: D301, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from auditor.calibration import Calibration
    from auditor.fitting.labelled import Examples


def fit(  # noqa: PLR0913, PLR0917 - one for each option
    data: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DATA]...",
            help="Labelled turn records (.jsonl, .jsonl.gz). Default: the labels of the store.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Ask this decision model, and read what it answers."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where to write. Default: your own calibrations."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="What to call it. Default: model and labels."),
    ] = None,
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the labels are; stands in the card.")
    ] = None,
    date: Annotated[
        str | None, typer.Option(metavar="DAY", help="The date in the card. Default: today.")
    ] = None,
    db: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="The store. Default: AUDITOR_DB, else the usual place."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the calibration.")] = False,
) -> None:
    """Fit a calibration: what turns signals into the probability that a nudge is right.

    Writes ID.json and ID.md, a card that says what it was fitted on and how good it is. Needs 30
    labels, and 8 of each kind; under 100 it is provisional.

    \b
    Examples:
      auditor fit                           from the labels you gave
      auditor fit labelled.jsonl.gz         from labelled turn records
      auditor fit --model whose-move-135m labelled.jsonl.gz
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor import calibrations
        from auditor.calibration import encoded
        from auditor.fitting import fit as fits
        from auditor.fitting.card import card

        _check(name, date)
        found, asked = _read(data, model, db)
        made = fits.fitted(
            found.examples,
            name=name or _name(model, found),
            created=date or datetime.now(UTC).date().isoformat(),
            description=note or f"Labels: {', '.join(Path(one).name for one in found.data)}.",
            model=asked,
            unsure=found.unsure,
            grouped_by=found.grouped_by,
        )
        written = calibrations.write(made, card(made), out or calibrations.folder())
        if json:
            typer.echo(encoded(made).decode(), nl=False)
        else:
            typer.echo("\n".join(_told(made, found, written)))


def _check(name: str | None, day: str | None) -> None:
    """Raise `ConfigError` for a name no file may have, and for a day that is none."""
    import re
    from datetime import date

    from auditor.calibration import ID
    from auditor.errors import ConfigError

    if name is not None and re.fullmatch(ID, name) is None:
        raise ConfigError(f"--id {name!r}: expected small letters, digits, dots, dashes")
    try:
        date.fromisoformat(day or "2000-01-01")
    except ValueError as error:
        raise ConfigError(f"--date {day!r}: expected a day, such as 2026-12-01") from error


def _read(
    data: list[Path] | None, model: str | None, db: Path | None
) -> tuple[Examples, dict[str, str] | None]:
    """Read the labelled turns, asking the model about them where one is named."""
    from auditor.asking import Asker, located
    from auditor.calibrations import runtime
    from auditor.errors import ConfigError, JudgeUnavailable
    from auditor.fitting import labelled
    from auditor.store import default_path, existing

    if not data:
        with existing(db or default_path()) as store:
            found = labelled.from_store(store)
        digest = located(model, offline=True).digest if model is not None else None
    elif model is None:
        return labelled.from_records(data), None
    else:
        if not all(path.is_file() for path in data):  # before a model is fetched and loaded
            missing = next(path for path in data if not path.is_file())
            raise ConfigError(f"{missing}: no such file; expected labelled turn records")
        with Asker(model, questions=None, offline=False) as asker:
            found = labelled.from_records(data, judge=asker, told=_progress)
            digest = asker.digest
        if asker.done.problem is not None:
            raise JudgeUnavailable(asker.done.problem)
    if digest is None:
        return found, None
    return found, {"digest": digest, "model_name": Path(str(model)).name} | runtime(digest)


def _progress(read: int) -> None:
    if sys.stderr.isatty() and read % 20 == 0:
        typer.echo(f"\r{read:,} labelled turns read", nl=False, err=True)


def _name(model: str | None, found: Examples) -> str:
    """Name it after the model and the labels: the same labels, the same name."""
    import re

    from auditor.fitting.crossfit import data
    from auditor.fitting.fit import digest

    labels = digest(data(found.examples))[:8]
    base = re.sub(r"[^a-z0-9.-]+", "-", Path(model or "no-model").stem.lower()).strip("-.")
    return f"{base[:80] or 'model'}-{labels}"


def _told(made: Calibration, found: Examples, written: list[Path]) -> list[str]:
    """Say in a few lines what came out."""
    counts, auc = made.counts, made.metrics["auc"].value
    provisional = "; provisional: fewer than 100" if made.provisional else ""
    labels = f"{counts.labels:,} labels ({counts.yes:,} yes, {counts.no:,} no)"
    lines = [
        f"{labels} of {counts.groups:,} groups{provisional}",
        f"cross-fitted: AUC {'—' if auc is None else f'{auc:.3f}'}",
    ]
    for point in made.points:
        recall = point.recall.value
        found_of = "—" if recall is None else f"{recall:.3f}"
        lines.append(f"  at most {point.wrong:.1%} wrong: recall {found_of}")
    for count, what in (
        (found.unsure, "unsure labels left out"),
        (found.unlabelled, "turns without a label"),
        (found.duplicates, "turns labelled twice alike"),
        (len(found.unread), "lines or labels that cannot be used"),
    ):
        if count:
            lines.append(f"{count:,} {what}")
    lines += [f"  {problem}" for problem in found.unread[:5]]
    return [*lines, *(f"wrote {path}" for path in written)]
