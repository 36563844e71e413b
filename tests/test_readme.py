"""The README is true: its example output is what the program prints, its commands exist.

`python -m tests.test_readme` writes the example output anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from auditor.harness import HARNESSES
from auditor.models import registry

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_DEMO = re.compile(r"(?<=<!-- demo -->\n```text\n).*?(?=```\n<!-- end -->)", re.S)


def demo(home: str, models: Path) -> str:
    """What a first scan prints on a machine without transcripts, once the model is there."""
    kept = {"PATH": os.environ["PATH"], "HOME": home, "COLUMNS": "100", "TZ": "UTC"}
    kept["AUDITOR_MODELS"] = str(models)
    done = subprocess.run(
        [sys.executable, "-m", "auditor", "scan"],
        env=kept | {"PYTHONPATH": str(ROOT)},
        cwd=home,
        capture_output=True,
        text=True,
        check=True,
    )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines()) + "\n"


def test_the_example_output_is_what_a_first_scan_prints(
    tmp_path: Path, default_model: Path
) -> None:
    found = _DEMO.search(README.read_text(encoding="utf-8"))
    assert found is not None
    assert found.group() == demo(str(tmp_path), default_model.parent)


@pytest.mark.parametrize("name", [*HARNESSES, "records"])
def test_every_harness_is_named(name: str) -> None:
    assert name in README.read_text(encoding="utf-8")


def test_every_example_command_is_understood(tmp_path: Path) -> None:
    readme = README.read_text(encoding="utf-8")
    commands = re.findall(r"^(?:\.venv/bin/)?auditor ([^\n#]+)", readme, re.M)
    assert len(commands) > 5
    for command in commands:
        options = re.findall(r"--[a-z-]+", command)
        words = [word for word in command.split() if word.isalpha() and word.islower()]
        helped = subprocess.run(
            [sys.executable, "-m", "auditor", *words[:1], "--help"],
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert all(option in helped for option in options), command


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        README.write_text(
            _DEMO.sub(lambda _: demo(place, registry.folder()), README.read_text(encoding="utf-8")),
            encoding="utf-8",
        )
