"""What tests share: the real default model; and a loud word about what could not be checked."""

from __future__ import annotations

import os
import signal
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


def pytest_configure() -> None:
    # A shell that begins us in the background has this signal ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str | None:
    return None if SHARED.is_dir() else MISSING


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not SHARED.is_dir():
        terminalreporter.write_line(MISSING, red=True, bold=True)


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask no decision model where a test does not say so: a scan would fetch it."""
    monkeypatch.setenv("AUDITOR_MODEL", "none")


@pytest.fixture(scope="session")
def default_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real default model: the file that AUDITOR_TEST_MODEL names, else fetched once."""
    if named := os.environ.get("AUDITOR_TEST_MODEL"):
        return Path(named)
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent  # one for all workers: the first fetches, the others wait for it
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDITOR_MODELS", str(place / "models"))
        try:
            return pull(registry.default())
        except JudgeUnavailable as error:
            pytest.skip(f"NOT CHECKED: the default model cannot be fetched here: {error}")
