"""The plugin file for OpenCode: where it belongs, putting it there, and taking it away again.

Owns its places and what counts as ours: the first line says so. A file of that name with another
first line is somebody's own, and is never touched.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable
from enum import StrEnum
from importlib import resources
from pathlib import Path

import msgspec
from msgspec import Struct

from auditor.errors import ConfigError

NAME = "turn-auditor.js"

OURS = "// turn auditor, plugin for OpenCode"
"""How the first line of every version of the file begins."""

_VERSION = re.compile(re.escape(OURS) + r", version (\d{1,6})\n")


class State(StrEnum):
    """What stands in a place."""

    ABSENT = "absent"
    CURRENT = "current"
    OLDER = "older"  # ours, of another version or for another store
    FOREIGN = "foreign"  # not ours


class Found(Struct, frozen=True):
    """A place and what stands there."""

    path: Path
    state: State


def everywhere() -> Path:
    """Say where OpenCode looks for plugins of all projects."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home).expanduser() / "opencode" / "plugin" / NAME


def within(project: Path) -> Path:
    """Say where it looks for those of a project. Raises `ConfigError` where there is none."""
    if not project.is_dir():
        raise ConfigError(f"--project: {project} is no folder")
    return project.resolve() / ".opencode" / "plugin" / NAME


def anywhere(projects: Iterable[str]) -> bool:
    """Whether a file of that name is there, for all projects or one of these."""
    places = [Path(each) / ".opencode" / "plugin" / NAME for each in projects]
    return any(place.exists() for place in (everywhere(), *places))


def written(where: Path) -> str:
    """Give the plugin as it is installed; `where`: the file with the watcher's port and secret."""
    source = resources.files("auditor.watching").joinpath("opencode_plugin.js")
    quoted = msgspec.json.encode(str(where.absolute())).decode()
    return source.read_text(encoding="utf-8").replace('"@WHERE@"', quoted)


def version(text: str) -> int | None:
    """Give the version of a plugin file of ours; None: it is not ours."""
    found = _VERSION.match(text)
    return int(found[1]) if found else None


def look(path: Path, text: str) -> Found:
    """See what stands in a place, against what would be installed."""
    try:
        there = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return Found(path, State.ABSENT)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror})") from error
    if there == text:
        return Found(path, State.CURRENT)
    return Found(path, State.FOREIGN if version(there) is None else State.OLDER)


def install(path: Path, text: str) -> State:
    """Put the plugin there; say what stood there before. Raises `ConfigError`.

    The file appears whole or not at all: OpenCode may read it at any moment.
    """
    before = look(path, text).state
    match before:
        case State.CURRENT:
            return before
        case State.FOREIGN:
            raise ConfigError(_foreign(path))
    part = path.with_name(f".{NAME}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path.resolve())  # a link stays one
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ConfigError(f"{path} cannot be written ({error.strerror})") from error
    return before


def uninstall(path: Path, text: str) -> State:
    """Take the plugin away; say what stood there. Raises `ConfigError`."""
    before = look(path, text).state
    match before:
        case State.FOREIGN:
            raise ConfigError(_foreign(path))
        case State.CURRENT | State.OLDER:
            try:
                path.unlink()
            except OSError as error:
                raise ConfigError(f"{path} cannot be deleted ({error.strerror})") from error
    return before


def _foreign(path: Path) -> str:
    return f"{path} is not ours (its first line does not say so): move it away to go on"
