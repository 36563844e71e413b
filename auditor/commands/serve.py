"""`auditor serve`: host a decision model for others; parse, call, print."""

# ruff: noqa: D301, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

import os
from typing import Annotated

import typer

KEY = "AUDITOR_SERVE_KEY"


def serve(
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Where to listen; 0: any that is free.")] = 8017,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="A known model, or the path of a GGUF file.")
    ] = None,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Let other machines connect.")
    ] = False,
    deadline: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="For the answers to a request.")
    ] = 60.0,
) -> None:
    """Host the decision model on this machine, for every client of `/v1/systemone`.

    Also: /v1/models, /health, /metrics. With AUDITOR_SERVE_KEY set, clients must send that key.

    \b
    Examples:
      auditor serve                        the default model on 127.0.0.1:8017
      auditor serve --model ./tiny.gguf    any GGUF file
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor.serving import hosted, serve
        from auditor.serving.desk import Desk

        with (
            serve.bound(host, port, remote=allow_remote) as listener,
            hosted.opened(model) as (judge, about),
        ):
            desk = Desk(judge, about, deadline=deadline, key=os.environ.get(KEY))
            serve.run(
                serve.app(desk, remote=allow_remote),
                listener,
                lambda url: typer.echo(f"{about.name} answers on {url}", err=True),
            )
