"""The recipe of the shipped head: whose turns it learns from, its file, its numbers, its card."""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, SimpleNamespace
from typing import Self

import numpy as np
import pytest

from auditor.evidence import Evidence
from auditor.fitting.labelled import Example as Labelled
from auditor.fitting.labelled import from_records
from auditor.records import Record, record, written
from auditor.tuning.examples import OPTIONS, Example
from tests.words import say, turn

RECIPE = Path(__file__).parents[2] / "models" / "recipe"
NAMES = ("rows", "states", "card", "lifts", "measure", "build", "ablate")


@pytest.fixture(scope="module")
def recipe() -> Iterator[dict[str, ModuleType]]:
    """The scripts, as they find each other: beside one another, under plain names."""
    before = list(sys.path)
    sys.path.insert(0, str(RECIPE))
    try:
        yield {name: importlib.import_module(name) for name in NAMES}
    finally:
        sys.path[:] = before
        for name in NAMES:
            sys.modules.pop(name, None)


def shared(folder: Path, licences: list[str]) -> Path:
    """A folder like the shared one: turn n is of repository n, under the n-th licence."""
    turns = [written(turn(say("Done."), request=str(n)), meta={"repo": str(n)}) for n in range(9)]
    rows = [json.loads(row) | {"id": f"t{n}"} for n, row in enumerate(turns)]
    with gzip.open(folder / "records.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows[: len(licences)])
    with gzip.open(folder / "turns.jsonl.gz", "wt") as out:
        for n in range(len(licences)):
            out.write(json.dumps({"id": f"t{n}", "source_index": 100 + n}) + "\n")
    index = [{"idx": 100 + n, "licence": found} for n, found in enumerate(licences)]
    (folder / "raw-index.jsonl").write_text("\n".join(map(json.dumps, index)) + "\n")
    return folder


def test_only_turns_under_a_permissive_licence_are_learned_from(
    tmp_path: Path, recipe: dict[str, ModuleType]
) -> None:
    said = ["MIT", "none", "Apache-2.0", "LicenseRef-proprietary", "NOASSERTION", "GPL-3.0"]
    place, rows = shared(tmp_path, said), recipe["rows"]
    found, licence = rows.read(place), rows.licences(place)
    assert len(found) == len(said)
    assert [row.id for row in rows.permissive(found, licence)] == ["t0", "t2"]


def test_a_turn_that_no_index_knows_is_not_learned_from(recipe: dict[str, ModuleType]) -> None:
    rows = recipe["rows"]
    assert rows.permissive([_record("t0")], {}) == []
    assert len(rows.permissive([_record("t0")], {"t0": "MIT"})) == 1


def _record(name: str) -> Record:
    return record(json.dumps({"id": name}).encode())


def drawn(seed: int, n: int = 240, size: int = 6) -> tuple[np.ndarray, list[str]]:
    """States of three clouds, and which cloud each is of; one number in it is constant."""
    random = np.random.default_rng(seed)
    options = [OPTIONS[k % 3] for k in range(n)]
    middle = np.eye(3, size) * 3
    states = np.array([middle[OPTIONS.index(option)] for option in options])
    states = states + random.normal(size=states.shape)
    states[:, -1] = 7.0
    return states, options


def examples(options: list[str], groups: list[str]) -> list[Example]:
    shown = Evidence("", (), "")
    return [
        Example(str(n), shown, option, group, 1.0, "asked")
        for n, (option, group) in enumerate(zip(options, groups, strict=True))
    ]


def test_no_head_judges_a_repository_it_learned_from(recipe: dict[str, ModuleType]) -> None:
    """In each repository the answers are turned about: only a head that knew it could be right."""
    states, options = drawn(0)
    groups = [f"r{n % 8}" for n in range(len(options))]
    wrong = [OPTIONS[(OPTIONS.index(one) + 1) % 3] for one in options]
    odd = [wrong[n] if group == "r3" else options[n] for n, group in enumerate(groups)]
    measure = recipe["measure"]
    how = measure.How(0.1, 16, "0" * 64)
    found = measure.crossed(examples(odd, groups), states, groups, states, how)
    held = [n for n, group in enumerate(groups) if group == "r3"]
    said = [OPTIONS[found[n].argmax()] for n in held]
    assert np.mean([one == options[n] for one, n in zip(said, held, strict=True)]) > 0.9


def test_only_what_nothing_settles_has_an_answer(recipe: dict[str, ModuleType]) -> None:
    """And without the phrase detectors more is left that nothing settles."""
    rows = [
        written(found, label={"nudge": "yes", "verdict": "unfinished"})
        for found in (turn(say("Now let me run the tests:")), turn(say("The tests pass.")))
    ]
    read, phrases = recipe["measure"].read, recipe["measure"].PHRASES
    logprobs = np.log([0.5, 0.25, 0.25])
    for row in rows:
        one = example(row)
        kept, bare = (read(one, logprobs, phrases=on) for on in (True, False))
        assert ("answered" in kept.features) == kept.residue
        assert kept.residue == one.residue
        assert bare.features["answered"] == 1.0
        assert bare.features["agent_logit"] == pytest.approx(0.0)
        assert not phrases & set(bare.features)


def example(row: bytes) -> Labelled:
    """Audit a labelled record, as a file of it is."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_bytes(row + b"\n")
        [found] = from_records([path]).examples
    return found


def test_a_row_is_brought_into_the_order_of_the_columns(recipe: dict[str, ModuleType]) -> None:
    measure = recipe["measure"]
    rows = [
        SimpleNamespace(id=name, group=name, features={}, right=True, weight=1.0) for name in "cab"
    ]
    for row in rows:
        row.residue = True
    turns = measure.data(rows)
    assert measure._ordered(turns, rows, np.array([3.0, 1.0, 2.0])).tolist() == [1.0, 2.0, 3.0]


def test_a_lift_is_above_nothing_only_where_there_is_one(recipe: dict[str, ModuleType]) -> None:
    lifts = recipe["lifts"]
    random = np.random.default_rng(0)
    y = np.tile([0.0, 1.0], 200)
    groups = [f"g{n // 10}" for n in range(len(y))]
    turns = lifts.Judged(y, np.ones(len(y)), groups, np.ones(len(y), bool))
    weak, strong = (1 / (1 + np.exp(-(k * (y - 0.5) + random.normal(size=len(y))))) for k in (1, 3))
    more, same = lifts.lift(turns, weak, strong), lifts.lift(turns, weak, weak)
    assert more["AUC"].low > 0
    assert more["log loss"].high < 0
    assert (same["AUC"].value, same["AUC"].low, same["AUC"].high) == (0, 0, 0)
    none = lifts.measured(turns._replace(y=np.zeros(len(y))), weak)
    assert none["AUC"].value is None


def test_the_log_odds_are_those_a_calibration_reads(recipe: dict[str, ModuleType]) -> None:
    logprobs = np.log([[0.8, 0.1, 0.1], [1.0, 1e-30, 1e-30]])
    assert recipe["measure"].logits(logprobs) == pytest.approx([np.log(4), np.log(9999)])


def test_states_are_read_once_and_an_interrupted_run_goes_on(
    tmp_path: Path, recipe: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    states = recipe["states"]
    read: list[int] = []

    class Here:
        """Workers in this process, with a reader that counts."""

        def __init__(self, *_: object) -> None: ...
        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None: ...
        def imap_unordered(self, work: object, items: list[tuple[list[Evidence], Path]]) -> list:
            del work
            for chunk, file in items:
                read.append(len(chunk))
                np.save(file, np.array([[len(one.reply)] for one in chunk], dtype=np.float32))
            return items

    class Spawned:
        Pool = Here

    monkeypatch.setattr(states.multiprocessing, "get_context", lambda _: Spawned)
    shown = [Evidence("", (), "x" * n) for n in range(states.CHUNK + 3)]
    told: list[tuple[int, int]] = []

    def found(texts: list[Evidence], budget: int = 9) -> np.ndarray:
        return states.states(
            texts, Path("m"), "d", budget, tmp_path, jobs=1, told=lambda *n: told.append(n)
        )

    assert found(shown)[:, 0].tolist() == list(range(states.CHUNK + 3))
    assert read == [states.CHUNK, 3]
    assert told[-1] == (2, 2)
    found(shown)
    assert read == [states.CHUNK, 3]
    found([*shown, Evidence("", (), "new")])
    assert read == [states.CHUNK, 3, 4]
    found(shown, budget=10)
    assert read[-2:] == [states.CHUNK, 3]


def test_the_card_names_the_repositories_and_shows_no_number_where_there_is_none(
    recipe: dict[str, ModuleType],
) -> None:
    module = recipe["card"]
    number = module.Number
    rows = {"turns": {"AUC": number(0.9, 0.8, 0.95), "recall": number(None)}}
    made = module.Made(
        name="n",
        base="b",
        base_digest="d",
        digest="h",
        size=10,
        seed=5,
        budget=9,
        strength=0.1,
        evidence="e/1",
        groups={"some/repository": ("MIT", 12)},
        kinds={"asked": ("user", 12)},
        tables=(module.Table("Alone", "A note.", rows),),
        ablations={"the reply alone": {"AUC": 0.5}},
        milliseconds=None,
    )
    text = module.card(made)
    assert "| `some/repository` | MIT | 12 |" in text
    assert "| turns | 0.900 (0.800 to 0.950) | — |" in text
    assert "| the reply alone | 0.500 |" in text
    assert "| CPU time | — |" in text


def test_every_way_of_the_ablation_changes_something(recipe: dict[str, ModuleType]) -> None:
    module = recipe["ablate"]
    whole = Evidence("r", ("Every to-do is done.", "The last command passed."), "a")
    seen = [(budget, way(whole)) for budget, way in module.WAYS.values()]
    assert len({(budget, str(shown)) for budget, shown in seen}) == len(seen)


def test_the_shipped_card_is_worded_as_the_recipe_words_it(recipe: dict[str, ModuleType]) -> None:
    shipped = (RECIPE.parent / "whose-move-135m.md").read_text(encoding="utf-8")
    card = recipe["card"]
    tables, _, rest = shipped.partition("## Tried and left out\n\n")
    assert tables.startswith("# Decision model `whose-move-135m`\n\nA head on a frozen language")
    assert rest == f"{card.TRIED}\n\n## Limits\n\n{card.LIMITS}\n"
