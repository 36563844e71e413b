"""The sha256 of a file: computed, kept, compared. Knows no models."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

_Kept = dict[str, tuple[int, int, str]]
"""By path: size, time of the last change in ns, sha256."""


def computed(path: Path) -> str:
    """Read a file and give its sha256. May raise OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(path: Path, keeper: Path, *, anew: bool = False) -> str:
    """Give the sha256 of a file, computed if `keeper` has none for its path, size and time.

    `anew` computes it in any case. May raise OSError, for the file; never for the keeper.
    """
    path = path.resolve()
    about = path.stat()
    now = (about.st_size, about.st_mtime_ns)
    kept = _kept(keeper)
    if not anew and (old := kept.get(str(path))) is not None and old[:2] == now:
        return old[2]
    found = computed(path)
    there = {name: old for name, old in kept.items() if Path(name).exists()}
    _keep(there | {str(path): (*now, found)}, keeper)
    return found


def wrong(path: Path, size: int, sha256: str, read: Callable[[Path], str] = computed) -> str | None:
    """Say what is wrong with the bytes of a file, if anything. May raise OSError."""
    if (found := path.stat().st_size) != size:
        return f"expected {size:,} bytes, found {found:,}"
    if (has := read(path)) != sha256:
        return f"expected sha256 {sha256}, found {has}"
    return None


def _kept(keeper: Path) -> _Kept:
    """Give what is kept; nothing, if that cannot be read."""
    try:
        return msgspec.json.decode(keeper.read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def _keep(kept: _Kept, keeper: Path) -> None:
    """Keep them. Where that cannot be done, they are computed again the next time."""
    with contextlib.suppress(OSError):
        keeper.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".digests-", dir=keeper.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(kept))
        Path(name).replace(keeper)
