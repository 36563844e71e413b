"""How audits are written: what `--format` takes."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """For people, or one JSON line a turn, or one JSON object."""

    TABLE = "table"
    JSONL = "jsonl"
    JSON = "json"
