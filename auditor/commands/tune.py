"""`auditor tune`: labelled turns in, a decision model of one's own out; parse, call, print."""

# ruff: noqa: D301, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from auditor.tuning.lora import Told
    from auditor.tuning.tune import Tuned


CALIBRATION = "calibration"
"""Folder of the calibration, with a card of its own, where the model is written elsewhere."""


def tune(  # noqa: PLR0913, PLR0917 - one for each option
    data: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DATA",
            help="Labelled turn records (.jsonl, .jsonl.gz), or transcripts of turns that you"
            " labelled. Default: all transcripts on this machine.",
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The model it stands on. Default: the default's base."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What to call it. Default: after the data.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to write. Default: beside the other models here."),
    ] = None,
    adapter: Annotated[
        bool | None,
        typer.Option(
            "--adapter/--head-only",
            help="Train an adapter too, or only a head. Default: if the extra tune is installed.",
        ),
    ] = None,
    made: Annotated[
        bool,
        typer.Option(
            "--made/--labels-only", help="Learn from turns that are cut or ended by us as well."
        ),
    ] = True,
    minutes: Annotated[
        float, typer.Option(metavar="N", min=0.0, help="How long an adapter may be trained.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(metavar="N", help="Of all that is drawn.")] = 0,
    db: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="The store with your labels. Default: AUDITOR_DB, or the usual."
        ),
    ] = None,
) -> None:
    """Teach a decision model whose move is next, on your own labelled turns.

    Always fits a head: a few numbers on what the base model holds where a reply ends. With the
    extra tune installed an adapter is trained too, and kept if it helps on labelled turns of groups
    (repositories, sessions) it has not seen. Writes both with a card and a calibration, and says
    how they are used. Interrupted, the same command goes on from where it was.

    \b
    Examples:
      auditor tune --name mine                   the turns you labelled with `auditor label`
      auditor tune labelled.jsonl --head-only    labelled turn records
      auditor scan --model mine --calibration mine
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor import calibrations
        from auditor.backends._cpus import granted
        from auditor.models import registry
        from auditor.tuning.files import write
        from auditor.tuning.gathered import labelled_records
        from auditor.tuning.tune import Order, tuned

        name = _checked(name)
        with _telling() as told, labelled_records(data or [], db, told) as (files, lost):
            order = Order(
                data=files,
                name=name,
                base=base or _base(),
                out=out or registry.folder(),
                adapter=adapter,
                made=made,
                minutes=minutes,
                seed=seed,
                threads=granted(),
            )
            found = tuned(order, told)
            digest, paths = write(found)
            place = calibrations.folder() if out is None else out / CALIBRATION
            calibrated, problem = _calibrated(found, digest, place)
        said = [*_told(found, lost), *(f"wrote {path}" for path in [*paths, *calibrated])]
        typer.echo("\n".join(said))
        typer.echo(problem or _next(found, out))


def _checked(name: str | None) -> str | None:
    """Raise `ConfigError` for a name no model may have, or that a shipped one has."""
    import re

    from auditor.errors import ConfigError
    from auditor.models import registry
    from auditor.models.own import NAME

    if name is None:
        return None
    if re.fullmatch(NAME, name) is None:
        raise ConfigError(f"--name {name!r}: expected small letters, digits, dots, dashes")
    known = registry.found(name)
    if known is not None and (known.own is None or Path(known.own.folder) != registry.folder()):
        raise ConfigError(f"--name {name!r}: a model that comes with the program is called so")
    return name


def _base() -> str:
    """Name the default model, or what it stands on."""
    from auditor.models import registry

    model = registry.default()
    plain = (each for each in registry.known() if not each.own and each.sha256 == model.sha256)
    return next(plain, model).name


@contextmanager
def _telling() -> Iterator[Told]:
    """Show a bar on a terminal, else a line for each new thing that is done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Left

    from auditor.show import console

    to, doing = console(sys.stderr), ""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Left())
    remarks = TextColumn("{task.fields[remark]}")
    bar = Progress(*columns, remarks, console=to, transient=True, disable=not to.is_terminal)
    task = bar.add_task("", total=None, remark="", start=False)

    def told(what: str, done: int, total: int, remark: str) -> None:
        nonlocal doing
        if what != doing:
            doing = what
            bar.reset(task, description=what, total=total, remark=remark)
            if not to.is_terminal:
                to.print(f"{what} ({total:,})")
        bar.update(task, completed=done, total=total, remark=remark)

    try:
        with bar:
            yield told
    except KeyboardInterrupt:
        to.print("What was done so far is kept: the same command goes on from there.")
        raise


def _calibrated(made: Tuned, digest: str, to: Path) -> tuple[list[Path], str | None]:
    """Fit a calibration on answers about unseen groups; say why there is none, if so."""
    from datetime import UTC, datetime

    from auditor import calibrations
    from auditor.errors import NotEnough
    from auditor.fitting import labelled
    from auditor.fitting.card import card
    from auditor.fitting.fit import fitted

    found = labelled.from_records(made.order.data, judge=lambda turn: made.answers.get(turn.id))
    if made.kept is not None:  # only groups that the adapter has not seen
        found.examples = [each for each in found.examples if each.id in made.answers]
    files = ", ".join(path.name for path in made.order.data)
    try:
        fit = fitted(
            found.examples,
            name=made.name,
            created=datetime.now(UTC).date().isoformat(),
            description=f"Labels: {files}. Each turn was judged by a head that had not seen its"
            f" {found.grouped_by}; the model that is used has seen them all.",
            model={"digest": digest, "model_name": made.name} | calibrations.runtime(digest),
            unsure=found.unsure,
            grouped_by=found.grouped_by,
        )
    except NotEnough as error:
        return [], f"no calibration was fitted: {error}"
    return calibrations.write(fit, card(fit), to), None


def _told(made: Tuned, lost: int) -> list[str]:
    """Say in a few lines what came out."""
    learned = made.lesson
    labels = int(learned.labels.sum())
    turns = f"{labels:,} labelled and {len(learned.examples) - labels:,} made turns"
    lines = [f"{turns} of {len(set(learned.groups)):,} groups (repositories or sessions)"]
    loss = min(made.chosen.losses.values())
    auc = "—" if made.auc is None else f"{made.auc:.3f}"
    lines.append(
        f"head, on groups it has not seen: loss {loss:.3f} ({made.chosen.base:.3f} by how frequent"
        f" each answer is), AUC {auc} on {len(made.answers):,} labelled turns"
    )
    if (found := made.adapted) is not None:
        lines.append(
            f"adapter, {found.steps} steps ({found.ended}): loss {found.before:.4f} before,"
            f" {found.after:.4f} after, on labels of unseen groups; correlation with torch"
            f" {found.agrees:.3f}"
        )
    lines.append("the adapter is kept" if made.why is None else f"no adapter: {made.why}")
    if lost:
        lines.append(f"{lost:,} labelled turns are in none of the transcripts that were read")
    if learned.unread:
        lines.append(f"{learned.unread:,} lines that are no turn records")
    return lines


def _next(made: Tuned, out: Path | None) -> str:
    """Say how it is used."""
    if out is None:
        return f"use it: auditor scan --model {made.name} --calibration {made.name}"
    calibration = out / CALIBRATION / f"{made.name}.json"
    return f"use it: auditor scan --model {out / made.name}.toml --calibration {calibration}"
