"""A sitting: shuffled, resumed, undone; labels gathered from consecutive turns."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from auditor.labelling.drawing import Policy, Queue
from auditor.labelling.sitting import Collector, Item, Sitting, collected, sitting
from auditor.labels import Label, Nudge, Reason, Source, counting
from auditor.sieve import sieve
from auditor.store import Store
from auditor.turn import FinishReason, RequestKind, Turn
from tests.labelling_words import DAY, asked, filled, hexed, nudge
from tests.words import call, result, say, todo, turn

NOW = 100 * DAY
BOTH = (Queue.CERTIFICATION, Queue.AUDIT)


def asking(store: Store, *queues: Queue, limit: int = 20, rater: str = "me") -> list[Item]:
    return sitting(store, queues or BOTH, rater=rater, limit=limit, now=NOW)


def test_a_sitting_is_shuffled_and_each_rater_has_their_own_order(tmp_path: Path) -> None:
    turns = [nudge(f"s{n}") for n in range(30)]
    with Store(filled(tmp_path / "a.db", *turns)) as store:
        mine = [item.turn for item in asking(store, limit=30)]
        yours = [item.turn for item in asking(store, limit=30, rater="you")]
    assert set(mine) == set(yours) == {hexed(turn) for turn in turns}
    assert mine not in (yours, [hexed(turn) for turn in turns])


def test_answers_are_kept_at_once_and_the_next_sitting_goes_on(tmp_path: Path) -> None:
    with Store(filled(tmp_path / "a.db", *[nudge(f"s{n}") for n in range(5)])) as store:
        items = asking(store)
        person = Sitting(store, items, "me")
        person.answer(Nudge.YES, Reason.ANNOUNCED, NOW)
        person.skip()
        label = store.labels()[0]
        assert label == Label(
            turn=items[0].turn,
            nudge=Nudge.YES,
            source=Source.HUMAN,
            at=NOW,
            reason=Reason.ANNOUNCED,
            rater="me",
            blind=True,
            sample=items[0].sample,
        )
        left = [item.turn for item in asking(store)]
        assert left == [item.turn for item in items[1:]], "the skipped one waits"
        assert len(asking(store, rater="you")) == 5, "another rater is asked all"


def test_undo_replaces_the_answer_and_keeps_the_old_one(tmp_path: Path) -> None:
    with Store(filled(tmp_path / "a.db", *[nudge(f"s{n}") for n in range(3)])) as store:
        person = Sitting(store, asking(store), "me")
        assert not person.undo()
        person.answer(Nudge.YES, None, NOW)
        person.skip()
        assert person.undo()
        assert person.undo()
        assert person.place == 0
        person.answer(Nudge.NO, Reason.DONE, NOW)
        assert person.place == 1
        assert [label.nudge for label in store.labels()] == [Nudge.YES, Nudge.NO]
        assert [label.nudge for label in counting(store.labels()).values()] == [Nudge.NO]


@pytest.mark.parametrize(
    ("fresh", "old", "limit", "repeated"),
    [(40, 40, 20, 3), (40, 40, 12, 2), (40, 0, 20, 0), (0, 40, 20, 0), (5, 40, 20, 1)],
    ids=["20", "12", "nothing old", "nothing new", "few new"],
)
def test_a_sixth_are_blind_repeats(
    tmp_path: Path, fresh: int, old: int, limit: int, repeated: int
) -> None:
    turns = [nudge(f"s{n}") for n in range(fresh + old)]
    before = {hexed(turn) for turn in turns[:old]}
    with Store(filled(tmp_path / "a.db", *turns)) as store:
        store.add_labels(
            Label(turn=name, nudge=Nudge.NO, source=Source.HUMAN, at=NOW - 5 * DAY, rater="me")
            for name in before
        )
        items = asking(store, limit=limit)
        again = [item for item in items if item.turn in before]
        assert len(again) == repeated
        assert len(items) == min(limit, fresh + repeated)
        assert len({item.turn for item in items}) == len(items)
        ids = {sample.id for sample in store.samples("repeat")}
        assert {item.sample for item in again} <= ids
        only = asking(store, Queue.REPEAT, limit=limit)
        assert len(only) == min(limit, old)


def test_drawings_for_another_policy_are_not_asked(tmp_path: Path) -> None:
    with Store(filled(tmp_path / "a.db", nudge("s1"))) as store:
        assert asking(store, Queue.CERTIFICATION)
        policy = Policy("p1", NOW, "cal", 0.5, 1.0)
        queues = [Queue.CERTIFICATION]
        assert sitting(store, queues, rater="me", limit=9, now=NOW, policy=policy) == []


def test_todos_are_shown_where_they_are_known(tmp_path: Path) -> None:
    one = structs.replace(nudge("s1"), todos=(todo("write tests"), todo("lint", "completed")))
    with Store(filled(tmp_path / "a.db", one, nudge("s2"))) as store:
        said = {item.turn: item.todos for item in asking(store)}
    assert said[hexed(one)] == "1 of 2 to-dos open: write tests"
    assert said[hexed(nudge("s2"))] is None


def step(number: int, *parts: object, **more: object) -> Turn:
    made = turn(*parts, **more)  # type: ignore[arg-type]
    return structs.replace(made, id=f"t{number}", started=NOW + number, ended=NOW + number + 0.5)


ANNOUNCED = step(1, say("Now I'll run the tests:"))
DID = (call("bash", command="make"), result("ok"), say("All tests pass, the parser is fixed."))


def test_labels_are_gathered_from_consecutive_turns_of_a_session() -> None:
    other = structs.replace(asked("s2"), started=NOW + 1.5)
    turns = [ANNOUNCED, other, step(2, *DID, request="continue"), step(3, request="commit it")]
    found = list(collected(turns))
    assert [(label.turn, label.nudge, label.rule) for label in found] == [
        (hexed(ANNOUNCED), Nudge.YES, "next/continued@1"),
        (hexed(turns[2]), Nudge.NO, "next/wrapped-up@1"),
    ]
    assert [label.at for label in found] == [NOW + 2, NOW + 3]
    assert {label.source for label in found} == {Source.IMPLICIT}
    assert not any(label.blind for label in found)


def test_the_last_turn_of_a_session_gets_no_label() -> None:
    assert list(collected([ANNOUNCED])) == []
    assert list(collected([ANNOUNCED, structs.replace(asked("s2"), request="continue")])) == []


def test_a_nudge_is_judged_by_what_came_of_it_and_then_by_the_user() -> None:
    nudged = step(2, *DID, request="go on", request_kind=RequestKind.NUDGE)
    undone = step(3, say("Undone."), request="no, undo that")
    liked = step(3, say("Fine."), request="thanks")
    found = list(collected([ANNOUNCED, nudged, undone]))
    assert [(label.turn, label.rule, label.at) for label in found] == [
        (hexed(ANNOUNCED), "hindsight/worked@1", NOW + 2.5),
        (hexed(ANNOUNCED), "hindsight/objected@1", NOW + 3.5),
    ]
    assert counting(found)[hexed(ANNOUNCED)].nudge is Nudge.NO
    assert [label.rule for label in collected([ANNOUNCED, nudged, liked])] == ["hindsight/worked@1"]


def test_signals_that_are_known_are_used() -> None:
    asked_ = step(1, say("Which of the two do you want?"))
    after = step(2, *DID, request="go ahead")
    known, blank = Collector(), Collector()
    known.take(asked_, sieve(asked_))
    blank.take(asked_, {})
    assert known.take(after) == list(collected([asked_, after])) != []
    assert blank.take(after) == []


def test_gathering_twice_adds_nothing_to_a_store(tmp_path: Path) -> None:
    turns = [ANNOUNCED, step(2, *DID, request="continue")]
    with Store(filled(tmp_path / "a.db", *turns)) as store:
        assert store.add_labels(collected(turns)) == 1
        assert store.add_labels(collected(turns)) == 0


def test_turns_without_times_are_gathered_too() -> None:
    bare = [structs.replace(turn, started=None, ended=None) for turn in (ANNOUNCED, ANNOUNCED)]
    after = structs.replace(bare[1], request="continue", finish=FinishReason.STOP)
    assert [label.at for label in collected([bare[0], after])] == [0.0]
