"""Hostile input: 100 kB of one short unit, anywhere in a turn, and the whole sieve ends quickly.

A timer ends what does not end: a catastrophic regular expression fails its test, and hangs nothing.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from auditor.sieve import sieve
from auditor.turn import Turn, TurnError
from tests.words import call, result, say, think, turn

SIZE = 100_000
LIMIT = 20.0
"""Seconds of a case; the slowest one needs less than one, but the machine may be busy (a guess)."""
GROWTH = 10.0
"""Four times the text may take four times the time; a quadratic search takes sixteen times."""
SLOW = 0.4
"""Seconds of processor time below which growth is not looked at: it would be noise (a guess)."""

UNITS = [
    " ", "\n", " \n", "\t", "a", "a ", "a\n\n", "(", ")", "`", "``", "```\n", "```a\n", "~~~\n",
    "<", "<a ", "<a>", "</a>", "[", "](", "*", "**", "> ", "- ", "- a\n", "1. ", "1", "?", "? ",
    "。", '"', '"a', "“", "now ", "okay ", "please ", "i'm ", "let's ", "i'll now ", "once ",
    '{"name":', '{"arguments":', "<invoke ", "<tool_call>", "|", "| a |\n", "#", "# a\n", "\u0915",
    "👩\u200d🚀", "a.b.", ". ", "a/", "=", "-", "_", "\\", "\x00", "now, so, then, ", "model",
    "2 of the ", "tests ", "paste ", "次に", "现在", "이제 ", "сейчас ", "मैं ", "şimdi ", "سأ",
    "1 failed ", "running in the background ", "when it ", "sleep 1; ", "你", "error: ",
]  # fmt: skip

PLACES: dict[str, Callable[[str], Turn]] = {
    "reply": lambda text: turn(say(text)),
    "reply after a failure": lambda text: turn(
        call("bash", command="pytest"), result("1 failed", failed=True), say(text)
    ),
    "reply three times": lambda text: turn(
        *(part for _ in range(3) for part in (say(text), call("bash", command="ls"), result("a"))),
        say(text),
    ),
    "reasoning": lambda text: turn(think(text)),
    "request": lambda text: turn(say("Done."), request=text),
    "output": lambda text: turn(call("bash", command="ls"), result(text)),
    "outputs of one call": lambda text: turn(
        *(part for _ in range(4) for part in (call("bash", a=1), result(text, failed=True))),
    ),
    "arguments": lambda text: turn(call("bash", command=text), result("")),
    "arguments that are no JSON": lambda text: turn(call("bash", text), result("")),
    "arguments of varied calls": lambda text: turn(
        *(part for n in range(4) for part in (call("bash", command=f"{text}{n}"), result("a"))),
        say("Let me look."),
    ),
    "name of a tool": lambda text: turn(call(text), result(""), say("Done.")),
    "error": lambda text: turn(say("a"), finish="error", error=TurnError("x", text, 429)),
}

AROUND = [
    ("blank lines, then an announcement", "Let me look." + "\n" * SIZE + "I'll go on."),
    ("a call cut in back-ticks", "```tool\n" + "`" * SIZE + "```"),
    ("a call with an endless name", '<invoke name="' + "a" * SIZE),
    ("JSON of nothing but space", "{" + " " * SIZE + '"arguments": {}}'),
    ("an opening quotation mark", "I said “" + "a" * SIZE),
    ("brackets, then one closes", "(" * SIZE + ")"),
    ("a long line between two pipes", "|" + "a" * SIZE + "|"),
    ("a word, then marks", "and" + "," * SIZE + "now"),
    ("an item of digits", "1" * SIZE + ". a"),
]


class TooSlowError(Exception):
    """The limit of a case is over."""


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    """Raises inside the test when its time is over, between two steps of any search."""

    def over(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def seconds(subject: Turn) -> float:
    started = time.process_time()
    sieve(subject)
    return time.process_time() - started


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_one_unit_again_and_again_takes_linear_time(unit: str, place: str) -> None:
    text = unit * (SIZE // len(unit))
    whole = seconds(PLACES[place](text))
    if whole > SLOW:
        quarter = seconds(PLACES[place](text[: SIZE // 4]))
        assert whole / quarter < GROWTH, f"{quarter:.2f} s, then {whole:.2f} s"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in AROUND])
def test_a_beginning_and_an_end_around_it_end_quickly(text: str, place: str) -> None:
    assert seconds(PLACES[place](text)) < LIMIT


def test_the_limit_ends_a_catastrophic_search() -> None:
    import re  # noqa: PLC0415 - the control, and nothing else, searches badly

    signal.setitimer(signal.ITIMER_REAL, 0.05)
    with pytest.raises(TooSlowError):
        re.search(r"(?:a+)+b", "a" * 64)
