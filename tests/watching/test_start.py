"""Who is recovered at the start: the latest, no more than there are places."""

from __future__ import annotations

from pathlib import Path

import anyio

from auditor.live.situation import Doing, Situation
from auditor.watching.start import Start
from tests.watching.place import Place, permits, play, until
from tests.watching.test_loop import stalled


def ended(session: str, request: str = "msg_1", doing: Doing = Doing.IDLE) -> Situation:
    return Situation(session=session, harness="opencode", doing=doing, request=request)


def start(places: int, *sessions: str) -> Start:
    made = Start(places)
    made.expect(sessions)
    for session in sessions:
        made.found(ended(session))
    return made


def test_the_latest_get_the_places_in_whatever_order_they_ask() -> None:
    places = start(2, "a", "b", "c")
    assert places.admits(ended("c")) is None
    assert places.admits(ended("b")) is True
    assert places.admits(ended("c")) is None
    assert places.admits(ended("a")) is True
    assert places.admits(ended("c")) is False


def test_one_that_needs_nothing_gives_its_place_away() -> None:
    places = start(1, "a", "b")
    assert places.admits(ended("b")) is None
    places.settled("a")
    assert places.admits(ended("b")) is True
    assert places.admits(ended("a")) is False


def test_one_that_was_recovered_keeps_its_place() -> None:
    places = start(1, "a", "b")
    assert places.admits(ended("a")) is True
    places.settled("a")
    assert places.admits(ended("a")) is True
    assert places.admits(ended("b")) is False


def test_what_came_to_nothing_frees_the_place() -> None:
    places = start(1, "a", "b")
    assert places.admits(ended("a")) is True
    places.left("a")
    assert places.admits(ended("b")) is True


def test_what_runs_or_a_person_goes_on_with_needs_no_place() -> None:
    places = Start(0)
    places.expect(["a", "b"])
    places.found(ended("a", doing=Doing.BUSY))
    places.found(ended("b"))
    assert places.admits(ended("a")) is True
    assert places.admits(ended("b")) is False
    assert places.admits(ended("b", "msg_2")) is True
    assert places.admits(ended("new")) is True


def test_sessions_that_only_wait_hold_no_places(tmp_path: Path) -> None:
    """The latest ones wait for their rate limit, and an older one can be helped now."""

    async def script(place: Place) -> None:
        fake = place.fake
        for number in range(place.settings.scan):
            session = fake.session(f"ses_w{number}")
            fake.ask(session)
            fake.limited(session)
        stalled(place, "ses_z")
        fake.infos["ses_z"]["time"]["updated"] -= 5_000
        async with place.watched(place.watcher(permits(place))):
            await until(lambda: fake.prompts, 30)

    ((session, _),) = play(tmp_path, script).fake.prompts
    assert session == "ses_z"


def test_a_session_that_is_deleted_gives_its_place_back(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        fake = place.fake
        for number in range(4):
            stalled(place, f"ses_{number}")
            await anyio.sleep(1)
        async with place.watched(place.watcher(permits(place))):
            await anyio.sleep(0.3)
            for session in ("ses_3", "ses_2"):
                fake.say("session.deleted", sessionID=session, info=fake.infos.pop(session))
            await anyio.sleep(60)

    prompts = play(tmp_path, script, scan=2, settle=5.0).fake.prompts
    assert sorted(session for session, _ in prompts) == ["ses_0", "ses_1"]
