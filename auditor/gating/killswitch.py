"""The kill switch: while it is set nothing is nudged, whatever the gate says.

Owns where it is looked for: the environment variable `AUDITOR_OFF`, and a file `OFF` in our data
directory or beside the store. What cannot be looked at counts as set.
"""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_dir

VARIABLE, FILE = "AUDITOR_OFF", "OFF"

_NOT_SET = ("", "0")
"""Values that do not switch off; anything else does, `no` and `false` too: better silent."""


def places(db: Path | None = None) -> tuple[Path, ...]:
    """List the files that switch off, the one to make first."""
    ours = Path(user_data_dir("turn-auditor", appauthor=False)) / FILE
    beside = () if db is None else (db.parent / FILE,)
    return tuple(dict.fromkeys((ours, *beside)))


def off(db: Path | None = None) -> str | None:
    """Say what switches nudging off; None: nothing does. `db`: the store that is used."""
    if os.environ.get(VARIABLE, "").strip() not in _NOT_SET:
        return f"{VARIABLE} is set"
    for path in places(db):
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            return f"{path} cannot be looked at ({error.strerror or error})"
        return f"{path} is there"
    return None
