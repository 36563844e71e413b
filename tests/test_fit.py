from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import typer
from msgspec.structs import replace
from typer.testing import CliRunner

from auditor.audit import audit
from auditor.calibration import decoded
from auditor.commands.fit import fit as command
from auditor.errors import ConfigError, NotEnough
from auditor.fitting import labelled, regression
from auditor.fitting.card import card
from auditor.fitting.crossfit import LOGISTIC, PLATT, READINGS, data, fitter, numbers, said
from auditor.fitting.fit import choice, cross_fitted, fitted
from auditor.fitting.measures import binned, chosen, deciles, loosest, measured
from auditor.judge import Answer
from auditor.labels import Label, Nudge, Source
from auditor.records import written
from auditor.statistics import ranks
from auditor.store import Store, address
from tests.words import call, result, say, turn

app = typer.Typer()
app.command()(command)

ENDS = {
    True: ("Now let me run the tests:", "Next I will add the module", "Now let me look at"),
    False: ("All tests pass.", "Shall I go on?", "The change is in."),
}


def line(number: int, *, yes: bool, group: str, text: str | None = None, **label) -> bytes:
    said_text = ENDS[yes][number % 3] if text is None else text
    made = turn(call("ls", n=number), result("a"), say(f"Part {number} is read. {said_text}"))
    made = type(made)(
        **{f: getattr(made, f) for f in made.__struct_fields__} | {"id": f"t{number}"}
    )
    given = {"nudge": "yes" if yes else "no", "weight": 1.0} | label
    return written(made, label=given, meta={"repo": group}) + b"\n"


def lines(yes: int, no: int, groups: int = 5, **more) -> list[bytes]:
    """So many labelled turns; every tenth one says the opposite of how it ends."""
    kinds = [True] * yes + [False] * no
    return [
        line(n, yes=kind, group=f"g{n % groups}", text=ENDS[kind == (n % 10 != 0)][n % 3], **more)
        for n, kind in enumerate(kinds)
    ]


def file(folder: Path, found: list[bytes]) -> Path:
    path = folder / "labelled.jsonl"
    path.write_bytes(b"".join(found))
    return path


def examples(folder: Path, found: list[bytes], judge=None) -> list[labelled.Example]:
    return labelled.from_records([file(folder, found)], judge=judge).examples


def made(found: list[labelled.Example], **more):
    return fitted(found, name="x", created="2026-12-01", description="Made up.", **more)


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("AUDITOR_CALIBRATIONS", str(tmp_path / "own"))
    monkeypatch.setenv("AUDITOR_DB", str(tmp_path / "none.db"))


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (lines(10, 19), "29 labels"),
        (lines(7, 40), "7 yes"),
        (lines(40, 0), "0 no"),
        (lines(20, 20, groups=1), "one repository or session"),
        (
            [line(n, yes=n % 2 == 0, group=f"g{n % 3}", text="So it is.") for n in range(40)],
            "same score",
        ),
    ],
    ids=["too few", "too few yes", "one class", "one group", "all alike"],
)
def test_too_little_is_refused_and_nothing_written(tmp_path: Path, found, word) -> None:
    done = CliRunner().invoke(app, [str(file(tmp_path, found)), "--out", str(tmp_path / "out")])
    assert done.exit_code == 4, done.output
    assert word in done.output
    assert not (tmp_path / "out").exists()
    with pytest.raises(NotEnough):
        cross_fitted(examples(tmp_path, found))


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (line(900, yes=True, group="g", nudge="perhaps"), r":41: the label says 'perhaps'"),
        (line(900, yes=True, group="g", weight=0), r":41: the label weighs 0"),
        (line(900, yes=True, group="g").replace(b'"weight":1.0', b'"weight":1e999'), r":41"),
        (line(3, yes=False, group="g3"), r":41: the turn 't3' has another label at .*:4;"),
    ],
    ids=["no known answer", "no weight", "infinite weight", "two labels"],
)
def test_a_bad_label_is_refused_with_its_line(tmp_path: Path, bad, word) -> None:
    path = file(tmp_path, [*lines(20, 20), bad])
    if b"1e999" in bad:  # JSON that no float holds is no record: counted, not guessed
        found = labelled.from_records([path])
        assert len(found.examples) == 40
        assert len(found.unread) == 1
        return
    with pytest.raises(ConfigError, match=word):
        labelled.from_records([path])
    done = CliRunner().invoke(app, [str(path), "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert not (tmp_path / "out").exists()


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ConfigError, match="nowhere"):
        labelled.from_records([Path("nowhere.jsonl")])


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    some = lines(20, 20)
    unlabelled = written(turn(say("So.")), meta={}) + b"\n"
    unsure = line(800, yes=True, group="g", nudge="unsure")
    found = labelled.from_records([file(tmp_path, [*some, some[3], unsure, unlabelled, b"{]\n"])])
    assert len(found.examples) == 40
    assert (found.unsure, found.unlabelled, found.duplicates) == (1, 1, 1)
    assert len(found.unread) == 1
    assert found.unread[0].startswith(f"{tmp_path}/labelled.jsonl:44: not a turn record")


def test_few_labels_only_scale_the_score(tmp_path: Path) -> None:
    some = made(examples(tmp_path, lines(20, 30)))
    assert some.kind == "platt"
    assert some.provisional
    assert list(some.weights) == ["score_logit"]
    assert "Provisional" in card(some)
    assert some.counts.labels == 50
    assert all(0 < point < 1 for point in some.reference)


def test_the_same_labels_give_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    path, out = file(tmp_path, lines(60, 80)), tmp_path / "out"
    arguments = ["--out", str(out), "--date", "2026-12-01", "--json"]
    first = CliRunner().invoke(app, [str(path), *arguments])
    file(tmp_path, lines(60, 80)[::-1])
    second = CliRunner().invoke(app, [str(path), *arguments])
    assert first.exit_code == second.exit_code == 0, first.output
    assert first.stdout == second.stdout
    (written_file,) = out.glob("*.json")
    assert written_file.read_text() == first.stdout
    read = decoded(first.stdout.encode())
    assert not read.provisional
    assert read.metrics["auc"].value is not None
    assert json.loads(first.stdout)["counts"]["groups"] == 5
    assert f"# Calibration `{read.id}`" in written_file.with_suffix(".md").read_text()


def test_no_turn_is_judged_by_its_own_group() -> None:
    groups = [f"g{n % 7}" for n in range(70)]

    def fit(train):
        seen = {groups[row] for row in train}
        assert len(seen) < 7

        def judge(rows):
            assert not seen & {groups[row] for row in rows}
            return np.zeros(len(rows))

        return judge

    assert not np.isnan(regression.crossed(groups, fit)).any()


def test_what_is_stored_says_what_was_fitted(tmp_path: Path) -> None:
    found = data(examples(tmp_path, lines(60, 80), judge=telling))
    every = np.arange(len(found.y))
    for plan in (PLATT, LOGISTIC, LOGISTIC._replace(steps=(*LOGISTIC.steps, *READINGS[:3]))):
        fit = fitter(found, plan)(every)
        stored = numbers(plan, fit)
        x, columns = found.columns(plan.line), found.columns(plan.steps)
        line = stored.slope * (
            stored.intercept + x @ [stored.weights.get(name, 0.0) for name in plan.line]
        )
        line += stored.offset + columns @ [stored.steps[name] for name in plan.steps]
        line += found.answered * stored.steps.get("answered", 0.0)
        centred = (columns - fit.means) / fit.units
        centred[np.ix_(~found.answered, [name in READINGS for name in plan.steps])] = 0
        expected = fit.scale.of(fit.line.of(x), centred)
        assert np.abs(1 / (1 + np.exp(-line)) - expected).max() < 1e-9


def test_no_weight_points_against_its_sense_and_an_unseen_detector_keeps_it() -> None:
    random = np.random.default_rng(4)
    y = (random.random(300) < 0.4).astype(float)
    against, for_it, unseen = -y + random.normal(0, 0.3, 300), y + random.normal(0, 0.3, 300), 0 * y
    x = np.column_stack([unseen, unseen, against, for_it])
    found = regression.evidence(x, y, np.ones(300), np.array([1.0, -1.0, 1.0, 1.0]), 2)
    assert found.weights[0] > 0 > found.weights[1]
    assert found.weights[2] == 0.0
    assert found.weights[3] > 1


def telling(subject) -> Answer:
    """A model whose surprise tells how the turn ends, of even numbers more loudly."""
    surprise = 12.0 if subject.reply.endswith((":", "module", "at")) else 2.0
    return Answer(
        {"agent": -1.0, "user": -1.1, "nobody": -1.2},
        0.9,
        0.1,
        3,
        "m",
        {"end_of_turn_surprise": surprise},
        9,
        1.0,
    )


def silent_examples(tmp_path: Path, judge) -> list[labelled.Example]:
    """Turns that no detector tells apart; some group's labels follow a word only the model sees."""
    some = [
        line(n + 1000, yes=n % 3 == 0, group=f"g{n % 8}", text=f"The part {'abc'[n % 3]} is so.")
        for n in range(240)
    ]
    some += lines(20, 20)
    return examples(tmp_path, some, judge)


def test_what_the_model_says_is_kept_only_where_it_helps(tmp_path: Path) -> None:
    def knows(subject):
        sure = 12.0 if "part a" in subject.reply else 2.0
        base = telling(subject)
        return Answer(base.logprobs, 0.9, 0.1, 3, "m", {"end_of_turn_surprise": sure}, 9, 1.0)

    def guesses(subject):
        sure = float(hashlib.sha256(subject.id.encode()).digest()[0] % 13)
        base = telling(subject)
        return Answer(base.logprobs, 0.9, 0.1, 3, "m", {"end_of_turn_surprise": sure}, 9, 1.0)

    helped = choice(data(silent_examples(tmp_path, knows)), model=True)
    assert "end_of_turn_surprise" in helped.plan.steps
    assert any("kept" in note for note in helped.notes)
    useless = choice(data(silent_examples(tmp_path, guesses)), model=True)
    assert "end_of_turn_surprise" in useless.without
    assert any("left out" in note for note in useless.notes)


def test_cross_fitted_gives_one_probability_for_each_example(tmp_path: Path) -> None:
    found = examples(tmp_path, lines(20, 30))
    said_in_order = cross_fitted(found)
    backwards = cross_fitted(found[::-1])
    assert said_in_order == backwards[::-1]
    ordered = data(found)
    assert sorted(said_in_order) == sorted(said(ordered, PLATT).tolist())


Y = np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0] + [0.0] * 200)
P = np.concatenate([np.linspace(0.9, 0.8, 10), np.linspace(0.4, 0.01, 210)])
ALL, NONE = np.ones(220, dtype=bool), np.zeros(220, dtype=bool)


def test_the_threshold_is_the_loosest_that_is_right_enough() -> None:
    threshold, how = chosen(Y, P, np.ones(220), ALL, NONE)
    over = threshold <= P
    assert Y[over].mean() >= 0.8
    assert over.sum() < 20
    assert "chosen on these very labels" in how


def test_without_such_a_threshold_no_residue_turn_is_nudged() -> None:
    threshold, how = chosen(1 - Y, P, np.ones(220), ALL, NONE)
    assert threshold == 1.0
    assert "no residue turn is nudged" in how
    spent = Y == 0  # proofs nudge wrongly already
    assert chosen(Y, P, np.ones(220), ALL, spent)[0] == 1.0


@pytest.mark.parametrize("wrong", [0.005, 0.02, 0.1, 0.5])
def test_the_loosest_threshold_reaches_the_largest_recall(wrong) -> None:
    random = np.random.default_rng(5)
    y = (random.random(300) < 0.3).astype(float)
    p, w = np.round(random.random(300) * 0.5 + y * 0.3, 2), random.uniform(1, 5, 300)
    cut = loosest(y, p, w, wrong)
    assert cut is not None
    recall = (w * y)[p >= cut].sum() / (w * y).sum()
    assert recall == pytest.approx(ranks.recall_at(y, p, w, wrong))
    assert (w * (1 - y))[p >= cut].sum() <= wrong * (w * (1 - y)).sum() + 1e-9


def test_an_empty_class_has_no_ranking_and_no_number_is_made_up() -> None:
    found = measured(np.zeros(12), np.full(12, 0.2), np.ones(12), [f"g{n}" for n in range(12)])
    assert found["auc"].value is None
    assert found["brier"].value == pytest.approx(0.04)
    assert deciles(np.array([]), np.array([])) == ()


def test_the_table_of_reliability_holds_every_turn_once() -> None:
    found = binned(Y, P, np.ones(220))
    assert sum(row.n for row in found) == 220
    assert all(row.low <= row.said <= row.high for row in found)


def test_labels_of_the_store_count_by_their_source(tmp_path: Path) -> None:
    subject = turn(call("ls"), result("a"), say("Now let me run the tests:"))
    with Store(tmp_path / "a.db") as store:
        store.add(subject, audit(subject))
        store.flush()
        name = address(subject).hex()
        store.add_labels([Label(turn=name, nudge=Nudge.NO, source=Source.IMPLICIT, at=1.0)])
        assert labelled.from_store(store).examples == []
        store.add_labels([Label(turn=name, nudge=Nudge.NO, source=Source.HINDSIGHT, at=1.5)])
        assert [each.weight for each in labelled.from_store(store).examples] == [0.5]
        store.add_labels([Label(turn=name, nudge=Nudge.YES, source=Source.HUMAN, at=2.0)])
        found = labelled.from_store(store)
    (example,) = found.examples
    assert example.right
    assert example.weight == 1.0
    assert example.features["calls"] > 0
    assert example.turn is None


def test_an_audit_that_keeps_no_facts_is_not_fitted_on(tmp_path: Path) -> None:
    subject = turn(call("ls"), result("a"), say("Now let me run the tests:"))
    with Store(tmp_path / "a.db") as store:
        store.add(subject, replace(audit(subject), facts={}))
        store.flush()
        name = address(subject).hex()
        store.add_labels([Label(turn=name, nudge=Nudge.YES, source=Source.HUMAN, at=2.0)])
        found = labelled.from_store(store)
    assert found.examples == []
    assert "without its facts" in found.unread[0]


def test_without_data_and_store_it_says_so() -> None:
    done = CliRunner().invoke(app, [])
    assert done.exit_code == 1
    assert "no store" in done.output


@pytest.mark.parametrize(
    "arguments", [["--id", "Not/A/Name"], ["--date", "yesterday"], ["--model", "no-such-model"]]
)
def test_what_cannot_be_used_is_said_before_anything_is_done(tmp_path: Path, arguments) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(
        app, [str(file(tmp_path, lines(20, 20))), "--out", str(out), *arguments]
    )
    assert done.exit_code == 2, done.output
    assert arguments[1] in done.output
    assert not out.exists()
