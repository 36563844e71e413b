"""The charts of an evaluation: data in, SVG out.

Pure functions. Where there is nothing to draw, a sentence stands in place of the chart. How SVG is
written is `svg`'s; what the numbers mean is said by the page around them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from auditor.evaluating.figures import percent, share
from auditor.evaluation import Judge, Reliability, RiskCoverage
from auditor.reporting import svg
from auditor.reporting.markup import escaped
from auditor.reporting.svg import Axis, Plot

LEFT, RIGHT, TOP, BOTTOM = 58.0, 378.0, 10.0, 230.0
"""Edges of a plot on the paper."""

MIDDLE, NAMED = (LEFT + RIGHT) / 2, BOTTOM + 34
"""Where the name of the lower axis stands."""

ROW = 18.0
"""Height of a line of the legend."""

MARKS = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Shares of wrong nudges that are marked (decisions.md 4.2 and the gate of the evaluation)."""

WIDEST = 0.12
"""Largest share of wrong nudges drawn: nobody keeps a tool that is wrong more often (a guess)."""

FIFTHS = tuple([(fifth / 5, f"{fifth / 5:.1f}") for fifth in range(6)])
HUNDREDTHS = tuple([(fifth / 5, f"{20 * fifth} %") for fifth in range(6)])
STYLES = 5
"""Styles of lines in `charts.css`; a sixth judge takes the second again, with its own sign."""

LONGEST = 40
"""Characters of a name that a legend has room for."""


def styles() -> str:
    """Read the style sheet of the charts."""
    return Path(__file__).with_name("charts.css").read_text(encoding="utf-8")


def standalone(chart: str) -> str:
    """Make a chart a file of its own, with its styles. Raises ValueError for a sentence."""
    head, closed, rest = chart.partition(">")
    if not head.startswith("<svg "):
        raise ValueError("there is no chart to write, only a sentence in its place")
    return f"{head}{closed}<style>{styles()}</style>{rest}\n"


def missing(sentence: str) -> str:
    """Stand in place of a chart."""
    return f'<p class="missing">{escaped(sentence)}</p>'


def recall_against_wrong(name: str, title: str, judges: Sequence[Judge]) -> str:
    """Draw how many of the turns that deserve a nudge are found for how many wrong nudges.

    Curves are of judges that rank, signs of what each does by itself. `judges`: ours first.
    """
    seen = [judge for judge in judges if judge.curve or judge.recall.value is not None]
    if not seen:
        return missing("Recall against wrong nudges is not drawn: no judge has any turn to judge.")
    plot = Plot(Axis(0, WIDEST, LEFT, RIGHT, root=True), Axis(0, 1, BOTTOM, TOP))
    behind = list(reversed(list(enumerate(seen))))  # ours is drawn last, so on top
    parts = [
        plot.grid([(mark, f"{100 * mark:g}") for mark in MARKS], HUNDREDTHS),
        *[_curve(plot, judge, number) for number, judge in behind],
        *_marks(plot, seen[0]),
        *[_by_itself(plot, judge, number) for number, judge in behind],
        svg.text("wrong nudges, % of silence-deserving turns (√ scale)", MIDDLE, NAMED, "name mid"),
        svg.text("recall", 14, (TOP + BOTTOM) / 2, "name mid", upright=True),
        *[_entry(judge, number) for number, judge in enumerate(seen)],
    ]
    told = " ".join([_told(judge) for judge in seen])
    return svg.picture(name, title, told, NAMED + 12 + ROW * len(seen), parts)


def _curve(plot: Plot, judge: Judge, number: int) -> str:
    within = [point for point in judge.curve if point[0] <= WIDEST]
    if not within:
        return ""
    return plot.steps([*within, (WIDEST, within[-1][1])], _style(number))


def _marks(plot: Plot, judge: Judge) -> Iterator[str]:
    """Our recall at each marked share, with its interval."""
    for mark in MARKS:
        found = judge.recall_at.get(str(mark))
        if found is None or found.value is None:
            continue
        limit = _limit(mark)
        said = f"{judge.name}: recall {percent(found)} at {limit} wrong, n {found.n:,}"
        if found.low is not None and found.high is not None:
            yield plot.whisker(mark, found.low, found.high, _style(0), said)
        yield plot.mark((mark, found.value), svg.DOT, _style(0), said)


def _by_itself(plot: Plot, judge: Judge, number: int) -> str:
    place = _placed(judge)
    return plot.mark(place, number, _style(number), _told(judge)) if place else ""


def _placed(judge: Judge) -> tuple[float, float] | None:
    """Where a judge stands as it is set; None: nowhere on the paper."""
    wrong, recall = judge.wrong.value, judge.recall.value
    if wrong is None or recall is None or wrong > WIDEST:
        return None
    return wrong, recall


def _told(judge: Judge) -> str:
    """Say what a judge does by itself and at the marks."""
    found = f"recall {percent(judge.recall)}, wrong nudges {percent(judge.wrong)}"
    at = [
        f"{percent(held)} at {_limit(mark)} wrong"
        for mark in MARKS
        if (held := judge.recall_at.get(str(mark))) is not None and held.value is not None
    ]
    ranked = f"; by its ranking {', '.join(at)}" if at else ""
    return f"{judge.name}: {found}{ranked}."


def _entry(judge: Judge, number: int) -> str:
    """Draw a line of the legend: curve and sign where the judge has them, and its name."""
    style, y = _style(number), NAMED + 22 + ROW * number
    drawn = svg.stroke((LEFT, y - 4), (LEFT + 26, y - 4), style) if judge.curve else ""
    if _placed(judge):
        drawn += svg.symbol((LEFT + 13, y - 4), number, style)
    return drawn + svg.text(_named(judge, number), LEFT + 34, y, "name")


def _named(judge: Judge, number: int) -> str:
    name = judge.name if len(judge.name) <= LONGEST else judge.name[: LONGEST - 1] + "…"
    if judge.wrong.value is not None and judge.wrong.value > WIDEST:
        return f"{name} (off the paper: {share(judge.wrong.value)} wrong)"
    return f"{name}; dots: its ranking, 95 %" if number == 0 and judge.recall_at else name


def _style(number: int) -> str:
    return f"s{number}" if number < STYLES else f"s{(number - 1) % (STYLES - 1) + 1}"


def _limit(mark: float) -> str:
    return f"{100 * mark:g} %"


def reliability(name: str, title: str, found: Reliability | None, n: int) -> str:
    """Draw how often what was said came true, over how many turns of each probability."""
    if found is None or not found.predicted:
        return missing("Reliability is not drawn: there is no probability for every turn.")
    plot = Plot(Axis(0, 1, LEFT, RIGHT), Axis(0, 1, BOTTOM, TOP))
    low = list(zip(found.predicted, found.band_low, strict=True))
    high = list(zip(found.predicted, found.band_high, strict=True))
    parts = [
        plot.area(low, high, "band"),
        plot.grid(FIFTHS, HUNDREDTHS),
        plot.line([(0, 0), (1, 1)], "even"),
        plot.line(zip(found.predicted, found.observed, strict=True), "s0"),
        svg.text("share that was right", 14, (TOP + BOTTOM) / 2, "name mid", upright=True),
        *_histogram(plot, found.histogram),
        svg.text("probability; below, turns of each tenth", MIDDLE, NAMED, "name mid"),
    ]
    return svg.picture(name, title, _told_reliability(found, n), 340, parts)


def _histogram(plot: Plot, counts: Sequence[int]) -> Iterator[str]:
    """Draw a bar for each bin, its count over it; a bar of few turns stays visible."""
    floor, tallest, most = 336.0, 46.0, max([1, *counts])
    for number, count in enumerate(counts):
        start = plot.x.at(number / len(counts)) + 1
        width = plot.x.at((number + 1) / len(counts)) - start - 1
        height = max(1.5, tallest * count / most) if count else 0.0
        span = f"{number / len(counts):.1f} to {(number + 1) / len(counts):.1f}"
        yield svg.box((start, floor - height), (width, height), "bar", f"{count:,} turns at {span}")
        middle = start + width / 2
        yield svg.text(f"{count:,}", middle, floor - height - 4, "tick mid")


def band(found: Reliability) -> str:
    """Say where the curve leaves the band, in which by chance nine tenths of it would lie."""
    rows = zip(found.predicted, found.observed, found.band_low, found.band_high, strict=True)
    side = [(said, (was > high) - (was < low)) for said, was, low, high in rows]
    spans = [
        _span([said for said, _ in grouped], where)
        for where, grouped in groupby(side, lambda each: each[1])
        if where
    ]
    if not spans:
        return "The whole curve lies inside the band."
    off = sum(where != 0 for _, where in side)
    return (
        f"The curve leaves the band at probabilities {'; '.join(spans)}: {off} of {len(side)}"
        " points, where chance alone would put about one in ten."
    )


def _span(said: Iterable[float], where: int) -> str:
    places = [f"{value:.3f}" for value in said]
    reach = places[0] if places[0] == places[-1] else f"{places[0]} to {places[-1]}"
    return f"{reach} (right {'more' if where > 0 else 'less'} often than said)"


def _told_reliability(found: Reliability, n: int) -> str:
    lowest, highest = min(found.predicted), max(found.predicted)
    return (
        f"Probabilities of {n:,} turns, from {lowest:.3f} to {highest:.3f}. {band(found)}"
        f" Turns in ten equal bins: {', '.join([f'{count:,}' for count in found.histogram])}."
    )


def risk_coverage(name: str, title: str, found: RiskCoverage | None, n: int) -> str:
    """Draw the share of wrong decisions among the surest turns, by how many are decided."""
    if found is None or not found.coverage:
        return missing("Risk is not drawn: there is no probability for every turn.")
    top = _roof(max(found.risk))
    plot = Plot(Axis(0, 1, LEFT, RIGHT), Axis(0, top, BOTTOM, TOP))
    points = list(zip(found.coverage, found.risk, strict=True))
    heights = [(top * fifth / 5, _percent(top * fifth / 5)) for fifth in range(6)]
    parts = [
        plot.grid(HUNDREDTHS, heights),
        plot.line(points, "s0"),
        svg.text("share of turns decided, the surest first", MIDDLE, NAMED, "name mid"),
        svg.text("wrong decisions", 14, (TOP + BOTTOM) / 2, "name mid", upright=True),
    ]
    return svg.picture(name, title, _told_risk(points, found.area, n), 270, parts)


def _told_risk(points: Sequence[tuple[float, float]], area: float | None, n: int) -> str:
    half = [risk for coverage, risk in points if coverage <= 0.5]
    surest = f"{share(half[-1], digits=2)} among the surest half, " if half else ""
    whole = share(points[-1][1], digits=2)
    under = "" if area is None else f" Area under the curve {area:.4f}."
    return f"Wrong decisions: {surest}{whole} among all {n:,} turns.{under}"


def _roof(value: float) -> float:
    """Give a round share over this one."""
    return next((roof for roof in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if value <= roof), 1.0)


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"
