"""docs/calibration.md: its numbers are those of the program, its plots are there and readable."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import NormalDist
from xml.etree import ElementTree as ET

import msgspec
import numpy as np
import pytest

from auditor.calibration import Calibration
from auditor.evaluation import Evaluation
from auditor.gating.frozen import DELTA
from auditor.models import registry
from auditor.statistics.eprocess import delta_of, labels_needed
from tests.test_report import EMPTY, evaluation

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGE = (DOCS / "calibration.md").read_text(encoding="utf-8")
PLOTS = sorted(re.findall(r"\]\(img/([\w-]+)\.svg\)", PAGE))
DEFAULT = registry.default().name
SHIPPED = ((f"with {DEFAULT}", DEFAULT),)
AGAIN = "the page is older than the calibration: see its last part"


def plotted(root: Path, found: Evaluation) -> subprocess.CompletedProcess[str]:
    (root / "e.json").write_bytes(msgspec.json.encode(found))
    script = [sys.executable, "benchmarks/plots.py", str(root / "e.json"), "--root", str(root)]
    return subprocess.run(script, capture_output=True, text=True, check=False, cwd=ROOT)


def laid(root: Path, page: str = PAGE) -> None:
    """Put a copy of what is written into where it may be."""
    (root / "docs").mkdir()
    (root / "docs" / "calibration.md").write_text(page, encoding="utf-8")
    shutil.copy(ROOT / "README.md", root)


def test_every_plot_is_there_and_none_is_left_over() -> None:
    assert len(PLOTS) == 5
    assert sorted(path.stem for path in (DOCS / "img").glob("*.svg")) == PLOTS


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_well_formed_and_says_what_it_shows(name: str) -> None:
    root = ET.parse(DOCS / "img" / f"{name}.svg").getroot()  # noqa: S314 - a file of ours
    assert [each.tag.rpartition("}")[2] for each in root[:3]] == ["style", "title", "desc"]
    assert re.search(r"\d", root[2].text or "")


def test_every_plot_has_words_in_its_place() -> None:
    assert not re.findall(r"!\[\s*\]", PAGE)
    assert len(re.findall(r"!\[[^\]]{10,}\]", PAGE)) == len(PLOTS)


def test_links_lead_somewhere() -> None:
    for path in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (DOCS / path).exists(), path


def test_the_numbers_are_those_of_the_calibration_that_ships() -> None:
    shipped = msgspec.json.decode(
        (ROOT / "calibration" / "no-model.json").read_bytes(), type=Calibration
    )
    assert f"{shipped.counts.labels:,} labelled turns of {shipped.counts.groups} groups" in PAGE
    (row,) = re.findall(r"all turns\*\*\n\n\| judge \| at .*\n.*\n\| turn auditor \| (.*) \|", PAGE)
    said = [float(cell.split()[0]) for cell in row.split(" | ")]
    recalls = [100 * (point.recall.value or 0.0) for point in shipped.points]
    assert said == pytest.approx(recalls, abs=0.11), AGAIN


def test_labels_needed_are_those_of_a_first_attempt() -> None:
    risk = delta_of(1, DELTA)
    table = re.findall(r"^\| (\d+) % \| ([\d,]+|never) \| ([\d,]+|never) \|$", PAGE, re.M)
    assert len(table) == 7
    for share, half, most in table:
        needed = [labels_needed(int(share) / 100, 0.2, risk, part) for part in (0.5, 0.9)]
        assert [half, most] == [f"{each:,}" if each else "never" for each in needed]


def test_the_example_of_right_nudges_adds_up() -> None:
    assert round(0.02 * 920) == 18
    assert f"{60 / 78:.0%}" == "77%"
    assert "60 of its 78 nudges: 77 %" in PAGE


def test_a_threshold_picked_on_its_own_labels_is_beyond_its_limit_about_half_the_time() -> None:
    random = np.random.default_rng(7)
    apart = NormalDist().inv_cdf(0.92) * 2**0.5  # two normals so far apart have this AUC

    def drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
        right = random.random(n) < 0.25
        return right, random.normal(size=n) + apart * right

    truly, numbers = drawn(200_000)
    order = np.argsort(-numbers)
    wrong = np.cumsum(~truly[order]) / np.arange(1, len(order) + 1)
    beyond = []
    for _ in range(300):
        right, found = drawn(200)
        best = np.argsort(-found)
        share = np.cumsum(~right[best]) / np.arange(1, 201)
        within = np.flatnonzero(share <= 0.2)
        if len(within):
            cut = found[best[within.max()]]
            beyond.append(wrong[np.searchsorted(-numbers[order], -cut, side="right") - 1] > 0.2)
    assert 0.4 <= np.mean(beyond) <= 0.65
    assert len(beyond) > 290


def test_plots_are_made_of_an_evaluation_and_nothing_else_changes(tmp_path: Path) -> None:
    laid(tmp_path)
    done = plotted(tmp_path, evaluation())
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "docs" / "calibration.md").read_text(encoding="utf-8")
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert sorted(path.stem for path in (tmp_path / "docs" / "img").glob("*.svg")) == PLOTS
    assert "| dangling rule | 40.0 % [30.0, 50.0] · n 100 |" in page.replace("\u00a0", " ")
    assert "“let me”) | 40 % [30, 50] |" in readme
    assert around(page) == around(PAGE)
    assert around(readme) == around((ROOT / "README.md").read_text(encoding="utf-8"))


def around(page: str) -> tuple[str, str]:
    """What stands before and after the numbers."""
    return page.split("<!-- numbers", maxsplit=1)[0], page.rsplit("<!-- /numbers", maxsplit=1)[-1]


def test_the_readme_tells_the_numbers_of_the_calibrations_that_ship() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for how, name in (("without a model", "no-model"), *SHIPPED):
        shipped = msgspec.json.decode(
            (ROOT / "calibration" / f"{name}.json").read_bytes(), type=Calibration
        )
        (row,) = re.findall(rf"^\| the probability, {re.escape(how)} \| (.*) \|$", readme, re.M)
        _, _, auc, *recalls = [cell.split()[0] for cell in row.split(" | ")]
        assert float(auc) == pytest.approx(shipped.metrics["auc"].value, abs=0.0011), AGAIN
        told = {0.01: recalls[0], 0.02: recalls[1], 0.05: recalls[2]}
        for point in shipped.points:
            if point.wrong in told:
                found = 100 * (point.recall.value or 0.0)
                assert float(told[point.wrong]) == pytest.approx(found, abs=0.51), AGAIN


@pytest.mark.parametrize("broken", ["no marks", "nothing to draw"])
def test_what_cannot_be_made_is_said(tmp_path: Path, broken: str) -> None:
    marked = broken != "no marks"
    laid(tmp_path, PAGE if marked else "no marks here")
    done = plotted(tmp_path, EMPTY if marked else evaluation())
    assert done.returncode != 0
    assert ("only a sentence" if marked else "expected a part between") in done.stderr
