"""The shared records, each with the licence of the repository it is from.

Owns which rows may be trained into weights that are shipped. The records themselves do not say:
their licence stands in the index of transcripts, one step away through `source_index`.
"""

# ruff: noqa: INP001 (a script; it is not imported by the product)

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from auditor.events import Unread
from auditor.files import raw_lines
from auditor.records import Record, records

PERMISSIVE = frozenset({"MIT", "Apache-2.0"})
"""Licences that let a derived work be published under Apache-2.0; none found counts as none."""


def read(shared: Path) -> list[Record]:
    """Every turn record. Lines that are none are left out: there are none in the shared file."""
    return [row for row in records(shared / "records.jsonl.gz") if isinstance(row, Record)]


def licences(shared: Path) -> dict[str, str]:
    """The licence of each record, by its id."""
    index = {row["idx"]: row["licence"] for row in _lines(shared / "raw-index.jsonl")}
    rows = _lines(shared / "turns.jsonl.gz")
    return {row["id"]: index[row["source_index"]] for row in rows}


def permissive(rows: Iterable[Record], licence: dict[str, str]) -> list[Record]:
    """The rows that may be trained on; a row of unknown licence is none of them."""
    return [row for row in rows if licence.get(row.id) in PERMISSIVE]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in raw_lines(path):
        if not isinstance(line, Unread):
            yield msgspec.json.decode(line[1])
