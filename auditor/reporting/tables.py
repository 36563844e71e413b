"""The tables of a report: every number with its interval and the turns behind it, as text.

Owns heads, columns and what a cell says. Knows no HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from auditor.evaluating.figures import NONE, plain
from auditor.evaluation import DetectorRow, Estimate, Evaluation, Judge, Scores, Slice
from auditor.reporting.charts import MARKS

SPACE = "\u00a0"
"""Keeps an interval on one line; between it and the number of turns a line may break."""


class Cell(Struct, frozen=True):
    """What a cell says, small print under it, and the state that colours it."""

    text: str
    small: str = ""
    state: str = ""
    number: bool = False


class Table(Struct, frozen=True, kw_only=True):
    """The first cell of a row is its head. `note` stands under the table."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def shared(found: Estimate | None) -> Cell:
    """Write a share in percent."""
    return _estimated(found, 100.0, 1, " %")


def numbered(found: Estimate | None, digits: int = 3) -> Cell:
    """Write a number."""
    return _estimated(found, 1.0, digits, "")


def _estimated(found: Estimate | None, times: float, digits: int, unit: str) -> Cell:
    if found is None:
        return Cell(NONE, number=True)
    turns = f"n{SPACE}{found.n:,}"
    if found.value is None:
        return Cell(NONE, turns, number=True)
    between = "no interval"
    if found.low is not None and found.high is not None:
        low, high = (plain(times * end, digits=digits) for end in (found.low, found.high))
        between = f"[{low},{SPACE}{high}]"
    said = plain(times * found.value, digits=digits) + unit
    return Cell(said, f"{between} · {turns}", number=True)


def count(value: int) -> Cell:
    """Write a count."""
    return Cell(f"{value:,}", number=True)


def gate(found: Evaluation) -> Table:
    """List the checks."""
    rows = [
        (
            Cell(check.name),
            Cell(check.state, state=check.state),
            Cell(check.found),
            Cell(check.wanted),
        )
        for check in found.checks
    ]
    return Table(title="Gate", head=("check", "state", "found", "wanted"), rows=tuple(rows))


def judges(title: str, found: Sequence[Judge]) -> Table:
    """Set ours beside the references."""
    rows = [
        (
            Cell(judge.name),
            shared(judge.recall),
            shared(judge.wrong),
            shared(judge.right),
            numbered(judge.auc),
            numbered(judge.average_precision),
        )
        for judge in found
    ]
    head = ("judge", "recall", "wrong nudges", "nudges that are right", "AUC", "average precision")
    return Table(title=title, head=head, rows=tuple(rows))


def recalls(title: str, found: Sequence[Judge]) -> Table:
    """Tell recall at each limit of wrong nudges, of judges that rank."""
    rows = [
        (Cell(judge.name), *[shared(judge.recall_at.get(str(mark))) for mark in MARKS])
        for judge in found
        if judge.ranked
    ]
    limits = [f"at {100 * mark:g} % wrong" for mark in MARKS]
    return Table(title=title, head=("judge", *limits), rows=tuple(rows))


_MEASURES: tuple[tuple[str, Callable[[Scores], Cell]], ...] = (
    ("log loss", lambda found: numbered(found.log_loss)),
    ("log loss of the base rate alone", lambda found: numbered(found.log_loss_base)),
    ("Brier score", lambda found: numbered(found.brier)),
    ("Brier score of the base rate alone", lambda found: numbered(found.brier_base)),
    ("Brier score: miscalibration", lambda found: numbered(found.miscalibration, 4)),
    ("Brier score: discrimination", lambda found: numbered(found.discrimination, 4)),
    ("Brier score: uncertainty", lambda found: numbered(found.uncertainty, 4)),
    ("calibration error", lambda found: numbered(found.ece)),
    ("calibration error that chance alone shows", lambda found: _bare(found.ece_floor, found)),
    ("calibration slope (1 is right)", lambda found: numbered(found.slope, 2)),
    ("calibration intercept (0 is right)", lambda found: numbered(found.intercept, 2)),
    ("Spiegelhalter's z (within ±2 is right)", lambda found: _bare(found.spiegelhalter_z, found)),
)


def _bare(value: float | None, found: Scores) -> Cell:
    """Write a number that is a limit or a test itself and so has no interval."""
    return Cell(plain(value), f"n{SPACE}{found.log_loss.n:,}", number=True)


def scores(found: Evaluation) -> Table | None:
    """Say how good the probabilities are, over all turns and over the residue."""
    every, rest = found.scores, found.residue_scores
    if every is None:
        return None
    rows = [
        (Cell(name), made(every), made(rest) if rest else Cell(NONE, number=True))
        for name, made in _MEASURES
    ]
    return Table(title="Probabilities", head=("measure", "all turns", "residue"), rows=tuple(rows))


def slices(found: Evaluation) -> list[Table]:
    """Make a table of each property; values of too few turns are named under it."""
    return [_sliced(by, list(part)) for by, part in groupby(found.slices, lambda each: each.by)]


def _sliced(by: str, found: list[Slice]) -> Table:
    told = [each for each in found if _says(each)]
    few = [each for each in found if not _says(each)]
    rows = [
        (
            Cell(each.name),
            count(each.n),
            count(each.yes),
            shared(each.recall),
            shared(each.wrong),
            numbered(each.auc),
        )
        for each in told
    ]
    names = ", ".join([f"{each.name} ({each.n:,})" for each in few])
    return Table(
        title=f"By {by}",
        head=(by, "turns", "deserve a nudge", "recall", "wrong nudges", "AUC"),
        rows=tuple(rows),
        note=f"Too few turns for a number: {names}." if few else "",
    )


def _says(found: Slice) -> bool:
    numbers = (found.recall.value, found.wrong.value, found.auc.value)
    return any(number is not None for number in numbers)


def detectors(found: Evaluation) -> Table:
    """Say of each detector how often what it claims was so."""
    return Table(
        title="Detectors",
        head=("detector", "claims", "fired", "was so", "settled", "was so, settled"),
        rows=tuple([_detector(row) for row in found.detectors]),
    )


def _detector(row: DetectorRow) -> tuple[Cell, ...]:
    return (
        Cell(row.detector),
        Cell(row.points_to.replace("_", " ")),
        count(row.fired),
        shared(row.right),
        count(row.settled),
        shared(row.settled_right),
    )


def provenance(found: Evaluation) -> Table:
    """Say what all this was computed from."""
    rows = tuple([(Cell(name), Cell(said)) for name, said in _provenance(found)])
    return Table(title="Provenance", head=("what", "value"), rows=rows)


def _provenance(found: Evaluation) -> Iterator[tuple[str, str]]:
    yield "made", found.created
    yield "data", ", ".join([path.replace("\\", "/").rsplit("/", 1)[-1] for path in found.data])
    yield (
        "labelled turns",
        f"{found.n:,}: {found.yes:,} deserve a nudge, {found.n - found.yes:,} silence",
    )
    left = f"{found.unsure:,} unsure, {found.unread:,} not read, {found.duplicates:,} duplicates"
    yield "left out", left
    yield "worth, of equal weight", f"{found.effective_n:,.0f} turns"
    yield "independent groups", f"{found.groups:,} ({found.grouped_by})"
    yield "residue", f"{found.residue:,} turns that no proof settles"
    yield "decision model", found.model or "none asked"
    yield "calibration", found.calibration or "none"
    yield "cross-fitted", "yes" if found.cross_fitted else "no"
    yield "nudged from probability", plain(found.threshold, digits=4)
    yield "bootstrap draws", f"{found.draws:,}"
    yield from ((f"fingerprint: {name}", value) for name, value in found.fingerprint.items())
    yield "format", found.schema


def tiles(found: Evaluation) -> list[tuple[str, Cell, str]]:
    """Give the four numbers to look at first, and what each means."""
    ours = found.judges[0] if found.judges else None
    rest = found.residue_judges[0] if found.residue_judges else None
    none = Estimate(None)
    return [
        (
            "recall",
            shared(ours.recall if ours else none),
            "of the turns that deserve a nudge get one",
        ),
        (
            "wrong nudges",
            shared(ours.wrong if ours else none),
            "of those that deserve silence get one",
        ),
        ("right nudges", shared(ours.right if ours else none), "of its nudges were deserved"),
        (
            "ranking",
            numbered(rest.auc if rest else none),
            "AUC on the residue: 1 orders every pair of turns rightly, 0.5 is chance",
        ),
    ]
