"""What the user asked of a scan, read and checked: options in, an `Order` out.

A wrong option gets one sentence that says what was expected. Reads no transcript.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from auditor import sources
from auditor.audit import Audit
from auditor.errors import ConfigError
from auditor.formats import Format
from auditor.policy import Action
from auditor.turn import Verdict

Pick = Callable[[Audit], bool]


def _with_verdict(verdict: Verdict) -> Pick:
    return lambda found: found.verdict is verdict


def _with_opinion(opinion: str) -> Pick:
    return lambda found: found.opinion == opinion


PICKS: dict[str, Pick] = {
    "all": lambda _: True,
    "nudge": lambda found: found.would_nudge,
    "log": lambda found: found.decision is Action.LOG,
    "silent": lambda found: found.decision is Action.SILENT,
    **{verdict.value: _with_verdict(verdict) for verdict in Verdict},
    **{opinion: _with_opinion(opinion) for opinion in ("settled", "judged", "residue")},
}
"""What `--only` takes. `nudge` is what would be nudged, whether or not something holds it back."""


SHIPPED = "shipped"
"""Stands where the id of a calibration stands, for those that come with this program."""


QUESTIONS = 50
"""Questions a scan puts to a model when nobody says how many: a minute or two on two CPUs of the
default model, after which a person still waits. The next scan goes on with other turns."""


class Order(Struct, frozen=True, kw_only=True):
    """What the user asked for. `since`, `last`, `session` choose turns; `only` chooses the shown.

    No paths: the default places. `db` None: nothing is kept. `since` is Unix seconds. `model`
    None: no decision model; `questions`: how many are put to it at most, None for all.
    `calibration`: an id, the path of a file, or `SHIPPED`; None: no probability is given.
    """

    paths: tuple[Path, ...] = ()
    harness: str | None = None
    since: float | None = None
    last: int | None = None
    session: str | None = None
    only: str | None = None
    explain: str | None = None
    format: Format = Format.TABLE
    out: Path | None = None
    db: Path | None = None
    model: str | None = None
    questions: int | None = None
    offline: bool = False
    calibration: str | None = None


_AGO = re.compile(r"([0-9]{1,6})\s*([mhdw])", re.ASCII)
_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def moment(text: str, now: float, option: str = "--since") -> float:
    """Read a point in time: an ISO date or time (local without a zone), or an age like 7d."""
    if found := _AGO.fullmatch(text.strip()):
        return now - int(found[1]) * _SECONDS[found[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ConfigError(
            f"{option}: {text!r} is neither a date like 2026-05-31 nor an age like 7d or 12h"
        ) from None


def model(name: str | None) -> str | None:
    """Read `--model`: none, a name, or nothing for the default model."""
    if name == "none":
        return None
    from auditor.models import registry  # noqa: PLC0415 - reads files

    return name or registry.default().name


def calibration(name: str | None) -> str | None:
    """Read `--calibration`: none, an id or a path, or nothing for the shipped ones."""
    return None if name == "none" else name or SHIPPED


def questions(text: str | None) -> int | None:
    """Read `--ask`: a number, all (None), or nothing for `QUESTIONS`. Raises `ConfigError`."""
    if text is None:
        return QUESTIONS
    if text == "all":
        return None
    if not text.isascii() or not text.isdigit():
        raise ConfigError(f"--ask: {text!r} is neither a number of questions nor all")
    return int(text)


def check(order: Order) -> None:
    """Raise `ConfigError` for an order that cannot be carried out."""
    sources.checked(order.harness)
    if order.only is not None and order.only not in PICKS:
        raise ConfigError(f"--only: {order.only!r} is none of {', '.join(PICKS)}")
    if order.last is not None and order.last < 1:
        raise ConfigError(f"--last: {order.last} is not a number of turns from 1 on")
    if order.out is not None and order.out.exists() and not order.out.is_file():
        raise ConfigError(f"--out: {order.out} is not a file that can be replaced")
    if order.out is not None and not order.out.parent.is_dir():
        raise ConfigError(f"--out: there is no folder {order.out.parent}")
