"""A head: its file, its arithmetic, and a model that answers by it, on a tiny model."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec import structs

from auditor.backends._batch import Run
from auditor.backends._context import Context
from auditor.backends.head import EVIDENCE, OPTIONS, Arithmetic, Head, decoded, encoded, read
from auditor.backends.llama import Llama
from auditor.errors import JudgeUnavailable, QuestionTooLong
from auditor.evidence import Evidence, evidence
from auditor.judge import WHOSE_MOVE, Answer, Asked, Option, Question
from tests import tiny_model
from tests.words import call, pending, result, say, todo, turn

WIDTH, BUDGET = tiny_model.WIDTH, 96


def head(seed: int = 1, **more: Any) -> Head:
    """A head with random numbers, for the tiny model."""
    chance = np.random.default_rng(seed)
    fields = {
        "options": OPTIONS,
        "mean": tuple(chance.normal(size=WIDTH).tolist()),
        "scale": tuple(chance.uniform(0.5, 2, WIDTH).tolist()),
        "weights": tuple([tuple(row) for row in chance.normal(0, 0.3, (3, WIDTH)).tolist()]),
        "bias": tuple(chance.normal(size=3).tolist()),
        "evidence": EVIDENCE,
        "budget": BUDGET,
        "base": "a" * 64,
    }
    return Head(**(fields | more))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.write(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture(scope="module")
def model(path: Path) -> Iterator[Llama]:
    with Llama(path, "tuned", threads=2, head=head()) as opened:
        yield opened


def asked(reply: str = "I fixed it. All tests pass.") -> Asked:
    of = turn(call("bash", command="pytest"), result("ok"), say(reply), request="fix it")
    return Asked(WHOSE_MOVE, evidence(of))


def bits(answer: Answer) -> object:
    return structs.replace(answer, seconds=0)


OTHER = Asked(
    Question("q", 1, "Which?", (Option("x", "X"), Option("y", "Y")), system="Another one."),
    Evidence("", (), "one of them"),
)


# the file


def test_a_file_is_the_same_head_again_and_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "h.json").write_bytes(encoded(head()))
    assert read(tmp_path / "h.json") == head()
    assert encoded(read(tmp_path / "h.json")) == encoded(head())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"options": ("user", "agent", "nobody")}, "options"),
        ({"scale": (1.0,)}, "different lengths"),
        ({"scale": (0.0,) * WIDTH}, "above 0"),
        ({"bias": (0.0, 0.0)}, "a bias for each"),
        ({"weights": ((0.0,) * WIDTH,) * 2}, "rows of weights"),
        ({"budget": 4}, "budget"),
        ({"base": "abc"}, "base"),
        ({"schema": "head/2"}, "schema"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_no_head_is_refused(more: dict[str, Any], said: str) -> None:
    whole = msgspec.to_builtins(head())
    assert decoded(msgspec.json.encode(whole)) == head()
    with pytest.raises(ValueError, match=said):
        decoded(msgspec.json.encode(whole | more))


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        head(bias=(0.0, 0.0, math.inf))


def test_one_that_learned_from_other_evidence_is_refused(tmp_path: Path) -> None:
    (tmp_path / "h.json").write_bytes(encoded(head(evidence="turn-evidence/0")))
    with pytest.raises(JudgeUnavailable, match="learned from turn-evidence/0"):
        read(tmp_path / "h.json")


def test_a_file_that_is_not_there_or_no_json_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(JudgeUnavailable, match="cannot be read"):
        read(tmp_path / "none.json")
    (tmp_path / "h.json").write_text("{")
    with pytest.raises(JudgeUnavailable, match="is no head"):
        read(tmp_path / "h.json")


TOLD = [
    turn(say("Done."), request="fix it"),
    turn(call("bash", command="make"), result("broken", failed=True), say("Let me look:")),
    turn(call("read", path="a.py"), todos=(todo("write"), todo("test", "completed"))),
    turn(say("Shall I?"), finish="length", pending=(pending("permission", "bash"),)),
]


def test_who_changes_what_is_shown_changes_its_version() -> None:
    """A head learned from the old words: a new `EVIDENCE` refuses it until one is tuned anew."""
    shown = msgspec.json.encode([evidence(each) for each in TOLD])
    assert (EVIDENCE, hashlib.sha256(shown).hexdigest()[:16]) == (
        "turn-evidence/1",
        "8985ed843345763e",
    )


# the arithmetic


def test_it_is_a_softmax_of_a_standardised_line() -> None:
    """A slow oracle, number by number."""
    made, states = head(), np.random.default_rng(2).normal(size=(5, WIDTH))
    for state, logs in zip(states, Arithmetic(made).logprobs(states), strict=True):
        lines = [
            bias
            + math.fsum(
                w * (x - m) / s
                for w, x, m, s in zip(row, state, made.mean, made.scale, strict=True)
            )
            for row, bias in zip(made.weights, made.bias, strict=True)
        ]
        total = math.log(math.fsum(math.exp(line) for line in lines))
        assert np.allclose(logs, [line - total for line in lines], atol=1e-12)


# the answer


def test_the_answer_is_the_heads(model: Llama) -> None:
    answer = model.ask(asked())
    state = model.reading(asked(), BUDGET).state
    (logs,) = Arithmetic(head()).logprobs(state)
    assert answer.logprobs == dict(zip(OPTIONS, logs.tolist(), strict=True))
    assert math.isclose(sum(map(math.exp, answer.logprobs.values())), 1)
    assert (answer.coverage, answer.spread, answer.orders) == (None, None, 0)
    assert answer.model == "tuned"


def test_the_state_is_that_of_one_plain_prompt(model: Llama, path: Path) -> None:
    """A slow oracle: no saved prefix, all tokens from an empty memory, outputs for each of them."""
    found = model.reading(asked(), BUDGET)
    tokens = model.prompt(asked(), BUDGET)
    plain = Context(path, threads=2, size=512, sequences=256)  # as many outputs
    assert tokens == plain.tokens(model.shown(asked()), special=True)
    assert plain.lib.llama_set_embeddings(plain._handle, True) is None
    (logits,) = plain.decode(Run(0, 0, tokens, len(tokens)))
    state = np.ctypeslib.as_array(
        plain.lib.llama_get_embeddings_ith(plain._handle, len(tokens) - 1), (WIDTH,)
    ).copy()
    logs = logits.astype(float) - np.log(np.exp(logits.astype(float)).sum())
    plain.close()
    # Not to the last bit: attention over one token at a time rounds elsewhere.
    assert np.allclose(found.state, state, atol=0.02)
    assert np.std(state) > 0.2
    assert np.isclose(found.surprise, -logs[258], atol=0.05)


def test_it_asks_nothing(model: Llama) -> None:
    shown = model.shown(asked())
    assert shown.endswith("I fixed it. All tests pass.")
    assert WHOSE_MOVE.instructions not in shown
    answer = model.ask(asked())
    assert answer.tokens == len(model.prompt(asked(), BUDGET)) - len(
        model.decision.turn(model.decision.rendered(asked(), BUDGET))[0].tokens
    )


def test_other_questions_are_answered_by_letters(model: Llama, path: Path) -> None:
    answer = model.ask(OTHER)
    with Llama(path, "tuned", threads=2) as plain:
        assert bits(answer) == bits(plain.ask(OTHER))
    assert answer.orders == 2


def test_the_same_question_has_the_same_answer_whatever_was_asked_before(
    model: Llama, path: Path
) -> None:
    first = bits(model.ask(asked()))
    for number in range(1, 9):
        model.ask(asked(f"Reply {number}. " * 3 * number))
    model.ask(OTHER)
    with pytest.raises(JudgeUnavailable):
        model.ask(asked(), 0)
    assert bits(model.ask(asked())) == first
    with Llama(path, "tuned", threads=2, head=head()) as again:
        assert bits(again.ask(asked())) == first


def test_no_more_than_the_heads_budget_is_read(model: Llama) -> None:
    short, long = model.ask(asked("Read")), model.ask(asked("Read on. " * 1000))
    assert short.tokens < long.tokens <= BUDGET + len("\n<|im_end|>\n<|im_start|>assistant\n")
    with pytest.raises(QuestionTooLong):
        model.ask(Asked(WHOSE_MOVE, asked("Read on. " * 100).evidence, whole=True))


def test_a_head_of_another_model_is_refused(path: Path) -> None:
    wide = {"mean": (0.0,) * 8, "scale": (1.0,) * 8, "weights": ((0.0,) * 8,) * 3}
    with pytest.raises(JudgeUnavailable, match=f"reads 8 numbers, and the model has {WIDTH}"):
        Llama(path, "x", head=head(**wide))


def test_a_model_that_computes_no_numbers_gives_no_answer(tmp_path: Path) -> None:
    broken = tiny_model.write(tmp_path / "nan.gguf", nan=True)
    with Llama(broken, "x", head=head()) as model, pytest.raises(JudgeUnavailable, match="numbers"):
        model.ask(asked())


def test_a_file_that_is_no_adapter_is_refused(path: Path, tmp_path: Path) -> None:
    for wrong in (tmp_path / "none.gguf", path):
        with pytest.raises(JudgeUnavailable, match="adapter"):
            Llama(path, "x", adapter=wrong)
