"""Certificates: which labels count, how far they carry, and how often one is false."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from msgspec import structs

from auditor.errors import ConfigError, NotEnough
from auditor.gating import certify
from auditor.gating.blind import QUEUE, Blind, Evidence, gathered
from auditor.gating.certify import certificate, progress
from auditor.gating.freeze import calibration_of, failed
from auditor.gating.frozen import Candidate, Frozen, candidates, changed, checked, share
from auditor.gating.gate import current
from auditor.gating.residue import residue
from auditor.gating.states import State, told
from auditor.labels import Nudge, Source
from auditor.store import Store
from tests.gate_words import FROZEN, IDENTITY, eligible, fill, frozen, labelled, said, spread


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "a.db") as store:
        yield store


def counted(store: Store, name: str, policy: Frozen) -> Evidence:
    return gathered(store, name, policy, residue(store))


def test_the_thresholds_are_quantiles_of_the_residue_as_numbers(store: Store) -> None:
    fill(store, spread(40))
    name, policy = frozen(store)
    falling = sorted(spread(40), reverse=True)
    assert [each.threshold for each in policy.candidates] == [falling[19], falling[39]]
    assert [each.selected for each in policy.candidates] == [0.05, 0.1]
    past = told(store.events())
    assert (past.state, past.policy) == (State.SHADOW, name)
    fill(store, [0.999] * 100, start=1000)  # what comes later moves nothing
    assert frozen_again(store).candidates == policy.candidates


def frozen_again(store: Store) -> Frozen:
    policy, _ = current(store, told(store.events()))
    assert policy is not None
    return policy


def test_ties_are_selected_and_equal_thresholds_are_one() -> None:
    assert candidates([0.5] * 50 + [0.9] * 50, (0.95, 0.90)) == (Candidate(0.95, 0.9, 0.5),)


def test_settled_turns_sub_agents_and_other_calibrations_are_no_residue(store: Store) -> None:
    fill(store, [0.9] * 3, by="offer", opinion="settled")
    fill(store, [0.9] * 3, start=10, parent="p")
    fill(store, [0.9] * 3, start=20, calibration="other")
    assert len(residue(store)) == 3
    with pytest.raises(NotEnough, match="0 residue turns have a probability"):
        frozen(store)


def test_too_few_probabilities_are_counted_and_nothing_is_written(store: Store) -> None:
    fill(store, list(spread(20))[:188])
    with pytest.raises(NotEnough, match=r"188 residue turns .* 12 more: auditor scan"):
        frozen(store)
    assert store.events() == []
    assert store.artefacts("policy") == []


def test_equal_probabilities_give_no_threshold(store: Store) -> None:
    fill(store, [0.4] * 200)
    with pytest.raises(NotEnough, match=r"all 200 residue turns have the probability 0\.4"):
        frozen(store)


def test_the_calibration_is_the_one_that_gave_most_lately(store: Store) -> None:
    fill(store, [0.5] * 3, calibration="old")
    fill(store, [0.5] * 300, start=10, calibration="new")
    assert calibration_of(residue(store)) == "new"
    with pytest.raises(NotEnough, match="no residue turn has a calibrated probability"):
        calibration_of([])


@pytest.mark.parametrize(
    ("wrong", "n", "reached"),
    [(0, 15, False), (0, 16, True), (1, 25, False), (1, 30, True), (3, 40, False), (3, 50, True)],
)
def test_labels_certify_as_the_table_says(wrong: int, n: int, reached: bool) -> None:
    """decisions.md 4.4 (c) at alpha .20 and delta .10, wrong ones first."""
    policy = of(Candidate(0.95, 0.9, 0.05), delta=0.2)  # the first attempt takes half of it
    labels = [blind(number, 0.95, number >= wrong) for number in range(n)]
    found = progress(policy, labels)
    assert (found[0].passed is not None) is reached
    assert (certificate("p", policy, found) is not None) is reached
    if not reached:
        more = [blind(1000 + number, 0.95, True) for number in range(found[0].more)]
        assert certificate("p", policy, progress(policy, labels + more)) is not None
        assert certificate("p", policy, progress(policy, labels + more[:-1])) is None


def of(*found: Candidate, **more: object) -> Frozen:
    plain = Frozen(
        at=FROZEN,
        calibration="c1",
        identity=IDENTITY,
        candidates=found,
        scored=200,
        edges=(0.5,),
        counts=(100, 100),
    )
    return structs.replace(plain, **more)


def blind(number: int, probability: float, right: bool) -> Blind:
    nudge = Nudge.YES if right else Nudge.NO
    return Blind(f"{number:064x}", FROZEN + number, probability, nudge)


TWO = (Candidate(0.95, 0.9, 0.05), Candidate(0.90, 0.8, 0.10))


def test_the_loosest_candidate_reached_is_certified() -> None:
    labels = [blind(number, 0.85 if number % 2 else 0.95, True) for number in range(60)]
    found = certificate("p", of(*TWO), progress(of(*TWO), labels))
    assert found is not None
    assert found.threshold == 0.8


def test_no_candidate_is_skipped_for_having_few_labels() -> None:
    labels = [blind(number, 0.85, True) for number in range(60)]
    found = progress(of(*TWO), labels)
    assert [each.passed is None for each in found] == [True, False]
    assert certificate("p", of(*TWO), found) is None


def test_a_certificate_once_reached_is_not_lost_by_later_labels() -> None:
    policy = of(TWO[0])
    early = [blind(number, 0.95, True) for number in range(40)]
    first = certificate("p", policy, progress(policy, early))
    later = [blind(100 + number, 0.95, False) for number in range(20)]
    assert certificate("p", policy, progress(policy, early + later)) == first
    assert certificate("p", policy, progress(policy, later + early)) is None  # the control


def test_each_failed_attempt_takes_a_smaller_risk(store: Store) -> None:
    fill(store, spread(40))
    assert frozen(store)[1].risk == pytest.approx(0.05)
    assert frozen(store, at=FROZEN + 1.0)[1].attempt == 1  # nobody labelled under the first
    name, policy = frozen(store, at=FROZEN + 2.0)
    labelled(store, name, policy, ["no"] * 3)
    assert failed(store, told(store.events())) == 1
    assert frozen(store, at=FROZEN + 3.0)[1].risk == pytest.approx(0.10 / 6)


def test_a_certified_policy_is_no_failed_attempt(store: Store) -> None:
    fill(store, spread(40))
    name, policy = frozen(store)
    labelled(store, name, policy, ["yes"] * 40)
    found = certificate(name, policy, progress(policy, counted(store, name, policy).labels))
    assert found is not None
    past = told(store.events())
    assert certify.issue(store, past, found) == certify.issue(store, told(store.events()), found)
    assert [event.kind for event in store.events()] == ["gate.frozen", "gate.certified"]
    assert frozen(store, at=FROZEN + 1.0)[1].attempt == 1


def test_unsure_is_wrong(store: Store) -> None:
    fill(store, spread(40))
    name, policy = frozen(store)
    labelled(store, name, policy, ["unsure", "yes", "no"])
    assert [label.wrong for label in counted(store, name, policy).labels] == [True, False, True]


@pytest.mark.parametrize(
    ("sentence", "change"),
    [
        ("not blind", {"blind": False}),
        ("before the freeze", {"at": FROZEN - 1.0}),
        ("implicit", {"source": Source.IMPLICIT}),
        ("hindsight", {"source": Source.HINDSIGHT}),
        ("imported", {"source": Source.IMPORT}),
        ("not from the queue", {"sample": None}),
    ],
)
def test_a_label_does_not_count(store: Store, sentence: str, change: dict[str, object]) -> None:
    fill(store, spread(40))
    name, policy = frozen(store)
    first, second = eligible(store, name, policy, residue(store))[:2]
    one, two = store.draw(QUEUE, 1.0, name, [first, second])
    label = structs.replace(said(first, "yes", sample=one), **change)
    store.add_labels([label, said(second, "yes", sample=two)])
    found = counted(store, name, policy)
    assert [each.turn for each in found.labels] == [second], sentence


def test_a_turn_labelled_before_the_freeze_never_counts(store: Store) -> None:
    fill(store, spread(40))
    name, policy = frozen(store)
    turn = eligible(store, name, policy, residue(store))[0]
    store.add_labels([said(turn, "yes", at=FROZEN - 5.0)])
    (sample,) = store.draw(QUEUE, 1.0, name, [turn])
    store.add_labels([said(turn, "yes", sample=sample)])
    found = counted(store, name, policy)
    assert found.labels == ()
    assert found.ignored == {"the turn was labelled before the freeze": 1}
    assert turn not in eligible(store, name, policy, residue(store))


def test_a_session_counts_once_and_every_reason_is_named(store: Store) -> None:
    fill(store, spread(40))
    same = fill(store, [0.99, 0.98, 0.97], start=900, session="one")
    low = fill(store, [0.2], start=950)
    name, policy = frozen(store)
    ids = store.draw(QUEUE, 1.0, name, [*same, *low])
    store.add_labels(
        said(turn, "yes", sample=sample) for turn, sample in zip([*same, *low], ids, strict=True)
    )
    store.draw(QUEUE, 0.5, name, [eligible(store, name, policy, residue(store))[0]])
    found = counted(store, name, policy)
    assert [each.turn for each in found.labels] == same[:1]
    assert found.ignored == {
        "a second turn of its session": 2,
        "below every candidate threshold": 1,
        "drawn with another chance than the policy's": 1,
    }


def test_the_last_word_counts_and_adjudication_above_it(store: Store) -> None:
    fill(store, spread(40))
    name, policy = frozen(store)
    first, second = labelled(store, name, policy, ["yes", "yes"])
    store.add_labels(
        [
            said(first, "no"),
            said(second, "no", source=Source.ADJUDICATED),
            said(second, "yes"),
        ]
    )
    assert [label.nudge for label in counted(store, name, policy).labels] == ["no", "no"]


def test_labels_of_another_policy_do_not_count(store: Store) -> None:
    fill(store, spread(40))
    name, policy = frozen(store)
    labelled(store, name, policy, ["yes"] * 20)
    other, again = frozen(store, at=FROZEN + 1.0)
    assert counted(store, other, again).labels == ()
    assert len(counted(store, name, policy).labels) == 20


@pytest.mark.parametrize("bad", ["x", "", "0", "-5%", "60%", "nan"])
def test_what_is_no_share_is_refused(bad: str) -> None:
    assert share("5%", "--single") == pytest.approx(0.05)
    with pytest.raises(ConfigError, match="--single"):
        share(bad, "--single")


def test_risks_and_costs_are_checked() -> None:
    checked(0.1, 4.0)
    for delta, cost in ((0.0, None), (0.9, None), (float("nan"), None), (0.1, -1.0), (0.1, 0.0)):
        with pytest.raises(ConfigError):
            checked(delta, cost)


def test_a_change_of_identity_is_named() -> None:
    assert changed({"a": "1"}, {"a": "1"}) is None
    assert changed({"a": "1", "b": "2"}, {"a": "3"}) == "a: 1, now 3; b: 2, now —"


RUNS, LABELS = 120, 60


def certified_share(template: Path, run: Path, wrong: float, seed: int) -> float:
    """Run the real path again and again on a copy of a store; a certificate once it is there stays.

    That makes one look at the end the same as a look after every label.
    """
    rng, hits = random.Random(seed), 0  # noqa: S311 - a simulation
    for _ in range(RUNS):
        shutil.copy(template, run)
        with Store(run) as store:
            past = told(store.events())
            policy = frozen_again(store)
            nudges = ["no" if rng.random() < wrong else "yes" for _ in range(LABELS)]
            labelled(store, past.policy or "", policy, nudges)
            found = counted(store, past.policy or "", policy)
            assert len(found.labels) == LABELS
            hits += (
                certificate(past.policy or "", policy, progress(policy, found.labels)) is not None
            )
    return hits / RUNS


def test_false_certificates_are_no_more_than_the_risk(tmp_path: Path) -> None:
    template, run = tmp_path / "template.db", tmp_path / "run.db"
    with Store(template) as store:
        order = random.Random(1)  # noqa: S311 - a simulation
        fill(store, order.sample(list(spread(60)), 600))
        _, policy = frozen(store, delta=0.2)  # the first attempt's risk is half: 0.10
        assert policy.risk == pytest.approx(0.10)
        store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert certified_share(template, run, wrong=0.20, seed=2) <= 0.10
    assert certified_share(template, run, wrong=0.02, seed=3) >= 0.80  # the control
