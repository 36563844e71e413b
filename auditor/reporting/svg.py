"""SVG as text: elements, a plot with its axes, and the picture around it.

Owns escaping and where a value lies on the paper. Colours are classes of `charts.css`: a page with
a strict content security policy allows no style attributes. Knows nothing of evaluations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from auditor.reporting.markup import escaped

WIDTH = 400
"""Units across. Text is 12 units high, so a phone of 360 pixels still shows it at 10 (a guess)."""

Point = tuple[float, float]


class Axis(Struct, frozen=True):
    """Values from `low` to `high` on the paper from `start` to `end`; `root`: by square root."""

    low: float
    high: float
    start: float
    end: float
    root: bool = False

    def at(self, value: float) -> float:
        """Give the place of a value; one beyond the axis lies on its nearer end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + (math.sqrt(share) if self.root else share) * (self.end - self.start)


class Plot(Struct, frozen=True):
    """Two axes."""

    x: Axis
    y: Axis

    def at(self, point: Point) -> Point:
        """Give the place of a point."""
        return self.x.at(point[0]), self.y.at(point[1])

    def grid(self, xs: Sequence[tuple[float, str]], ys: Sequence[tuple[float, str]]) -> str:
        """Draw the lines of both axes and what is written at them."""
        left, right, bottom, top = self.x.start, self.x.end, self.y.start, self.y.end
        lines = [_line("grid", (left, self.y.at(y)), (right, self.y.at(y))) for y, _ in ys]
        lines += [_line("grid", (self.x.at(x), bottom), (self.x.at(x), top)) for x, _ in xs]
        words = [text(said, left - 6, self.y.at(y) + 4, "tick end") for y, said in ys]
        words += [text(said, self.x.at(x), bottom + 16, "tick mid") for x, said in xs]
        return "".join(lines + words)

    def line(self, points: Iterable[Point], style: str) -> str:
        """Join points by straight lines."""
        return _path([self.at(point) for point in points], f"line {style}")

    def steps(self, points: Iterable[Point], style: str) -> str:
        """Join points by steps: what holds at a point holds up to the next one."""
        placed: list[Point] = []
        for x, y in (self.at(point) for point in points):
            if placed:
                placed.append((x, placed[-1][1]))
            placed.append((x, y))
        return _path(placed, f"line {style}")

    def area(self, low: Sequence[Point], high: Sequence[Point], style: str) -> str:
        """Fill what lies between two curves."""
        round_about = [self.at(point) for point in (*low, *reversed(high))]
        return _path(round_about, style, closed=True)

    def whisker(self, x: float, low: float, high: float, style: str, said: str) -> str:
        """Draw an interval of y at x."""
        ends = (self.at((x, low)), self.at((x, high)))
        return _line(f"whisker {style}", *ends, said)

    def mark(self, point: Point, sign: int, style: str, said: str) -> str:
        """Draw the sign of that number at a point; `said` appears where a pointer rests on it."""
        return symbol(self.at(point), sign, style, said)


def picture(name: str, title: str, told: str, height: float, parts: Iterable[str]) -> str:
    """Draw the whole; `told` says in words what it shows. `name` is unique on its page."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img"'
        f' viewBox="0 0 {WIDTH} {_n(height)}"'
        f' aria-labelledby="{escaped(name)}-title {escaped(name)}-told">'
    )
    says = (
        f'<title id="{escaped(name)}-title">{escaped(title)}</title>'
        f'<desc id="{escaped(name)}-told">{escaped(told)}</desc>'
    )
    return f"{head}{says}{''.join(parts)}</svg>"


def text(said: str, x: float, y: float, style: str, *, upright: bool = False) -> str:
    """Write; `upright` along a vertical axis, from below."""
    turned = f' transform="rotate(-90 {_n(x)} {_n(y)})"' if upright else ""
    return f'<text x="{_n(x)}" y="{_n(y)}" class="{style}"{turned}>{escaped(said)}</text>'


def box(corner: Point, size: Point, style: str, said: str) -> str:
    """Draw a bar from its upper left corner, `size` across and down."""
    (x, y), (width, height) = corner, size
    place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    return f'<rect {place} class="{style}">{_title(said)}</rect>'


SIGNS = (
    "M-4 0L0 -4L4 0L0 4Z",  # diamond
    "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5",  # cross
    "M-3.5 -3.5H3.5V3.5H-3.5Z",  # square
    "M0 -4.5L4 3H-4Z",  # triangle
    "M-4 0H4M0 -4V4",  # plus
    "M0 4.5L4 -3H-4Z",  # triangle upside down
)
"""Shapes, so that nobody has to tell judges apart by colour alone."""

DOT = -1
"""The sign of an operating point on a curve."""


def symbol(place: Point, sign: int, style: str, said: str = "") -> str:
    """Draw a sign at a place of the paper."""
    x, y = _n(place[0]), _n(place[1])
    if sign == DOT:
        return f'<circle cx="{x}" cy="{y}" r="3" class="dot {style}">{_title(said)}</circle>'
    shape = SIGNS[sign % len(SIGNS)]
    moved = f'transform="translate({x} {y})"'
    return f'<path d="{shape}" {moved} class="sign {style}">{_title(said)}</path>'


def stroke(start: Point, end: Point, style: str) -> str:
    """Draw a straight line between two places of the paper."""
    return _line(f"line {style}", start, end)


def _line(style: str, start: Point, end: Point, said: str = "") -> str:
    (x1, y1), (x2, y2) = start, end
    place = f'x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
    return f'<line {place} class="{style}">{_title(said)}</line>'


def _path(places: Sequence[Point], style: str, *, closed: bool = False) -> str:
    corners = "L".join([f"{_n(x)} {_n(y)}" for x, y in places])
    return f'<path d="M{corners}{"Z" if closed else ""}" class="{style}"/>'


def _title(said: str) -> str:
    return f"<title>{escaped(said)}</title>" if said else ""


def _n(value: float) -> str:
    """Write a place: two digits after the point are finer than any screen."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
