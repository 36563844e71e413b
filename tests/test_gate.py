"""The gate: states out of events, what takes nudging back, what holds a nudge, the kill switch."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import structs

from auditor.audit import audit
from auditor.gating import blind, canary, certify, gate, killswitch
from auditor.gating.alarms import Alarm, Health, Outcome, Watch, alarm
from auditor.gating.frozen import Certificate, Frozen
from auditor.gating.gate import Here, Standing, held, held_out, standing, watched
from auditor.gating.residue import residue
from auditor.gating.states import Move, State, told
from auditor.judge import Answer
from auditor.labels import Source
from auditor.policy import OBSERVE
from auditor.store import Store
from tests.gate_words import (
    DAY,
    FROZEN,
    IDENTITY,
    NOW,
    fill,
    frozen,
    labelled,
    promoted,
    said,
    spread,
)
from tests.words import say, turn

FINE = Here(off=None, identity=IDENTITY, canary=None)


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "a.db") as store:
        yield store


def nudging(store: Store) -> tuple[str, float]:
    """A store that nudges, certified by forty right labels; the policy, and since when."""
    fill(store, spread(40))
    name, policy = frozen(store)
    labelled(store, name, policy, ["yes"] * 40)
    found = blind.gathered(store, name, policy, residue(store))
    made = certify.certificate(name, policy, certify.progress(policy, found.labels))
    assert made is not None
    return name, promoted(store, name, certify.issue(store, told(store.events()), made))


def test_the_default_is_to_observe(store: Store) -> None:
    found = standing(store, NOW, FINE)
    assert (found.state, found.may_nudge) == (State.OBSERVE, False)
    assert found.as_policy() == OBSERVE


def test_a_frozen_policy_shadows_and_says_what_would_be_nudged(store: Store) -> None:
    fill(store, spread(40))
    _, policy = frozen(store, cost=4.0)
    found = standing(store, NOW, FINE)
    assert (found.state, found.may_nudge, found.reason) == (
        State.SHADOW,
        False,
        "shadowing: not promoted",
    )
    assert found.threshold == max(policy.loosest, 0.8)
    assert found.as_policy().probability == found.threshold


def test_after_a_promotion_it_nudges_from_the_certified_threshold(store: Store) -> None:
    nudging(store)
    found = standing(store, NOW, FINE)
    assert (found.state, found.may_nudge) == (State.NUDGE, True)
    assert found.certificate is not None
    assert found.as_policy().may_nudge
    assert found.as_policy().probability == found.certificate.threshold


Kinds = list[tuple[Move, str]]


@pytest.mark.parametrize(
    ("kinds", "state"),
    [
        ([], State.OBSERVE),
        ([(Move.PROMOTED, "p")], State.OBSERVE),
        ([(Move.FROZEN, "p"), (Move.PROMOTED, "p")], State.NUDGE),
        ([(Move.FROZEN, "p"), (Move.PROMOTED, "other")], State.SHADOW),
        ([(Move.FROZEN, "p"), (Move.PROMOTED, "p"), (Move.SHADOWED, "p")], State.SHADOW),
        ([(Move.FROZEN, "p"), (Move.PROMOTED, "p"), (Move.DEMOTED, "p")], State.DEMOTED),
        (
            [(Move.FROZEN, "p"), (Move.PROMOTED, "p"), (Move.DEMOTED, "p"), (Move.PROMOTED, "p")],
            State.DEMOTED,
        ),
        (
            [(Move.FROZEN, "p"), (Move.PROMOTED, "p"), (Move.DEMOTED, "p"), (Move.FROZEN, "q")],
            State.SHADOW,
        ),
        ([(Move.FROZEN, "p"), (Move.PROMOTED, "p"), (Move.FROZEN, "q")], State.SHADOW),
        ([(Move.FROZEN, "p"), (Move.SHADOWED, "p")], State.SHADOW),
    ],
)
def test_events_move_the_state(store: Store, kinds: Kinds, state: State) -> None:
    for kind, policy in kinds:
        store.append_event(kind, {"policy": policy})
        store.append_event("something.else", {"policy": policy})
    assert told(store.events()).state is state


def test_a_demoted_policy_counts_as_lost_and_keeps_no_certificate(store: Store) -> None:
    for kind in (Move.FROZEN, Move.CERTIFIED, Move.PROMOTED, Move.DEMOTED):
        store.append_event(kind, {"policy": "p", "certificate": "c"})
    assert told(store.events()).certificate is None
    store.append_event(Move.FROZEN, {"policy": "q"})
    assert told(store.events()).lost == ("p",)


@pytest.mark.parametrize(
    ("here", "reason"),
    [
        (structs.replace(FINE, off="AUDITOR_OFF is set"), "AUDITOR_OFF is set"),
        (structs.replace(FINE, identity=IDENTITY | {"code": "y"}), "code: x, now y"),
        (structs.replace(FINE, canary="asks: another answer came first"), "the canary"),
    ],
)
def test_what_is_not_so_here_silences(store: Store, here: Here, reason: str) -> None:
    nudging(store)
    assert standing(store, NOW, FINE).may_nudge
    found = standing(store, NOW, here)
    assert not found.may_nudge
    assert reason in found.reason


def test_asking_changes_nothing_and_watching_writes_the_reason_once(store: Store) -> None:
    name, _ = nudging(store)
    other = structs.replace(FINE, identity=IDENTITY | {"code": "y"})
    before = store.events()
    standing(store, NOW, other)
    assert watched(store, NOW, FINE).may_nudge
    assert store.events() == before
    assert not watched(store, NOW, other).may_nudge
    watched(store, NOW, other)
    event = store.events()[-1]
    assert (event.kind, event.body["policy"]) == (Move.SHADOWED, name)
    assert event.body["evidence"] == {"changed": "code: x, now y"}
    assert len(store.events()) == len(before) + 1
    assert not standing(store, NOW, FINE).may_nudge  # what was taken back does not come by itself
    assert store.verify_ledger() is None


def test_the_kill_switch_writes_no_demotion(store: Store) -> None:
    nudging(store)
    assert not watched(store, NOW, structs.replace(FINE, off="set")).may_nudge
    assert watched(store, NOW, FINE).may_nudge


def test_a_certificate_expires(store: Store) -> None:
    nudging(store)
    assert standing(store, NOW + 15 * DAY, FINE).may_nudge
    assert "days old" in standing(store, NOW + 25 * DAY, FINE).reason
    watched(store, NOW, FINE, passed=2001)
    assert "2,001 residue turns" in store.events()[-1].body["why"]


def outcomes(store: Store, since: float, nudges: list[str], rule: str = "tools/1") -> None:
    turns = [row.turn for row in residue(store)]
    store.add_labels(
        said(turn, nudge, source=Source.HINDSIGHT, at=since + number, rule=rule, blind=False)
        for number, (turn, nudge) in enumerate(zip(turns, nudges, strict=False), 1)
    )


def test_wrong_nudges_demote_at_once(store: Store) -> None:
    _, since = nudging(store)
    outcomes(store, since, ["no"] * 2 + ["yes"] * 20)
    assert watched(store, NOW, FINE).may_nudge
    outcomes(store, since + 100, ["unsure"] * 30 + ["no"] * 12)
    found = standing(store, NOW, FINE)
    assert not found.may_nudge
    assert "nudges were wrong" in found.reason
    assert watched(store, NOW, FINE).state is State.DEMOTED
    assert store.events()[-1].kind == Move.DEMOTED


def test_outcomes_before_the_promotion_are_another_story(store: Store) -> None:
    _, since = nudging(store)
    outcomes(store, since - 1000, ["no"] * 50)
    assert standing(store, NOW, FINE).may_nudge


def test_three_rejections_of_the_last_five_demote(store: Store) -> None:
    _, since = nudging(store)
    outcomes(store, since, ["no"] * 3, rule="hindsight/objected@1")
    assert watched(store, NOW, FINE).state is State.DEMOTED


POLICY = Frozen(
    at=FROZEN, calibration="c1", identity=IDENTITY, candidates=(), scored=0, edges=(), counts=()
)
CERTIFICATE = Certificate(
    policy="p",
    threshold=0.9,
    quantile=0.95,
    n=20,
    wrong=0,
    evidence=20.0,
    alpha=0.2,
    risk=0.05,
    at=NOW,
)
WELL = Watch(
    now=NOW,
    policy=POLICY,
    certificate=CERTIFICATE,
    outcomes=(),
    identity=IDENTITY,
    canary=None,
)
REJECTED = Outcome(right=None, rejected=True)


@pytest.mark.parametrize(
    ("sentence", "change", "move"),
    [
        ("all well", {}, None),
        ("two rejections", {"outcomes": [REJECTED] * 2}, None),
        ("three rejections", {"outcomes": [REJECTED] * 3}, Move.DEMOTED),
        ("three long ago", {"outcomes": [REJECTED] * 3 + [Outcome(True)] * 5}, None),
        ("no certificate", {"certificate": None}, Move.SHADOWED),
        ("five errors of a hundred", {"health": Health(100, 5)}, None),
        ("six errors of a hundred", {"health": Health(100, 6)}, Move.SHADOWED),
        ("a few errors of a few", {"health": Health(4, 4)}, None),
        ("drift", {"drift": "PSI 1"}, Move.SHADOWED),
        ("2,000 turns", {"passed": 2000}, None),
        ("2,001 turns", {"passed": 2001}, Move.SHADOWED),
        ("wrong and moved: the graver", {"outcomes": [REJECTED] * 3, "drift": "x"}, Move.DEMOTED),
    ],
)
def test_alarms(sentence: str, change: dict[str, object], move: Move | None) -> None:
    found = alarm(structs.replace(WELL, **change))
    assert (found and found.move) == move, sentence


def alarms_of(share: float, nudges: int, runs: int, seed: int) -> float:
    rng = random.Random(seed)  # noqa: S311 - a simulation
    fired = 0
    for _ in range(runs):
        seen = [Outcome(rng.random() >= share) for _ in range(nudges)]
        fired += isinstance(alarm(structs.replace(WELL, outcomes=seen)), Alarm)
    return fired / runs


def test_the_alarm_is_seldom_false_and_comes_soon_when_true() -> None:
    assert alarms_of(0.20, nudges=150, runs=150, seed=1) <= 0.05
    assert alarms_of(0.45, nudges=60, runs=50, seed=2) >= 0.8  # median 20 nudges, decisions.md 4.8


def test_a_changed_ledger_silences(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(path) as store:
        nudging(store)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DROP TRIGGER events_update")
        db.execute("UPDATE events SET body = replace(body, 'by command', 'x') WHERE seq = 1")
    with Store(path) as store:
        assert "ledger is damaged: event 1" in standing(store, NOW, FINE).reason


def test_a_store_that_cannot_be_read_is_a_reason_to_be_silent(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(path) as store:
        nudging(store)
        other = structs.replace(FINE, canary="moved")
        store._db.execute("PRAGMA query_only = ON")
        found = watched(store, NOW, other)
        store._db.execute("PRAGMA query_only = OFF")
    assert not found.may_nudge
    assert "not watched" in found.reason


def answer(coverage: float | None = 0.9, spread_: float | None = 0.1) -> Answer:
    return Answer({"agent": -0.1}, coverage, spread_, 3, "m", {}, 10, 0.1)


MAY = Standing(state=State.NUDGE, may_nudge=True, reason="", policy=POLICY, certificate=CERTIFICATE)
JUDGED = structs.replace(audit(turn(say("Changed."))), calibration="c1", answer=answer())
ADDRESS = next(f"{n:x}" for n in range(100) if not held_out(POLICY, f"{n:x}"))


@pytest.mark.parametrize(
    ("sentence", "change", "reason"),
    [
        ("well", {}, None),
        ("no model asked", {"answer": None}, None),
        ("a server that says neither", {"answer": answer(None, None)}, None),
        ("another calibration", {"calibration": "c2"}, "another calibration"),
        ("hardly any letter", {"answer": answer(0.09)}, "hardly chose"),
        ("the order decides", {"answer": answer(0.9, 0.36)}, "order of the options"),
        ("settled by a proof", {"by": "cut_text", "calibration": None, "answer": None}, None),
    ],
)
def test_what_holds_one_nudge(sentence: str, change: dict[str, object], reason: str | None) -> None:
    found = held(MAY, structs.replace(JUDGED, **change), ADDRESS)
    assert found is None if reason is None else reason in (found or ""), sentence


def test_a_standing_that_may_not_holds_everything() -> None:
    assert held(structs.replace(MAY, may_nudge=False, reason="off"), JUDGED, ADDRESS) == "off"


def test_a_tenth_is_held_out_the_same_for_everyone() -> None:
    out = [n for n in range(2000) if held_out(POLICY, f"{n:x}")]
    assert 160 <= len(out) <= 240
    assert held(MAY, JUDGED, f"{out[0]:x}") == "held out, to see what happens without"
    other = structs.replace(POLICY, at=FROZEN + 1.0)
    assert [n for n in range(2000) if held_out(other, f"{n:x}")] != out


def test_the_kill_switch_is_a_variable_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("AUDITOR_OFF", raising=False)
    db = tmp_path / "store" / "a.db"
    assert killswitch.off(db) is None
    for value, is_off in (("1", True), ("no", True), ("0", False), ("", False)):
        monkeypatch.setenv("AUDITOR_OFF", value)
        assert (killswitch.off(db) == "AUDITOR_OFF is set") is is_off
    for path in killswitch.places(db):
        path.parent.mkdir(parents=True)
        path.touch()
        assert killswitch.off(db) == f"{path} is there"
        path.unlink()
    (db.parent / "OFF").symlink_to(tmp_path / "nowhere")
    assert killswitch.off(db) is not None


def readings(logit: float = 0.0, **logprobs: float) -> canary.Readings:
    given = logprobs or {"agent": -0.1, "user": -3.0}
    one = canary.Reading(given, logit)
    return canary.Readings(model="m", readings={each.id: one for each in canary.TURNS})


@pytest.mark.parametrize(
    ("before", "now", "changed"),
    [
        (readings(), readings(), None),
        (readings(), readings(0.1), None),
        (readings(), readings(0.2), "all together moved by 0.07"),
        (readings(), readings(0.3), "a logit moved by 0.30"),
        (readings(), readings(float("nan")), "a logit moved by nan"),
        (readings(), readings(agent=-0.4, user=-3.0), "a logit moved by 0.30"),
        (readings(agent=-0.69, user=-0.70), readings(agent=-0.70, user=-0.69), None),
        (readings(agent=-0.64, user=-0.75), readings(agent=-0.75, user=-0.64), "another answer"),
        (readings(), readings(agent=-0.1), "other options"),
    ],
)
def test_the_canary_sees_what_changed(
    before: canary.Readings, now: canary.Readings, changed: str | None
) -> None:
    found = canary.changed(before, now)
    assert found is None if changed is None else changed in (found or "")


def test_the_canary_asks_eight_turns_of_its_own() -> None:
    asked = []

    def ask(one: object) -> Answer:
        asked.append(one)
        return answer()

    found = canary.taken(ask, lambda _, __: 0.5)
    assert len(asked) == len(set(found.readings)) == 8
    assert found.model == "m"
    assert {each.logit for each in found.readings.values()} == {0.0}
    assert canary.changed(found, canary.taken(lambda _: None, lambda _, __: 0.5)) is not None


def test_the_gate_speaks_of_the_store_it_is_given(store: Store) -> None:
    store.append_event(Move.FROZEN, {"policy": "0" * 64})
    with pytest.raises(gate.StoreError, match="which is not kept"):
        standing(store, NOW, FINE)
