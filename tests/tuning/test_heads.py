"""States and options -> a head: what it finds, what it may not see, when there is too little."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.backends.head import OPTIONS, Arithmetic, encoded
from auditor.errors import NotEnough
from auditor.tuning import heads
from auditor.tuning.heads import Taught

WIDTH = 12


def taught(n: int = 120, groups: int = 6, *, told: float = 2.0, seed: int = 3) -> Taught:
    """States that tell the option by their first numbers, `told` of their spread apart."""
    chance = np.random.default_rng(seed)
    options = np.arange(n) % 3
    states = chance.normal(size=(n, WIDTH))
    states[np.arange(n), options] += told
    return Taught(states, options, np.ones(n), [f"g{n % groups}" for n in chance.permutation(n)])


def test_it_finds_what_tells_the_options_apart() -> None:
    made = heads.fitted(taught(600), 0.01, budget=64, base="b" * 64)
    for option in range(3):
        row = np.array(made.weights[option])
        assert row.argmax() == option
    (logs,) = Arithmetic(made).logprobs(np.eye(WIDTH)[1] * 4)
    assert OPTIONS[int(logs.argmax())] == "user"


def test_weights_count() -> None:
    found, chance = taught(600), np.random.default_rng(5)
    wrong = found._replace(options=chance.permutation(found.options), weights=np.full(600, 1e-6))
    both = Taught(
        np.vstack([found.states, wrong.states]),
        np.concatenate([found.options, wrong.options]),
        np.concatenate([found.weights, wrong.weights]),
        [*found.groups, *wrong.groups],
    )
    alone = heads.fitted(found, 0.01, budget=64, base="b" * 64)
    beside = heads.fitted(both, 0.01, budget=64, base="b" * 64)
    assert np.allclose(alone.weights, beside.weights, atol=1e-3)


def test_the_same_examples_give_the_same_bytes() -> None:
    first, again = (heads.fitted(taught(), 0.01, budget=64, base="b" * 64) for _ in range(2))
    assert encoded(first) == encoded(again)
    assert all(float(f"{number:.6g}") == number for number in first.mean)


def test_no_group_is_judged_by_a_head_that_saw_it() -> None:
    """One group whose states lie: every other group's head is fooled by it, its own is not."""
    found = taught(300, 3)
    lies = np.array([group == "g1" for group in found.groups])
    turned = found._replace(options=np.where(lies, (found.options + 1) % 3, found.options))
    lost = heads.losses(turned, heads.crossed(turned, 0.01))
    assert lost[lies].mean() > np.log(3) > lost[~lies].mean()
    told = heads.losses(found, heads.crossed(found, 0.01))
    assert told[lies].mean() < 0.9


def test_the_strength_is_chosen_by_the_loss_on_unseen_groups() -> None:
    found = heads.chosen(taught(240))
    assert set(found.losses) == set(heads.STRENGTHS)
    assert found.strength == min(found.losses, key=found.losses.__getitem__)
    assert found.losses[found.strength] < found.base
    assert np.isclose(found.base, np.log(3))
    assert np.allclose(np.exp(found.logprobs).sum(axis=1), 1)
    noise = heads.chosen(taught(240, told=0.0))
    assert noise.strength == min(heads.STRENGTHS)


def test_an_option_that_is_never_seen_in_a_fold_is_never_said() -> None:
    found = taught()
    two = found.of(found.options != 2)
    made = heads.fitted(two, 0.01, budget=64, base="b" * 64)
    assert np.exp(Arithmetic(made).logprobs(two.states))[:, 2].max() < 1e-9
    right = Arithmetic(made).logprobs(two.states)[:, :2].argmax(axis=1) == two.options
    assert right.mean() > 0.8


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (taught(21), r"agent 7, user 7, nobody 7\); expected 8"),
        (taught(90, groups=1), "of one repository or session"),
    ],
)
def test_too_little_is_said(found: Taught, said: str) -> None:
    with pytest.raises(NotEnough, match=said):
        heads.chosen(found)
