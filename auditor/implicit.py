"""What the next message of the user says about a turn, and what came of a nudge.

Owns which messages say anything. Conservative: most say nothing, and silence never does. A reading
is weak, never proof, and no independent opinion: where the message alone is not clear it counts
only if the sieve's signals do not speak against it. Knows no store and no clock.

Right readings of all on the 1,035 labelled shared turns that have a next message (265 are read,
one of them labelled unsure and left out): continued 39/43; continued-after-asking 14/14, approved
31/31, answered 95/96, wrapped-up 9/9, moved-on 71/71. So yes 0.907 (95 % Wilson interval 0.784 to
0.963; with sampling weights 0.80) and no 0.995 (0.975 to 0.999). None of these turns is read as
thanked or complained, so nothing is known of those rules. Much of this is the sieve's doing, whose
proofs were measured on the same turns: by the message alone, a bare "continue" is a yes in 42 of
72.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from msgspec import Struct

from auditor.detectors._tool_names import Family, of
from auditor.implicit_phrases import BY_BEGINNING, Meaning, folded
from auditor.implicit_words import NOTHING_LEFT, REVERSES, UNDONE
from auditor.labels import Nudge, Reason, Source
from auditor.sieve import Signals, settled, sieve
from auditor.turn import NUDGEABLE, FinishReason, RequestKind, Turn, Verdict

VERSION = 1
"""Of all rules; a changed rule or phrase table gets the next number."""

LONGEST = 120
"""Characters of a message that may be a bare phrase (as in the measured data)."""

SIGN = 0.3
"""Strength from which a signal speaks for or against a reading (a guess: below it are hints)."""

NEW_WORDS, NEW_SIGNS = 4, 8
"""Words, or signs of Chinese and Japanese, of the shortest message that can be a new task."""

UNRELATED = 1 / 3
"""Share of a message's longer words in request and reply, below which it is a new task (a guess;
of the labelled turns the share does not matter much)."""

ANSWER_WORDS = 12
"""Words of the longest message that is an answer to a question, and no more (a guess)."""

READ = 4_000
"""Characters of request, reply and message that are compared (a guess)."""


class Reading(Struct, frozen=True):
    """What a rule says about a turn: the answer, why, and the rule with its version."""

    nudge: Nudge
    reason: Reason | None
    rule: str
    source: Source


class _End(Struct, frozen=True):
    """How the turn ended. `proved`: its settled verdict; `against`: a sign that it is no stop.

    `asked`: a sign that the move is the user's; `question`: one that would settle it.
    """

    proved: Verdict | None
    unfinished: bool
    against: bool
    asked: bool
    question: bool


def implicit(turn: Turn, after: Turn, signals: Signals | None = None) -> Reading | None:
    """Read what the next turn's request says about `turn`; None: nothing.

    `signals` of `turn`, where the sieve has run already.
    """
    if after.session != turn.session or after.request_kind is not RequestKind.HUMAN:
        return None
    return from_next(turn, after.request, signals)


def from_next(turn: Turn, message: str, signals: Signals | None = None) -> Reading | None:
    """Read what the user's next message says about `turn`; None: nothing.

    A sub-agent's turn, one that a user stopped, and one that a nudge began say nothing.
    """
    if turn.parent is not None or turn.finish is FinishReason.ABORTED:
        return None
    if turn.request_kind is RequestKind.NUDGE:
        return None
    meanings = understood(message)
    if meanings is None:
        return _of_more(turn, message, signals)
    return _of_phrases(_end(turn, signals), meanings) if meanings else None


def _of_phrases(end: _End, meanings: AbstractSet[Meaning]) -> Reading | None:
    """Read a message of known phrases, by the most telling of them."""
    others = meanings - {Meaning.ACKNOWLEDGE, Meaning.THANK}
    if others == {Meaning.CONTINUE}:
        return _continued(end)
    if others == {Meaning.WRAP_UP}:
        return _no("wrapped-up", Reason.DONE, end)
    if others == {Meaning.COMPLAIN}:
        return None if end.against else _reading("complained", Nudge.YES, None)
    if Meaning.APPROVE in others and Meaning.COMPLAIN not in others:
        return _no("approved", Reason.ASKED, end) if end.asked else None
    if not others and Meaning.THANK in meanings:
        return _no("thanked", Reason.DONE, end)
    return None


def hindsight(nudged: Turn, after: Turn | None = None) -> Reading | None:
    """Read whether a nudge was right from the turn that it began, and the turn after that.

    Stopped or taken back by the user: no. The agent said that nothing was left, and changed
    nothing: no. It used tools and came to an end: yes. All else: None.
    """
    if nudged.request_kind is not RequestKind.NUDGE or nudged.finish is None:
        return None
    if nudged.finish is FinishReason.ABORTED:
        return _seen("interrupted", Nudge.NO)
    told = after is not None and after.request_kind is RequestKind.HUMAN
    if told and after is not None and after.session == nudged.session and objects(after.request):
        return _seen("objected", Nudge.NO)
    work = [call for call in nudged.calls if of(call) is not Family.BOOKKEEPING]
    if all(of(call) is Family.READ for call in work) and NOTHING_LEFT.search(folded(nudged.tail)):
        return _seen("nothing-left", Nudge.NO)
    answered = any(result.failed is not True for result in nudged.results.values())
    if work and answered and nudged.finish is FinishReason.STOP and nudged.reply:
        return _seen("worked", Nudge.YES)
    return None


def objects(message: str) -> bool:
    """Whether the user says stop, no, or undo that; "why did you stop?" is the contrary."""
    meanings = understood(message)
    if meanings is not None:
        return Meaning.STOP in meanings and Meaning.COMPLAIN not in meanings
    return bool(REVERSES.match(folded(message[:LONGEST])))


def understood(message: str) -> AbstractSet[Meaning] | None:
    """Read a message that consists of known phrases; None: it says something else, or more.

    Empty for a message of nothing but politeness and signs.
    """
    if len(message) > LONGEST:
        return None
    left, found = folded(message), set()
    while left:
        phrase = next(
            (entry for entry in BY_BEGINNING.get(left[0], ()) if _at(left, entry[0])), None
        )
        if phrase is None:
            return None
        found.add(phrase[1])
        left = left[len(phrase[0]) :].lstrip()
    return found - {Meaning.POLITE}


def _at(text: str, phrase: str) -> bool:
    """Whether the text begins with the phrase, and it ends there as a word does."""
    if not text.startswith(phrase):
        return False
    rest = text[len(phrase) : len(phrase) + 1]
    return not rest.strip() or _wide(phrase[-1]) or _wide(rest)


def _wide(sign: str) -> bool:
    """Chinese or Japanese, which put no spaces between words."""
    return "\u3040" <= sign <= "\u9fff"


def _end(turn: Turn, known: Signals | None) -> _End:
    signals = sieve(turn) if known is None else known
    proof = settled(signals)
    strong = [signal for signal in signals.values() if signal.strength >= SIGN]
    return _End(
        proved=proof.verdict if proof else None,
        unfinished=any(signal.points_to in NUDGEABLE for signal in strong),
        against=any(signal.points_to not in NUDGEABLE for signal in strong),
        asked="offer" in signals
        or any(signal.points_to is Verdict.AWAITING_USER for signal in signals.values()),
        question=any(
            signal.settles and signal.points_to is Verdict.AWAITING_USER
            for signal in signals.values()
        ),
    )


def _continued(end: _End) -> Reading | None:
    """Read a bare "continue": of an agent that asked, it is an answer; of a report, unclear."""
    if end.proved in NUDGEABLE or (end.proved is None and end.unfinished and not end.against):
        return _reading("continued", Nudge.YES, None)
    if end.proved is Verdict.AWAITING_USER or (end.asked and not end.unfinished):
        return _reading("continued-after-asking", Nudge.NO, Reason.ASKED)
    return None


def _of_more(turn: Turn, message: str, signals: Signals | None) -> Reading | None:
    """Read a message that is no bare phrase: an answer, or a new task."""
    words = folded(message[:READ])
    end = _end(turn, signals)
    if end.question and len(words.split()) <= ANSWER_WORDS:
        asks_back = "?" in message or "？" in message
        return None if asks_back else _no("answered", Reason.ASKED, end)
    wide = sum(map(_wide, words))
    if len(words.split()) < NEW_WORDS and wide < NEW_SIGNS:
        return (
            _no("answered", Reason.ASKED, end) if end.asked and _CHOICE.fullmatch(words) else None
        )
    if "?" in message or "？" in message or UNDONE.search(words) or end.unfinished:
        return None
    return _no("moved-on", Reason.DONE, end) if _unrelated(words, turn) else None


_CHOICE = re.compile(
    r"(?:option |opcion |вариант |方案|选项)?(?:[a-f]|\d{1,2})(?: (?:[a-f]|\d{1,2})){0,5}"
)
_LONGER = re.compile(r"[^\W\u3040-\u9fff]{4,}|[\u3040-\u9fff]{2}")


def _unrelated(words: str, turn: Turn) -> bool:
    """Whether few of the longer words stand in the request or the end of the reply."""
    wanted = set(_LONGER.findall(words))
    if not wanted:
        return False
    known = set(_LONGER.findall(folded(f"{turn.request[:READ]} {turn.reply[-READ:]}")))
    return len(wanted & known) < UNRELATED * len(wanted)


def _no(rule: str, reason: Reason, end: _End) -> Reading | None:
    """Say no, unless the turn is proved to be a stop: then the user only did not mind."""
    return None if end.proved in NUDGEABLE else _reading(rule, Nudge.NO, reason)


def _reading(rule: str, nudge: Nudge, reason: Reason | None) -> Reading:
    return Reading(nudge, reason, f"next/{rule}@{VERSION}", Source.IMPLICIT)


def _seen(rule: str, nudge: Nudge) -> Reading:
    return Reading(nudge, None, f"hindsight/{rule}@{VERSION}", Source.HINDSIGHT)
