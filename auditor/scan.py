"""Audit transcripts on disk: find them, read turns, audit, keep, show.

Wires the edges to the pipeline. Streams: one turn at a time, and only what will be shown is kept.
Bad input never ends a scan.
"""

from __future__ import annotations

import heapq
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from math import inf
from pathlib import Path
from typing import NamedTuple

from auditor import artefacts, calibrations, progress, show, sources, writers
from auditor.asking import Asker
from auditor.audit import Audit, audit
from auditor.calibration import NO_CALIBRATIONS, Calibrations
from auditor.errors import HarnessUnavailable
from auditor.events import Unread
from auditor.glimpse import redacted
from auditor.keeper import Keeper
from auditor.lookup import looked_up
from auditor.order import PICKS, SHIPPED, Order, check
from auditor.sources import Found, Source
from auditor.summary import Problem, Summary, named
from auditor.turn import Turn

_PULSE = 256
"""Turns between two updates of the progress bar (a guess: far apart enough to cost nothing)."""


def scan(order: Order) -> Summary:
    """Do what was asked. Raises `ConfigError` at once, `StoreError` after the output."""
    check(order)
    began = time.time()
    found, summary = _found(order)
    if order.explain is not None:
        _explain(order, order.explain, found, summary)
        return summary
    with ExitStack() as stack:
        keeper = stack.enter_context(Keeper(None if summary.demo else order.db))
        out = stack.enter_context(writers.opened(order.out))
        writer = writers.WRITERS[order.format](out, everything=order.only is not None)
        asker = stack.enter_context(_asker(order, found))
        summary.asking = asker.done
        judged = _Auditing(asker, _calibrations(order, asker))
        _work(order, found, summary, writer, keeper, judged)
        keeper.finish(began, order.paths, summary)
        writer.done(summary)
        if summary.interrupted and order.out is not None:
            out.discard()
    if keeper.failed is not None:
        raise keeper.failed
    return summary


def _found(order: Order) -> tuple[Found, Summary]:
    """Find the transcripts; on a machine that has none, our examples."""
    if order.paths:
        found = sources.in_paths(order.paths, order.harness)
    else:
        found = sources.in_default_places(order.harness)
    summary = Summary(ignored=found.ignored, unreadable=list(found.unreadable))
    summary.unreadable += [
        Problem(named(path), "no transcript of a known harness; --harness says which it is")
        for path in found.unclaimed
    ]
    if not order.paths and not found.sources and order.harness is None:
        summary.demo = True
        found.sources = [Source(sources.RECORDS, artefacts.folder("data") / "demo.jsonl")]
    return found, summary


def _asker(order: Order, found: Found) -> Asker:
    """Whoever is asked what nothing settles; nobody where there is nothing to read."""
    name = order.model if found.sources else None
    return Asker(name, questions=order.questions, offline=order.offline)


def _calibrations(order: Order, asker: Asker) -> Calibrations:
    """Find the calibrations for what is asked. Raises `ConfigError` and `CalibrationMismatch`."""
    if order.calibration is None:
        return NO_CALIBRATIONS
    named = None if order.calibration == SHIPPED else order.calibration
    return calibrations.chosen(named, asker.digest)


class _Auditing(NamedTuple):
    """How the turns of a scan are audited: all by the sieve, and what will be kept by the model."""

    asker: Asker
    calibrations: Calibrations

    def sieved(self, turn: Turn) -> Audit:
        """Audit without asking anybody."""
        return redacted(audit(turn, calibrations=self.calibrations))

    def asked(self, turn: Turn, sieved: Audit) -> Audit:
        """Ask the model about what nothing settles."""
        if sieved.verdict is not None or self.asker.done.model is None:
            return sieved
        return redacted(audit(turn, judge=self.asker, calibrations=self.calibrations))


def _work(  # noqa: PLR0913, PLR0917 - what is asked, what is found, and where it goes
    order: Order,
    found: Found,
    summary: Summary,
    writer: writers.Writer,
    keeper: Keeper,
    auditing: _Auditing,
) -> None:
    pick = PICKS[order.only] if order.only else writer.shows
    total = sum(_size(source.path) for source in found.sources)
    with progress.Bar(show.console(sys.stderr), total) as bar:
        reading = _Reading(order, summary, auditing, keeper, bar)
        try:
            for turn, sieved, when in reading.chosen(found.sources):
                result = auditing.asked(turn, sieved)
                if result is not sieved:
                    bar.asks(summary.asking)
                keeper.add(turn, result, consecutive=order.last is None)
                summary.count(result)
                if pick(result):
                    writer.take(turn, result, when)
        except KeyboardInterrupt:
            summary.interrupted = True


Seen = tuple[Turn, Audit, float]
"""A turn, its audit, and when it was (Unix seconds; where nobody says, when its file changed)."""


class _Reading(NamedTuple):
    """What is being read, and what is counted meanwhile."""

    order: Order
    summary: Summary
    auditing: _Auditing
    keeper: Keeper
    bar: progress.Bar

    def chosen(self, found: list[Source]) -> Iterator[Seen]:
        """Give the audited turns, as they are read; with `--last`, the newest, newest first."""
        last = self.order.last
        if last is None:
            for source in found:
                yield from self._audited(source)
            return
        newest: list[tuple[float, int, Seen]] = []
        number = count()  # of two turns of one time, the one read later is newer
        for source in sorted(found, key=lambda source: -_touched(source.path)):
            if len(newest) == last and newest[0][0] >= _touched(source.path):
                break  # nothing in a file is newer than its last change
            for seen in self._audited(source):
                entry = (seen[2], next(number), seen)
                if len(newest) < last:
                    heapq.heappush(newest, entry)
                else:
                    heapq.heappushpop(newest, entry)
        yield from (seen for _, _, seen in sorted(newest, reverse=True))

    def _audited(self, source: Source) -> Iterator[Seen]:
        """Audit the turns of one transcript that are asked for; count what cannot be read."""
        summary, since = self.summary, self.order.since
        touched = _touched(source.path)
        if since is not None and touched < since:
            return
        summary.files += 1
        self.keeper.begin()
        done, otherwise = 0, touched if touched < inf else _changed(source.path)
        try:
            for found in sources.turns(source):
                if isinstance(found, Unread):
                    summary.count_unread(found, source.path)
                    continue
                when = found.ended or found.started or otherwise
                if not self._wanted(found, when):
                    continue
                try:
                    result = self.auditing.sieved(found)
                except Exception as error:  # noqa: BLE001 a detector that fails must not end it
                    failed = Unread(f"not audited: {type(error).__name__}: {error}")
                    summary.count_unread(failed, source.path)
                    continue
                yield found, result, when
                done += 1
                if done % _PULSE == 0:
                    self.bar.advance(turns=_PULSE)
        except HarnessUnavailable as error:
            reason = str(error).removeprefix(f"{source.path}: ")
            summary.unreadable.append(Problem(named(source.path), reason))
        except Exception as error:  # noqa: BLE001 a reader that fails must not end the scan
            reason = f"the {source.harness} reader failed: {type(error).__name__}: {error}"
            summary.unreadable.append(Problem(named(source.path), reason))
        self.bar.advance(turns=done % _PULSE, size=_size(source.path))

    def _wanted(self, turn: Turn, when: float) -> bool:
        since, session = self.order.since, self.order.session
        if since is not None and when < since:
            return False
        return session is None or turn.session.startswith(session)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _touched(path: Path) -> float:
    """When a transcript last changed: not known for a folder, later for a database with a log."""
    if path.is_dir():
        return inf
    log = path.with_name(f"{path.name}-wal")
    return max(_changed(path), _changed(log) if log.exists() else 0.0)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _explain(order: Order, wanted: str, found: Found, summary: Summary) -> None:
    """Show one turn, and all that was seen of it."""
    turn, path = looked_up(found.sources, wanted, order.session)
    with _asker(order, found) as asker:
        auditing = _Auditing(asker, _calibrations(order, asker))
        result = auditing.asked(turn, auditing.sieved(turn))
    summary.asking = asker.done
    with writers.opened(order.out) as out:
        writers.explain(out, order.format, turn, result, path)
