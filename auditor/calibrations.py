"""Find, read and write calibration files: shipped ones, the user's own, or any path.

Owns where they lie and which one is used for which decision model. What is in one, and when it is
refused, is `calibration`'s.
"""

from __future__ import annotations

import os
from pathlib import Path

from auditor import artefacts
from auditor.calibration import (
    Calibration,
    Calibrations,
    checked,
    decoded,
    encoded,
    mismatch,
)
from auditor.errors import CalibrationMismatch, ConfigError

PLAIN = "no-model"
"""The shipped calibration that needs no decision model."""


def folder() -> Path:
    """Where the user's own lie: `AUDITOR_CALIBRATIONS`, else the platform's data directory."""
    if place := os.environ.get("AUDITOR_CALIBRATIONS"):
        return Path(place).expanduser()
    from platformdirs import user_data_path  # noqa: PLC0415 - only where nothing was said

    return user_data_path("turn-auditor", appauthor=False) / "calibration"


def read(path: Path) -> Calibration:
    """Read a file. Raises `ConfigError` for one that is no calibration, with what is wrong."""
    try:
        return decoded(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ConfigError(f"{path} is no calibration: {error}") from error


def named(name_or_path: str, model: str | None = None) -> Calibration:
    """Find a calibration by its id, the user's own first, or read a path.

    `model`: digest of the decision model in use. Raises `ConfigError` where there is none, and
    `CalibrationMismatch` for one that was fitted for something else.
    """
    if os.sep in name_or_path or name_or_path.endswith(".json"):
        path = Path(name_or_path).expanduser()
        return _usable(read(path), str(path), model)
    for place in (folder(), artefacts.folder("calibration")):
        if (path := place / f"{name_or_path}.json").is_file():
            return _usable(read(path), name_or_path, model)
    names = ", ".join(sorted({path.stem for path in _files()})) or "none"
    raise ConfigError(
        f"{name_or_path!r} is no known calibration; known: {names}; or the path of a JSON file"
    )


def shipped(model: str | None = None) -> Calibrations:
    """Give the calibrations that come with this program: the plain one, and that of the model.

    One that was fitted for something else is left out: what it would say is not calibrated.
    """
    found = [read(path) for path in sorted(artefacts.folder("calibration").glob("*.json"))]
    fitting = [one for one in found if _problem(one, model) is None]
    return Calibrations(
        plain=next((one for one in fitting if one.id == PLAIN), None),
        model=next((one for one in fitting if model and one.model == model), None),
    )


def chosen(name_or_path: str | None, model: str | None = None) -> Calibrations:
    """Give the calibrations to use: the shipped ones, with the named one in its place."""
    usual = shipped(model)
    if name_or_path is None:
        return usual
    given = named(name_or_path, model)
    if given.model is None:
        return Calibrations(plain=given, model=None)
    return Calibrations(plain=usual.plain, model=given)


def runtime(model: str) -> dict[str, str]:
    """Say what answers of a model depend on beside its file: llama.cpp's version and settings."""
    from auditor.backends.llama import identity  # noqa: PLC0415 - only where a model is named

    return {"runtime": identity(model).removeprefix(model).strip()}


def write(calibration: Calibration, card: str, to: Path) -> list[Path]:
    """Write the calibration and its card into a folder, each whole or not at all.

    Raises `ConfigError` where that cannot be.
    """
    made = []
    for suffix, raw in ((".json", encoded(calibration)), (".md", card.encode())):
        path = to / f"{calibration.id}{suffix}"
        part = path.with_suffix(f"{suffix}.part")
        try:
            to.mkdir(parents=True, exist_ok=True)
            part.write_bytes(raw)
            part.replace(path)
        except OSError as error:
            raise ConfigError(f"{path} cannot be written ({error.strerror})") from error
        made.append(path)
    return made


def _files() -> list[Path]:
    return [
        path
        for place in (folder(), artefacts.folder("calibration"))
        for path in sorted(place.glob("*.json"))
    ]


def _usable(found: Calibration, where: str, model: str | None) -> Calibration:
    checked(found, where, model)
    if (problem := _problem(found, model)) is not None:
        raise CalibrationMismatch(f"the calibration {where} cannot be used: {problem}")
    return found


def _problem(found: Calibration, model: str | None) -> str | None:
    """Say why it cannot be used here, if anything; one that reads answers needs its model."""
    if (problem := mismatch(found, model)) is not None or found.model is None:
        return problem
    ours = runtime(found.model)["runtime"]
    theirs = found.fingerprint.get("runtime", ours)
    return None if theirs == ours else f"it was fitted with {theirs}, and this is {ours}"
