"""What is old news: that which ended in a gap, long before somebody listened again."""

from __future__ import annotations

import pytest

from auditor.watching.gaps import GAPS, Gaps

FRESH, BEGAN = 900.0, 100_000.0


def gaps() -> Gaps:
    made = Gaps(FRESH)
    made.over(BEGAN)
    return made


@pytest.mark.parametrize(
    ("moment", "missed"),
    [(0.0, True), (BEGAN - FRESH - 1, True), (BEGAN - FRESH, False), (BEGAN + 1, False)],
)
def test_before_the_beginning(moment: float, missed: bool) -> None:
    assert gaps().missed(moment) is missed


@pytest.mark.parametrize(
    ("lost", "again", "moment", "missed"),
    [
        pytest.param(1e6, 1e6 + 60, 1e6 + 1, False, id="a short one"),
        pytest.param(1e6, 1e6 + 3600, 1e6 + 1, True, id="a long one"),
        pytest.param(1e6, 1e6 + 3600, 1e6 + 3000, False, id="near its end"),
        pytest.param(1e6, 1e6 + 3600, 1e6 - 1, False, id="somebody listened then"),
        pytest.param(1e6, 1e6 + 3600, 5.0, True, id="the beginning is not forgotten"),
    ],
)
def test_a_gap(lost: float, again: float, moment: float, missed: bool) -> None:
    known = gaps()
    known.lost = lost
    known.over(again)
    assert known.missed(moment) is missed


def test_many_gaps_and_many_tries_forget_no_beginning() -> None:
    known = gaps()
    for number in range(2 * GAPS):
        known.lost = 1e6 + number * 10_000
        for tried in range(3):  # a server that is there, and answers not everything yet
            known.over(known.lost + 3600 + 60 * tried)
    assert known.missed(5.0)
    assert known.missed(known.lost + 1)
