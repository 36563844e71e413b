"""`auditor compare`, `check`: parse, call, print."""

# ruff: noqa: D301, PLC0415, PLR0913, PLR0917 (\b for click; lazy imports; one parameter an option)

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.commands.evaluate import (
    DRAWS,
    CalibrationOption,
    Draws,
    Json,
    Model,
    Offline,
    document,
    evaluated_now,
    not_negative,
    printed,
    wanted,
)


def compare(
    evaluations: Annotated[
        list[Path],
        typer.Argument(metavar="A B...", help="What `auditor evaluate --json --out` wrote."),
    ],
    as_json: Json = False,
    draws: Draws = DRAWS,
) -> None:
    """Say which of two evaluations of the same turns is better, and by how much.

    Turn by turn: decisions by an exact McNemar test, everything else by a bootstrap that draws
    whole groups for both. Each further evaluation is compared with the first, and p is adjusted.

    \b
    Examples:
      auditor compare plain.json model.json
      auditor compare before.json after.json --json
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor import writers
        from auditor.errors import ConfigError
        from auditor.evaluating import compare as comparing
        from auditor.evaluating import show_comparison
        from auditor.evaluating.reading import saved

        if len(evaluations) < 2:
            raise ConfigError("compare needs two evaluations or more: auditor compare A B")
        not_negative("--draws", draws)
        named = [(str(path), saved(path)) for path in evaluations]
        found = comparing.compared(named, draws=draws)
        with writers.opened(None) as to:
            if as_json:
                document(to, {"comparisons": found})
            else:
                printed(to, lambda console: show_comparison.comparisons(console, found))


def check(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="EVALUATION|DATA...",
            help="What `auditor evaluate --json` wrote; or labelled turn records, evaluated now.",
        ),
    ],
    wrong: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Nudge at most this share of what deserves silence."),
    ] = None,
    recall: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Find at least this share of what deserves a nudge."),
    ] = None,
    right: Annotated[
        float | None, typer.Option(metavar="SHARE", help="At least this share of nudges is right.")
    ] = None,
    auc: Annotated[float | None, typer.Option(metavar="NUMBER", help="Least AUC.")] = None,
    log_loss: Annotated[float | None, typer.Option(metavar="NUMBER", help="Most log loss.")] = None,
    against: Annotated[
        Path | None,
        typer.Option(metavar="BASELINE", help="No worse than this evaluation, beyond chance."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="A WARN fails too.")] = False,
    as_json: Json = False,
    model: Model = None,
    calibration: CalibrationOption = None,
    offline: Offline = False,
    draws: Draws = DRAWS,
) -> None:
    """Hold an evaluation to limits: a gate for continuous integration.

    PASS: the whole 95 % interval meets the limit; WARN: only the number does; FAIL: not even that;
    REFUSED: too little to say. Without limits, the evaluation's own checks.

    \b
    Exit codes: 0 no FAIL · 1 FAIL · 2 usage · 3 other labels or another identity · 4 REFUSED
    · 5 no decision model

    \b
    Examples:
      auditor check evaluation.json --wrong 0.02 --recall 0.7
      auditor check labelled.jsonl.gz --model none --against baseline.json
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor import writers
        from auditor.evaluating import demands, reading
        from auditor.evaluating import show as show_evaluation

        asked = demands.Demands(
            wrong=_share("--wrong", wrong),
            recall=_share("--recall", recall),
            right=_share("--right", right),
            auc=_share("--auc", auc),
            log_loss=log_loss,
            strict=strict,
        )
        baseline = None if against is None else (str(against), reading.saved(against))
        if len(data) == 1 and reading.is_saved(data[0]):
            found = reading.saved(data[0])
        else:
            found = evaluated_now(
                data, model, calibration, offline, None, wanted(by=(), draws=draws)
            )
        rows = demands.gated(found, asked, baseline)
        code = demands.exit_code(rows, asked)
        with writers.opened(None) as to:
            if as_json:
                document(to, {"exit_code": code, "headline": found.headline, "checks": rows})
            else:
                printed(to, lambda console: show_evaluation.checks(console, rows))
    if code:
        raise typer.Exit(code)


def _share(option: str, value: float | None) -> float | None:
    from auditor.errors import ConfigError

    if value is not None and not 0.0 <= value <= 1.0:
        raise ConfigError(f"{option} {value:g}: expected a share from 0 to 1, like 0.02")
    return value
