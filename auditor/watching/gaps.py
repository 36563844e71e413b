"""When nobody listened: before the watch began, and whenever its connection was lost. Pure.

Owns which moments are old news: what ended in a gap, long before somebody listened again.
"""

from __future__ import annotations

from math import inf

GAPS = 20
"""Long ones that are remembered beside the first: days of them (a guess)."""


class Gaps:
    """Of one connection; times are Unix seconds. `fresh`: what is no older counts as news."""

    def __init__(self, fresh: float) -> None:
        self._fresh = fresh
        self.lost = -inf
        """When the connection was lost last; -inf: there was none yet."""
        self._long: list[tuple[float, float]] = []

    def over(self, now: float) -> None:
        """Somebody listens again."""
        if now - self.lost > self._fresh:
            known = [gap for gap in self._long if gap[0] != self.lost]  # else it goes on
            self._long = [*known[:1], *known[1:][-GAPS:], (self.lost, now)]

    def missed(self, moment: float) -> bool:
        """Whether that was in a gap, and too long before its end."""
        return any(lost <= moment < again - self._fresh for lost, again in self._long)
