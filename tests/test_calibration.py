from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sklearn.linear_model import LogisticRegression

from auditor import artefacts, calibrations
from auditor.audit import audit
from auditor.calibration import (
    Calibration,
    Calibrations,
    checked,
    decoded,
    encoded,
    mismatch,
    sigmoid,
)
from auditor.errors import CalibrationMismatch, ConfigError
from auditor.features import FACTS, facts, features, fingerprint
from auditor.judge import Answer
from auditor.models import registry
from auditor.sieve import Settled, settled, sieve
from auditor.signals import Signal
from auditor.turn import Verdict
from tests.words import call, result, say, turn

SHIPPED = sorted(artefacts.folder("calibration").glob("*.json"))
PLAIN = calibrations.read(artefacts.folder("calibration") / "no-model.json")
NAMES = tuple(FACTS)
rows = st.lists(st.floats(-5, 5), min_size=len(NAMES), max_size=len(NAMES))


def answered(model: str) -> Answer:
    return Answer({"agent": -1.0, "user": -1.1, "nobody": -1.2}, 0.9, 0.1, 3, model, {}, 9, 1.0)


def with_numbers(**more) -> Calibration:
    return replace(PLAIN, **{"weights": {}, "steps": {}, "intercept": 0.0, **more})


@settings(max_examples=50, deadline=None)
@given(st.lists(rows, min_size=1, max_size=5), st.integers(0, 1000))
def test_it_applies_as_scikit_learn_does(tried, seed) -> None:
    random = np.random.default_rng(seed)
    x, y = random.normal(size=(40, len(NAMES))), random.integers(0, 2, 40)
    y[:2] = 0, 1
    model = LogisticRegression().fit(x, y)
    made = with_numbers(
        weights=dict(zip(NAMES, model.coef_[0].tolist(), strict=True)),
        intercept=float(model.intercept_[0]),
        slope=1.0,
        offset=0.0,
    )
    expected = model.predict_proba(np.array(tried))[:, 1]
    found = [made.apply(dict(zip(NAMES, row, strict=True))) for row in tried]
    assert np.abs(expected - found).max() < 1e-9


@given(st.floats(-1e6, 1e6))
def test_the_sigmoid_never_overflows(line) -> None:
    assert 0.0 <= sigmoid(line) <= 1.0
    assert sigmoid(line) + sigmoid(-line) == pytest.approx(1.0)


def test_what_it_does_not_weigh_and_what_is_missing_is_zero() -> None:
    made = with_numbers(weights={"calls": 2.0}, slope=1.0, offset=0.0)
    assert made.apply({}) == made.apply({"asks": 9.0}) == 0.5
    assert made.apply({"calls": 1.0}) > 0.5


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_calibration_is_canonical_and_fits_this_program(path) -> None:
    made = decoded(path.read_bytes())
    assert encoded(made) == path.read_bytes()
    assert made.id == path.stem
    assert mismatch(made) is None
    assert path.with_suffix(".md").is_file()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
@given(st.dictionaries(st.sampled_from(sorted(PLAIN.weights)), st.floats(0, 1)))
def test_a_proof_moves_a_probability_only_its_own_way(path, found) -> None:
    made = decoded(path.read_bytes())
    base = made.apply(found)
    assert made.apply(found | {"proved_nudge": 1.0}) >= base
    assert made.apply(found | {"proved_silence": 1.0}) <= base


@given(st.sampled_from(["announced_action", "dangling_ending", "open_todos", "cut_text"]))
def test_a_signal_for_a_nudge_never_lowers_it(name) -> None:
    subject = turn(say("The module is there."))
    signals = sieve(subject)
    more = signals | {name: Signal(1.0, Verdict.UNFINISHED, "x")}
    known = facts(subject)
    assert PLAIN.apply(features(more, None, None, known)) >= PLAIN.apply(
        features(signals, None, None, known)
    )


def test_the_calibration_of_the_model_that_answered_is_used() -> None:
    theirs = replace(PLAIN, id="theirs", fingerprint=fingerprint("abc"))
    both = Calibrations(plain=PLAIN, model=theirs)
    subject = turn(say("The module is there."))
    by = [
        found.calibration if (found := both.judged({}, None, answer, facts(subject))) else None
        for answer in (None, answered("abc"), answered("another"))
    ]
    assert by == ["no-model", "theirs", "no-model"]
    assert Calibrations().judged({}, None, None, facts(subject)) is None


def test_an_audit_takes_its_probability_from_it() -> None:
    subject = turn(call("ls"), result("a"), say("Now let me run the tests:"))
    made = audit(subject, calibrations=Calibrations(plain=PLAIN))
    signals = sieve(subject)
    expected = PLAIN.apply(features(signals, settled(signals), None, facts(subject)))
    assert made.probability == round(expected, 4)
    assert made.calibration == "no-model"


def test_a_proved_turn_is_likely() -> None:
    subject = turn(call("ls"), result("a"), say("Now let me run the tests:"))
    proof = Settled(Verdict.UNFINISHED, "announced_action")
    found = Calibrations(plain=PLAIN).probability(sieve(subject), proof, None, facts(subject))
    assert found is not None
    assert found[0] > 0.8


@pytest.mark.parametrize(
    ("changed", "model", "word"),
    [
        ({"fingerprint": {**PLAIN.fingerprint, "features": "turn-features/0"}}, None, "features"),
        ({"fingerprint": {**PLAIN.fingerprint, "detectors": "0"}}, None, "detectors"),
        ({"weights": {"phase_of_the_moon": 1.0}}, None, "phase_of_the_moon"),
        ({"fingerprint": fingerprint("abc")}, "def", "model"),
        ({"fingerprint": {**fingerprint("abc"), "question": "other/1"}}, "abc", "question"),
    ],
)
def test_one_that_was_fitted_for_something_else_is_refused(changed, model, word) -> None:
    with pytest.raises(CalibrationMismatch, match=word) as refused:
        checked(replace(PLAIN, **changed), "x", model)
    assert refused.value.exit_code == 3
    assert checked(PLAIN, "x", model) is PLAIN


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda body: body | {"slope": -1}, "slope"),
        (lambda body: body | {"threshold": 1.5}, "threshold"),
        (lambda body: body | {"schema": "calibration/9"}, "schema"),
        (lambda body: body | {"more": 1}, "more"),
        (lambda body: body | {"intercept": None}, "intercept"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, change, word) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(msgspec.json.encode(change(msgspec.to_builtins(PLAIN))))
    with pytest.raises(ConfigError, match=word):
        calibrations.named(str(path))


def test_a_number_that_is_none_is_refused() -> None:
    raw = encoded(PLAIN).replace(b'"offset": ', b'"offset": 1e999, "x": ', 1)
    with pytest.raises(ValueError, match=r"finite|range|unknown"):
        decoded(raw)
    with pytest.raises(ValueError, match="finite"):
        Calibration(**{**{f: getattr(PLAIN, f) for f in PLAIN.__struct_fields__}, "offset": np.nan})


def test_files_are_found_by_id_and_by_path(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("AUDITOR_CALIBRATIONS", str(tmp_path))
    mine = replace(PLAIN, id="mine")
    written = calibrations.write(mine, "# card\n", tmp_path)
    assert [path.name for path in written] == ["mine.json", "mine.md"]
    assert calibrations.named("mine") == calibrations.named(str(written[0])) == mine
    assert calibrations.named("no-model") == PLAIN
    assert calibrations.chosen("mine").plain == mine
    with pytest.raises(ConfigError, match="known: mine, no-model"):
        calibrations.named("yours")


def test_the_shipped_ones_are_for_the_shipped_model() -> None:
    digest = registry.default().sha256
    assert calibrations.shipped().plain == PLAIN
    assert calibrations.shipped().model is None
    found = calibrations.shipped(digest).model
    assert found is None or found.model == digest  # another llama.cpp: not calibrated
    assert calibrations.shipped("0" * 64).model is None
