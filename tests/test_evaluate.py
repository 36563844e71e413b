"""Evaluations: what is decided and by which numbers, what is counted, and when it is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from auditor.calibration import Calibration, Calibrations
from auditor.errors import ConfigError, NotEnough
from auditor.evaluating import trust
from auditor.evaluating.estimates import Cohort
from auditor.evaluating.evaluate import Group
from auditor.evaluating.judges import SHOWN, WRONG, ranking, thinned
from auditor.evaluating.opinions import opinions
from auditor.evaluating.probabilities import drifted, levelled
from auditor.evaluation import Check, Estimate, Evaluation, Judge
from auditor.fitting import fit
from auditor.fitting.crossfit import data
from auditor.fitting.labelled import Examples
from auditor.statistics import ranks, scores
from tests.evaluation_words import (
    ASKED,
    OPEN,
    PROVED,
    calibration,
    document,
    evaluation,
    examples,
    line,
    plain,
)


@pytest.fixture
def found(tmp_path: Path) -> Examples:
    return examples(tmp_path, plain())


def judge(found: tuple[Judge, ...], name: str) -> Judge:
    return next(each for each in found if each.name == name)


BY_LENGTH = Calibrations(plain=calibration({"reply_length": -2.0}))


def test_proofs_decide_first_and_the_threshold_decides_the_rest(found: Examples) -> None:
    by = Calibrations(plain=calibration({"reply_length": -2.0}, threshold=0.0))
    said = opinions(found.examples, by)
    for example, nudge in zip(found.examples, said.nudge, strict=True):
        proof = {PROVED: True, ASKED: False}.get(example.reply or "")
        assert nudge is (True if proof is None else proof)
    strict = opinions(
        found.examples, Calibrations(plain=calibration({"asks": -2.0}, threshold=1.0))
    )
    assert sum(strict.nudge) == sum(example.reply == PROVED for example in found.examples)


def test_without_a_calibration_only_proofs_nudge_and_nothing_is_a_probability(
    found: Examples,
) -> None:
    made = evaluation(found)
    assert (made.scores, made.risk_coverage, made.drift, made.threshold) == (None,) * 4
    assert made.calibration is None
    ours, sieve = judge(made.judges, "turn auditor"), judge(made.judges, "sieve alone")
    assert (ours.recall, ours.auc) == (sieve.recall, sieve.auc)
    assert {check.state for check in made.checks if check.name == "probabilities"} == {"REFUSED"}


def test_the_numbers_are_those_of_the_labels(found: Examples) -> None:
    made = evaluation(found, BY_LENGTH)
    yes = [example for example in found.examples if example.right]
    assert (made.n, made.yes, made.residue, made.groups) == (80, len(yes), 40, 11)
    ours, silent = judge(made.judges, "turn auditor"), judge(made.judges, "always silent")
    assert ours.recall.value == pytest.approx(20 / len(yes), abs=1e-6)
    assert (ours.wrong.value, ours.right.value) == (0.0, 1.0)
    assert (silent.recall.value, silent.wrong.value, silent.right.value) == (0.0, 0.0, None)
    y = [float(example.right) for example in found.examples]
    p = [BY_LENGTH.plain.apply(example.features) for example in found.examples]  # type: ignore[union-attr]
    assert made.scores is not None
    assert made.scores.log_loss.value == pytest.approx(scores.log_loss(y, p), abs=1e-6)
    assert made.scores.brier.value == pytest.approx(scores.brier(y, p), abs=1e-6)
    assert ours.auc is not None
    assert ours.auc.value == pytest.approx(ranks.auc(y, p), abs=1e-6)
    for wrong in WRONG:
        at = ranks.recall_at(y, p, None, wrong)
        assert ours.recall_at[str(wrong)].value == pytest.approx(at, abs=1e-6)
    parts = scores.corp(y, p)
    assert parts is not None
    assert made.scores.miscalibration.value == pytest.approx(parts.mcb, abs=1e-6)
    assert made.scores.reliability is not None
    assert sum(made.scores.reliability.histogram) == 80


def test_weights_count_turns_and_equal_weights_change_nothing(tmp_path: Path) -> None:
    once = document(evaluation(examples(tmp_path, plain()), BY_LENGTH))
    thrice = document(evaluation(examples(tmp_path, plain(weight=3.0)), BY_LENGTH))
    for made in (once, thrice):
        made.pop("rows")
    assert once == thrice
    lines = [
        line(1, "yes", PROVED, weight=3.0),
        line(2, "yes", OPEN),
        line(3, "no", ASKED),
        line(4, "no", OPEN),
    ]
    heavy = evaluation(examples(tmp_path, lines))
    assert heavy.judges[0].recall.value == 0.75
    assert heavy.effective_n == 3.0  # (3+1+1+1)² / (9+1+1+1)
    assert any("sampling weights" in note for note in heavy.notes)


def test_the_same_turns_give_the_same_document_in_whatever_order(tmp_path: Path) -> None:
    first = document(evaluation(examples(tmp_path, plain()), BY_LENGTH))
    again = document(evaluation(examples(tmp_path, plain()), BY_LENGTH))
    assert first == again
    turned = document(evaluation(examples(tmp_path, plain()[::-1]), BY_LENGTH))
    assert turned == first


def said(made: Evaluation) -> dict[str, float | None]:
    return {row.turn: row.probability for row in made.rows}


def applied_to(made: Calibration, found: Examples) -> dict[str, float]:
    return {example.id: made.apply(example.features) for example in found.examples}


def test_a_calibration_of_the_same_labels_is_cross_fitted(tmp_path: Path) -> None:
    lines = plain(120)
    found = examples(tmp_path, lines)
    made = fit.fitted(found.examples, name="same", created="", description="")
    crossed = evaluation(found, Calibrations(plain=made))
    assert crossed.cross_fitted
    assert any("cross-fitted" in note for note in crossed.notes)
    names = [example.id for example in found.examples]
    expected = dict(zip(names, fit.cross_fitted(found.examples), strict=True))
    assert said(crossed) == pytest.approx(expected, abs=1e-6)
    assert expected != pytest.approx(applied_to(made, found), abs=1e-6)
    other = examples(tmp_path, [line(0, "no", PROVED), *lines[1:]])  # one label is another
    assert fit.digest(data(other.examples)) != made.labels
    applied = evaluation(other, Calibrations(plain=made))
    assert not applied.cross_fitted
    assert said(applied) == pytest.approx(applied_to(made, other), abs=1e-6)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([line(1, "no", PROVED), line(2, "no", OPEN)], "all 2 labelled turns deserve silence"),
        ([line(1, "yes", PROVED)], "all 1 labelled turns deserve a nudge"),
        ([line(1, None, PROVED), line(2, "unsure", OPEN)], "no turn is labelled"),
    ],
    ids=["no nudge", "no silence", "no label"],
)
def test_an_empty_class_is_refused(tmp_path: Path, lines: list[str], said: str) -> None:
    with pytest.raises(NotEnough, match=said):
        evaluation(examples(tmp_path, lines))


def test_probabilities_that_are_all_equal_are_refused(found: Examples) -> None:
    same = calibration(steps={})
    with pytest.raises(NotEnough, match=r"by-hand gives all 80 turns the same probability, 0\.26"):
        evaluation(found, Calibrations(plain=same))


def test_slices_hide_what_is_too_few_and_name_what_is_missing(tmp_path: Path) -> None:
    lines = [line(n, "yes" if n % 3 else "no", OPEN, reason="many") for n in range(SHOWN)]
    lines += [line(50 + n, "no", OPEN, reason="few") for n in range(SHOWN - 1)]
    lines += [line(90, "no", OPEN)]
    made = evaluation(examples(tmp_path, lines), by=("reason",))
    rows = {row.name: row for row in made.slices}
    assert {name: row.n for name, row in rows.items()} == {"many": 15, "few": 14, "not said": 1}
    assert rows["many"].recall.value == 0.0
    assert (rows["few"].wrong.value, rows["not said"].wrong.value) == (None, None)


def test_an_unknown_slice_is_an_error(found: Examples) -> None:
    with pytest.raises(ConfigError, match=r"--by colour: expected some of harness, model, reason"):
        evaluation(found, by=("harness", "colour"))


def test_detectors_are_held_to_the_labels(tmp_path: Path) -> None:
    lines = [line(n, "yes" if n else "no", PROVED) for n in range(4)] + [line(9, "no", ASKED)]
    rows = {row.detector: row for row in evaluation(examples(tmp_path, lines)).detectors}
    announced = rows["announced_action"]
    assert (announced.fired, announced.settled) == (4, 4)
    assert (announced.right.value, announced.settled_right.value) == (0.75, 0.75)
    assert rows["question_to_user"].right.value == 1.0


def test_sessions_can_be_the_groups(found: Examples) -> None:
    made = evaluation(found, group=Group.SESSION)
    assert (made.groups, made.grouped_by) == (20, "session")
    assert {row.group for row in made.rows} == {f"s{n}" for n in range(20)}


def test_mistakes_are_the_worst_ones_and_show_texts_only_when_asked(found: Examples) -> None:
    by = Calibrations(plain=calibration({"calls": 1.0}, threshold=0.2))
    made = evaluation(found, by, mistakes=3)
    assert len(made.mistakes) == 3
    assert [each.right for each in made.mistakes] == [False] * 3  # wrong nudges cost more
    assert {each.reply for each in made.mistakes} == {None}
    shown = evaluation(found, by, mistakes=1, texts=True).mistakes[0]
    assert shown.reply is not None
    assert shown.reply.startswith("The parser has")
    assert evaluation(found, by, mistakes=0).mistakes == ()


def test_a_ranking_of_one_class_is_undefined() -> None:
    assert set(ranking(np.zeros(3), np.arange(3.0), np.ones(3)).values()) == {None}


def test_thinned_curves_keep_their_ends() -> None:
    assert thinned(3) == [0, 1, 2]
    many = thinned(1000)
    assert (len(many), many[0], many[-1]) == (200, 0, 999)


def test_levelled_values_are_distributed_as_the_weighted_ones() -> None:
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 5.0])
    assert levelled(values, weights, 8).tolist() == [1, 1, 2, 2, 2, 2, 2, 3]


def test_drift_is_seen_where_there_is_some_and_not_where_there_is_none() -> None:
    random = np.random.default_rng(3)
    before, cohort = random.random(500), Cohort(np.zeros(200), np.ones(200), ["a"] * 200)
    deciles = tuple(np.quantile(before, np.arange(1, 10) / 10).tolist())
    made = calibration(reference=deciles)
    same, other = (drifted(made, cohort, p) for p in (random.random(200), random.random(200) ** 3))
    assert same is not None
    assert other is not None
    assert (same.psi or 1) <= (same.limit or 0) < (other.psi or 0)
    assert drifted(calibration(reference=(0.5,) * 9), cohort, random.random(200)) is None
    assert drifted(calibration(), cohort, random.random(200)) is None


LIMIT = [
    ("the whole interval within", Estimate(0.01, 0.0, 0.02, 9), "PASS"),
    ("only the number within", Estimate(0.01, 0.0, 0.03, 9), "WARN"),
    ("not even the number", Estimate(0.03, 0.02, 0.04, 9), "FAIL"),
    ("nothing counted", Estimate(None), "REFUSED"),
    ("no interval", Estimate(0.02, None, None, 1), "PASS"),
]


@pytest.mark.parametrize(
    ("found", "state"), [pytest.param(f, state, id=name) for name, f, state in LIMIT]
)
def test_a_limit(found: Estimate, state: str) -> None:
    assert trust.at_most("x", found, 0.02).state == state
    ends = [None if end is None else 1.0 - end for end in (found.value, found.high, found.low)]
    assert trust.at_least("x", Estimate(*ends, found.n), 0.98).state == state


HEADLINES = [
    ("PASS", "PASS", "PASS", "Trust it on turns like these: it finds"),
    ("PASS", "WARN", "PASS", "Trust it provisionally"),
    ("WARN", "PASS", "PASS", "Trust it provisionally"),
    ("PASS", "FAIL", "PASS", "Do not let it nudge"),
    ("PASS", "PASS", "FAIL", "Do not let it nudge"),
    ("PASS", "PASS", "REFUSED", "It nudges nothing here"),
    ("REFUSED", "PASS", "PASS", "Too few labels to say anything: 7 turns"),
]


@pytest.mark.parametrize(("labels", "wrong", "right", "begins"), HEADLINES)
def test_the_headline_says_whether_to_trust_it(
    labels: str, wrong: str, right: str, begins: str
) -> None:
    names = ((labels, trust.ENOUGH), (wrong, trust.SAFE), (right, trust.PRECISE))
    rows = [Check(state, name, "", "") for state, name in names]
    ours = Judge(name="ours", recall=Estimate(0.5), wrong=Estimate(0.0), right=Estimate(1.0))
    assert trust.headline(rows, ours, 7).startswith(begins)


def test_few_labels_refuse_the_headline(tmp_path: Path) -> None:
    made = evaluation(examples(tmp_path, plain(40)))
    assert made.headline.startswith("Too few labels to say anything: 40 turns")
    assert evaluation(examples(tmp_path, plain(80))).headline.startswith("Trust it")


def test_a_wrong_nudge_in_ten_is_not_trusted(tmp_path: Path) -> None:
    lines = [
        line(n, "no" if n % 20 == 4 else "yes" if n % 4 == 0 else "no", PROVED) for n in range(200)
    ]
    made = evaluation(examples(tmp_path, lines))
    states = {check.name: check.state for check in made.checks}
    assert (states[trust.SAFE], states[trust.PRECISE]) == ("FAIL", "FAIL")
    assert made.headline.startswith("Do not let it nudge")


def test_a_model_that_did_not_answer_all_is_said(found: Examples) -> None:
    made = evaluation(found, BY_LENGTH, model="some")
    (row,) = [check for check in made.checks if check.name == "answers of the model"]
    assert (row.state, row.found) == ("WARN", "40 residue turns not answered by some")


def test_a_model_calibration_speaks_only_where_its_model_answered(found: Examples) -> None:
    by = Calibrations(model=calibration(fingerprint={"model": "m"}))
    made = evaluation(found, by)
    assert {row.probability for row in made.rows} == {None}
    assert made.scores is None
    assert any("Some turns have no probability" in note for note in made.notes)


def test_words_of_a_check_are_closed(found: Examples) -> None:
    states = {check.state for check in evaluation(found, BY_LENGTH).checks}
    assert states <= {"PASS", "WARN", "FAIL", "REFUSED"}
    provisional = Calibrations(plain=calibration({"asks": -1.0}, provisional=True))
    assert "calibration" in {check.name for check in evaluation(found, provisional).checks}
    assert structs.asdict(evaluation(found).checks[0])["name"] == trust.ENOUGH
