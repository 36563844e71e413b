"""Every harness over every recording: one contract, kept by all.

Events assemble to exactly the golden turns; reading twice is the same; every prefix reads without
raising and agrees up to there; every file has one harness that claims it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.assemble import turns
from auditor.errors import HarnessUnavailable
from auditor.harness import HARNESSES
from auditor.turn import Turn
from tests.harness import structure

OWN = structure.own_recordings()
SHARED = structure.shared_samples()
SHARED_GOLDEN = (
    json.loads(structure.SHARED_GOLDEN.read_text()) if structure.SHARED_GOLDEN.exists() else {}
)
PREFIXES = 24
"""Prefixes tried of each file: evenly spread and odd, so that cuts fall inside lines."""


def own_id(pair: tuple[str, Path]) -> str:
    return f"{pair[0]}/{pair[1].name}"


def shared_id(path: Path) -> str:
    return str(path.relative_to(structure.SHARED))


def read(path: Path, harness: str) -> list[Turn]:
    return [turn for turn in turns(HARNESSES[harness].read(path)) if isinstance(turn, Turn)]


@pytest.mark.parametrize("harness", HARNESSES)
def test_every_harness_has_a_recording_of_ours(harness: str) -> None:
    assert any(name == harness for name, _ in OWN), f"no file in recordings/{harness}/"


@pytest.mark.parametrize("pair", OWN, ids=own_id)
def test_own_recordings_read_as_their_golden_file(pair: tuple[str, Path]) -> None:
    harness, path = pair
    assert structure.harness_of(path) == harness
    assert structure.of_file(path, harness) == json.loads(structure.golden(path).read_text())


@pytest.mark.parametrize("path", SHARED, ids=shared_id)
def test_shared_samples_read_as_their_golden_structure(path: Path) -> None:
    harness = structure.harness_of(path)
    assert harness is not None
    found = structure.of_file(path, harness)
    assert found == SHARED_GOLDEN[shared_id(path)]
    assert found == structure.of_file(path, harness)


def prefixes_agree(path: Path, harness: str, folder: Path) -> None:
    whole = path.read_bytes()
    known = {turn.id: turn for turn in read(path, harness)}
    for step in range(1, PREFIXES):
        cut = len(whole) * step // PREFIXES + step % 7
        part = folder / path.name
        part.write_bytes(whole[:cut])
        try:
            found = read(part, harness)
        except HarnessUnavailable:
            continue  # one whole JSON document or database, cut: says so, tells nothing
        # The last turn of each session may be cut; all before it agree, where not rewound later.
        last = {turn.session: turn.id for turn in found}
        for turn in found:
            if turn.id != last[turn.session] and turn.id in known:
                assert known[turn.id].parts[: len(turn.parts)] == turn.parts


@pytest.mark.parametrize("pair", OWN, ids=own_id)
def test_prefixes_of_own_recordings(pair: tuple[str, Path], tmp_path: Path) -> None:
    if pair[1].is_file():
        prefixes_agree(pair[1], pair[0], tmp_path)


@pytest.mark.parametrize("path", SHARED, ids=shared_id)
def test_prefixes_of_shared_samples(path: Path, tmp_path: Path) -> None:
    harness = structure.harness_of(path)
    assert harness is not None
    prefixes_agree(path, harness, tmp_path)
