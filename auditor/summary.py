"""What a scan counted: turns, verdicts, would-be nudges, reasons, and what could not be read.

Plain data that is added to turn by turn and encodes as the `summary` of `--format json`. Knows no
screen and no file.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from auditor.audit import Audit
from auditor.events import Unread
from auditor.redact import redact

KIND = 100
"""Characters of a kind that are kept: some quote the value that they could not read (a guess)."""

MAX_KINDS = 100
"""Kinds of unread entries told apart; a broken file can make up one for each line (a guess)."""

OTHER = "other kinds"


class Share(Struct):
    """Turns, and how many of them would have been nudged."""

    turns: int = 0
    would_nudge: int = 0

    @property
    def share(self) -> float | None:
        """Would-be nudges per turn; None for no turns."""
        return self.would_nudge / self.turns if self.turns else None


class UnreadKind(Struct):
    """How often an entry of one kind was not understood, and where first (`file:line`)."""

    count: int
    first: str


def named(path: Path | str) -> str:
    """A path as text that can be written anywhere, whatever bytes its name has."""
    return str(path).encode("utf-8", "replace").decode()


class Problem(Struct, frozen=True):
    """A file or folder that could not be read at all."""

    path: str
    reason: str


class Asking(Struct, kw_only=True):
    """What a decision model was asked: by name, now and earlier, and why no more.

    `not_judged`: turns that nothing settled and about which there is no answer.
    """

    model: str | None = None
    asked: int = 0
    remembered: int = 0
    not_judged: int = 0
    problem: str | None = None


class Summary(Struct, kw_only=True):
    """Counts of one scan. `verdicts` counts turns that nothing settled under their opinion."""

    demo: bool = False
    interrupted: bool = False
    files: int = 0
    ignored: int = 0
    turns: int = 0
    would_nudge: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    opinions: dict[str, int] = field(default_factory=dict)
    decisions: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    by_harness: dict[str, Share] = field(default_factory=dict)
    by_model: dict[str, Share] = field(default_factory=dict)
    unread: dict[str, UnreadKind] = field(default_factory=dict)
    unreadable: list[Problem] = field(default_factory=list)
    asking: Asking = field(default_factory=Asking)
    store: str | None = None
    stored: int = 0
    labels: int = 0

    def count(self, audit: Audit) -> None:
        """Add one audited turn."""
        nudge = audit.would_nudge
        self.turns += 1
        self.would_nudge += nudge
        _add(self.verdicts, audit.verdict or audit.opinion)
        _add(self.opinions, audit.opinion)
        _add(self.decisions, audit.decision)
        _add(self.reasons, audit.reason)
        for shares, name in ((self.by_harness, audit.harness), (self.by_model, audit.model or "—")):
            share = shares.get(name)
            if share is None:
                share = shares[name] = Share()
            share.turns += 1
            share.would_nudge += nudge

    def count_unread(self, unread: Unread, path: Path) -> None:
        """Add one entry that nobody understood."""
        kind = " ".join(redact(unread.kind[:KIND]).split())
        if kind not in self.unread and len(self.unread) >= MAX_KINDS:
            kind = OTHER
        if (found := self.unread.get(kind)) is not None:
            found.count += 1
        else:
            line = "" if unread.line is None else f":{unread.line}"
            self.unread[kind] = UnreadKind(1, f"{named(path)}{line}")


def _add(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
