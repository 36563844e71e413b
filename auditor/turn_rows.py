"""What is written of a turn and of its audit, and what is read back: rows, addresses, names.

Knows no database.
"""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from auditor.audit import Audit
from auditor.glimpse import visible
from auditor.redact import VERSION, placeholders, redact
from auditor.turn import Turn

TEXTS = ("request", "activity", "reply")


class Text(Struct, frozen=True):
    """What a person needs of a turn, redacted and shortened."""

    request: str
    activity: str
    reply: str


class Kept(Struct, frozen=True):
    """A turn of the store and its newest audit. `turn`: its address as hex; `at`: Unix seconds."""

    turn: str
    at: float
    audit: Audit
    text: Text | None

    @property
    def session(self) -> str:
        """The hidden name of its session."""
        return self.audit.session


def address(turn: Turn) -> bytes:
    """Content address: SHA-256 of the turn as canonical JSON, without its times."""
    timeless = structs.replace(turn, started=None, ended=None)
    return hashlib.sha256(_encoded(timeless)).digest()


def _encoded(turn: Turn) -> bytes:
    try:
        return msgspec.json.encode(turn, order="deterministic")
    except UnicodeEncodeError:  # half a surrogate pair, out of a database or a broken escape
        return repr(turn).encode("utf-8", "backslashreplace")


@cache
def fingerprint() -> str:
    """Say which detectors and ranking audit here: a digest of the code that decides."""
    package = Path(__file__).parent
    deciding = (
        *("audit", "calibration", "evidence", "features", "judge", "policy", "ranking"),
        *("remedies", "sieve", "signals", "text", "turn"),
    )
    files = [package / f"{name}.py" for name in deciding]
    digest = hashlib.sha256()
    for path in files + sorted((package / "detectors").glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache(maxsize=4096)  # harnesses and models repeat from turn to turn
def shown(name: str) -> str:
    """Give a name without secrets, safe to print."""
    return visible(redact(name))


def judged(audit: Audit) -> str:
    """Say what decided: the code, the calibration, and which model answered."""
    answered = "" if audit.answer is None else f"+{audit.answer.model[:12]}"
    return f"{fingerprint()}/{audit.calibration or ''}{answered}"


def kept(address: str, at: float, audit: str, *text: str | None) -> Kept:
    """Make a kept turn of what the store reads back."""
    found = None if text[0] is None else msgspec.convert(dict(zip(TEXTS, text, strict=True)), Text)
    return Kept(address.lower(), at, msgspec.json.decode(audit, type=Audit), found)


def turn_row(key: bytes, named: Audit, texts: tuple[str, ...], now: float) -> tuple[Any, ...]:
    """Write the row of a turn; `named`: its audit with hidden names, `texts` as they are kept."""
    counts = placeholders("\n".join(texts))
    return (
        *(key, named.turn, named.session, named.harness, named.parent, named.model),
        *(named.request_kind, named.started, named.ended, now),
        *(VERSION, msgspec.json.encode(counts).decode()),
    )


def audit_row(key: bytes, judged: str, named: Audit, now: float) -> tuple[Any, ...]:
    """Write the row of an audit; `judged`: what decided."""
    encoded = msgspec.json.encode(named).decode()
    return (
        *(key, judged, named.verdict, named.decision, named.would_nudge, named.score),
        *(encoded, now, named.probability, named.calibration),
    )
