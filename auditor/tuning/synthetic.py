"""Turns whose answer is known because they were cut, or given another end, by us.

Owns the ways to make such a turn out of a real one: pure, the same turn and seed give the same
turns. Which of them are taken, and how many, is `examples`'.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from auditor.detectors.announced_action import detect as announced
from auditor.sieve import sieve
from auditor.tuning.synthetic_parts import before, paragraphs, reply_start, steps, texts
from auditor.tuning.synthetic_romance import ROMANCE
from auditor.tuning.synthetic_scripts import SCRIPTS
from auditor.tuning.synthetic_words import NAMES, WORDS, Words
from auditor.turn import (
    NUDGEABLE,
    FinishReason,
    Text,
    Todo,
    TodoStatus,
    ToolResult,
    Turn,
    Verdict,
)

LANGUAGES = WORDS | ROMANCE | SCRIPTS

SHORTEST = 20
"""Characters of a paragraph that says something (a guess)."""

CUTTABLE = 80
"""Characters of a reply that can be cut in the middle (a guess)."""

PLAIN_SHARE = 0.6
"""Share of the cuts before a call that are made where nothing is announced, if there are such: the
announced ones are easy, and detectors see them (a guess)."""

AGENT, USER, NOBODY = "agent", "user", "nobody"
"""The options of the question (`judge.WHOSE_MOVE`)."""

_PROBLEM = (FinishReason.ERROR, FinishReason.ABORTED, FinishReason.CONTENT_FILTER)
_SENTENCE_ENDS = ".!?…:;。！？：；)]}|`\"'*-"


class Made(Struct, frozen=True):
    """A turn, whose move is next in it, and how it was made."""

    turn: Turn
    option: str
    kind: str


def chance(seed: int, *names: str) -> random.Random:
    """Make a source of chance that depends on the seed and the names alone."""
    digest = hashlib.sha256("\n".join([str(seed), *names]).encode("utf-8", "replace")).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))  # noqa: S311 - nothing is secret


def made(turn: Turn, seed: int) -> Iterator[Made]:
    """Give every turn that can be made of a real one, and itself where its end is plain."""
    for kind, make in _WAYS.items():
        if (found := make(turn, chance(seed, turn.id, kind))) is not None:
            option, changed = found
            yield Made(replace(changed, id=f"{turn.id}/{kind}"), option, kind)


Way = tuple[str, Turn] | None


def before_call(turn: Turn, rng: random.Random) -> Way:
    """Cut before a call that the agent went on to make: its move was pending.

    A record keeps the text before the last calls as one; each of its paragraphs stood before a
    call, and calls are kept in proportion.
    """
    told = before(turn)
    places = [n for n, said in enumerate(told) if len(said) >= SHORTEST]
    if not places or not turn.calls:
        return None
    plain = [n for n in places if not _announces(turn, told[n])]
    choice = plain if plain and rng.random() < PLAIN_SHARE else places
    place = rng.choice(choice)
    kept = (len(turn.calls) - 1) * place // max(len(told) - 1, 1)
    parts = (*texts(told[:place]), *steps(turn, kept), Text(told[place]))
    return AGENT, _open(replace(_plain(turn), parts=parts), rng)


def after_result(turn: Turn, rng: random.Random) -> Way:
    """Cut after a tool's result that the agent went on to answer."""
    if len(turn.calls) < 2 or not any(type(part) is ToolResult for part in turn.parts):
        return None
    kept = rng.randrange(1, len(turn.calls))
    parts = (*texts(before(turn)), *steps(turn, kept))
    if type(parts[-1]) is not ToolResult:
        return None
    return AGENT, _open(replace(_plain(turn), parts=parts), rng)


def cut_off(turn: Turn, rng: random.Random) -> Way:
    """Cut the reply in the middle of a sentence."""
    reply = turn.reply
    if len(reply) < CUTTABLE or turn.finish in _PROBLEM:
        return None
    for _ in range(20):
        at = rng.randrange(len(reply) // 4, len(reply) - 5)
        kept, rest = reply[:at].rstrip(), reply[at:]
        if kept and kept[-1] not in _SENTENCE_ENDS and "\n" not in rest[:2] and rest.strip():
            return AGENT, _replied(turn, kept)
    return None


def ended_well(turn: Turn, rng: random.Random) -> Way:
    """Keep a turn that the agent ended with a report, where nothing speaks against that."""
    del rng
    return (NOBODY, turn) if _reports(turn) else None


def asked(turn: Turn, rng: random.Random) -> Way:
    """Keep a turn that ended on a question."""
    del rng
    asks = bool(turn.reply) and turn.finish not in _PROBLEM and turn.tail.endswith(("?", "？"))
    return (USER, turn) if asks and type(turn.last) is Text else None


def _said(option: str, endings: Callable[[Words], Sequence[str]]) -> Callable[..., Way]:
    """Make the way that ends a reported turn with other words of its own language: English."""

    def way(turn: Turn, rng: random.Random) -> Way:
        if not _reports(turn):
            return None
        blocks = paragraphs(turn.reply)
        if option == AGENT and len(blocks) > 1:
            blocks = blocks[: rng.randrange(1, len(blocks))]
        reply = "\n\n".join([*blocks, _filled(rng, endings(LANGUAGES["en"]))])
        changed = _replied(turn, reply)
        return option, _open(changed, rng) if option == AGENT else changed

    return way


def reported(turn: Turn, rng: random.Random) -> Way:
    """Give all the work a report for its end, in the place of what was said on the way."""
    told = [said for said in before(turn) if not _announces(turn, said)]
    if not told or not turn.calls or turn.open_todos or turn.finish in _PROBLEM:
        return None
    blocks = [told[-1], _filled(rng, LANGUAGES["en"].reported)]
    return NOBODY, _replied(turn, "\n\n".join(blocks))


def in_language(turn: Turn, rng: random.Random) -> Way:
    """Give the work a short reply in another language, whose end says whose move it is."""
    if not turn.calls or turn.finish in _PROBLEM or turn.open_todos:
        return None
    words = LANGUAGES[rng.choice(sorted(set(LANGUAGES) - {"en"}))]
    option, endings = rng.choice(
        [
            (AGENT, words.announced),
            (AGENT, words.partial),
            (AGENT, words.announced),
            (USER, words.asked),
            (USER, words.offered),
            (NOBODY, words.reported),
            (NOBODY, words.reported),
            (NOBODY, words.waits),
        ]
    )
    bodies = [_filled(rng, words.bodies)] if rng.random() < 0.8 else []
    if endings is words.offered or (option == NOBODY and not bodies):
        bodies.append(_filled(rng, words.reported[:3]))
    end = _filled(rng, endings)
    if rng.random() < 0.2:
        end = end[: max(len(end) * rng.randrange(40, 85) // 100, 8)].rstrip()
        option = AGENT
    changed = replace(turn, request=_filled(rng, words.requests))
    return option, _replied(changed, "\n\n".join([*bodies, end]))


_WAYS: dict[str, Callable[[Turn, random.Random], Way]] = {
    "before_call": before_call,
    "after_result": after_result,
    "cut_off": cut_off,
    "ended_well": ended_well,
    "asked": asked,
    "announced": _said(AGENT, lambda words: words.announced),
    "partial": _said(AGENT, lambda words: words.partial),
    "offered": _said(USER, lambda words: words.offered),
    "question": _said(USER, lambda words: words.asked),
    "waits": _said(NOBODY, lambda words: words.waits),
    "reported": reported,
    "in_language": in_language,
}

KINDS = tuple(_WAYS)


def _reports(turn: Turn) -> bool:
    """Whether the turn ended by itself on a text that neither promises nor asks."""
    if type(turn.last) is not Text or not turn.tail or turn.finish in _PROBLEM:
        return False
    if turn.open_todos or turn.pending or turn.error is not None or "?" in turn.closing:
        return False
    points = {signal.points_to for signal in sieve(turn).values()}
    return not points & (NUDGEABLE | {Verdict.AWAITING_USER, Verdict.WAITING})


def _announces(turn: Turn, said: str) -> bool:
    alone = Turn(id="", session="", harness=turn.harness, parts=(Text(said),))
    return said.endswith(":") or announced(alone) is not None


def _plain(turn: Turn) -> Turn:
    """Without what was known only at the real end."""
    return replace(turn, finish=None, error=None, pending=(), ended=None)


def _replied(turn: Turn, reply: str) -> Turn:
    return replace(_plain(turn), parts=(*turn.parts[: reply_start(turn)], Text(reply)))


def _open(turn: Turn, rng: random.Random) -> Turn:
    """Open the last to-dos again, where all were done: some of the work is not."""
    if not turn.todos or turn.open_todos:
        return turn
    first = max(0, len(turn.todos) - rng.randrange(1, 4))
    again = [Todo(todo.content, TodoStatus.PENDING) for todo in turn.todos[first:]]
    return replace(turn, todos=(*turn.todos[:first], *again))


def _filled(rng: random.Random, phrases: Sequence[str]) -> str:
    return rng.choice(phrases).replace("{x}", rng.choice(NAMES))
