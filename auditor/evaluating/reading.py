"""What an evaluation reads: labelled turns, a model's answers about their residue, calibrations.

Owns where labels come from (files, or the store), that a model is asked about what no proof
settles, and what is told meanwhile. Answers are kept as they come: who stops, goes on later.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from rich.text import Text

from auditor import calibrations, progress, show
from auditor.asking import Asker
from auditor.calibration import NO_CALIBRATIONS, Calibrations
from auditor.errors import CalibrationMismatch, ConfigError, JudgeUnavailable
from auditor.evaluation import Evaluation
from auditor.fitting.labelled import Examples, from_records, from_store
from auditor.glimpse import one_line
from auditor.labels import TRUSTED, counting

UNREAD = 5
"""Lines that could not be read which are named; the rest is counted (a guess)."""


class Source(Struct, frozen=True, kw_only=True):
    """Where labelled turns come from, and who says what about them.

    `paths`: labelled turn records; none: the labels of the store `db`. `model` None: nobody is
    asked. `calibration`: an id, a path, `none`, or None for the shipped ones.
    """

    paths: tuple[Path, ...] = ()
    db: Path
    model: str | None = None
    calibration: str | None = None
    offline: bool = False


class Read(Struct, frozen=True):
    """The labelled turns, the digest of the model that was asked, and the calibrations to use."""

    examples: Examples
    digest: str | None
    by: Calibrations


def read(source: Source) -> Read:
    """Read everything. Raises `ConfigError`, `CalibrationMismatch`, `JudgeUnavailable`."""
    if not source.paths:
        return _stored(source)
    first = from_records(source.paths)
    if source.model is None:
        found, digest = first, None
        by = _calibrations(source.calibration, digest)
    else:
        with Asker(source.model, questions=None, offline=source.offline) as asker:
            digest = asker.digest
            by = _calibrations(source.calibration, digest)
            found = _asked(source, first, asker)
    _told(found)
    return Read(found, digest, by)


def _calibrations(name: str | None, digest: str | None) -> Calibrations:
    """Give the calibrations to use; before anybody is asked, which takes long."""
    if name == "none":
        return NO_CALIBRATIONS
    found = calibrations.chosen(name, digest)
    if digest is None and found.model is not None:
        raise CalibrationMismatch(
            f"the calibration {name} reads the answers of a decision model, and none is asked;"
            " name that model: --model NAME"
        )
    return found


def _asked(source: Source, first: Examples, asker: Asker) -> Examples:
    """Read again, asking about the residue. Raises `JudgeUnavailable` where nothing is answered."""
    residue = sum(example.residue for example in first.examples)
    if asker.digest is None:
        raise JudgeUnavailable(f"{asker.done.problem}; --model none does without")
    to = show.console(sys.stderr)
    to.print(
        Text(
            f"{len(first.examples):,} labelled turns; {source.model} is asked about the"
            f" {residue:,} that no detector settles. Answers are kept: after Ctrl-C the same"
            " command goes on."
        ),
        soft_wrap=True,
    )
    with progress.Bar(to, len(first.examples)) as bar:
        found = from_records(source.paths, judge=asker, told=_advancing(bar, asker))
    if residue and asker.done.problem and not asker.done.asked + asker.done.remembered:
        raise JudgeUnavailable(f"{asker.done.problem}; --model none does without")
    return found


def _advancing(bar: progress.Bar, asker: Asker) -> Callable[[int], None]:
    def told(_: int) -> None:
        bar.asks(asker.done)
        bar.advance(turns=1, size=1)

    return told


def _stored(source: Source) -> Read:
    """Read what people said about turns of the store; guesses of rules are no measure."""
    from auditor.store import existing  # noqa: PLC0415 - brings SQLite

    with existing(source.db) as store:
        found = from_store(store)
        people = set(counting(store.labels(TRUSTED)))
    found.examples = [example for example in found.examples if example.id in people]
    if not found.examples:
        raise ConfigError(
            f"nobody has labelled a turn of the store {source.db}; expected labels (auditor label)"
            " or a file of labelled turn records"
        )
    answers = [each.audit.answer for each in found.examples if each.audit.answer]
    models = sorted({answer.model for answer in answers})
    digest = models[0] if len(models) == 1 and source.model is not None else None
    _told(found)
    return Read(found, digest, _calibrations(source.calibration, digest))


def _told(found: Examples) -> None:
    """Name the first lines that could not be read, on standard error."""
    to = show.console(sys.stderr)
    for line in found.unread[:UNREAD]:
        to.print(Text(f"not read: {one_line(line)}"), soft_wrap=True)
    if (more := len(found.unread) - UNREAD) > 0:
        to.print(Text(f"and {more:,} more lines not read"))


def saved(path: Path) -> Evaluation:
    """Read an evaluation that was written with --json. Raises `ConfigError`."""
    import msgspec  # noqa: PLC0415

    try:
        return msgspec.json.decode(path.read_bytes(), type=Evaluation)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror})") from error
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} is no evaluation ({error}); expected what auditor evaluate --json writes"
        ) from error


def is_saved(path: Path) -> bool:
    """Whether the file looks like a saved evaluation, and not like turn records."""
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip().startswith(b'{"schema":"evaluation/')
    except OSError:
        return False
