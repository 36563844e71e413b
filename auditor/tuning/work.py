"""The folder of unfinished work: what was computed, kept until all is done, and whose it is."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from auditor.errors import ConfigError

WORK = ".work"
"""What the name of the folder ends with."""

_KEY = "work.sha256"


@contextlib.contextmanager
def alone(folder: Path, about: object) -> Iterator[Path]:
    """Keep others out; emptied before, unless what is in it is `about` the same.

    Raises `ConfigError`.
    """
    key = hashlib.sha256(msgspec.json.encode(about)).hexdigest().encode()
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context((folder / _KEY).open("a+b"))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.seek(0)
            if file.read() != key:
                _emptied(folder)
                file.truncate(0)
                file.write(key)
                file.flush()
        except BlockingIOError as error:
            raise ConfigError(f"{folder}: another `auditor tune` is at this work now") from error
        except OSError as error:
            raise ConfigError(f"{folder} cannot be written ({error.strerror})") from error
        yield folder


def _emptied(folder: Path) -> None:
    for each in folder.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
        elif each.name != _KEY:
            each.unlink()
