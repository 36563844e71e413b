"""What a pull tells, as a bar on standard error."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn


class Transfer:
    """Called with what is done and how many bytes of how many: a bar on a terminal, else lines."""

    def __init__(self, to: Console, name: str) -> None:
        """`name` of what is pulled."""
        self._to, self._name, self._doing = to, name, ""
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            console=to,
            transient=True,
            disable=not to.is_terminal,
        )
        self._task = self._bar.add_task(name, total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show it; where there is no terminal, a line for every new thing that is done."""
        if what != self._doing:
            self._doing = what
            self._bar.reset(self._task, total=total or None, description=f"{self._name}: {what}")
            if not self._to.is_terminal:
                size = f" ({total / 1e6:,.0f} MB)" if total else ""
                self._to.print(f"{self._name}: {what}{size}")
        self._bar.update(self._task, completed=done, total=total or None)
