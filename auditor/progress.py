"""A progress bar on standard error, for long work on a terminal."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from auditor.closing import Closing
from auditor.summary import Asking

SLOW = 1.0
"""Seconds after which a progress bar appears (a guess: what a person waits without asking)."""


class Bar(Closing):
    """A progress bar on a terminal, from `SLOW` seconds of work on; elsewhere nothing."""

    def __init__(self, to: Console, total: int) -> None:
        """`total` in bytes of transcripts."""
        self._bar: Progress | None = None
        self._to, self._total = to, total
        self._done = self._turns = 0
        self._asking = ""
        self._begun = time.monotonic()

    def close(self) -> None:
        """Give back what is open."""
        if self._bar is not None:
            self._bar.stop()

    def advance(self, *, turns: int = 0, size: int = 0) -> None:
        """Say what was done since the last call."""
        self._turns += turns
        self._done += size
        if self._bar is None:
            if not self._to.is_terminal or time.monotonic() - self._begun < SLOW:
                return
            self._bar = self._started()
        said = f"{self._turns:,} turns{self._asking}"
        self._bar.update(self._task, completed=self._done, turns=said)

    def asks(self, asking: Asking) -> None:
        """Say what is asked: it takes the longest."""
        self._asking = f", {asking.asked:,} questions answered" if asking.asked else ""
        self.advance()

    def _started(self) -> Progress:
        bar = Progress(
            TextColumn("{task.fields[turns]}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=self._to,
            transient=True,
        )
        self._task = bar.add_task("", total=max(self._total, 1), turns="")
        bar.start()
        return bar
