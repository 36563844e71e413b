"""A tuned model: a head, and perhaps an adapter, beside the file of a model of the registry.

Owns the row that names them, and that they are what the row says. Knows nothing of what is in them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from auditor.errors import JudgeUnavailable
from auditor.models.digests import computed

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Beside = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
"""The name of a file in the same folder."""

NAME = "^[a-z0-9][a-z0-9._-]*$"
"""What a model may be called."""

OWN = ".toml"
"""What the path of a row ends with; a tuned model can be named by it."""


class Piece(Struct, frozen=True, forbid_unknown_fields=True):
    """A file beside the row."""

    file: Beside
    sha256: Sha256


class Tuned(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row of the registry that names another row as its base."""

    name: Annotated[str, Meta(pattern=NAME)]
    title: str
    base: str
    head: Piece
    adapter: Piece | None = None
    licence: str
    question: str
    measured: tuple[str, ...] = ()
    default: bool = False


class Own(Struct, frozen=True):
    """What a tuned model has beside its base's file, and the folder where it lies."""

    folder: str
    head: Piece
    adapter: Piece | None = None

    def checked(self) -> tuple[Path, Path | None]:
        """Give the paths of head and adapter. Raises `JudgeUnavailable` unless they are sound."""
        return self._sound(self.head), self._sound(self.adapter) if self.adapter else None

    def _sound(self, piece: Piece) -> Path:
        path = Path(self.folder) / piece.file
        try:
            has = computed(path)
        except OSError as error:
            raise JudgeUnavailable(f"{path} cannot be read ({error.strerror})") from error
        if has != piece.sha256:
            raise JudgeUnavailable(
                f"{path} is not what its model was tuned to: expected sha256 {piece.sha256},"
                f" found {has}"
            )
        return path


def together(base: str, own: Own) -> str:
    """Give one digest for all that decides: the sha256 over those of base, head and adapter."""
    parts = (base, own.head.sha256, own.adapter.sha256 if own.adapter else "none")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
