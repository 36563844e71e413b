"""`auditor replay`, `simulate`: parse, call, print."""

# ruff: noqa: D301, PLC0415, PLR0913, PLR0917 (\b for click; lazy imports; one parameter an option)

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.commands.evaluate import CalibrationOption, Json
from auditor.commands.store import Db

if TYPE_CHECKING:
    from auditor.calibration import Calibrations
    from auditor.store import Store


def replay(
    calibration: CalibrationOption = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="P", help="Nudge from this probability on. Default: the calibration's own."
        ),
    ] = None,
    as_json: Json = False,
    db: Db = None,
) -> None:
    """Decide the kept turns again by another calibration or threshold; say what would change.

    No model is asked: what it answered is kept. Nothing is written.

    \b
    Examples:
      auditor replay                           by what a scan would use now
      auditor replay --threshold 0.9           how many nudges fewer
      auditor replay --calibration mine --json
    """
    from auditor.commands.answering import answering

    with answering():
        import msgspec

        from auditor import show
        from auditor.errors import ConfigError
        from auditor.evaluating import replay as replaying
        from auditor.evaluating import show_comparison
        from auditor.store import default_path, existing

        if threshold is not None and not 0.0 <= threshold <= 1.0:
            raise ConfigError(
                f"--threshold {threshold:g}: expected a probability from 0 to 1, like 0.9"
            )
        with existing(db or default_path()) as store:
            found = replaying.replayed(store, _calibrations(store, calibration), threshold)
        if as_json:
            typer.echo(msgspec.json.encode(found))
        else:
            show_comparison.replayed(show.console(sys.stdout), found)


def _calibrations(store: Store, name: str | None) -> Calibrations:
    """Give the calibrations for the model that answered most of what is kept."""
    from auditor.calibration import NO_CALIBRATIONS
    from auditor.calibrations import chosen
    from auditor.evaluating.replay import answered

    return NO_CALIBRATIONS if name == "none" else chosen(name, answered(store))


def simulate(
    precision: Annotated[
        float | None,
        typer.Option(metavar="P", help="Share of nudges that are right. Default: several."),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(metavar="A", help="Certify fewer wrong nudges than this share."),
    ] = None,
    delta: Annotated[
        float | None, typer.Option(metavar="D", help="Risk that the certificate is false.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="R", help="Would-be nudges a day that you label.")
    ] = None,
    as_json: Json = False,
    db: Db = None,
) -> None:
    """Say how many more labels a certificate takes; by default from where the store stands.

    A number that is given stands for one's own; with `--alpha` or `--delta` no label counts yet.

    \b
    Examples:
      auditor simulate                                 from the policy that is frozen
      auditor simulate --precision 0.95 --rate 5       how many labels, how many days
      auditor simulate --alpha 0.1                     for fewer than 10 % wrong nudges
    """
    from auditor.commands.answering import answering

    with answering():
        import msgspec

        from auditor import show
        from auditor.evaluating import show_comparison
        from auditor.evaluating import simulate as simulating
        from auditor.store import default_path, existing

        path = db or default_path()
        state = simulating.State()
        if alpha is None and delta is None and (db is not None or path.exists()):
            with existing(path) as store:
                state = simulating.current(store)
        given = {"alpha": alpha, "delta": delta, "rate": rate}
        state = msgspec.structs.replace(
            state, **{name: value for name, value in given.items() if value is not None}
        )
        precisions = simulating.PRECISIONS if precision is None else (precision,)
        found = simulating.simulated(state, precisions)
        if as_json:
            typer.echo(msgspec.json.encode(found))
        else:
            show_comparison.simulated(show.console(sys.stdout), found)
