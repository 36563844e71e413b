"""What may be sent: the gate, the kill switch and the person's switches, asked before each deed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import msgspec
import pytest

from auditor.gating import blind, canary, canary_taking, certify, gate, review
from auditor.gating.alarms import Health
from auditor.gating.residue import residue
from auditor.gating.states import Move, State, told
from auditor.live.switches import Switch
from auditor.store import Store
from auditor.watching import permits as permitting
from auditor.watching.board import Kind
from auditor.watching.permits import Permits, WatchMode
from tests.gate_words import IDENTITY, NOW, fill, frozen, labelled, spread
from tests.watching.place import Place, play, until
from tests.watching.test_loop import stalled

TAKEN = canary.taken(lambda _: None, lambda _, __: 0.5)
MOVED = canary.taken(lambda _: None, lambda _, __: 0.9)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(permitting, "identity", lambda _: IDENTITY)
    monkeypatch.setattr(canary_taking, "take", lambda *_: (TAKEN, "by command"))
    monkeypatch.setattr(gate, "HOLD_OUT", 0.0)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("AUDITOR_OFF", raising=False)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "a.db") as opened:
        yield opened


def promote(store: Store) -> None:
    """Fill, freeze, label, certify and promote, with a canary."""
    fill(store, spread(40))
    name, policy = frozen(store)
    labelled(store, name, policy, ["yes"] * 40)
    found = blind.gathered(store, name, policy, residue(store))
    made = certify.certificate(name, policy, certify.progress(policy, found.labels))
    assert made is not None
    certificate = certify.issue(store, told(store.events()), made)
    taken = store.add_artefact("canary", msgspec.json.encode(TAKEN, order="sorted"))
    body = {"policy": name, "certificate": certificate}
    store.append_event(Move.CERTIFIED, body)
    store.append_event(Move.PROMOTED, body | {"canary": taken})


def nudging(store: Store, *, rules_only: bool = False) -> Permits:
    return Permits(store, WatchMode.NUDGE, rules_only=rules_only, offline=True)


def test_after_a_promotion_everything_is_allowed(store: Store) -> None:
    promote(store)
    permits = nudging(store)
    assert permits.look(NOW) is None
    found = permits.allowed("s", NOW, None, None)
    assert (found.nudge, found.structural) == (True, True)
    assert permits.policy(NOW).may_nudge


def test_before_the_first_look_nothing_is(store: Store) -> None:
    promote(store)
    found = nudging(store).allowed("s", NOW, None, None)
    assert (found.nudge, found.structural) == (False, False)
    assert told(store.events()).state is State.NUDGE  # and nothing was written for it


def test_without_a_promotion_nothing_is(store: Store) -> None:
    permits = nudging(store)
    assert permits.look(NOW) == "no policy is frozen"
    found = permits.allowed("s", NOW, None, None)
    assert (found.nudge, found.structural) == (False, False)


def test_rules_only_allows_what_is_structural_and_nothing_more(store: Store) -> None:
    permits = nudging(store, rules_only=True)
    assert permits.look(NOW) is None
    found = permits.allowed("s", NOW, None, None)
    assert (found.nudge, found.structural) == (False, True)


@pytest.mark.parametrize("rules_only", [True, False])
def test_the_kill_switch_and_pauses_hold_everything(store: Store, rules_only: bool) -> None:
    promote(store)
    permits = nudging(store, rules_only=rules_only)
    permits.look(NOW)
    assert permits.allowed("s", NOW, None, None).structural
    store.switch(Switch.PAUSE, "s", NOW, until=NOW + 60)
    assert not permits.allowed("s", NOW, None, None).structural
    assert permits.allowed("other", NOW, None, None).structural
    assert permits.allowed("s", NOW + 61, None, None).structural
    (store.path.parent / "OFF").touch()
    found = permits.allowed("other", NOW, None, None)
    assert (found.nudge, found.structural) == (False, False)
    assert "OFF" in found.why


def test_another_canary_takes_nudging_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    promote(store)
    permits = nudging(store)
    assert permits.look(NOW) is None
    monkeypatch.setattr(canary_taking, "take", lambda *_: (MOVED, "by command"))
    assert "canary" in (permits.look(NOW + 3600) or "")
    assert not permits.allowed("s", NOW + 3600, None, None).structural
    assert told(store.events()).state is State.SHADOW


@pytest.mark.parametrize("why", ["no model is here"])
def test_a_canary_that_cannot_be_taken_takes_nudging_back(
    store: Store, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    promote(store)
    monkeypatch.setattr(canary_taking, "take", lambda *_: (None, why))
    assert why in (nudging(store).look(NOW) or "")


def test_a_model_that_fails_takes_nudging_back(store: Store) -> None:
    promote(store)
    permits = nudging(store)
    assert permits.look(NOW, Health(100, 5)) is None
    assert "failed" in (permits.look(NOW, Health(100, 6)) or "")


def test_a_look_that_breaks_leaves_nothing_allowed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    promote(store)
    permits = nudging(store)
    permits.look(NOW)

    def broken(*_: object) -> None:
        raise ValueError("no such thing")

    monkeypatch.setattr(permitting, "identity", broken)
    with pytest.raises(ValueError, match="no such thing"):
        permits.look(NOW + 3600)
    assert not permits.allowed("s", NOW + 3600, None, None).structural


def test_a_demotion_counts_at_once_in_every_watcher(tmp_path: Path) -> None:
    async def script(place: Place) -> None:
        promote(place.store)
        async with place.watched(place.watcher(nudging(place.store))):
            await anyio.sleep(1)
            stalled(place, "ses_a")
            await until(lambda: place.fake.prompts, 10)
            review.demote(place.store, "a test")
            stalled(place, "ses_b")
            await anyio.sleep(600)

    place = play(tmp_path, script)
    assert [session for session, _ in place.fake.prompts] == ["ses_a"]
    (held,) = place.lines(Kind.HELD)
    assert "not promoted" in held


def test_what_is_held_out_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "HOLD_OUT", 1.0)

    async def script(place: Place) -> None:
        promote(place.store)
        async with place.watched(place.watcher(nudging(place.store))):
            await anyio.sleep(1)
            stalled(place)
            await anyio.sleep(600)

    place = play(tmp_path, script)
    assert not place.fake.prompts
    (held,) = place.lines(Kind.HELD)
    assert "held out" in held
