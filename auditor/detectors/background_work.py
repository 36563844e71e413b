"""A job runs in the background, and the agent has said that it will come back to it.

A pending job is a fact. So is a launch as the very last thing. What the text says of a running
job counts only near its end, and not where the agent goes on announcing something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from auditor.detectors._endings import ending
from auditor.detectors._last_call import last_call
from auditor.signals import Signal, Stage, evidence
from auditor.turn import PendingKind, Text, ToolResult, Turn, Verdict

STAGE = Stage.STRUCTURE

_LAUNCHED = re.compile(
    r"(?:running|started|launched|moved)[^.\n]{0,40}\bin (?:the )?background"
    r"|\basync agent launched|background (?:task|job|process|command)[^.\n]{0,20}started",
    re.I,
)

_ASKED = re.compile(r'"(?:run_in_background|is_background|background|async)":\s*true')

REACH = 400
"""Characters of prose before the end that may speak of the running job (a guess)."""

_STILL = re.compile(
    r"(?:is|are|it's|they're|'s) still (?:running|working|building|in progress|executing"
    r"|downloading|training)\b"
    r"|(?:running|runs|started|launched|continues|working|building"
    r"|processing)\b[^.\n]{0,30}\bin the background\b"
)
_FINISH = (
    r"(?:finish\w*|complet\w*|(?:is|are|'s|'re) (?:done|ready|through|in(?! place)|back)"
    r"|(?:comes?|gets?) (?:in|back)|returns?|reports?|lands?)"
)
_MINE = ("i'll ", "i will ", "i'm waiting ", "i am waiting ")
_THEN = re.compile(
    rf"[^.\n]{{0,90}}\b(?:when|once|as soon as) (?!i\b|you)[^.\n]{{0,60}}?{_FINISH}\b"
    r"|i(?:'ll| will|'m| am) wait(?:ing)? (?:for|until) (?:it|them|the|both|all|that)\b[^.\n]{0,50}"
    r"\b(?:finish|complet|return|report|done|ready)"
)
_FIRST = re.compile(
    rf"(?:^|[.!?;\n—–-] ?)(?:when|once|as soon as) (?!i\b"
    rf"|you)[^.\n]{{0,50}}?{_FINISH}\b[^.\n]{{0,10}}$"
)
_PROMISED = {
    "zh": re.compile(r"(?:完成|结束|跑完)后[^。\n]{0,8}(?:通知你|告诉你|告知|汇报|会生成)"),
    "ja": re.compile(r"(?:完了|終わっ)(?:したら|次第|たら)[^。\n]{0,12}(?:報告|お知らせ|連絡)"),
    "ko": re.compile(r"(?:완료|끝나)(?:되면|하면|면)[^.\n]{0,12}(?:알려|보고)"),
    "ru": re.compile(r"(?:сообщу|напишу)[^.\n]{0,12}(?:когда|как только)"),
    "ar": re.compile(r"سأ(?:خبرك|علمك)[^.\n]{0,12}(?:عند|حين)"),
    "hi": re.compile(r"(?:होने|होते) (?:पर|ही)[^।\n]{0,12}बता"),
    "es": re.compile(r"avis(?:o|aré|ar) (?:\w+ )?cuando"),
    "pt": re.compile(r"avis(?:o|arei|ar) (?:\w+ )?quando"),
    "fr": re.compile(r"préviendrai (?:\w+ )?(?:quand|dès|lorsque)"),
    "de": re.compile(r"melde mich,? (?:sobald|wenn)"),
    "tr": re.compile(r"(?:bitince|tamamlanınca|bittiğinde) (?:\w+ )?(?:haber|bildir)"),
}
_RUNNING = {
    "zh": re.compile(r"后台(?:运行|启动|执行|进行)|[仍还正]在(?:运行|后台)"),
    "ja": re.compile(r"バックグラウンドで"),
    "ko": re.compile(r"백그라운드에서"),
    "ru": re.compile(r"в фон(?:е|овом)|ещё (?:выполн|работа)"),
    "ar": re.compile(r"في الخلفية"),
    "hi": re.compile(r"पृष्ठभूमि में|बैकग्राउंड में"),
    "es": re.compile(r"en segundo plano"),
    "pt": re.compile(r"em segundo plano"),
    "fr": re.compile(r"en arrière-plan"),
    "de": re.compile(r"im hintergrund"),
    "tr": re.compile(r"arka planda"),
}
"""By language: the promise to come back when the job is done; a job that runs in the background."""

_DENSE = 220
"""The same reach for phrases of other languages: the dense scripts need fewer signs (a guess)."""


def detect(turn: Turn) -> Signal | None:
    """A job that is pending, was launched as the last thing, or is waited for in the text."""
    for waited in turn.pending:
        if waited.kind is PendingKind.BACKGROUND:
            said = evidence(f"in the background: {waited.what}")
            return Signal(1.0, Verdict.WAITING, said, settles=True)
    last = turn.last
    if type(last) is Text:
        return _said(turn)
    if type(last) is ToolResult and last.failed is not True and last_call(turn) is not None:
        head = last.output[:200]
        if "ackground" in head or "aunched" in head:
            launched = _LAUNCHED.search(head)
            if launched:
                return Signal(0.95, Verdict.WAITING, evidence(head), settles=True)
    return None


def _said(turn: Turn) -> Signal | None:
    near = turn.tail[-REACH:]
    others = ending(turn).near.languages[1:]
    if not others and not _hinted(near):
        return None
    near = near.lower().replace("’", "'")
    if near.endswith((":", "：")):
        return None
    at, promised = _spoken(near, others)
    if at < 0:
        return None
    proved = promised or _launched(turn)
    said = evidence(near[at : at + 160])
    return Signal(0.9 if proved else 0.6, Verdict.WAITING, said, settles=proved)


def _spoken(near: str, others: Iterable[str]) -> tuple[int, bool]:
    """Where a running job is spoken of (-1: nowhere), and whether with the promise to come back."""
    if (at := _promised(near)) >= 0:
        return at, True
    if (at := _in_others(_PROMISED, near, others)) >= 0:
        return at, True
    if "still " in near or "background" in near:
        found = _STILL.search(near)
        return (found.start() if found else -1), False
    return _in_others(_RUNNING, near, others), False


def _in_others(phrases: Mapping[str, re.Pattern[str]], near: str, others: Iterable[str]) -> int:
    """Where a phrase of these languages stands near the end, or -1."""
    start = max(0, len(near) - _DENSE)
    for code in others:
        if code in phrases and (found := phrases[code].search(near, start)):
            return found.start()
    return -1


def _promised(near: str) -> int:
    for mine in _MINE:
        at = near.find(mine)
        while at >= 0:
            if _THEN.match(near, at) or _FIRST.search(near[max(0, at - 110) : at]):
                return at
            at = near.find(mine, at + 1)
    return -1


def _launched(turn: Turn) -> bool:
    """Whether a call of this turn put something into the background."""
    return any(_ASKED.search(call.arguments) is not None for call in turn.calls) or any(
        _LAUNCHED.search(part.output[:200]) for part in turn.parts if type(part) is ToolResult
    )


def _hinted(near: str) -> bool:
    """A cheap first look at an English text, whatever its case."""
    return (
        "ackground" in near
        or "till " in near
        or "'ll " in near
        or "aiting" in near
        or "I will" in near
    )
