"""`auditor ask`, on the tiny random model: what it prints and how it fails."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from auditor.cli import app
from tests.tiny_model import write


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write(path)
    return path


def test_it_shows_the_question_as_sent_and_every_option(model: Path) -> None:
    done = CliRunner().invoke(
        app, ["ask", "--request", "fix it", "--reply", "Now I'll run it:", "--model", str(model)]
    )
    assert done.exit_code == 0, done.output
    for said in ("fix it", "Now I'll run it:", "agent", "user", "nobody", "coverage", "spread"):
        assert said in done.stdout


def test_json_holds_the_prompt_and_a_distribution(model: Path) -> None:
    options = ["ask", "--reply", "-", "--model", str(model), "--json"]
    done = CliRunner().invoke(app, options, "Done.")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert "Done." in found["prompt"]
    assert sum(map(math.exp, found["answer"]["logprobs"].values())) == pytest.approx(1.0)


def test_a_model_that_is_not_here_is_said_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path))
    done = CliRunner().invoke(app, ["ask", "--reply", "Done."])
    assert done.exit_code == 5
    assert "auditor models pull" in done.stderr
