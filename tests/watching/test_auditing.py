"""Turns audited live: once, kept, and a slow model delays nobody but whom it is asked about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
import trio

from auditor.asking import Asker
from auditor.calibration import NO_CALIBRATIONS
from auditor.labels import Source
from auditor.store import Store
from auditor.summary import Asking
from auditor.turn import Turn
from auditor.watching.auditing import Auditing
from auditor.watching.board import Kind
from tests.watching.place import Place, inline, permits, play, until
from tests.watching.test_loop import stalled
from tests.words import call, result, say, turn

OPEN = "The parser now reads both forms."
"""An ending that nothing proves."""


class Slow(Asker):
    """A model that takes its time, and never answers."""

    def __init__(self) -> None:
        self.done = Asking(model="slow")
        self.asked: list[str] = []

    def __call__(self, turn: Turn) -> None:
        self.asked.append(turn.session)


async def slowly(do: Callable[..., object], *arguments: object) -> object:
    """Ask in twenty seconds; write at once."""
    asks = not hasattr(do, "__name__")
    await (anyio.sleep(20) if asks else anyio.lowlevel.checkpoint())
    return do(*arguments)


def kept(store: Store) -> int:
    return store.stats().audits


def test_a_turn_is_audited_once_however_often_it_is_looked_at(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            fake = place.fake
            fake.session()
            fake.ask("ses_a")
            fake.answer("ses_a", "All 12 tests pass, and the parser reads both forms.")
            await anyio.sleep(10)
            for _ in range(5):
                fake.idle("ses_a")
                await anyio.sleep(10)
        assert kept(place.store) == 1

    assert len(play(tmp_path, script).lines(Kind.AUDIT)) == 1


def test_a_slow_model_delays_no_turn_that_is_proved(tmp_path: Path) -> None:
    slow = Slow()

    async def script(place: Place) -> None:
        auditing = Auditing(place.store, slow, NO_CALIBRATIONS, slowly)
        async with place.watched(place.watcher(permits(place), auditing=auditing)):
            await anyio.sleep(1)
            for name in ("ses_x", "ses_y"):
                place.fake.session(name)
                place.fake.ask(name)
                place.fake.answer(name, OPEN)
            await anyio.sleep(4)
            stalled(place)
            ended = trio.current_time()
            await until(lambda: place.fake.prompts, 10)
            assert trio.current_time() - ended <= place.settings.settle + 0.2
            await until(lambda: kept(place.store) >= 3, 60)

    place = play(tmp_path, script)
    assert sorted(slow.asked)[-2:] == ["ses_x", "ses_y"]
    assert [session for session, _ in place.fake.prompts] == ["ses_a"]


def test_what_comes_next_labels_the_turn_before(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(1)
            stalled(place)
            fake.then = lambda session: (
                fake.call(session, "pytest", "12 passed"),
                fake.answer(session, "All 12 tests pass."),
            )
            await until(lambda: fake.prompts, 10)
            await anyio.sleep(30)
        labels = place.store.labels([Source.HINDSIGHT])
        assert [label.nudge for label in labels] == ["yes"]

    play(tmp_path, script)


def test_the_model_is_tried_anew_and_its_failures_are_counted(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        auditing = Auditing(store, Slow(), NO_CALIBRATIONS, inline)

        async def ask() -> None:
            for number in range(3):
                made = turn(say(f"{OPEN} {number}"))
                await auditing.ended(made)

        anyio.run(ask)
        assert auditing.health().asked == 3
        assert auditing.health().failed == 3


LOOP = 6 * [call("bash", cmd="cat notes"), result("no such file: notes", failed=True)]


@pytest.mark.parametrize(
    ("sentence", "made", "by"),
    [
        ("the same call with the same result", turn(*LOOP, finish=None), "repeated_tool_call"),
        ("the first of them", turn(*LOOP[:4], finish=None), None),
        ("an answer", turn(say("All tests pass.")), None),
        ("nothing yet", turn(finish=None), None),
    ],
)
def test_a_turn_that_runs_shows_loops_and_nothing_else(
    sentence: str, made: Turn, by: str | None
) -> None:
    found = Auditing.running(made)
    assert (found.by if found else None) == by, sentence
