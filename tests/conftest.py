"""What tests share: the real default model; and a loud word about what could not be checked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from auditor.errors import JudgeUnavailable
from auditor.models import registry
from auditor.models.pull import pull
from tests.harness.structure import SHARED

MISSING = (
    f"NOT CHECKED: there are no shared samples at {SHARED} (AUDITOR_SHARED names another place), "
    "so the golden structures of real transcripts and the bars on labelled turns were not tested."
)


def pytest_report_header() -> str | None:
    return None if SHARED.is_dir() else MISSING


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not SHARED.is_dir():
        terminalreporter.write_line(MISSING, red=True, bold=True)


@pytest.fixture(scope="session")
def default_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real default model: the file that AUDITOR_TEST_MODEL names, else fetched once."""
    if named := os.environ.get("AUDITOR_TEST_MODEL"):
        return Path(named)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDITOR_MODELS", str(tmp_path_factory.mktemp("models")))
        try:
            return pull(registry.default())
        except JudgeUnavailable as error:
            pytest.skip(f"NOT CHECKED: the default model cannot be fetched here: {error}")
