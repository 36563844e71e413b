"""The words of a nudge, English and Chinese: what was seen, and what the agent may do about it.

Owns which words, in which language, and what is filled in; the sentences are `texts`'. What comes
out of a transcript is quoted as one short line: it is data, and it goes back to the same session it
came from.
"""

from __future__ import annotations

import hashlib
import re

from auditor.audit import Audit
from auditor.live.settings import Settings
from auditor.live.situation import Situation
from auditor.live.texts import CONFIRMED, DECLINE, EN, LANGUAGES, STOPPED, TEXTS, UNSURE, ZH
from auditor.turn import ToolCall, ToolResult, Turn, TurnError

TAIL, ERROR, ITEM, ITEMS = 80, 160, 80, 5
"""Characters of what is quoted, and to-dos named: a line or two each (guesses)."""

_CUT_OFF = frozenset(
    {"silent_stream", "orphaned_message", "stream_failure", "rate_limit", "orphan_parent"}
)
"""Recoveries after which a last call may be repeated without need."""

_LOOPS = frozenset({"tool_loop", "text_loop"})
"""Recoveries that stop a turn while it runs, or speak to one that ended."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]+"
)
"""What does not show: control characters, directions, characters of no width, tags."""

_INNER = re.compile(r"""["']message["']\s*:\s*(["'])(.+?)(?<!\\)\1""")
"""The message inside an object that a provider sent as one."""

_QUOTES = str.maketrans(dict.fromkeys('"“”„', "'"))
"""Quotation marks of ours; what is quoted cannot end its own quotation."""


def words(  # noqa: PLR0913 - everything that a text may name
    recovery: str,
    situation: Situation,
    audit: Audit | None,
    settings: Settings,
    *,
    reason: str,
    attempt: int,
) -> str:
    """Give the words of a nudge, in the language of the request unless one is set."""
    turn = situation.turn
    language = settings.language if settings.language in LANGUAGES else None
    if language is None:
        language = language_of(turn.request) if turn is not None else EN
    known = _known(turn, audit, reason, attempt)
    own = settings.loop_text if recovery == "autonomous_loop" else settings.texts.get(recovery, "")
    if own.strip():
        return filled(own, known)
    stopped = situation.aborted is not None
    text = STOPPED[language] if stopped and recovery in _LOOPS else ""
    text += TEXTS[recovery][language] + DECLINE[language]
    if recovery in _CUT_OFF and turn is not None:
        text += _advice(turn, stopped=stopped)[language]
    return filled(text, known)


def _advice(turn: Turn, *, stopped: bool) -> dict[str, str]:
    """Say what is known of the last call, where the agent could repeat it.

    A call that was stopped with the turn has a result that may be half of one; one that failed may
    well be made again.
    """
    if _unanswered(turn) is not None:
        return UNSURE
    last = turn.last
    if type(last) is not ToolResult or last.failed is True:
        return dict.fromkeys(LANGUAGES, "")
    return UNSURE if stopped or last.failed is None else CONFIRMED


def digest(text: str) -> str:
    """Give what is remembered of words that were sent: enough to know them again."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def language_of(text: str) -> str:
    """Chinese where Chinese characters stand and no kana or hangul; else English."""
    return ZH if len(_HAN.findall(text)) >= 4 and not _KANA.search(text) else EN


def filled(text: str, known: dict[str, str]) -> str:
    """Put in what is known by name; braces that name nothing stay as they are."""
    return _NAME.sub(lambda found: known.get(found[1], found[0]), text)


_NAME = re.compile(r"\{(reason|tail|tool|todos|error|attempt)\}")


def _known(turn: Turn | None, audit: Audit | None, reason: str, attempt: int) -> dict[str, str]:
    seen = audit.signals.get(audit.by or "") if audit is not None else None
    if turn is None:
        return {"reason": line(reason, ERROR), "attempt": str(attempt)}
    unanswered = _unanswered(turn)
    last = unanswered or (turn.calls[-1] if turn.calls else None)
    error = turn.error
    return {
        "reason": line(reason if seen is None else f"{reason}: {seen.evidence}", ERROR),
        "tail": line(turn.reply, TAIL, end=True),
        "tool": line(last.name, ITEM) if last is not None else "a tool",
        "todos": "; ".join(line(todo.content, ITEM) for todo in turn.open_todos[:ITEMS]),
        "error": line(_said(error) if error is not None else reason, ERROR),
        "attempt": str(attempt),
    }


def _said(error: TurnError) -> str:
    """What an error says; of a whole object that stands for a message, its message."""
    text = error.message or error.name
    inner = _INNER.search(text) if text.startswith(("{", "[")) else None
    return inner[2] if inner is not None else text


def _unanswered(turn: Turn) -> ToolCall | None:
    """The last call, if no result came that says what became of it."""
    answered = {part.call for part in turn.parts if type(part) is ToolResult}
    open_ = [call for call in turn.calls if call.id not in answered]
    return open_[-1] if open_ and open_[-1] is turn.calls[-1] else None


def line(text: str, length: int, *, end: bool = False) -> str:
    """One line of at most `length` characters without control characters or quotes of ours."""
    cut = text[-4 * length :] if end else text[: 4 * length]
    plain = " ".join(_CONTROL.sub(" ", cut).translate(_QUOTES).split())
    if len(plain) <= length:
        return plain
    return "…" + plain[1 - length :] if end else plain[: length - 1] + "…"
