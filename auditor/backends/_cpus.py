"""How many CPUs this process is granted, which is not how many it can see.

A container with a quota of two CPUs on a machine of 64 runs 5 to 20 times slower with 64 threads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MOST = 16
"""Threads that a small model still gains from (a guess)."""

_CGROUPS = Path("/sys/fs/cgroup")
_MINE = Path("/proc/self/cgroup")


def granted() -> int:
    """CPUs by affinity and by the quota of every control group above this process; at least 1."""
    return max(1, int(min(limits().values())))


def limits() -> dict[str, float]:
    """Say what limits the threads, in CPUs: affinity, the least quota if there is one, our own."""
    quotas = list(_quotas(_MINE, _CGROUPS))
    quota = {"control group": min(quotas)} if quotas else {}
    return {"affinity": _allowed(), **quota, "auditor": MOST}


def _allowed() -> float:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(mine: Path, root: Path) -> Iterator[float]:
    """Quotas in CPUs: of version 2 (one tree) and of version 1 (a tree for the controller)."""
    try:
        rows = mine.read_text().splitlines()
    except OSError:
        return
    for row in rows:
        _, controllers, place = row.split(":", 2)
        if not controllers:
            yield from _walked(root, place, _quota_2)
        elif "cpu" in controllers.split(","):
            yield from _walked(root / "cpu", place, _quota_1)


def _walked(root: Path, place: str, quota: object) -> Iterator[float]:
    """Look at the group and at every one above it; in a container its own one is the root."""
    inside = PurePosixPath(place.lstrip("/"))
    for group in (inside, *inside.parents):
        try:
            found = quota(root / group)  # type: ignore[operator]
        except (OSError, ValueError):
            continue
        if found is not None:
            yield found


def _quota_2(group: Path) -> float | None:
    most, period = (group / "cpu.max").read_text().split()
    return None if most == "max" else int(most) / int(period)


def _quota_1(group: Path) -> float | None:
    most = int((group / "cpu.cfs_quota_us").read_text())
    return most / int((group / "cpu.cfs_period_us").read_text()) if most > 0 else None
