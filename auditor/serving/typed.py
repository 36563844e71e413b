"""Typed questions of the protocol `/v1/systemone`: read, put as forced choices, written down.

Owns the shapes and the formulas of the protocol. Knows no HTTP and no model: every question, of
whatever type, becomes letters to choose from, like our own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from auditor.evidence import Evidence
from auditor.judge import Answer, Asked, Option, Question, log_sum

QUESTIONS, OPTIONS, LEVELS = 64, 255, 10
"""At most in a request, a choice, a score: Rizzo Flow's, the reference's, the reference's."""

SYSTEM = "You read what the user shows you and answer a question about it with one letter."
READ = "I have read it."
"""What the agent says to the state, so that the question stands in a turn of its own."""

CUE = " Answer with one letter."
OTHER = "other"
VERSION = 1
"""Of the wordings here: answers of another version do not compare."""


class Problem(Struct, frozen=True):
    """What is wrong with a request, and where; encodes as the protocol has it."""

    loc: tuple[str | int, ...]
    msg: str
    type: str


class Typed(Struct, frozen=True):
    """A question: its type, what its answers are called, and the choices that decide it.

    `texts`: the levels of a score as they came. One choice, or several where the options are more
    than there are letters; each of several ends with `OTHER`, which ties them.
    """

    kind: str
    names: tuple[str, ...]
    choices: tuple[Question, ...]
    texts: tuple[Any, ...] = ()


class Wanted(Struct, frozen=True):
    """A request: the model's name, what is shown, and the questions by id."""

    model: str
    shown: Evidence
    questions: dict[str, Typed]

    def asked(self, typed: Typed) -> Iterator[Asked]:
        """Give what to ask the model, one after the other."""
        for choice in typed.choices:
            yield Asked(choice, self.shown, whole=True)


def read(body: object, letters: int) -> Wanted | list[Problem]:
    """Read a decoded request; `letters`: how many options the model tells apart at once."""
    if not isinstance(body, dict):
        return [Problem(("body",), "an object was expected", "dict_type")]
    problems = [
        Problem(("body", key), "it is missing", "missing")
        for key in ("model", "state", "questions")
        if key not in body
    ]
    model, state, questions = (body.get(key) for key in ("model", "state", "questions"))
    if "model" in body and not isinstance(model, str):
        problems.append(Problem(("body", "model"), "a string was expected", "string_type"))
    if "state" in body and not isinstance(state, str | dict | list):
        expected = "a string, object or array was expected"
        problems.append(Problem(("body", "state"), expected, "union_type"))
    typed: dict[str, Typed] = {}
    if isinstance(questions, dict) and 1 <= len(questions) <= QUESTIONS:
        for name, question in questions.items():
            match _typed(question, letters):
                case Typed() as found:
                    typed[name] = found
                case Problem(loc, msg, type_):
                    problems.append(Problem(("body", "questions", name, *loc), msg, type_))
    elif "questions" in body:
        expected = f"an object of 1 to {QUESTIONS} questions was expected"
        problems.append(Problem(("body", "questions"), expected, "dict_type"))
    return problems or Wanted(str(model), Evidence(_told(state), (), READ), typed)


def _typed(question: object, letters: int) -> Typed | Problem:
    match question:
        case {"type": "noul" | "choice" | "score" as kind, **rest}:
            instructions = rest.get("instructions")
            if not (instructions is None or isinstance(instructions, str | dict | list)):
                expected = "a string, object or array was expected"
                return Problem((kind, "instructions"), expected, "string_type")
            return _READERS[kind](instructions, rest.get("criteria"), letters)
        case {"type": _}:
            return Problem((), "the type must be noul, choice or score", "union_tag_invalid")
        case dict():
            return Problem((), "the type is missing", "union_tag_not_found")
        case _:
            return Problem((), "an object was expected", "model_attributes_type")


def _noul(instructions: object, criteria: object, letters: int) -> Typed | Problem:
    if criteria is None:
        criteria = {}
    known = ("true", "false")
    if not isinstance(criteria, dict) or set(criteria) - set(known):
        return Problem(("noul", "criteria"), "an object with true, false was expected", "dict_type")
    if not all(_is_text(criteria.get(side)) for side in known):
        return Problem(("noul", "criteria"), "texts were expected", "string_type")
    if not instructions and not any(criteria.values()):
        return Problem(("noul", "instructions"), "there is nothing to answer", "missing")
    texts = [_named("Yes", criteria.get("true")), _named("No", criteria.get("false"))]
    return Typed("noul", known, _choices(instructions or "Is this so?", texts, letters))


def _choice(instructions: object, criteria: object, letters: int) -> Typed | Problem:
    if not isinstance(criteria, dict):
        return Problem(("choice", "criteria"), "an object was expected", "dict_type")
    if not 2 <= len(criteria) <= OPTIONS:
        return Problem(("choice", "criteria"), f"2 to {OPTIONS} options were expected", "too_long")
    for name, about in criteria.items():
        if not _is_text(about):
            return Problem(("choice", "criteria", name), "a text was expected", "string_type")
    texts = [_named(name, about) for name, about in criteria.items()]
    put = _choices(instructions or "Which one fits?", texts, letters)
    return Typed("choice", tuple(criteria), put)


def _score(instructions: object, criteria: object, letters: int) -> Typed | Problem:
    if not isinstance(criteria, list):
        return Problem(("score", "criteria"), "an array of levels was expected", "list_type")
    if not 2 <= len(criteria) <= LEVELS:
        return Problem(("score", "criteria"), f"2 to {LEVELS} levels were expected", "too_long")
    for at, level in enumerate(criteria):
        if level is None or not _is_text(level):
            return Problem(("score", "criteria", at), "a text was expected", "string_type")
    put = _choices(
        instructions or "Which level fits?", [_told(level) for level in criteria], letters
    )
    return Typed("score", tuple([str(at) for at in range(len(criteria))]), put, tuple(criteria))


_READERS: Mapping[str, Callable[[object, object, int], Typed | Problem]] = {
    "noul": _noul,
    "choice": _choice,
    "score": _score,
}


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str | dict | list)


def _named(name: str, about: object) -> str:
    return f"{_clean(name)}: {_told(about)}" if about else _clean(name)


def _told(value: object) -> str:
    """Write a text down: a string as it is, an object by its fields, the rest as JSON."""
    match value:
        case str():
            return _clean(value)
        case dict() if all(isinstance(each, str) for each in value.values()):
            return "\n\n".join([f"{_clean(key)}:\n{_clean(text)}" for key, text in value.items()])
        case _:
            return _clean(msgspec.json.encode(value).decode())


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "").strip()


def _choices(instructions: object, texts: Sequence[str], letters: int) -> tuple[Question, ...]:
    """Put one choice, or as many as the letters make of it."""
    words = _told(instructions) + CUE
    options = [Option(str(at), text) for at, text in enumerate(texts)]
    size = len(options) if len(options) <= letters else letters - 1
    other = [] if size == len(options) else [Option(OTHER, "None of these")]
    return tuple(
        Question("typed", VERSION, words, (*options[at : at + size], *other), SYSTEM)
        for at in range(0, len(options), size)
    )


def probabilities(typed: Typed, answers: Sequence[Answer]) -> list[float]:
    """Make one distribution of the answers to the choices.

    Of several choices, what an option has over `OTHER` compares between them.
    """
    logs = [
        answer.logprobs[option.name] - answer.logprobs.get(OTHER, 0.0)
        for choice, answer in zip(typed.choices, answers, strict=True)
        for option in choice.options
        if option.name != OTHER
    ]
    total = log_sum(logs)
    shares = [math.exp(log - total) for log in logs]
    return [share / math.fsum(shares) for share in shares]


def written(typed: Typed, found: Sequence[float]) -> dict[str, object]:
    """Write an answer as the protocol has it."""
    by_name = dict(zip(typed.names, found, strict=True))
    top = max(range(len(found)), key=found.__getitem__)
    match typed.kind:
        case "noul":
            return {"type": "noul", "noul": found[0]}
        case "choice":
            return {
                "type": "choice",
                "choice": typed.names[top],
                "probabilities": by_name,
                "confidence": _within((found[top] - 1 / len(found)) / (1 - 1 / len(found))),
            }
        case _:
            return {
                "type": "score",
                "score": math.fsum(level * share for level, share in enumerate(found)),
                "legend": dict(zip(typed.names, typed.texts, strict=True)),
                "probabilities": by_name,
                "confidence": _sure(found, top),
            }


def _sure(found: Sequence[float], top: int) -> float:
    """Confidence of a score, by the reference: how near the levels are to the likeliest one."""
    count = len(found)
    apart = math.fsum(share * abs(level - top) for level, share in enumerate(found))
    even = math.fsum(abs(level - (count - 1) / 2) for level in range(count)) / count
    return _within(1 - apart / even)


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))
