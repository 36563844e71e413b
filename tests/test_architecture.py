"""The shape of the code: sizes, lazy imports, one file one thing, honest documents."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from auditor.detectors import DETECTORS

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "auditor").rglob("*.py"))
LONGEST = 260
"""Lines of a module: it has to fit in a head."""
HEAVY = {
    "numpy",
    "sklearn",
    "llama_cpp",
    "rapidfuzz",
    "sqlite3",
    "scipy",
    "httpx",
    "starlette",
    "uvicorn",
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_says_what_it_owns_and_fits_in_a_head(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith('"""')
    assert text.count("\n") <= LONGEST


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["scan", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        "from auditor.cli import app\n"
        "try:\n"
        f"    app({arguments!r})\n"
        "except SystemExit:\n"
        "    pass\n"
        "print('HEAVY', sorted(set(sys.modules) & " + repr(HEAVY) + "))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "HEAVY []" in done.stdout


def test_a_detector_is_named_by_its_file() -> None:
    files = {
        path.stem
        for path in (ROOT / "auditor" / "detectors").glob("*.py")
        if not path.name.startswith("_")
    }
    assert files == {detector.name for detector in DETECTORS}
