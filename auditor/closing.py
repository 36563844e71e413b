"""What is opened is closed: `with` for whatever has a `close`."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Closes at the end of a `with` block."""

    def close(self) -> None:
        """Give back what is open; twice does no harm."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
