"""When sessions are looked at: at once, at a moment, one look at a time, none waits for another."""

from __future__ import annotations

import anyio
import trio
from trio.testing import MockClock

from auditor.watching.schedule import AGAIN, AGAIN_MOST, Key, Schedule, Troubles

A, B = (1, "ses_a"), (1, "ses_b")


def looked(script, *, each: float = 0.0):  # type: ignore[no-untyped-def]
    """Run a script beside a schedule whose looks take so long; give who was looked at when."""
    seen: list[tuple[str, float]] = []
    running: set[Key] = set()

    async def look(key: Key) -> None:
        assert key not in running
        running.add(key)
        seen.append((key[1], round(trio.current_time(), 3)))
        await anyio.sleep(each)
        running.discard(key)

    async def main() -> None:
        schedule = Schedule(look, trio.current_time)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(schedule.run)
            await script(schedule)
            tasks.cancel_scope.cancel()

    clock = MockClock(autojump_threshold=0)
    anyio.run(main, backend="trio", backend_options={"clock": clock})
    return seen


def test_at_once_and_at_a_moment() -> None:
    async def script(schedule: Schedule) -> None:
        schedule.at(A, 50.0)
        schedule.at(B)
        await anyio.sleep(100)

    assert looked(script) == [("ses_b", 0.0), ("ses_a", 50.0)]


def test_the_earliest_moment_counts() -> None:
    async def script(schedule: Schedule) -> None:
        schedule.at(A, 50.0)
        schedule.at(A, 20.0)
        schedule.at(A, 70.0)
        await anyio.sleep(100)

    assert looked(script) == [("ses_a", 20.0)]


def test_what_comes_during_a_look_is_looked_at_after_it_and_once() -> None:
    async def script(schedule: Schedule) -> None:
        schedule.at(A)
        for _ in range(10):
            await anyio.sleep(1)
            schedule.at(A)
        await anyio.sleep(100)

    assert looked(script, each=30) == [("ses_a", 0.0), ("ses_a", 30.0)]


def test_a_long_look_delays_no_other() -> None:
    async def script(schedule: Schedule) -> None:
        schedule.at(A)
        await anyio.sleep(1)
        schedule.at(B)
        await anyio.sleep(100)

    assert looked(script, each=30) == [("ses_a", 0.0), ("ses_b", 1.0)]


def test_what_is_dropped_is_not_looked_at() -> None:
    async def script(schedule: Schedule) -> None:
        schedule.at(A, 50.0)
        schedule.at((2, "ses_c"), 50.0)
        schedule.drop(1)
        await anyio.sleep(100)

    assert looked(script) == [("ses_c", 50.0)]


def test_trouble_is_said_once_and_tried_ever_more_rarely() -> None:
    troubles = Troubles()
    told = [troubles.noted(A, "no answer") for _ in range(9)]
    assert [new for new, _ in told] == [True] + 8 * [False]
    assert [pause for _, pause in told][:3] == [AGAIN, 2 * AGAIN, 4 * AGAIN]
    assert told[-1][1] == AGAIN_MOST
    assert troubles.noted(A, "another")[0]
    troubles.over(A)
    assert troubles.noted(A, "another") == (True, AGAIN)
