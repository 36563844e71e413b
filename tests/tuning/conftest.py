"""A test that trains is collected where the extra `tune` is installed, and only there."""

from __future__ import annotations

from auditor.tuning.lower import missing

collect_ignore = ["test_lora.py"] if missing() else []


def pytest_report_header() -> str | None:
    if not (lacks := missing()):
        return None
    return f"NOT COLLECTED: tests/tuning/test_lora.py, which trains; it needs {', '.join(lacks)}"
