"""A real OpenCode, a scripted model, the watcher: what arrives at the model, and what must not.

`--rules-only`: what needs no promotion. All scenarios run beside each other on one server.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Rig
from tests.e2e.fake_model import Asked
from tests.e2e.opencode import Json, marks
from tests.e2e.scripts import TASK
from tests.e2e.settings import QUICK
from tests.e2e.stage import NUDGED, SILENT, Played, Scenario, Stage
from tests.e2e.watcher import Watcher

BY_RULE = tuple(each for each in NUDGED if not each.words)
HELD = tuple(each for each in NUDGED if each.words)
OPEN = tuple(each for each in SILENT if each.judged is None)
JUDGED = tuple(each for each in SILENT if each.judged is not None)


class Show:
    """The rig with a watcher beside it and all scenarios under way."""

    def __init__(self, rig: Rig, watcher: Watcher, stage: Stage) -> None:
        self.server, self.model, self.home = rig
        self.watcher, self.stage = watcher, stage


@pytest.fixture(scope="module")
def show(rig: Rig) -> Iterator[Show]:
    with Watcher(rig.server.url, rig.server.project, rig.home / "watch", settings=QUICK) as watcher:
        stage = Stage(rig.server, rig.model)
        stage.play((*NUDGED, *SILENT), variant="careful")
        yield Show(rig, watcher, stage)
        stage.close()


def _played(show: Show, scenario: Scenario) -> Played:
    played = show.stage.played(scenario.name)
    assert not played.trouble
    return played


def _marked(show: Show, session: str) -> list[Json]:
    return marks(show.server.messages(session))


def _text(message: Json) -> str:
    return "".join(part.get("text", "") for part in message["parts"])


def _but_messages(asked: Asked) -> Json:
    return {key: value for key, value in asked.body.items() if key != "messages"}


@pytest.mark.parametrize("scenario", BY_RULE, ids=lambda each: f"{each.name}: {each.about}")
def test_the_right_nudge_arrives_once_and_changes_nothing_else(
    show: Show, scenario: Scenario
) -> None:
    session = _played(show, scenario).session
    asked = show.model.wait(session, lambda seen: bool(seen) and TASK not in seen[-1].last)
    told = asked[-1]
    [nudge] = _marked(show, session)
    assert told.last == _text(nudge)
    # The same model, tools, effort, limits: everything but the messages.
    assert _but_messages(told) == _but_messages(asked[0])
    [part] = nudge["parts"]
    assert part["metadata"]["auditor"]["recovery"] == scenario.recovery
    first = show.server.messages(session)[0]["info"]
    for key in ("agent", "model"):
        assert nudge["info"][key] == first[key]
    assert first["model"]["variant"] == "careful"
    # Its answer is judged as well, and nothing more comes of it.
    show.watcher.wait(
        lambda: any(
            "would be right" not in line.text for line in show.watcher.of("audit", session)
        ),
        f"a look at the answer in {session}",
    )
    assert len(_marked(show, session)) == 1


@pytest.mark.parametrize("scenario", HELD, ids=lambda each: f"{each.name}: {each.about}")
def test_what_only_words_say_is_held_back_without_a_promotion(
    show: Show, scenario: Scenario
) -> None:
    session = _played(show, scenario).session
    show.watcher.wait(lambda: show.watcher.of("held", session), f"a line of {session}")
    assert "--rules-only" in show.watcher.of("held", session)[0].text
    assert not _marked(show, session)


@pytest.mark.parametrize("scenario", JUDGED, ids=lambda each: f"{each.name}: {each.about}")
def test_nothing_is_sent(show: Show, scenario: Scenario) -> None:
    session = _played(show, scenario).session
    # The control: the watcher has looked at this very turn, and said so.
    show.watcher.wait(
        lambda: show.watcher.of(str(scenario.judged), session), f"a look at {session}"
    )
    assert not _marked(show, session)
    assert not show.watcher.of("abort", session)
    for child in show.server.children(session):
        assert not _marked(show, child)


@pytest.mark.parametrize("scenario", OPEN, ids=lambda each: f"{each.name}: {each.about}")
def test_what_waits_for_the_person_is_no_stall(show: Show, scenario: Scenario) -> None:
    session = _played(show, scenario).session
    # The control: a stream that falls silent only now is brought back, and the older one is not.
    stalled = show.server.session("later")
    show.server.prompt(stalled, "stall-forever")
    show.watcher.wait(lambda: show.watcher.of("abort", stalled), f"the end of {stalled}")
    assert not show.watcher.of("abort", session)
    assert not _marked(show, session)
    assert show.server.statuses()[session]["type"] == "busy"


def test_in_the_end_every_session_has_what_it_should_and_no_more(show: Show) -> None:
    # The last session's second turn was judged after all others began: what is late would be here.
    late = show.server.session("late")
    show.server.prompt(late, "dangling")
    show.model.wait(late, lambda seen: bool(seen) and TASK not in seen[-1].last)
    show.watcher.wait_audits(late, 2)
    for scenario in (*BY_RULE, *HELD, *SILENT):
        session = _played(show, scenario).session
        expected = 1 if scenario in BY_RULE else 0
        assert len(_marked(show, session)) == expected, scenario.name


def test_the_watcher_had_no_trouble(show: Show) -> None:
    assert not show.watcher.of("trouble")
    assert not show.watcher.of("lost")


def test_nobody_is_nudged_twice_by_two_watchers(show: Show, tmp_path: Path) -> None:
    names = ("dangling-bare", "empty", "rawtool-xml", "length")
    with Watcher(
        show.server.url,
        show.server.project,
        tmp_path,
        settings=QUICK,
        db=show.watcher.db,
    ) as second:
        sessions = [show.server.session(f"both {name}") for name in names]
        for session, name in zip(sessions, names, strict=True):
            show.server.prompt(session, name)
        for session in sessions:
            show.model.wait(session, lambda seen: bool(seen) and TASK not in seen[-1].last)
            show.watcher.wait_audits(session, 2)
            second.wait_audits(session, 2)
            assert len(_marked(show, session)) == 1
