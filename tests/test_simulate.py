"""What-ifs of a certificate: the numbers of the field notes, and those of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.errors import ConfigError
from auditor.evaluating.simulate import State, current, simulated
from auditor.gating.frozen import DELTA
from auditor.statistics.eprocess import delta_of, most_wrong
from auditor.store import Store
from tests.gate_words import FROZEN, NOW, fill, frozen, labelled, spread

# Share of right nudges and the median of labels, measured for the field notes (decisions.md 4.4).
TWENTY = [(0.98, 16), (0.95, 27), (0.92, 36), (0.90, 61), (0.88, 97), (0.85, 270)]
TEN = [(0.98, 34), (0.95, 125)]


@pytest.mark.parametrize(
    ("alpha", "precision", "labels"),
    [(0.2, *row) for row in TWENTY] + [(0.1, *row) for row in TEN],
)
def test_the_labels_that_a_certificate_takes(alpha: float, precision: float, labels: int) -> None:
    (found,) = simulated(State(alpha=alpha, delta=DELTA), [precision]).outlooks
    assert found.likely == labels
    assert found.surely is not None
    assert found.surely > labels


def test_a_first_attempt_may_take_half_of_the_risk() -> None:
    assert State().delta == delta_of(1, DELTA)
    assert simulated(State(), [0.98]).least == 20


def test_too_many_wrong_is_never() -> None:
    (found,) = simulated(State(), [0.8]).outlooks
    assert (found.likely, found.surely, found.likely_days) == (None, None, None)


def test_a_rate_makes_days_of_labels() -> None:
    (found,) = simulated(State(delta=DELTA, rate=4.0), [0.95]).outlooks
    assert (found.likely, found.likely_days) == (27, 6.8)


def test_labels_that_are_there_count() -> None:
    assert simulated(State(delta=DELTA, n=10, wrong=0), [0.95]).least == 6
    least = simulated(State(delta=DELTA, n=10, wrong=2), [0.95]).least or 0
    assert [most_wrong(10 + least + more, 0.2, 0.1) for more in (-1, 0)] == [1, 2]


@pytest.mark.parametrize(
    ("state", "precisions", "said"),
    [
        (State(), [1.5], "--precision 1.5"),
        (State(alpha=0.0), [0.9], "--alpha 0"),
        (State(delta=1.0), [0.9], "--delta 1"),
        (State(rate=0.0), [0.9], "--rate 0"),
        (State(), [float("nan")], "--precision nan"),
    ],
)
def test_numbers_that_are_none_are_refused(
    state: State, precisions: list[float], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        simulated(state, precisions)


def test_a_store_without_a_policy_begins_from_nothing(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        assert current(store) == State()


def test_a_frozen_policy_brings_its_own_numbers(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        fill(store, spread(40))
        name, policy = frozen(store)
        labelled(store, name, policy, ["yes"] * 8 + ["no"])
        found = current(store, NOW)
        assert (found.policy, found.alpha, found.delta) == (name, policy.alpha, policy.risk)
        assert (found.n, found.wrong, found.threshold) == (9, 1, policy.loosest)
        days = (NOW - FROZEN) / 86400.0
        assert found.rate == pytest.approx(40 / days, rel=0.05)
