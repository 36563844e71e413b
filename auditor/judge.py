"""The question put to the decision model, how it is written down, and how the answer is read.

Owns the question as data, how evidence is made harmless and cut to a budget of tokens, the orders
in which the options are asked, and how the answers of the orders become one. Knows no model, no
tokeniser and no chat template: whoever asks brings them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec
from msgspec import Struct

from auditor.errors import QuestionTooLong
from auditor.evidence import CUT, Evidence

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""What the options are called; a letter stands for a place, never for an option."""

BUDGET = 512
"""Tokens of evidence: what decision models are shown of a turn in the field (500 to 700), and
1.7 CPU seconds of the default model here."""

JOINT = 4
"""Tokens that joining the pieces may add to their sum (a guess, tested)."""

REQUEST_SHARE, FACTS_SHARE = 0.2, 0.3
"""Shares of the budget that a long reply leaves to the request and to the facts (guesses)."""


SYSTEM = "You read one turn of a coding agent and say whose move is next."


class Option(Struct, frozen=True):
    """One answer that can be chosen; `text` says what the evidence shows when it is right."""

    name: str
    text: str


class Question(Struct, frozen=True):
    """A forced choice. Another wording is another `version`: answers do not compare across."""

    id: str
    version: int
    instructions: str
    options: tuple[Option, ...]
    system: str = SYSTEM


# Worded by the rules of the field: about what the text shows, one choice, cue phrases in quotes, a
# catch-all, nothing to count, no negation. Short, since each order of the options is read again.
WHOSE_MOVE = Question(
    id="whose-move",
    version=1,
    instructions="Whose move is next after the end of the agent's message? Answer with one letter.",
    options=(
        Option("agent", 'Agent: announces a step or breaks off, "Let me", "I will"'),
        Option("user", 'User: is asked or offered, "Should I", "Let me know"'),
        Option("nobody", 'Nobody: reports or waits, "Done", "Tests pass"'),
    ),
)


class Asked(Struct, frozen=True):
    """A question about a turn; `whole`: better no answer than one about a part of the evidence."""

    question: Question
    evidence: Evidence
    whole: bool = False

    @property
    def text(self) -> str:
        """Everything that an answer depends on, beside the model and its settings."""
        return msgspec.json.encode(self, order="deterministic").decode()


class Rendered(Struct, frozen=True):
    """What is sent: the contents of three messages; the last is `question` + one of `orders`."""

    system: str
    user: str
    agent: str
    question: str
    orders: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]
    """For each order, the option (by its index) that stands at each place."""


class Answer(Struct, frozen=True):
    """Log-probabilities by option name, normalised; how sure one can be of them; what was read.

    `coverage`: the least share over the orders that the letters had among all tokens. `spread`:
    how far an option's probability moved between orders, at most. Both None where a server does
    not say, and for a head, which is asked in no order (`orders` 0). `scalars`: further readings by
    name, features for a calibration. `seconds`: wall time of the decision, whoever waited.
    """

    logprobs: dict[str, float]
    coverage: float | None
    spread: float | None
    orders: int
    model: str
    scalars: dict[str, float]
    tokens: int
    seconds: float


_SHAPES = re.compile(
    # Control tokens and chat markers of every template family: ChatML, Llama, Gemma, Mistral,
    # DeepSeek, Phi, Qwen. A space after the first character takes their meaning.
    r"<(?=[|｜][^|｜\s<>]{1,64}[|｜]>)"
    r"|<(?=/?(?:s|bos|eos|pad|unk|mask|sep|cls|start_of_turn|end_of_turn|turn|channel|think"
    r"|tool_call|tool_response|tool_calls|tools|reponame|repo_name|file_sep|filename|gh_stars"
    r"|empty_output|issue_[a-z]{1,16}|jupyter_[a-z]{1,16}|fim_[a-z]{1,16}|unused[0-9]{1,4})>)"
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CONTENT|ARGS"
    r"|THINK|IMG|PREFIX|SUFFIX|MIDDLE)\])"
)


def breaker(markers: Collection[str]) -> Callable[[str], str]:
    """Make the function that breaks, in a text, all known markers and these.

    A marker is broken by a space after its first character: it stays readable, and neither a
    tokeniser nor a template takes it for one. What is one character or blank is no marker.
    """
    exact = sorted({m for m in markers if len(m.strip()) > 1}, key=len, reverse=True)
    if not exact:
        return lambda text: _SHAPES.sub(r"\g<0> ", text)
    # The look-ahead finds markers that overlap as well.
    starts = re.compile(rf"(?:{_SHAPES.pattern}|(?=(?:{'|'.join(map(re.escape, exact))}))(?s:.))")
    return lambda text: starts.sub(r"\g<0> ", text)


def rendered(  # noqa: PLR0913 - a budget, what counts it, and what the model brings
    asked: Asked,
    budget: int,
    count: Callable[[str], int],
    *,
    orders: int | None = None,
    letters: Sequence[str] = LETTERS,
    harmless: Callable[[str], str] = breaker(()),  # noqa: B008 - a pure function of nothing
) -> Rendered:
    """Put the question and as much of the evidence as `budget` tokens hold into messages.

    `count` counts the tokens of a text. The end of the reply is kept before everything else, then
    the facts (the last ones first), then the head of the request. `orders`: how often the options
    are asked, each time in another order; default: once for each option. Raises `QuestionTooLong`
    where something would be cut and the question wants the whole.
    """
    shown, question = asked.evidence, asked.question
    request, facts, reply = map(harmless, (shown.request, "\n".join(shown.facts), shown.reply))
    budget -= JOINT
    for_request, for_facts, for_reply = map(count, (request, facts, reply))
    if asked.whole and (needed := for_request + for_facts + for_reply) > budget:
        raise QuestionTooLong(f"the evidence has {needed} tokens; at most {budget} are read")
    for_request = min(int(budget * REQUEST_SHARE), for_request)
    for_facts = min(int(budget * FACTS_SHARE), for_facts)
    reply = _fitting(reply, budget - for_request - for_facts, count, end=True)
    budget -= count(reply)
    facts = _fitting(facts, budget - for_request, count, end=True)
    request = _fitting(request, budget - count(facts), count, end=False)
    places = tuple(_orders(len(question.options), orders or len(question.options)))
    return Rendered(
        system=question.system,
        user="\n\n".join([text for text in (request, facts) if text]),
        agent=reply,
        question=harmless(question.instructions) + "\n",
        orders=tuple([harmless(_lettered(question, order, letters)) for order in places]),
        places=places,
    )


def _fitting(text: str, room: int, count: Callable[[str], int], *, end: bool) -> str:
    """The end (or the beginning) of the text that fits into so many tokens."""
    if room <= 0 or not text:
        return ""
    size, kept = len(text), text
    while (needed := count(kept)) > room:
        size = int(size * min(0.98 * room / needed, 0.9))
        if size <= 0:
            return ""
        kept = CUT + text[-size:].lstrip() if end else text[:size].rstrip() + CUT
    return kept


def _orders(options: int, wanted: int) -> Iterator[tuple[int, ...]]:
    """Give the first of: every rotation of the options, every rotation of them backwards.

    Each option stands equally often at each place where `wanted` is a multiple of their number.
    """
    forward = list(range(options))
    for number in range(min(wanted, 2 * options)):
        line = forward if number < options else forward[::-1]
        turned = number % options
        yield tuple(line[turned:] + line[:turned])


def _lettered(question: Question, order: tuple[int, ...], letters: Sequence[str]) -> str:
    rows = zip(letters, order, strict=False)
    return "\n".join([f"{letter}. {question.options[place].text}" for letter, place in rows])


def log_sum(logs: Sequence[float]) -> float:
    """log(sum(exp(x))), without overflow."""
    top = max(logs)
    return top + math.log(math.fsum(math.exp(log - top) for log in logs))


def combined(
    question: Question, orders: Sequence[Sequence[float]]
) -> tuple[dict[str, float], float]:
    """Make one distribution of several, and say how far they were apart (`Answer.spread`).

    `orders`: for each order, the normalised log-probability of each option. The mean is taken in
    log space and normalised again: the geometric mean cancels what a place adds to a logit.
    """
    by_option = list(zip(*orders, strict=True))
    means = [math.fsum(logs) / len(logs) for logs in by_option]
    total = log_sum(means)
    names = [option.name for option in question.options]
    spread = max(math.exp(max(logs)) - math.exp(min(logs)) for logs in by_option)
    return dict(zip(names, [mean - total for mean in means], strict=True)), spread
