"""What kind of failure a provider's error is, read from its status, name and words.

Owns the table of words; knows no harness. Kinds differ in who can lift them: the next try, the
clock, or only the user. An error that says nothing known has no kind.
"""

from __future__ import annotations

import re
from enum import Enum

from auditor.turn import FinishReason, Text, Turn


class Kind(Enum):
    """What failed, by who can lift it."""

    TRANSIENT = "passes by itself in seconds or minutes"
    USAGE = "a usage limit, lifted at a stated time"
    OUTPUT = "one reply was longer than the provider allows"
    OVERFLOW = "the context is full"
    REFUSED = "only the user can lift it: key, bill, model, request, content"


PASSING = (None, Kind.TRANSIENT)
"""No failure, or one that the next try may not meet: what a turn owes it still owes."""


# In the order of trial: the narrower words first. A limit per minute is no quota, a quota of
# requests per day is no limit per minute, and a 429 may be either.
_WORDS = (
    (
        Kind.TRANSIENT,
        (
            r"\bper[ -](?:minute|second)|\b[TR]P[MS]\b|(?:retry|try again) (?:after"
            r"|in) \d+(?:\.\d+)? ?m?s(?:ec(?:ond)?s?)?\b"
        ),
    ),
    (
        Kind.OUTPUT,
        (
            r"output token (?:maximum|limit)|max(?:imum)?_?(?: output)?_?tokens (?:reached"
            r"|exceeded)|MaxOutputTokens|OutputLengthError"
        ),
    ),
    (
        Kind.OVERFLOW,
        (
            r"prompt(?: is|_is)?[ _]too[ _]long|context[ _]?(?:length|window|overflow|limit)"
            r"|maximum context"
            r"|input (?:is |was )?too long|too many (?:input |total )?tokens"
            r"|request (?:entity )?too large"
            r"|exceeds? the (?:model'?s )?(?:maximum )?(?:context|input|token)"
        ),
    ),
    (
        Kind.USAGE,
        (
            r"usage[ _]?limit|(?:hit|reached|exceeded) your (?:\S+ )?limit"
            r"|out of (?:extra )?usage|(?<!rate )limit (?:reached|will reset)"
            r"|\bresets? (?:(?:at|on|in) )?(?:\d|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may"
            r"|jun|jul|aug|sep|oct|nov|dec|tomorrow|midnight|noon))"
            r"|(?:daily|weekly|monthly|hourly|5-hour|plan) (?:usage |message |request )?limit"
            r"|\bper[ -](?:day|week|month)"
        ),
    ),
    (
        Kind.REFUSED,
        (
            r"quota|billing|credit|balance|payment|\bfunds|subscription|/login|log ?in"
            r"|sign in|logged"
            r"|api[ _-]?key|authenti|authori[sz]|unauthori|forbidden|oauth"
            r"|does not have access|permission"
            r"|(?:unknown|invalid|no such) model|model\S{0,80} (?:is )?(?:not|does not) (?:found"
            r"|exist|supported)|model_not_found"
            r"|content[ _-]?(?:filter|policy|management)|safety|blocked by|invalid[ _]request"
            r"|bad[ _]request|unsupported"
        ),
    ),
    (
        Kind.TRANSIENT,
        (
            r"rate[ _-]?limit|too many requests|overload|unavailable|internal server"
            r"|server[ _]error|bad gateway"
            r"|gateway time-?out|time(?:d)?[ _-]?out|E(?:CONN|PIPE|AI_AGAIN|TIMEDOUT|HOSTUNREACH)"
            r"|function\.name|connection|socket hang|network|fetch failed|stream|premature"
            r"|\bEOF\b|stalled"
            r"|terminated"
            r"|temporar|try again|retry"
        ),
    ),
)
_KINDS = tuple((kind, re.compile(words, re.I)) for kind, words in _WORDS)
_STATUS = re.compile(
    r"(?:\bAPI Error|\bHTTP|\bstatus(?: code)?)\W{0,3}([45]\d\d)\b|\b([45]\d\d) status", re.I
)
_ABORT = re.compile(r"abort|interrupt", re.I)

PRINTED = (
    "API Error",
    "[API Error",
    "Prompt is too long",
    "Request timed out",
    "Please run /login",
    "Invalid API key",
    "Credit balance is too low",
    "Your account does not have access",
    "You've hit your",
    "You're out of",
    "You've reached your",
    "Claude AI usage limit reached",
    "Claude usage limit reached",
    "OAuth token",
)
"""How errors begin that harnesses print as the agent's text (seen in transcripts of Claude Code,
Gemini CLI and Qwen Code)."""

_LONGEST = 500
"""Characters of a printed error; a text about an error is longer (the longest seen has 190)."""


def printed(turn: Turn) -> str:
    """The error the harness printed as the last text, or an empty string.

    Where the harness says that the turn failed, it may stand as the last paragraph under what the
    agent had said so far.
    """
    last = turn.last
    if type(last) is not Text:
        return ""
    text = last.text.rstrip()
    if turn.error is not None or turn.finish is FinishReason.ERROR:
        text = text.rpartition("\n\n")[2]
    return text if len(text) <= _LONGEST and text.startswith(PRINTED) else ""


def said(turn: Turn) -> str:
    """All that is said about the failure in one line; empty where nothing failed."""
    error = turn.error
    line = printed(turn)
    if error is None:
        return line
    words = f"{error.name} {error.message[:_LONGEST]} {line}".strip()
    return words or (f"status {error.status}" if error.status is not None else "")


def kind_of(turn: Turn) -> Kind | None:
    """Name the kind of provider error the turn ended on; None where nothing says so."""
    views = turn.__dict__  # where a turn keeps its views: six detectors ask, one reads
    if "_error_kind" not in views:
        views["_error_kind"] = _kind(turn)
    kind: Kind | None = views["_error_kind"]
    return kind


def _kind(turn: Turn) -> Kind | None:
    if turn.finish is FinishReason.CONTENT_FILTER:
        return Kind.REFUSED
    if turn.finish is FinishReason.ABORTED:
        return None
    line = said(turn)
    if not line and turn.error is None:
        return None
    error = turn.error
    if error is not None and _ABORT.search(error.name):
        return None
    status = error.status if error is not None else None
    if status is None and (found := _STATUS.search(line)):
        status = int(found[1] or found[2])
    return _by_status(status, _by_words(line))


def _by_words(line: str) -> Kind | None:
    return next((kind for kind, words in _KINDS if words.search(line)), None)


def _by_status(status: int | None, words: Kind | None) -> Kind | None:
    """The status decides where it is plain, the words where it is not."""
    match status:
        case None:
            return words
        case 401 | 402 | 403:
            return words if words is Kind.USAGE else Kind.REFUSED
        case 413:
            return Kind.OVERFLOW
        case 429:
            return words or Kind.TRANSIENT
        case 408 | 409 | 425:
            return Kind.TRANSIENT
        case _ if status >= 500:
            return Kind.TRANSIENT
        case _:
            return words if words in (Kind.OVERFLOW, Kind.USAGE, Kind.OUTPUT) else Kind.REFUSED
