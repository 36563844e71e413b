"""`auditor pause`, `resume`, `mode`, and what `auditor status` and `store stats` say of it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs
from typer.testing import CliRunner

from auditor.audit import audit
from auditor.cli import app
from auditor.gating.alarms import Outcome
from auditor.gating.history import untold
from auditor.gating.states import Past, State
from auditor.labels import Label, Nudge, Source
from auditor.live.settings import Mode
from auditor.live.spent import Deed, Done
from auditor.live.spent import Outcome as Became
from auditor.live.switches import WatchState
from auditor.store import Store, address
from tests.words import say, turn

SESSION = "ses_4f2a"


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("AUDITOR_DB", str(tmp_path / "new" / "a.db"))
    monkeypatch.delenv("AUDITOR_OFF", raising=False)
    return tmp_path / "new" / "a.db"


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


def test_a_pause_of_everything_holds_before_anything_was_ever_watched(path: Path) -> None:
    done = run("pause")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("Paused every session until auditor resume;")
    with Store(path) as store:
        pause = store.paused(SESSION, time.time())
        assert pause is not None
        assert pause.until is None
    assert run("resume").stdout == "Resumed every session.\n"
    with Store(path) as store:
        assert store.paused(SESSION, time.time()) is None


def test_a_pause_ends_by_itself(path: Path) -> None:
    done = run("pause", SESSION, "--for", "2h")
    assert done.stdout.startswith(f"Paused session {SESSION} until 2")
    assert "is its id right?" in done.stderr
    now = time.time()
    with Store(path) as store:
        assert store.paused(None, now) is None
        pause = store.paused(SESSION, now)
        assert pause is not None
        assert pause.until == pytest.approx(now + 7200, abs=60)
        assert store.paused(SESSION, now + 7300) is None


@pytest.mark.parametrize(
    ("before", "arguments", "said"),
    [
        ([["pause"]], ["resume", SESSION], "Everything is paused all the same: auditor resume"),
        ([["pause", SESSION]], ["resume"], "Paused by themselves: 1 sessions (auditor status)"),
        ([["pause", SESSION]], ["resume", SESSION], f"Resumed session {SESSION}.\n"),
        ([["pause", SESSION]], ["resume", "all"], "Resumed every session."),
    ],
)
def test_resume_says_what_stays_paused(
    before: list[list[str]], arguments: list[str], said: str
) -> None:
    for each in before:
        assert run(*each).exit_code == 0
    assert said in run(*arguments).stdout


def test_resume_now_asks_for_one_nudge_and_leaves_the_pauses(path: Path) -> None:
    """DS-T51."""
    run("pause")
    done = run("resume", SESSION, "--now")
    assert done.stdout == (
        f"One nudge is asked for in session {SESSION}."
        " Nobody seems to watch: auditor watch opencode\n"
    )
    now = time.time()
    with Store(path) as store:
        assert store.asked(SESSION, now) is not None
        assert store.paused(SESSION, now) is not None
        store.watching("w", WatchState.BEGAN, "observe", "opencode", now)
    assert "Nobody" not in run("resume", SESSION, "--now").stdout


@pytest.mark.parametrize("mode", ["off", "recovery", "loop"])
def test_modes_of_one_session_and_of_all(path: Path, mode: str) -> None:
    assert run("mode", SESSION).stdout == f"Mode of session {SESSION}: default\n"
    assert run("mode", "all", mode).stdout == f"Mode of every session: {mode}\n"
    assert run("mode", SESSION).stdout == f"Mode of session {SESSION}: {mode}\n"
    run("mode", "all", "default")
    with Store(path) as store:
        assert store.mode(SESSION) is Mode.DEFAULT


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pause", "--for", "soon"], "--for: 'soon' is not a length of time like 30m, 2h or 1d"),
        (["pause", " "], "SESSION: ' ' is not the id of a session"),
        (["resume", "--now"], "--now: expected the SESSION that is to be nudged"),
        (["resume", "all", "--now"], "--now: expected the SESSION that is to be nudged"),
        (["mode", SESSION, "on"], "'on' is not one of"),
        (["mode"], "Missing argument"),
    ],
)
def test_a_wrong_word_is_said_and_changes_nothing(
    path: Path, arguments: list[str], said: str
) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    with Store(path) as store:
        assert store.switched() == 0


def test_a_known_session_is_not_doubted(path: Path) -> None:
    subject = turn(say("Shall I?"))
    with Store(path) as store:
        store.add(subject, audit(subject))
    assert run("pause", subject.session).stderr == ""
    assert run("mode", "other", "off").stderr != ""  # the control


def lived(path: Path) -> None:
    """A day of live watching: three nudges, of which one was wrong, two stops, one given up."""
    now = time.time()
    with Store(path) as store:
        turns = [turn(say(f"{number}: let me see:")) for number in range(3)]
        for number, subject in enumerate(turns):
            store.add(subject, audit(subject))
            store.flush()
            done = Done(
                deed=Deed.NUDGE,
                recovery="judged" if number else "clipped_ending",
                message=f"msg_{number}",
                request="msg_r",
                at=now - 500 + number,
            )
            store.remember(SESSION, done, address(subject).hex())
            if number < 2:
                nudge = Nudge.YES if number else Nudge.NO
                label = Label(
                    turn=address(subject).hex(), nudge=nudge, source=Source.HINDSIGHT, at=now
                )
                store.add_labels([label])
        store.remember(SESSION, structs.replace(done, deed=Deed.ABORT, at=now - 90))
        store.remember("ses_2", structs.replace(done, deed=Deed.ABORT_CHILD, at=now - 80))
        store.remember(SESSION, structs.replace(done, deed=Deed.TELL, at=now - 70))
        failed = structs.replace(done, at=now - 60, outcome=Became.FAILED)
        store.remember(SESSION, failed)
        store.remember(SESSION, structs.replace(done, at=now - 90_000))  # yesterday
        store.watching("w", WatchState.BEGAN, "nudge", "opencode", now - 1000)
        store.watching("w", WatchState.ALIVE, "nudge", "opencode", now - 100)
        store.watching("dead", WatchState.BEGAN, "observe", "opencode", now - 9000)


def test_status_tells_the_last_day(path: Path) -> None:
    lived(path)
    run("pause", SESSION, "--for", "1h")
    run("mode", "all", "recovery")
    done = run("status")
    assert done.exit_code == 0, done.output
    for said in (
        "Watching: opencode, nudge, since",
        "Paused: session ",
        "Mode of all sessions: recovery",
        "Last 24 hours: 3 nudges, 2 stops, given up 1 time, 1 failed in 2 sessions",
        "judged 2, clipped_ending 1",
        "what came of them: 1 right, 1 wrong, 1 open",
        "sub-agent stopped, judged",
        "nudged, judged (failed)",
    ):
        assert said in done.stdout
    assert "observe, since" not in done.stdout  # the other watcher was killed long ago
    assert SESSION not in done.stdout
    live = msgspec.json.decode(run("status", "--json").stdout)["live"]
    assert (live["nudges"], live["by_recovery"]) == (3, {"judged": 2, "clipped_ending": 1})
    assert live["came"] == {"right": 1, "wrong": 1, "open": 1}
    assert len(live["last"]) == 5
    assert [each["mode"] for each in live["watchers"]] == ["nudge"]


def test_status_before_anybody_watched(path: Path) -> None:
    run("mode", "all", "off")
    done = run("status")
    assert "Watching: nobody; auditor watch opencode" in done.stdout
    assert "Last 24 hours: 0 nudges, 0 stops\n" in done.stdout
    assert "what came of them" not in done.stdout
    with Store(path) as store:
        store.watching("w", WatchState.BEGAN, "nudge", "opencode", time.time())
        store.watching("w", WatchState.ENDED, "nudge", "opencode", time.time())
    assert "Watching: nobody, the last one 2" in run("status").stdout


def test_store_stats_count_deeds_and_purging_leaves_them(path: Path) -> None:
    lived(path)
    assert "nudges, stops and notices 8" in run("store", "stats").stdout
    assert "3 texts deleted" in run("store", "purge", "--yes").stdout
    assert "nudges, stops and notices 8" in run("store", "stats").stdout
    assert len(run("store", "export", "--texts").stdout.splitlines()) == 3


def test_nudges_of_which_nothing_is_known_count_as_unknown_since_the_promotion(path: Path) -> None:
    lived(path)
    now = time.time()
    with Store(path) as store:
        nudging = Past(state=State.NUDGE, since=now - 3600)
        assert untold(store, nudging) == [Outcome(None)]
        assert untold(store, structs.replace(nudging, since=now)) == []
        assert untold(store, structs.replace(nudging, state=State.SHADOW)) == []
