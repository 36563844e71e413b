"""The reply claims success, and the last command that ran had failed."""

from __future__ import annotations

import re

from auditor.detectors import _progress
from auditor.detectors._endings import ending
from auditor.signals import Signal, Stage, evidence
from auditor.turn import ToolResult, Turn, Verdict

STAGE = Stage.TEXT

CONTRADICTED = 0.9  # tests are said to pass, and the run before says how many failed
DOUBTED = 0.5  # a feature: a failure may be expected or beside the point
_TAIL = 400  # characters of an output in which test runners print their totals (a guess)
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|(?-i:\bFAIL(?:ED)?\b)"
    r"|exit(?:ed with)? code:? [1-9]",
    re.I,
)
_COUNTED = re.compile(r"\b[1-9]\d* (?:failed|failing|failures?)\b", re.I)
_PASSES = re.compile(
    r"\b(?:tests?|specs?|suite|checks?|build)\b.{0,30}\b(?:pass(?:es|ed|ing)?|green|succeeds?)\b"
    r"|测试.{0,8}通过|テスト.{0,8}(?:成功|通)|тесты.{0,12}(?:проход|прошли)"
    r"|(?:pruebas|tests).{0,15}pasan|tests.{0,20}passent|testes.{0,15}passa|tests.{0,15}(?:laufen|grün)"
)
_REPORTED = re.compile(r"\b(?:fail|error|broken|red|unrelated|pre-?existing|flaky|not pass)", re.I)


def detect(turn: Turn) -> Signal | None:
    if not turn.tail or len(turn.calls) == 0:
        return None
    last = next((part for part in reversed(turn.parts) if type(part) is ToolResult), None)
    if last is None or not _failed(last):
        return None
    end = ending(turn)
    if _REPORTED.search(turn.tail) or not _progress.claim.find(end.near.text, end.near):
        return None
    contradicted = _COUNTED.search(last.output[-_TAIL:]) and _PASSES.search(end.near.text)
    strength = CONTRADICTED if contradicted else DOUBTED
    return Signal(strength, Verdict.UNFINISHED, evidence(turn.closing), settles=strength > DOUBTED)


def _failed(result: ToolResult) -> bool:
    if result.failed is not None and not result.output:
        return result.failed
    tail = result.output[-_TAIL:]
    hinted = "ail" in tail or "AIL" in tail or "rror" in tail or "exit" in tail
    return result.failed is True or (hinted and _FAILED.search(tail) is not None)
