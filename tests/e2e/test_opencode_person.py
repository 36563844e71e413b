"""A real OpenCode and the watcher when things happen: people, crashes, restarts, limits."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.fake_model import FakeModel
from tests.e2e.opencode import OpenCodeServer, marks
from tests.e2e.scripts import TASK
from tests.e2e.settings import QUICK
from tests.e2e.stage import person_rejects, person_waits
from tests.e2e.watcher import Watcher


class Show:
    """A server that asks before it runs a command, its model and a watcher."""

    def __init__(self, server: OpenCodeServer, model: FakeModel, watcher: Watcher) -> None:
        self.server, self.model, self.watcher = server, model, watcher

    def begin(self, scenario: str, **more: object) -> str:
        """Ask for a scenario in a session of its own."""
        session = self.server.session(scenario)
        self.server.prompt(session, scenario, **more)
        return session

    def nudges(self, session: str) -> int:
        """Count the marked messages."""
        return len(marks(self.server.messages(session)))

    def wait_nudged(self, session: str) -> None:
        """Wait until the model was told something new."""
        self.model.wait(session, lambda seen: bool(seen) and TASK not in seen[-1].last)

    def do(self, *arguments: str) -> None:
        """Run another command of the auditor, on the watcher's store."""
        subprocess.run(
            [sys.executable, "-m", "auditor", *arguments, "--db", str(self.watcher.db)],
            env=self.watcher.env,
            check=True,
            timeout=60,
            capture_output=True,
        )

    def control(self) -> None:
        """A session that begins now is brought back: what was to come for older ones has come."""
        session = self.begin("stall-forever")
        self.watcher.wait(lambda: self.watcher.of("nudge", session), f"a nudge of {session}")


@pytest.fixture(scope="module")
def show(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Show]:
    home = tmp_path_factory.mktemp("person")
    asks = {"*": "allow", "bash": {"*": "allow", "cat *": "ask"}}
    with (
        FakeModel(home / "opencode" / "project") as model,
        OpenCodeServer(program, home / "opencode", model.url, permission=asks) as server,
    ):
        warm = server.session("warm-up")
        server.prompt(warm, "complete")
        server.wait_idle(warm)
        with Watcher(server.url, server.project, home / "watch", settings=QUICK) as watcher:
            yield Show(server, model, watcher)


def test_the_agent_and_variant_of_the_last_message_are_kept(show: Show) -> None:
    session = show.begin("dangling", agent="plan", variant="careful")
    show.wait_nudged(session)
    first, *_, nudge, answer = show.server.messages(session)
    assert nudge["info"]["agent"] == first["info"]["agent"] == "plan"
    assert nudge["info"]["model"]["variant"] == "careful"
    assert answer["info"]["mode"] == "plan"
    asked = show.model.of(session)
    assert asked[-1].tools == asked[0].tools
    assert asked[-1].body["reasoning_effort"] == asked[0].body["reasoning_effort"]


def test_a_permission_that_waits_is_no_stall_and_a_rejected_one_no_stop(show: Show) -> None:
    waits, rejected = show.begin("few-equal-calls"), show.begin("few-equal-calls")
    person_rejects(show.server, rejected)
    person_waits(show.server, waits)
    show.server.wait_idle(rejected)
    show.watcher.wait_audits(rejected)
    show.control()
    for session in (waits, rejected):
        assert not show.nudges(session)
        assert not show.watcher.of("abort", session)
    assert show.server.statuses()[waits]["type"] == "busy"


def test_a_stuck_sub_agent_is_stopped_and_its_parent_goes_on(show: Show) -> None:
    session = show.begin("subagent-stuck")
    show.server.wait_idle(session)
    [child] = show.server.children(session)
    tool = next(
        part
        for message in show.server.messages(session)
        for part in message["parts"]
        if part["type"] == "tool"
    )
    assert tool["state"]["status"] == "error"
    show.watcher.wait_audits(session)
    assert not show.nudges(session)
    assert not show.nudges(child)
    assert len(show.model.of(session)) == 2


def test_what_brings_nothing_ends_and_the_person_is_told_once(show: Show) -> None:
    session = show.begin("empty-forever")
    show.watcher.wait(lambda: show.watcher.of("tell", session), f"giving up {session}")
    sent = show.nudges(session)
    assert 1 <= sent <= 3
    show.control()
    assert show.nudges(session) == sent
    assert len(show.watcher.of("tell", session)) == 1


def test_a_person_who_stops_a_nudged_turn_is_left_alone(show: Show) -> None:
    session = show.begin("dangling-then-slow")
    show.wait_nudged(session)
    show.server.wait(
        lambda: len(show.server.seen(session, "message.part.delta")) > 3, "text after the nudge"
    )
    show.server.abort(session)
    show.watcher.wait_audits(session, 2)
    show.control()
    assert show.nudges(session) == 1


def test_a_person_who_stops_before_the_first_word_is_left_alone(show: Show) -> None:
    session = show.begin("stall-first-forever")
    show.model.wait(session, bool)
    show.server.abort(session)
    show.server.wait_idle(session)
    show.watcher.wait_audits(session)
    show.control()
    assert show.nudges(session) == 0


def test_a_session_that_is_switched_off_gets_nothing_until_the_person_asks(show: Show) -> None:
    session = show.server.session("off")
    show.do("mode", session, "off")
    show.server.prompt(session, "dangling-bare")
    show.watcher.wait_audits(session)
    show.control()
    assert not show.nudges(session)
    show.do("resume", session, "--now")
    show.wait_nudged(session)
    show.watcher.wait_audits(session, 2)
    assert show.nudges(session) == 1


def test_in_a_pause_nothing_is_sent_and_afterwards_what_was_held_is(show: Show) -> None:
    show.do("pause")
    session = show.begin("dangling-bare")
    show.watcher.wait_audits(session)
    show.watcher.wait(lambda: show.watcher.of("held", session), f"a held line of {session}")
    assert "paused" in show.watcher.of("held", session)[0].text
    assert not show.nudges(session)
    show.do("resume")
    show.wait_nudged(session)
    assert show.nudges(session) == 1


def test_a_turn_that_ended_while_nobody_watched_is_brought_back_once(show: Show) -> None:
    show.watcher.end(signal.SIGKILL)
    session = show.begin("dangling-bare")
    show.server.wait_idle(session)
    show.watcher.start()
    show.wait_nudged(session)
    show.watcher.end(signal.SIGKILL)
    show.watcher.start()
    show.control()
    assert show.nudges(session) == 1


def test_a_turn_in_which_the_server_died_is_brought_back_once(show: Show) -> None:
    session = show.begin("slow-tool")
    show.server.wait(lambda: "running" in _tools(show.server, session), "a running tool")
    show.server.kill()
    show.watcher.wait(lambda: show.watcher.of("lost"), "the loss of the server")
    show.server.start()
    show.wait_nudged(session)
    [nudge] = marks(show.server.messages(session))
    assert nudge["parts"][0]["metadata"]["auditor"]["recovery"] == "orphaned_message"
    show.control()
    assert show.nudges(session) == 1


def _tools(server: OpenCodeServer, session: str) -> list[str]:
    return [
        part["state"]["status"]
        for message in server.messages(session)
        for part in message["parts"]
        if part["type"] == "tool"
    ]


@pytest.mark.parametrize("mode", [("--mode", "observe"), ("--mode", "shadow")], ids=" ".join)
def test_without_the_word_nudge_nothing_is_sent(
    rig_home: Path, show: Show, mode: tuple[str, ...]
) -> None:
    show.watcher.end(signal.SIGTERM)
    try:
        with Watcher(
            show.server.url, show.server.project, rig_home, settings=QUICK, mode=mode
        ) as quiet:
            sessions = [show.begin(name) for name in ("dangling-bare", "stall-forever", "empty")]
            for session in sessions:
                quiet.wait(lambda s=session: quiet.of("held", s), f"a held line of {session}")
            for session in sessions:
                assert not show.nudges(session)
                assert not quiet.of("abort", session)
            show.server.abort(sessions[1])
    finally:
        show.watcher.start()


@pytest.fixture
def rig_home(tmp_path: Path) -> Path:
    return tmp_path / "quiet"


def test_nudging_without_a_promotion_is_refused_with_what_is_missing(
    show: Show, tmp_path: Path
) -> None:
    watcher = Watcher(
        show.server.url, show.server.project, tmp_path, settings=QUICK, mode=("--mode", "nudge")
    )
    with pytest.raises(TimeoutError, match="--rules-only"):
        watcher.start()
    assert watcher.ended == 4
