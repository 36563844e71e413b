"""Promotion: every condition by itself, what is missing and how to get it; status in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from auditor.errors import ConfigError
from auditor.gating import canary, gate, review
from auditor.gating import show as show_gate
from auditor.gating.blind import Blind, Evidence
from auditor.gating.certify import progress
from auditor.gating.frozen import Candidate, Certificate, Frozen
from auditor.gating.promotion import FAIL, PASS, REFUSED, WARN, Facts, conditions
from auditor.gating.residue import Row
from auditor.gating.review import Reviewed, reviewed
from auditor.gating.states import Move, State, told
from auditor.gating.status import Status, status
from auditor.labels import Nudge, Source
from auditor.store import Store
from tests.gate_words import (
    DAY,
    FROZEN,
    IDENTITY,
    NOW,
    eligible,
    fill,
    frozen,
    labelled,
    said,
    spread,
)

SWITCH = Path("/somewhere/OFF")


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "a.db") as store:
        yield store


def rows(n: int, *, probability: float | None = None, seconds: float | None = 0.5) -> list[Row]:
    """Residue since the freeze, its probabilities spread from 0 to 1 unless one is given."""
    return [
        Row(
            f"{i}",
            f"s{i}",
            FROZEN + 1 + i,
            (i + 0.5) / n if probability is None else probability,
            "c1",
            seconds,
        )
        for i in range(n)
    ]


POLICY = Frozen(
    at=FROZEN,
    calibration="c1",
    identity=IDENTITY,
    candidates=(Candidate(0.95, 0.95, 0.05), Candidate(0.90, 0.90, 0.10)),
    scored=200,
    edges=(0.2, 0.4, 0.6, 0.8),
    counts=(40, 40, 40, 40, 40),
)
CERTIFICATE = Certificate(
    policy="p", threshold=0.9, quantile=0.9, n=20, wrong=0, evidence=20, alpha=0.2, risk=0.05,
    at=NOW - DAY,
)  # fmt: skip
LABELS = tuple(
    [Blind(f"{i}", FROZEN + i, 0.92, Nudge.YES) for i in range(24)]
    + [Blind("no", FROZEN + 30, 0.92, Nudge.NO), Blind("x", FROZEN + 31, 0.92, Nudge.NO)]
)
WELL = Facts(
    now=NOW,
    policy=POLICY,
    certificate=CERTIFICATE,
    evidence=Evidence(LABELS, 26, 0, {}),
    progress=progress(POLICY, LABELS),
    rows=rows(250),
    repeats=[(Nudge.YES, Nudge.YES)] * 15 + [(Nudge.NO, Nudge.NO)] * 5,
    differs=None,
    asks=True,
    deadline=4.0,
    off=None,
    ledger=None,
    promoting=True,
)


def test_all_is_well() -> None:
    assert {each.state for each in conditions(WELL)} == {PASS}
    assert [each.name for each in conditions(WELL)] == [
        "certificate", "age", "shadow", "agreement", "calibration", "drift", "errors", "deadline",
        "nudge rate", "identity", "canary", "ledger", "kill switch",
    ]  # fmt: skip


def unsure(kappa: int) -> list[tuple[Nudge, Nudge]]:
    """Twenty pairs, so many of them alike."""
    alike = [(Nudge.YES, Nudge.YES), (Nudge.NO, Nudge.NO)] * (kappa // 2)
    return alike + [(Nudge.YES, Nudge.NO)] * (20 - len(alike))


CALIBRATED_WRONG = Evidence(
    tuple(Blind(f"{i}", FROZEN, 0.97, Nudge.YES if i % 2 else Nudge.NO) for i in range(20)),
    20,
    0,
    {},
)


@pytest.mark.parametrize(
    ("name", "change", "state", "says"),
    [
        ("certificate", {"certificate": None}, REFUSED, "if none is wrong: auditor label"),
        ("age", {"now": NOW + 30 * DAY}, FAIL, "31.0 days"),
        ("age", {"rows": rows(2300), "certificate": structs.replace(CERTIFICATE, at=FROZEN)}, FAIL,
         "2,300 turns"),
        ("shadow", {"now": FROZEN + 5 * DAY}, REFUSED, "2.0 more days"),
        ("shadow", {"rows": rows(150)}, REFUSED, "50 more residue turns"),
        ("agreement", {"repeats": unsure(20)[:12]}, REFUSED, "8 more repeats: auditor label"),
        ("agreement", {"repeats": unsure(14)}, WARN, "kappa 0.4"),
        ("agreement", {"repeats": unsure(10)}, FAIL, "kappa 0."),
        ("agreement", {"repeats": [(Nudge.YES, Nudge.YES)] * 20}, WARN, "kappa —"),
        ("calibration", {"evidence": CALIBRATED_WRONG}, FAIL, "z +"),
        ("calibration", {"evidence": Evidence((), 0, 0, {})}, REFUSED, "— over 0 labels"),
        ("drift", {"rows": rows(250, probability=0.95)}, FAIL, "PSI"),
        ("drift", {"rows": []}, REFUSED, "—"),
        ("errors", {"rows": rows(250)[:-3] + rows(3, seconds=None)}, FAIL, "3 of 100 without"),
        ("errors", {"rows": rows(250)[:-2] + rows(2, seconds=None)}, PASS, "2 of 100 without"),
        ("errors", {"rows": rows(250, seconds=None), "asks": False}, PASS, "no model is asked"),
        ("deadline", {"rows": rows(250, seconds=4.1)}, FAIL, "4.1 s"),
        ("nudge rate", {"rows": rows(250, probability=0.5)}, FAIL, "certified but idle"),
        ("identity", {"differs": "code: x, now y"}, FAIL, "code: x, now y"),
        ("canary", {"canary": "no model"}, REFUSED, "no model"),
        ("ledger", {"ledger": "event 1 was changed"}, FAIL, "event 1"),
        ("kill switch", {"off": "AUDITOR_OFF is set"}, FAIL, "AUDITOR_OFF"),
    ],
)  # fmt: skip
def test_a_condition_by_itself(name: str, change: dict[str, Any], state: str, says: str) -> None:
    looked = {each.name: each for each in conditions(structs.replace(WELL, **change))}
    found = looked[name]
    assert found.state == state, found
    assert says in f"{found.found} {found.how}"
    assert bool(found.how) or found.state in {PASS, WARN}


def ready(store: Store) -> Reviewed:
    """A store in which everything is met: forty right labels, agreement, 300 turns since."""
    fill(store, spread(40), ended=FROZEN - DAY)
    name, policy = frozen(store)
    fill(store, spread(40), start=1000, ended=FROZEN + DAY)
    turns = labelled(store, name, policy, ["yes"] * 42 + ["no"] * 3)
    again = turns[-3:] + turns[:20]
    ids = store.draw("repeat", 1.0, name, again)
    store.add_labels(
        said(turn, "no" if turn in turns[-3:] else "yes", sample=sample)
        for turn, sample in zip(again, ids, strict=True)
    )
    return look(store)


def look(store: Store, now: float = NOW, **more: Any) -> Reviewed:
    given = {"off": None, "deadline": 4.0, "identity": IDENTITY} | more
    return reviewed(store, now, **given)


TAKEN = canary.taken(lambda _: None, lambda _, __: 0.5)


def test_promotion_prints_and_keeps_its_evidence(store: Store) -> None:
    found = ready(store)
    done = review.promote(store, found, TAKEN, "by command")
    assert done.promoted, done
    assert done.exit_code == 0
    event = store.events()[-1]
    assert event.kind == Move.PROMOTED
    assert [each["name"] for each in event.body["evidence"]["conditions"]] == [
        each.name for each in done.conditions
    ]
    past = told(store.events())
    assert past.state is State.NUDGE
    assert store.artefact(past.canary or "") is not None
    here = gate.Here(off=None, identity=IDENTITY, canary=None)
    assert gate.standing(store, NOW, here).may_nudge
    with pytest.raises(ConfigError, match="nudges already"):
        review.promote(store, look(store), TAKEN, "")


@pytest.mark.parametrize(
    ("more", "readings", "code"),
    [
        ({"identity": IDENTITY | {"code": "y"}}, TAKEN, 3),
        ({"off": "set"}, TAKEN, 1),
        ({"now": FROZEN + DAY * 6}, TAKEN, 4),
        ({}, None, 4),
    ],
)
def test_what_is_not_met_promotes_nothing_and_writes_nothing(
    store: Store, more: dict[str, Any], readings: canary.Readings | None, code: int
) -> None:
    ready(store)
    before = store.events()
    done = review.promote(store, look(store, **more), readings, "no model here")
    assert (done.promoted, done.exit_code) == (False, code)
    assert store.events() == before
    assert store.artefacts("certificate") == store.artefacts("canary") == []


def test_there_is_nothing_to_promote_before_a_policy(store: Store) -> None:
    with pytest.raises(ConfigError, match="auditor policy freeze"):
        review.promote(store, look(store), TAKEN, "")


def test_demote_by_hand_goes_back_to_shadow_and_may_return(store: Store) -> None:
    assert not review.demote(store, "x")
    review.promote(store, ready(store), TAKEN, "by command")
    assert review.demote(store, "on holiday")
    past = told(store.events())
    assert (past.state, past.why) == (State.SHADOW, "by command: on holiday")
    assert past.certificate is not None
    assert review.promote(store, look(store), TAKEN, "by command").promoted


def test_a_certificate_is_issued_while_shadowing_and_for_the_same_identity(store: Store) -> None:
    ready(store)
    assert review.certified(store, look(store, identity={"code": "y"})) is not None
    assert store.artefacts("certificate") == []
    review.certified(store, look(store))
    review.certified(store, look(store))
    assert len(store.artefacts("certificate")) == 1


def test_watching_counts_turns_and_sees_drift(store: Store) -> None:
    found = ready(store)
    assert found.facts is not None
    assert found.facts.certificate is not None
    policy = found.facts.policy
    at = structs.replace(found.facts.certificate, at=FROZEN)
    assert review.watching(policy, at, found.rows) == (400, None)
    fill(store, [0.99] * 400, start=5000, ended=NOW - DAY)
    passed, moved = review.watching(policy, at, look(store).rows)
    assert passed == 800
    assert "PSI" in (moved or "")


def asked(store: Store, now: float = NOW) -> Status:
    found = look(store, now)
    here = gate.Here(off=None, identity=IDENTITY, canary=None)
    standing = gate.standing(store, now, here)
    came = gate.outcomes(store, found.past)
    return status(found, standing, came, off=None, switch=SWITCH, ledger=store.verify_ledger())


def test_status_counts_what_is_missing_from_the_first_turn_on(store: Store) -> None:
    fill(store, list(spread(40))[:137])
    found = asked(store)
    assert (found.state, found.next, found.nudging) == (State.OBSERVE, State.SHADOW, False)
    assert "63 more residue turns" in found.missing[0]
    assert found.reason == "observing: no policy is frozen"


def test_status_names_every_number_until_nudging(store: Store) -> None:
    fill(store, spread(40), ended=FROZEN - DAY)
    name, policy = frozen(store)
    labelled(store, name, policy, ["yes"] * 20)
    found = asked(store, FROZEN + DAY)
    told_ = "\n".join(found.missing)
    assert "more labels (" in told_
    assert "if none is wrong: auditor label --queue certification" in told_
    assert "6.0 more days and 200 more residue turns" in told_
    assert "20 more repeats: auditor label --queue repeat" in told_


def test_status_after_everything_is_met_names_the_command(store: Store) -> None:
    ready(store)
    assert asked(store).missing == ("the command: auditor promote",)
    review.promote(store, look(store), TAKEN, "by command")
    found = asked(store)
    assert (found.nudging, found.missing) == (True, ())


def test_status_says_when_the_ranking_is_too_weak_and_asks_for_no_more_labels(store: Store) -> None:
    fill(store, [round(0.2 + i / 1000, 4) for i in range(400)])
    frozen(store)
    found = asked(store)
    assert found.ranking is not None
    assert "best achievable precision at 5% about 0.59" in found.ranking
    assert not any("auditor label --queue certification" in each for each in found.missing[:1])


def test_labels_are_believed_more_than_the_calibration(store: Store) -> None:
    fill(store, [round(0.2 + i / 1000, 4) for i in range(600)])
    name, policy = frozen(store, quantiles=(0.95,))
    labelled(store, name, policy, ["no"] + ["yes"] * 18)
    assert "best achievable" in (asked(store).ranking or "")
    labelled(store, name, policy, ["yes"])
    assert asked(store).ranking is None
    labelled(store, name, policy, ["no"] * 9)
    assert "more labels cannot certify that" in (asked(store).ranking or "")


def test_after_a_demotion_only_a_new_policy_leads_on(store: Store) -> None:
    review.promote(store, ready(store), TAKEN, "by command")
    past = told(store.events())
    store.append_event(Move.DEMOTED, {"policy": past.policy, "why": "wrong"})
    found = asked(store)
    assert (found.state, found.next, found.why) == (State.DEMOTED, State.SHADOW, "wrong")
    with pytest.raises(ConfigError, match="only a new policy"):
        review.promote(store, look(store), TAKEN, "")
    assert eligible(store, *frozen(store, at=NOW), look(store).rows)


def test_status_tells_what_came_of_the_nudges(store: Store) -> None:
    review.promote(store, ready(store), TAKEN, "by command")
    since = told(store.events()).since or 0.0
    turns = [row.turn for row in look(store).rows][:7]
    store.add_labels(
        said(turn, nudge, source=Source.HINDSIGHT, at=since + number, blind=False)
        for number, (turn, nudge) in enumerate(
            zip(turns, ["no", "yes", "unsure", "unsure", "unsure"], strict=False), 1
        )
    )
    found = asked(store)
    assert found.outcomes is not None
    assert (found.outcomes.known, found.outcomes.wrong, found.outcomes.unknown) == (2, 1, 3)
    lines = "\n".join(show_gate.status(found))
    assert "1 of 2 wrong, 3 unknown" in lines
    assert "more than half are unknown" in lines
