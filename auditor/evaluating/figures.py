"""Numbers as people read them: a share in percent, with its interval; "—" where none is defined."""

from __future__ import annotations

from auditor.evaluation import Estimate

NONE = "—"


def percent(found: Estimate, *, digits: int = 1, unit: str = " %") -> str:
    """Write a share as `71.4 % [63.0, 78.2]`."""
    return _written(found, 100.0, digits, unit)


def number(found: Estimate, *, digits: int = 3) -> str:
    """Write a number as `0.942 [0.921, 0.960]`."""
    return _written(found, 1.0, digits, "")


def plain(value: float | None, *, digits: int = 3) -> str:
    """Write a number that has no interval."""
    return NONE if value is None else f"{_zero(round(value, digits)):.{digits}f}"


def share(value: float | None, *, digits: int = 1) -> str:
    """Write a share that has no interval in percent."""
    return NONE if value is None else f"{plain(100.0 * value, digits=digits)} %"


def _written(found: Estimate, times: float, digits: int, unit: str) -> str:
    if found.value is None:
        return NONE
    text = plain(times * found.value, digits=digits) + unit
    if found.low is None or found.high is None:
        return text
    low, high = (plain(times * end, digits=digits) for end in (found.low, found.high))
    return f"{text} [{low}, {high}]"


def _zero(value: float) -> float:
    """Take the sign off a zero: -0.0 is for machines."""
    return value + 0.0
