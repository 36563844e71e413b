"""Turns that somebody labelled here -> labelled turn records, such as are learned from.

The store keeps labels and a glimpse of a turn, never the turn, so transcripts are read again. What
is written holds their texts: whoever asks for it says where, and how long it stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import structs

from auditor import sources
from auditor.errors import HarnessUnavailable, NotEnough
from auditor.fitting.labelled import Example, from_store
from auditor.records import Label, written
from auditor.sources import Source
from auditor.store import Store, address, default_path, existing
from auditor.tuning.lora import Told
from auditor.turn import Turn

LABELLED = "labelled.jsonl"
"""What the turns of transcripts are written to while they are learned from."""


@contextmanager
def labelled_records(
    data: Sequence[Path], db: Path | None, told: Told
) -> Iterator[tuple[tuple[Path, ...], int]]:
    """Give files of labelled turn records, and how many labelled turns no transcript holds.

    `data`: such files, or transcripts; none: all transcripts on this machine. Of transcripts a file
    is made that only its owner can read, and that is deleted after. Raises `ConfigError`,
    `NotEnough`, `StoreError`.
    """
    found = sources.in_paths(data) if data else sources.in_default_places()
    files = [each.path for each in found.sources if each.harness == sources.RECORDS]
    files += found.unclaimed  # who reads them says what is wrong with them
    transcripts = [each for each in found.sources if each.harness != sources.RECORDS]
    if data and not transcripts:
        yield tuple(files), 0
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / LABELLED
        with existing(db or default_path()) as store:
            lost = gathered(store, transcripts, file, told)
        yield (*files, file), lost


def gathered(store: Store, found: Sequence[Source], to: Path, told: Told) -> int:
    """Write the labelled turns of these transcripts; say how many labelled ones are in none.

    Raises `NotEnough` where no turn has a label that is sure.
    """
    wanted = {example.id: example for example in from_store(store).examples}
    if not wanted:
        raise NotEnough("no turn has a label that is sure; `auditor label` asks about turns")
    with to.open("wb") as file:
        for number, source in enumerate(found):
            told("reading transcripts", number, len(found), "")
            if not wanted:
                break
            for turn in _turns(source):
                if (example := wanted.get(address(turn).hex())) is not None:
                    with suppress(UnicodeEncodeError):  # half a surrogate pair: no file holds it
                        file.write(_line(turn, example) + b"\n")
                        del wanted[example.id]
    told("reading transcripts", len(found), len(found), "")
    return len(wanted)


def _line(turn: Turn, example: Example) -> bytes:
    """Give the turn under its address: ids of transcripts are their own only within a session."""
    label = Label(nudge=example.nudge, reason=example.reason, weight=example.weight)
    return written(structs.replace(turn, id=example.id), label=label)


def _turns(source: Source) -> Iterator[Turn]:
    try:
        yield from (turn for turn in sources.turns(source) if isinstance(turn, Turn))
    except HarnessUnavailable:
        return  # a scan reports it; what is in no transcript is counted here
