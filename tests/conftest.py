"""Says loudly what was not checked where the shared samples are not there."""

from __future__ import annotations

import pytest

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
