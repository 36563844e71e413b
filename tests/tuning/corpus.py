"""A registry of the tiny model, and labelled turns whose last words say whose move is next."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor import artefacts
from auditor.evidence import Evidence
from auditor.judge import WHOSE_MOVE, Asked
from tests import tiny_model
from tests.models import entry
from tests.models import write as write_models
from tests.test_scan import record, said, write

ENDS = {
    "yes": ("unfinished", "Part {n} is read. Now the other part, which I begin with:"),
    "ask": ("awaiting_user", "Part {n} can be read in two ways. Which one is right?"),
    "no": ("finished", "Part {n} is done, and what it wrote was compared with the old one."),
}


def registry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the registry of `tiny`, which is the default and here; give the folder of models."""
    monkeypatch.setenv("AUDITOR_MODELS", str(folder / "here"))
    monkeypatch.setenv("AUDITOR_CALIBRATIONS", str(folder / "calibrations"))
    monkeypatch.setenv("AUDITOR_ANSWERS", str(folder / "answers.db"))
    monkeypatch.setenv("AUDITOR_DB", str(folder / "store.db"))
    (folder / "here").mkdir()
    base = tiny_model.write(folder / "here" / "tiny.gguf").read_bytes()
    bundled = folder / "auditor" / "bundled"
    letters = [chr(ord("A") + number) for number in range(26)]
    write_models(bundled / "models", entry("tiny", base, letters=letters, default=True))
    (bundled / "calibration").mkdir()
    monkeypatch.setattr(artefacts, "_PACKAGE", folder / "auditor")
    return folder / "here"


def asked() -> Asked:
    """A question about one of them."""
    return Asked(WHOSE_MOVE, Evidence("", (), ENDS["ask"][1]))


def turns(folder: Path, n: int = 40, repos: int = 5) -> Path:
    """Write `n` turns of each ending, in so many repositories."""
    rows = []
    for number in range(n):
        for kind, (verdict, ending) in ENDS.items():
            nudge = "yes" if kind == "yes" else "no"
            rows.append(
                record(
                    f"{kind}-{number}",
                    said(ending.format(n=number)),
                    session=f"s-{number}-{kind}",
                    label={"nudge": nudge, "verdict": verdict, "reason": "x", "weight": 1.0},
                    meta={"repo": f"x/r{number % repos}"},
                )
            )
    return write(folder, *rows)
