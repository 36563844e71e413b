"""Claims, deeds, switches and watchers in the store: once, for every process, across restarts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from msgspec import structs

from auditor.audit import audit
from auditor.labels import Label, Nudge, Source
from auditor.live.recoveries import BY_NAME
from auditor.live.settings import Mode
from auditor.live.spent import NOTHING_SPENT, Deed, Done, Outcome
from auditor.live.switches import Switch, WatchState
from auditor.live_rows import FORGOTTEN, RESUME_NOW, STALE
from auditor.store import Store, address
from tests.words import say, turn

NOW = 1_000_000.0
SUBJECT = turn(say("Shall I?"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "a.db") as opened:
        yield opened


def again(store: Store) -> Store:
    """Another process: the same file, opened anew."""
    return Store(store.path)


def done(**more: Any) -> Done:
    given: dict[str, Any] = {
        "deed": Deed.NUDGE,
        "recovery": "clipped_ending",
        "message": "msg_2",
        "request": "msg_1",
        "at": NOW,
    }
    return Done(**given | more)


# Claims: (what happened before, seconds later, whether it is given out).

CLAIMS = [
    ("nobody claimed it", [], 0.0, True),
    ("AR-T159 TG-T37 somebody claimed it just now", [("claim", 0.0)], 0.0, False),
    ("the claimer may still be sending", [("claim", 0.0)], STALE - 1, False),
    ("the claimer was killed before it sent", [("claim", 0.0)], STALE, True),
    ("AR-T157 it failed, and a minute passed", [("claim", 0.0), ("failed", 1.0)], STALE, True),
    ("it failed just now", [("claim", 0.0), ("failed", 1.0)], 2.0, False),
    ("AR-T157 it arrived", [("claim", 0.0), ("done", 1.0)], 9 * STALE, False),
    (
        "AR-T158 nobody knows whether it arrived",
        [("claim", 0.0), ("unknown", 1.0)],
        9 * STALE,
        False,
    ),
    ("two were killed over it", [("claim", 0.0), ("claim", STALE)], 9 * STALE, False),
    ("the clock went back", [("claim", 0.0)], -9 * STALE, False),
]


@pytest.mark.parametrize(
    ("before", "later", "given"), [pytest.param(*row[1:], id=row[0]) for row in CLAIMS]
)
def test_a_claim(store: Store, before: list[tuple[str, float]], later: float, given: bool) -> None:
    for what, after in before:
        if what == "claim":
            assert store.claim("ses_1", "msg_2", Deed.NUDGE, "first", NOW + after)
        else:
            store.remember("ses_1", done(at=NOW + after, outcome=Outcome(what)))
    with again(store) as other:
        assert other.claim("ses_1", "msg_2", Deed.NUDGE, "other", NOW + later) is given


def test_a_claim_goes_by_the_last_word_about_a_deed(store: Store) -> None:
    """An abort is remembered as unknown before it is sent."""
    assert store.claim("ses_1", "msg_2", Deed.ABORT, "w", NOW)
    store.remember("ses_1", done(deed=Deed.ABORT, outcome=Outcome.UNKNOWN))
    store.remember("ses_1", done(deed=Deed.ABORT, outcome=Outcome.FAILED))
    assert store.claim("ses_1", "msg_2", Deed.ABORT, "w", NOW + STALE)


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(("ses_2", "msg_2", Deed.NUDGE), id="another session"),
        pytest.param(("ses_1", "msg_3", Deed.NUDGE), id="another message"),
        pytest.param(("ses_1", "msg_2", Deed.ABORT), id="another deed"),
    ],
)
def test_a_claim_is_of_one_deed(store: Store, key: tuple[str, str, Deed]) -> None:
    assert store.claim("ses_1", "msg_2", Deed.NUDGE, "w", NOW)
    assert store.claim(*key, "w", NOW)
    assert not store.claim(*key, "w", NOW)


def test_what_was_done_comes_back_in_another_process(store: Store) -> None:
    given = (
        done(),
        done(deed=Deed.ABORT, recovery="tool_loop", message="msg_3", request=None, at=NOW + 1),
        done(deed=Deed.TELL, message="msg_3", attempt=3, outcome=Outcome.UNKNOWN, at=NOW + 2),
    )
    for each in reversed(given):
        store.remember("ses_1", each)
    store.remember("ses_2", done())
    names = ["msg_1", "msg_2", "msg_3", None]
    with again(store) as other:
        assert other.spent("ses_1", names).done == given
        assert other.spent("ses_1", names, since=NOW + 1).done == given[1:]
        assert other.spent("ses_1", names).since("msg_1") == (given[0], given[2])
        assert other.spent("ses_3", names) == NOTHING_SPENT


def test_an_id_that_the_caller_does_not_know_stays_hidden_and_still_names_the_same(
    store: Store,
) -> None:
    store.remember("ses_1", done(outcome=Outcome.FAILED))
    (found,) = store.spent("ses_1", ["msg_1"]).done
    assert found.request == "msg_1"
    assert found.message not in ("msg_2", "")
    assert store.claim("ses_1", found.message, Deed.NUDGE, "w", NOW)
    assert not store.claim("ses_1", "msg_2", Deed.NUDGE, "w", NOW)
    store.remember("ses_1", structs.replace(found, outcome=Outcome.DONE))
    assert store.spent("ses_1", ["msg_1", "msg_2"]).done == (done(),)


def test_a_later_word_about_the_same_deed_replaces_the_first(store: Store) -> None:
    store.remember("ses_1", done(outcome=Outcome.UNKNOWN))
    store.remember("ses_1", done(at=NOW + 5))
    store.remember("ses_1", done(outcome=Outcome.FAILED))
    found = store.spent("ses_1", ["msg_1", "msg_2"]).done
    assert found == (done(outcome=Outcome.FAILED), done(at=NOW + 5))
    assert [each.done.outcome for each in store.recent(NOW)] == [Outcome.FAILED, Outcome.DONE]


def test_no_name_and_no_words_are_in_the_file(store: Store) -> None:
    store.remember("ses_secret", done(message="msg_secret", request="req_secret", text="go on, x"))
    store.claim("ses_secret", "msg_secret", Deed.NUDGE, "w_secret", NOW)
    for kind in (Switch.PAUSE, Switch.NOW):
        store.switch(kind, "ses_secret", NOW)
    store.watching(
        "w_secret", WatchState.BEGAN, "observe", "http://me:hunter2hunter2@127.0.0.1:4096", NOW
    )
    whole = b"".join(path.read_bytes() for path in store.path.parent.iterdir())
    assert b"clipped_ending" in whole  # the control
    for word in (b"_secret", b"go on", b"hunter2"):
        assert word not in whole


def test_a_digest_is_kept_as_it_is(store: Store) -> None:
    for text in ("", "0f" * 32):
        store.remember("ses_1", done(at=NOW + len(text), text=text))
    assert [each.text for each in store.spent("ses_1").done] == ["", "0f" * 32]


def test_threads_of_one_process_share_a_store(store: Store) -> None:
    def work(number: int) -> bool:
        mine = store.claim("ses_1", f"msg_{number % 50}", Deed.NUDGE, "w", NOW)
        store.remember("ses_1", done(message=f"msg_{number}", at=NOW + number))
        return mine

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(200))) == 50
    assert len(store.spent("ses_1").done) == 200


# What came of nudges.


def test_a_nudge_is_unresolved_until_a_hindsight_label_says_what_came_of_it(store: Store) -> None:
    store.add(SUBJECT, audit(SUBJECT))
    store.flush()
    name = address(SUBJECT).hex()
    store.remember("ses_1", done(), name)
    store.remember("ses_1", done(message="msg_4", outcome=Outcome.FAILED), name)
    store.remember("ses_1", done(message="msg_5", deed=Deed.ABORT), name)
    store.remember("ses_1", done(message="msg_6"))
    store.remember("ses_2", done(), name)
    (found,) = store.unresolved("ses_1")
    assert (found.turn, found.session, found.done.at) == (name, store.hidden("ses_1"), NOW)
    assert len(store.unresolved()) == 2
    assert store.unresolved(since=NOW + 1) == []
    said = Label(turn=name, nudge=Nudge.NO, source=Source.HUMAN, at=NOW)
    store.add_labels([said])
    assert len(store.unresolved("ses_1")) == 1
    store.add_labels([structs.replace(said, source=Source.HINDSIGHT, nudge=Nudge.UNSURE)])
    assert store.unresolved("ses_1") == []


def test_a_deed_about_a_turn_that_is_not_kept_is_remembered_all_the_same(store: Store) -> None:
    store.remember("ses_1", done(), "00" * 32)
    assert [each.turn for each in store.recent(0.0)] == ["00" * 32]


# Modes.

MODES: list[tuple[str, list[tuple[str | None, Mode]], Mode]] = [
    ("nothing was said", [], Mode.DEFAULT),
    ("said of it", [("ses_1", Mode.OFF)], Mode.OFF),
    ("said of another", [("ses_2", Mode.OFF)], Mode.DEFAULT),
    ("said of all", [(None, Mode.RECOVERY)], Mode.RECOVERY),
    ("its own beats that of all", [("ses_1", Mode.LOOP), (None, Mode.OFF)], Mode.LOOP),
    ("the last word counts", [("ses_1", Mode.LOOP), ("ses_1", Mode.OFF)], Mode.OFF),
    ("back to what all do", [("ses_1", Mode.LOOP), (None, Mode.OFF), ("ses_1", Mode.DEFAULT)],
     Mode.OFF),
    ("all back", [(None, Mode.OFF), (None, Mode.DEFAULT)], Mode.DEFAULT),
]  # fmt: skip


@pytest.mark.parametrize(("said", "wanted"), [pytest.param(*row[1:], id=row[0]) for row in MODES])
def test_modes_outlive_the_process(
    store: Store, said: list[tuple[str | None, Mode]], wanted: Mode
) -> None:
    for session, mode in said:
        store.switch(Switch.MODE, session, NOW, mode=mode)
    with again(store) as other:
        assert other.mode("ses_1") is wanted
        own = other.modes().get(other.hidden("ses_1"), other.modes().get(None, Mode.DEFAULT))
    assert own is wanted


# Pauses: who is paused until when (None: for good), and which holds a minute later.

FOR_GOOD = None
PAUSES: list[tuple[str, list[tuple[Switch, str | None, float | None]], str]] = [
    ("nothing was said", [], "no"),
    ("DS-T08 everything is paused", [(Switch.PAUSE, None, FOR_GOOD)], "for good"),
    ("DS-T08 and goes on again", [(Switch.PAUSE, None, FOR_GOOD), (Switch.RESUME, None, None)],
     "no"),
    ("for an hour", [(Switch.PAUSE, None, NOW + 3600)], "until then"),
    ("for half a minute", [(Switch.PAUSE, None, NOW + 30)], "no"),
    ("it is paused", [(Switch.PAUSE, "ses_1", FOR_GOOD)], "for good"),
    ("another is paused", [(Switch.PAUSE, "ses_2", FOR_GOOD)], "no"),
    ("everything goes on but it", [(Switch.PAUSE, "ses_1", FOR_GOOD), (Switch.RESUME, None, None)],
     "for good"),
    ("it goes on but not everything",
     [(Switch.PAUSE, None, NOW + 3600), (Switch.RESUME, "ses_1", None)], "until then"),
    ("the longer pause counts",
     [(Switch.PAUSE, None, NOW + 3600), (Switch.PAUSE, "ses_1", FOR_GOOD)], "for good"),
    ("the last word of a pause counts",
     [(Switch.PAUSE, "ses_1", FOR_GOOD), (Switch.PAUSE, "ses_1", NOW + 30)], "no"),
    ("DS-T51 a nudge now leaves the pauses",
     [(Switch.PAUSE, None, FOR_GOOD), (Switch.NOW, "ses_1", None)], "for good"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "wanted"), [pytest.param(*row[1:], id=row[0]) for row in PAUSES])
def test_pauses_outlive_the_process(
    store: Store, said: list[tuple[Switch, str | None, float | None]], wanted: str
) -> None:
    for kind, session, until in said:
        store.switch(kind, session, NOW, until=until)
    with again(store) as other:
        held = other.paused("ses_1", NOW + 60)
    found = "no" if held is None else "for good" if held.until is None else "until then"
    assert found == wanted


def test_the_pauses_in_force_are_listed_that_of_everything_first(store: Store) -> None:
    for session in ("ses_1", None, "ses_2"):
        store.switch(Switch.PAUSE, session, NOW)
    store.switch(Switch.RESUME, "ses_2", NOW)
    listed = [pause.session for pause in store.pauses(NOW)]
    assert listed == [None, store.hidden("ses_1")]


def test_the_number_of_switches_grows(store: Store) -> None:
    assert store.switched() == 0
    store.switch(Switch.MODE, None, NOW, mode=Mode.OFF)
    with again(store) as other:
        other.switch(Switch.NOW, "ses_1", NOW)
    assert store.switched() == 2


# A nudge that a person asks for.


def test_a_nudge_asked_for_is_claimed_once_whatever_was_claimed_before(store: Store) -> None:
    assert store.claim("ses_1", "msg_2", Deed.NUDGE, "w", NOW)
    assert store.asked("ses_1", NOW) is None
    store.switch(Switch.NOW, "ses_1", NOW)
    found = store.asked("ses_1", NOW + 1)
    assert found is not None
    assert found.at == NOW
    assert store.asked("ses_2", NOW + 1) is None
    assert store.claim("ses_1", found.name, Deed.NUDGE, "w", NOW + 1)
    with again(store) as other:
        assert other.asked("ses_1", NOW + 1) is None
        assert not other.claim("ses_1", found.name, Deed.NUDGE, "other", NOW + 1)
    store.switch(Switch.NOW, "ses_1", NOW + 2)
    second = store.asked("ses_1", NOW + 2)
    assert second is not None
    assert second.name != found.name


ANSWERS = [
    ("DS-T51 nobody took it yet", [], 0.0, True),
    ("somebody took it just now", ["claim"], STALE - 1, False),
    ("somebody took it and was killed", ["claim"], STALE, True),
    ("somebody took it and failed", ["claim", "failed"], STALE, True),
    ("it was sent", ["claim", "done"], STALE, False),
    ("nobody knows whether it was sent", ["claim", "unknown"], STALE, False),
    ("another nudge was sent", ["claim", "other"], STALE, True),
]


@pytest.mark.parametrize(
    ("before", "later", "wanted"), [pytest.param(*row[1:], id=row[0]) for row in ANSWERS]
)
def test_a_nudge_asked_for_is_sent_once(
    store: Store, before: list[str], later: float, wanted: bool
) -> None:
    store.remember("ses_1", done(at=NOW - 1, recovery=RESUME_NOW))  # answered an older wish
    store.switch(Switch.NOW, "ses_1", NOW)
    for what in before:
        if what == "claim":
            found = store.asked("ses_1", NOW)
            assert found is not None
            assert store.claim("ses_1", found.name, Deed.NUDGE, "w", NOW)
        elif what == "other":
            store.remember("ses_1", done(at=NOW + 1))
        else:
            store.remember("ses_1", done(at=NOW + 1, recovery=RESUME_NOW, outcome=Outcome(what)))
    with again(store) as other:
        found = other.asked("ses_1", NOW + later)
        assert (found is not None) is wanted
        if found is not None:
            assert other.claim("ses_1", found.name, Deed.NUDGE, "other", NOW + later)
            assert other.asked("ses_1", NOW + FORGOTTEN - 1) is None or not before


def test_the_answer_to_a_wish_is_a_recovery_that_there_is() -> None:
    assert RESUME_NOW in BY_NAME


def test_a_nudge_asked_for_long_ago_is_forgotten(store: Store) -> None:
    store.switch(Switch.NOW, "ses_1", NOW)
    assert store.asked("ses_1", NOW + FORGOTTEN - 1) is not None
    assert store.asked("ses_1", NOW + FORGOTTEN) is None


# Watchers.


def test_watchers_are_told_by_their_last_word_the_latest_first(store: Store) -> None:
    for by, state, at in [("a", "began", 0.0), ("b", "began", 1.0), ("a", "alive", 900.0)]:
        store.watching(by, WatchState(state), "observe", "opencode", NOW + at)
    found = [(each.by, each.state, each.began, each.at) for each in store.watchers(NOW)]
    assert found == [
        (store.hidden("a"), WatchState.ALIVE, NOW, NOW + 900),
        (store.hidden("b"), WatchState.BEGAN, NOW + 1, NOW + 1),
    ]
    store.watching("b", WatchState.BEGAN, "nudge", "opencode", NOW + 900.5)  # a name used again
    assert (store.watchers(NOW)[0].began, store.watchers(NOW)[0].mode) == (NOW + 900.5, "nudge")
    store.watching("b", WatchState.ENDED, "observe", "opencode", NOW + 901)
    assert [each.state for each in store.watchers(NOW + 900)] == ["ended", "alive"]
    assert store.watchers(NOW + 902) == []


@pytest.mark.parametrize("table", ["claims", "deeds", "switches", "watches"])
def test_rows_are_only_ever_added(store: Store, table: str) -> None:
    store.claim("ses_1", "msg_2", Deed.NUDGE, "w", NOW)
    store.remember("ses_1", done())
    store.switch(Switch.NOW, "ses_1", NOW)
    store.watching("w", WatchState.BEGAN, "observe", "opencode", NOW)
    with closing(sqlite3.connect(store.path)) as db:
        for statement in ("DELETE FROM {0}", "UPDATE {0} SET at = at"):
            with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
                db.execute(statement.format(table))


def test_purging_texts_leaves_what_was_done(store: Store) -> None:
    store.add(SUBJECT, audit(SUBJECT))
    store.flush()
    store.remember("ses_1", done(), address(SUBJECT).hex())
    assert store.purge(2e11) == 1
    assert len(store.spent("ses_1").done) == 1
    assert store.stats().deeds == 1
    assert len(list(store.export(texts=True))) == 1


def test_who_reads_does_not_wait_for_who_waits_to_write(store: Store) -> None:
    """The loop of a watcher asks many times a second, a claim is made beside it."""
    waits = Event()
    store._db.set_trace_callback(lambda _: waits.set())
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(1) as pool:
            claim = pool.submit(store.claim, "ses_1", "msg_2", Deed.NUDGE, "w", NOW)
            assert waits.wait(30)
            assert store.spent("ses_1") == NOTHING_SPENT
            assert store.mode("ses_1") is Mode.DEFAULT
            assert store.asked("ses_1", NOW) is None
            assert store.paused("ses_1", NOW) is None
            assert not store.events()
            assert not claim.done()
            other.execute("ROLLBACK")
            assert claim.result(30)
