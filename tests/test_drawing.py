"""Drawings: constant chances, one turn of a session, nothing drawn twice, nothing forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.labelling.drawing import RESIDUE, SETTLED, Policy, Queue, chance, fill, repeats
from auditor.labels import Label, Nudge, Source
from auditor.store import Store
from tests.labelling_words import DAY, asked, filled, hexed, nudge, report

NOW = 100 * DAY
POLICY = Policy("p1", NOW, "cal", 0.8, 1.0)


def label(turn: str, at: float, sample: int | None = None, **more: object) -> Label:
    fields = {"source": Source.HUMAN, "rater": "me", "blind": True, **more}
    return Label(turn=turn, nudge=Nudge.NO, at=at, sample=sample, **fields)  # type: ignore[arg-type]


def test_coins_are_even_and_always_fall_the_same_way() -> None:
    thrown = [chance("audit", str(number)) for number in range(4000)]
    assert thrown == [chance("audit", str(number)) for number in range(4000)]
    assert 0.08 < sum(coin < 0.1 for coin in thrown) / 4000 < 0.12
    assert abs(sum(thrown) / 4000 - 0.5) < 0.02
    assert chance("a", "bc") != chance("ab", "c")


def test_certification_takes_one_would_be_nudge_of_each_session(tmp_path: Path) -> None:
    turns = [nudge(f"s{n}", k) for n in range(5) for k in range(3)]
    path = filled(tmp_path / "a.db", *turns, asked("s0", 9), report("s1", 9))
    with Store(path) as store:
        fill(store, [Queue.CERTIFICATION])
        drawn = store.samples("certification")
        assert len(drawn) == 5
        assert {sample.pi for sample in drawn} == {1.0}
        sessions = {kept.session for sample in drawn if (kept := store.kept(sample.turn))}
        assert len(sessions) == 5
        assert {sample.turn for sample in drawn} <= {hexed(turn) for turn in turns}
        fill(store, [Queue.CERTIFICATION])
        assert store.samples("certification") == drawn


def test_which_nudge_of_a_session_is_drawn_is_not_the_first_or_the_last_of_them(
    tmp_path: Path,
) -> None:
    turns = {hexed(each): k for n in range(60) for k in range(3) if (each := nudge(f"s{n}", k))}
    path = filled(tmp_path / "a.db", *[nudge(f"s{n}", k) for n in range(60) for k in range(3)])
    with Store(path) as store:
        fill(store, [Queue.CERTIFICATION])
        places = [turns[sample.turn] for sample in store.samples()]
    assert all(places.count(place) > 8 for place in range(3)), places


def test_a_session_that_grows_is_not_drawn_from_again(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.db", nudge("s1", 0))
    with Store(path) as store:
        fill(store, [Queue.CERTIFICATION])
    filled(path, *[nudge("s1", k) for k in range(1, 9)], nudge("s2"))
    with Store(path) as store:
        fill(store, [Queue.CERTIFICATION])
        assert [sample.turn for sample in store.samples()] == [
            hexed(nudge("s1")),
            hexed(nudge("s2")),
        ]


def test_with_a_policy_only_its_residue_at_its_threshold_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path, report("s1"), probability=0.9, calibration="cal")
    filled(path, report("s2"), probability=0.7, calibration="cal")
    filled(path, report("s3"), probability=0.9, calibration="other")
    filled(path, report("s4"), probability=0.9, calibration="cal", parent="s0")
    filled(path, report("s5"), probability=0.9, calibration="cal")
    filled(path, report("s6"), probability=0.9, calibration="cal")
    filled(path, nudge("s7"), probability=0.9, calibration="cal")
    with Store(path) as store:
        store.add_labels(
            [
                label(hexed(report("s5")), NOW + 1),
                label(hexed(report("s6")), NOW - 1, source=Source.HINDSIGHT),
                label(hexed(report("s1")), NOW - 1, source=Source.IMPLICIT),
            ]
        )
        fill(store, [Queue.CERTIFICATION], POLICY)
        drawn = store.samples()
        assert [sample.turn for sample in drawn] == [hexed(report("s1"))]
        assert drawn[0].policy == "p1"
        fill(store, [Queue.CERTIFICATION], Policy("p2", NOW, "cal", 0.8, 1.0))
        assert len(store.samples()) == 2, "another policy draws for itself"


def test_a_policy_draws_with_its_own_chance(tmp_path: Path) -> None:
    turns = [report(f"s{n}") for n in range(300)]
    path = filled(tmp_path / "a.db", *turns, probability=0.9, calibration="cal")
    with Store(path) as store:
        fill(store, [Queue.CERTIFICATION], Policy("p1", NOW, "cal", 0.8, 0.25))
        drawn = store.samples()
    assert 50 < len(drawn) < 100
    assert {sample.pi for sample in drawn} == {0.25}


def test_audit_draws_others_with_their_chances_once(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    filled(path, *[report(f"r{n}") for n in range(400)], *[asked(f"a{n}") for n in range(400)])
    filled(path, *[nudge(f"n{n}") for n in range(40)])
    with Store(path) as store:
        for _ in range(3):
            fill(store, [Queue.AUDIT])
        drawn = store.samples("audit")
    assert len({sample.turn for sample in drawn}) == len(drawn)
    by_pi = {pi: sum(sample.pi == pi for sample in drawn) for pi in (RESIDUE, SETTLED)}
    assert sum(by_pi.values()) == len(drawn)
    assert 20 < by_pi[RESIDUE] < 65
    assert 1 < by_pi[SETTLED] < 20
    assert not {sample.turn for sample in drawn} & {hexed(nudge(f"n{n}")) for n in range(40)}


@pytest.mark.parametrize(("p", "pi"), [(0.5, 1.0), (0.0, 0.2), (0.1, 0.488), (1.0, 0.2)])
def test_the_more_uncertain_the_likelier(tmp_path: Path, p: float, pi: float) -> None:
    turns = [report(f"s{n}") for n in range(40)]
    path = filled(tmp_path / "a.db", *turns, probability=p, calibration="cal")
    filled(path, *[report(f"x{n}") for n in range(40)])
    with Store(path) as store:
        fill(store, [Queue.UNCERTAIN])
        drawn = store.samples("uncertain")
    assert [sample.pi for sample in drawn] == pytest.approx([pi] * len(drawn))
    assert drawn
    assert (len(drawn) == 40) is (p == 0.5)
    assert {sample.turn for sample in drawn} <= {hexed(turn) for turn in turns}


def test_a_turn_without_text_is_not_drawn(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.db", nudge("s1"))
    with Store(path) as store:
        store.purge(1e11)
        assert fill(store, [Queue.CERTIFICATION]) == set()
        assert store.samples() == []


def test_repeats_are_old_mine_asked_once_and_drawn_once(tmp_path: Path) -> None:
    turns = [nudge(f"s{n}") for n in range(6)]
    names = [hexed(turn) for turn in turns]
    path = filled(tmp_path / "a.db", *turns)
    with Store(path) as store:
        texts = set(names[:5])
        store.add_labels(
            [
                label(names[0], NOW - 4 * DAY),
                label(names[1], NOW - 2 * DAY),
                label(names[2], NOW - 4 * DAY, rater="you"),
                label(names[3], NOW - 4 * DAY),
                label(names[4], NOW - 4 * DAY, source=Source.IMPORT),
                label(names[5], NOW - 4 * DAY),
            ]
        )
        first = repeats(store, "me", 1, now=NOW, texts=texts)
        assert first[0].turn in {names[0], names[3]}
        assert first[0].pi == 0.5
        assert repeats(store, "me", 1, now=NOW, texts=texts) == first
        both = repeats(store, "me", 9, now=NOW, texts=texts)
        assert {sample.turn for sample in both} == {names[0], names[3]}
        store.add_labels([label(first[0].turn, NOW, first[0].id)])
        left = repeats(store, "me", 9, now=NOW + 9 * DAY, texts=texts)
        assert first[0].turn not in {sample.turn for sample in left}
