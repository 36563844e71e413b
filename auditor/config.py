"""What a person set: one TOML file, read and checked before anything runs.

Owns the file's place, its sections, and what is said of a wrong key. What a key means is
`live.settings`'. A key that nobody knows is an error, since it would be believed to do something;
a pattern that is no regular expression costs only itself.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, structs
from platformdirs import user_config_dir

from auditor.errors import ConfigError
from auditor.live.recoveries import BY_NAME
from auditor.live.settings import Settings
from auditor.live.texts import LANGUAGES

VARIABLE, FILE = "AUDITOR_CONFIG", "config.toml"

LARGEST = 1_000_000
"""Bytes of a file that may be one of ours (a guess: a thousand times what a person writes)."""

PLACES = ("reason", "tail", "tool", "todos", "error", "attempt")
"""What may stand in braces in a person's own words."""

_SECTIONS = ("watch",)
_KEYS = tuple(field.name for field in structs.fields(Settings))
_BRACES = re.compile(r"\{(\w+)\}")
_SPAN = re.compile(r"([0-9]{1,6})\s*([smhdw])", re.ASCII)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0}


class Config(Struct, frozen=True, kw_only=True):
    """What is set. `path` None: there is no file. `troubles`: what was skipped, to be said once."""

    watch: Settings = Settings()
    path: Path | None = None
    troubles: tuple[str, ...] = ()


def default_path() -> Path:
    """Say where the file lies: `AUDITOR_CONFIG`, else the platform's configuration directory."""
    if given := os.environ.get(VARIABLE):
        return Path(given).expanduser()
    return Path(user_config_dir("turn-auditor", appauthor=False)) / FILE


def read(path: Path | None = None) -> Config:
    """Read the file; None: the one in its place, which need not be there, unless it is named.

    Raises `ConfigError` that says what is wrong, where, and what was expected.
    """
    found = path or default_path()
    named = path is not None or bool(os.environ.get(VARIABLE))
    try:
        with found.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except FileNotFoundError:
        if named:
            raise ConfigError(f"there is no configuration {found}") from None
        return Config()
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"the configuration {found} cannot be read ({reason})") from error
    if len(raw) > LARGEST:
        raise ConfigError(f"the configuration {found} is larger than {LARGEST:,} bytes")
    try:
        return structs.replace(parsed(raw.decode()), path=found)
    except UnicodeDecodeError as error:
        raise ConfigError(f"the configuration {found} is not UTF-8 ({error.reason})") from error
    except ConfigError as error:
        raise ConfigError(f"{found}: {error}") from error


def parsed(text: str) -> Config:
    """Read the text of a configuration. Raises `ConfigError`."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"this is not TOML: {error}") from error
    _known(document, _SECTIONS, "")
    watch = document.get("watch", {})
    if not isinstance(watch, dict):
        raise ConfigError("watch: expected a section [watch], not a value")
    _known(watch, _KEYS, "watch.")
    try:
        settings = msgspec.convert(watch, Settings)
    except msgspec.ValidationError as error:
        raise ConfigError(_said(str(error))) from error
    _checked(settings)
    broken = [pattern for pattern in settings.stop_patterns if not _is_expression(pattern)]
    kept = tuple([pattern for pattern in settings.stop_patterns if pattern not in broken])
    troubles = [
        f"watch.stop_patterns: {pattern!r} is no regular expression and is skipped"
        for pattern in broken
    ]
    return Config(
        watch=structs.replace(settings, stop_patterns=kept),
        troubles=(*troubles, *_odd_braces(settings)),
    )


def _known(table: dict[str, Any], names: Iterable[str], where: str) -> None:
    """Raise `ConfigError` for a key that is none of the names, with the one it resembles."""
    for key in table:
        if key not in names:
            near = get_close_matches(key, names, 1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise ConfigError(f"{where}{key} is not a setting; {meant}")


_AT = re.compile(r"(?P<what>.*) - at `\$\.(?P<where>.+)`", re.DOTALL)
_TYPES = {
    " | null": "",
    "`float`": "a number",
    "`int`": "a whole number",
    "`str`": "a text",
    "`bool`": "true or false",
    "`array`": "a list",
    "`object`": "a section",
}


def _said(message: str) -> str:
    """Say what msgspec says in the words of the file."""
    found = _AT.fullmatch(message)
    what, where = (found["what"], found["where"]) if found else (message, "")
    for type_, word in _TYPES.items():
        what = what.replace(type_, word)
    return f"watch.{where}: {what[:1].lower()}{what[1:]}"


def _checked(settings: Settings) -> None:
    """Raise `ConfigError` for values that fit their type and mean nothing."""
    if settings.language not in (None, *LANGUAGES):
        choice = " or ".join(LANGUAGES)
        raise ConfigError(f"watch.language: {settings.language!r} is not {choice}")
    if not settings.rate_limit:
        raise ConfigError("watch.rate_limit: expected at least one wait in seconds")
    _known(settings.texts, BY_NAME, "watch.texts.")
    if settings.notify is not None and not _is_way(settings.notify):
        raise ConfigError(
            f"watch.notify: {settings.notify!r} is neither desktop nor an http(s) address"
        )


def _is_way(notify: str) -> bool:
    if notify == "desktop":
        return True
    try:
        parts = urlsplit(notify)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _is_expression(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _odd_braces(settings: Settings) -> Iterator[str]:
    """Name what stands in braces in a person's own words and will not be filled in."""
    own = {f"texts.{name}": text for name, text in settings.texts.items()}
    for where, text in (own | {"loop_text": settings.loop_text}).items():
        for name in dict.fromkeys(_BRACES.findall(text)):
            if name not in PLACES:
                filled = ", ".join(f"{{{each}}}" for each in PLACES)
                yield f"watch.{where}: {{{name}}} stays as it is; filled in are {filled}"


def span(text: str, option: str) -> float:
    """Read a length of time like 90s, 30m, 2h or 1d, in seconds. Raises `ConfigError`."""
    found = _SPAN.fullmatch(text.strip())
    if found is None or not int(found[1]):
        raise ConfigError(f"{option}: {text!r} is not a length of time like 30m, 2h or 1d")
    return int(found[1]) * _SECONDS[found[2]]
