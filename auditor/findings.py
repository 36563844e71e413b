"""What a check of the doctor found, and what to do about it: plain data."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class State(StrEnum):
    """How a check went; only `FAIL` says that something is broken."""

    OK = "ok"
    NOTE = "note"
    WARN = "warn"
    FAIL = "FAIL"


class Finding(Struct, frozen=True):
    """What one check found, and what to do about it; nothing, where all is well."""

    check: str
    state: State
    found: str
    advice: str | None = None


def failed(findings: list[Finding]) -> bool:
    """Whether something is broken."""
    return any(found.state is State.FAIL for found in findings)
