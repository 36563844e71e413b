"""What servers of `/v1/systemone` send back, read by a list of what is known and nothing else.

Servers disagree on nearly everything but the probabilities, so these alone are read, and checked:
`confidence` has five meanings, `choice` may not be the likeliest, `type` may be anything.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from msgspec import Struct

SHORT = 300
"""Characters of a server's message that are shown."""

OUTSIDE, OFF = 1e-6, 0.02
"""How far a probability may be out of 0 to 1, and a sum from 1: rounding, not another meaning."""

FLOOR = 1e-6
"""In the place of zero: servers round, and a logarithm is taken."""

_SLUG = re.compile(r"[a-z][a-z0-9_]{0,31}")


class Choice(Struct, frozen=True):
    """The question and its options, by our names; servers know the options by `keys`."""

    id: str
    names: tuple[str, ...]

    @property
    def keys(self) -> list[str]:
        """Names that every server takes and gives back unchanged."""
        plain = all(_SLUG.fullmatch(name) for name in self.names)
        return list(self.names) if plain else [f"option_{at}" for at in range(len(self.names))]


class Served(Struct, frozen=True):
    """What is read of an answer; None for what a server does not say."""

    logprobs: dict[str, float]
    model: str | None
    tokens: int
    coverage: float | None
    spread: float | None
    orders: int


def served(content: bytes, choice: Choice) -> Served | None:
    """Read an answer; None for one that cannot be relied on."""
    match decoded(content):
        case {"answers": {choice.id: {"probabilities": found}}, **rest}:
            shares = _shares(found, choice.keys)
        case _:
            return None
    if shares is None:
        return None
    logs = [math.log(max(share, FLOOR)) for share in shares]
    total = math.log(math.fsum(math.exp(log) for log in logs))
    model, about = rest.get("model"), _about(rest, choice.id)
    return Served(
        logprobs={name: log - total for name, log in zip(choice.names, logs, strict=True)},
        model=model[:SHORT] if isinstance(model, str) else None,
        tokens=_tokens(rest),
        coverage=_share(about.get("coverage")),
        spread=_share(about.get("spread")),
        orders=1,
    )


def decoded(content: bytes) -> Any:
    """Decode JSON, also where a field that nobody reads is NaN; None for what is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _shares(found: Any, keys: list[str]) -> list[float] | None:
    """Give the probability of each option, if there is one for each and they are a distribution."""
    if isinstance(found, list):
        pairs = [_pair(each) for each in found]
        if None in pairs or len(dict(filter(None, pairs))) != len(pairs):
            return None
        found = dict(filter(None, pairs))
    if not isinstance(found, dict) or set(found) != set(keys):
        return None
    shares = [_share(found[key]) for key in keys]
    known = [share for share in shares if share is not None]
    total = math.fsum(known)
    if len(known) < len(shares) or abs(total - 1) > OFF:
        return None
    return [share / total for share in known]


def _pair(each: Any) -> tuple[str, Any] | None:
    match each:
        case {"value": str(name), "probability": share}:
            return name, share
        case _:
            return None


def _share(value: Any) -> float | None:
    """A number from 0 to 1, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not -OUTSIDE <= value <= 1 + OUTSIDE:  # false for what is no number
        return None
    return min(1.0, max(0.0, float(value)))


def _tokens(body: Mapping[Any, Any]) -> int:
    """Count the tokens as the server does, each in its own way; 0 where it does not."""
    match body:
        case {"usage": {"input_tokens": int() | float() as count}} if 0 <= count < 1e9:
            return int(count)
        case _:
            return 0


def _about(body: Mapping[Any, Any], name: str) -> dict[str, Any]:
    """What our own server adds about an answer."""
    match body:
        case {"x_audit": {"answers": dict(about)}} if isinstance(about.get(name), dict):
            return dict(about[name])
        case _:
            return {}


def message(content: bytes) -> str:
    """Take the sentence out of an error, of whichever shape; at most `SHORT` characters."""
    match decoded(content):
        case {"detail": [{"msg": str(said)}, *_]}:
            pass
        case {"detail": {"message": str(said)}} | {"detail": str(said)}:
            pass
        case {"error": {"message": str(said)}} | {"error": str(said)} | {"message": str(said)}:
            pass
        case _:
            said = content[: 4 * SHORT].decode("utf-8", "replace")
    return " ".join(said.split())[:SHORT] or "it does not say why"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, in any of three ways; None where it does not."""
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    except (KeyError, ValueError, OverflowError):
        return None
