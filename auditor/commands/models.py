"""`auditor models`: which decision models there are, and which are here; parse, call, print."""

# ruff: noqa: D301, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from auditor.models.registry import Model

app = typer.Typer(
    help="Look after the decision models, which are asked what no detector settles.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A model, as in `auditor models list`.")]
Maybe = Annotated[str | None, typer.Argument(metavar="NAME", help="Only this model.")]


@app.command(name="list")
def list_(
    json_: Annotated[bool, typer.Option("--json", help="All that is known, for programs.")] = False,
) -> None:
    """List the known models, and which of them are here."""
    from auditor.commands.answering import answering

    with answering():
        from auditor.models import registry

        models = registry.known()
        if json_:
            typer.echo(_json(models))
            return
        for row in _rows(models):
            typer.echo(row)
        typer.echo("* is used when no other is named; any GGUF file can be named by its path")


@app.command()
def pull(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The model. Default: the default one.")
    ] = None,
) -> None:
    """Fetch a model, check it, and put it in its place; go on where a pull was interrupted.

    \b
    Examples:
      auditor models pull                              the default model
      auditor models pull smollm2-135m-instruct-bf16   another one
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor.models import registry
        from auditor.models.pull import pull as pulled
        from auditor.models.transfer import Transfer
        from auditor.show import console

        model = registry.default() if name is None else registry.named(name)
        with Transfer(console(sys.stderr), model.name) as told:
            path = pulled(model, told)
        typer.echo(f"{model.name}: {_size(model)} at {path}, sha256 as expected")


@app.command()
def verify(name: Maybe = None) -> None:
    """Read the models that are here, and compare size and digest; exit 1 if one is wrong."""
    from auditor.commands.answering import answering

    with answering():
        from auditor.models import registry

        models = [registry.named(name)] if name else registry.known()
        here = [model for model in models if registry.present(model)]
        if name and not here:
            raise registry.absent(models[0])
        problems = [_verified(model) for model in here]
        if not here:
            typer.echo(f"no model is in {registry.folder()}")
        if any(problems):
            raise typer.Exit(1)


@app.command()
def remove(name: Name) -> None:
    """Delete a model's file, and what is left of an interrupted pull."""
    from auditor.commands.answering import answering

    with answering():
        from auditor.models import registry
        from auditor.models.pull import remove as removed

        model = registry.named(name)
        gone = removed(model)
        if not gone:
            raise registry.absent(model)
        typer.echo(f"{model.name}: {gone:,} bytes deleted")


@app.command()
def path(name: Maybe = None) -> None:
    """Say where a model's file is, or the folder of all."""
    from auditor.commands.answering import answering

    with answering():
        from auditor.models import registry

        typer.echo(registry.resolve(name).path if name else registry.folder())


def _verified(model: Model) -> bool:
    """Say how a model is; true if something is wrong with it."""
    from auditor.errors import JudgeUnavailable
    from auditor.models import registry

    file = registry.folder() / model.file
    try:
        problem = registry.verified(model)
    except OSError as error:
        raise JudgeUnavailable(f"{file} cannot be read ({error.strerror})") from error
    if problem is None:
        typer.echo(f"{model.name}: {model.bytes:,} bytes, sha256 as expected")
    else:
        typer.echo(f"{model.name}: WRONG, {problem}; auditor models pull {model.name}", err=True)
    return problem is not None


def _rows(models: list[Model]) -> list[str]:
    cells = [
        (
            f"{'*' if model.default else ' '} {model.name}",
            _size(model),
            model.licence,
            _state(model),
            model.title,
        )
        for model in models
    ]
    widths = [max(len(row[at]) for row in cells) for at in range(4)]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4]])
        for row in cells
    ]


def _size(model: Model) -> str:
    return f"{model.bytes / 1e6:,.0f} MB"


def _state(model: Model) -> str:
    from auditor.models import registry

    if registry.present(model):
        return "here"
    part = registry.unfinished(model)
    return f"{100 * part // model.bytes} % here" if part else "not here"


def _json(models: list[Model]) -> str:
    import msgspec

    from auditor.models import registry

    found = [
        msgspec.to_builtins(model)
        | {"here": registry.present(model), "path": str(registry.folder() / model.file)}
        for model in models
    ]
    return msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
