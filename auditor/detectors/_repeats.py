"""Which repeats prove nothing: polls, keys sent to a screen, errors that pass, repeats on request.

The second shared piece of the detectors that look for calls going round in circles. Knows one
step and the request; which pattern of steps is a loop is each detector's own idea.
"""

from __future__ import annotations

import re

from auditor.detectors import announced_action
from auditor.detectors._steps import Step
from auditor.detectors._tool_names import Family
from auditor.turn import Turn

_POLLS = re.compile(
    r"\b(?:outputs?|status|state|poll|wait|sleep|await|monitor|watch|progress|logs?|stdin|keys?"
    r"|inbox|notifications|messages|heartbeat|health|ping|jobs?|results?|wakeup)\b"
)
_SCREEN = re.compile(
    r"\b(?:browser|computer|screen|screenshot|snapshot|page|scroll|click|tap|press|type|mouse"
    r"|keyboard|keypress|drag|hover|swipe|navigate|device|playwright|puppeteer|cursor"
    r"|next|step|undo|redo|back|forward|continue|more|advance)\b"
)
"""Words of tool names: polls of something going on; hands on a screen, steps to the next thing."""

_POLLING = re.compile(
    r"(?<![\w./-])(?:sleep|wait|wait-for\S*|watch|poll|(?<!\| )tail|journalctl|logs?|pgrep|ping"
    r"|squeue|nvidia-smi|uptime|(?<!git )status|state|progress|health\w*|ready\w*|inspect|checks"
    r"|until|while|curl|wget|nc|dig|nslookup|rollout|get (?:pods?|jobs?|events|deploy\w*|nodes)"
    r"|(?:pr|run|job|workflow) (?:view|list)|ps (?:-|a|\|)|(?:docker|compose) ps)(?![\w./-])",
    re.I,
)
"""Shell commands that look at something that goes on by itself."""

_ASKED = re.compile(
    r"(?<!\d)\d{1,6}\s{0,3}(?:x\b|times\b|runs\b|rounds\b|iterations\b|mal\b|fois\b|veces\b|vezes\b|volte\b|raz"
    r"|keer\b|kez\b|defa\b|次|回|번|遍)|\b(?:two|three|four|five|six|ten|twenty|several|many|multiple)"
    r" (?:times|runs)\b|\b(?:every|each|alle|toutes les|cada|ogni|każd\w+|кажд\w+) \S{1,8} ?"
    r"(?:s|sec|min|m|h|sek|hour|stunde|heure|hora|мин|сек)"
    r"|每隔?\S{0,4}(?:分钟|秒|小时)|\b(?:a few|couple of) (?:times|runs)"
    r"|\buntil \w+ (?:fails?|crash\w*|breaks?)"
    r"|\b(?:repeat|repeated|repeatedly|flak\w+|benchmark\w*|bench|stress|soak"
    r"|poll\w*|monitor\w*|latency|measure|samples|attempts|over and over"
    r"|wiederhol\w+|r[ée]p[èée]t\w+|repit\w+"
    r"|ripet\w+|powtarza\w+|повтор\w+)\b|keep (?:checking|trying|running|polling|watching|an eye)"
    r"|重复|反复|繰り返|반복",
    re.I,
)
"""A request that asks for the same thing many times (a guess at its wordings)."""

_ERRORS = (
    "error", "fail", "fatal", "denied", "refused", "unauthori", "forbidden", "not found", "no such",
    "cannot", "can't", "couldn't", "unable", "invalid", "exception", "traceback", "timed out",
    "timeout", "unreachable", "rejected", "not available", "not installed", "not permitted",
    "not allowed", "not supported", "not recogni", "missing",
)  # fmt: skip
_STATUS = re.compile(r"\b(?:status|code|http)[ :/=\d.]*[45]\d\d\b")

HEAD = 2000
"""Characters of an output in which an error would be named (a guess)."""


NEWS = 400
"""Characters of an output that may be the news about something going on (a guess)."""

_GOING_ON = re.compile(
    r"\b(?:pending|queued|running|in[_ -]progress|starting|waiting|not ready|processing|building"
    r"|pulling|deploying|scheduled|provisioning|initiali[sz]ing|creating|connecting|loading"
    r"|still \w+ing)\b",
    re.I,
)
_PASSES = re.compile(
    r"econnreset|etimedout|eai_again|socket hang up|connection reset|rate.?limit|too many requests"
    r"|overloaded|\b(?:429|502|503|504|529)\b|temporar|try again later|service unavailable"
    r"|bad gateway|could not resolve host|network is unreachable",
    re.I,
)
_NEVER_TELL = frozenset({Family.ASK, Family.SCHEDULE})


def names_error(output: str) -> bool:
    """The output speaks of an error near its beginning."""
    said = output[:HEAD].lower()
    return any(word in said for word in _ERRORS) or _STATUS.search(said) is not None


def wrong(step: Step) -> bool:
    """The call failed, by the harness's word or by its own."""
    if step.result is None:
        return False
    return step.result.failed is True or names_error(step.output)


def passes(step: Step) -> bool:
    """The error is one that passes by itself: network, rate limit, overload."""
    return _PASSES.search(step.output, 0, HEAD) is not None


def polls(step: Step) -> bool:
    """Looks at something that goes on by itself, so that no change is an answer too."""
    if step.family in _NEVER_TELL:
        return True
    if step.family is not Family.EDIT and _POLLS.search(_words(step.call.name)):
        return True
    if step.family is Family.SHELL and _POLLING.search(step.call.arguments):
        return True
    if len(step.output) > NEWS or wrong(step):
        return False
    return _GOING_ON.search(step.output) is not None


def on_screen(step: Step) -> bool:
    """Acts on a screen or steps on, where an equal answer does not say that nothing moved."""
    return _SCREEN.search(_words(step.call.name)) is not None


def telling(step: Step) -> bool:
    """An equal answer to an equal call says that nothing moved."""
    if polls(step):
        return False
    # An empty answer tells something of a command; of a look it only says that none was kept.
    spoke = step.family is Family.SHELL or bool(step.output.strip())
    return wrong(step) or (spoke and not on_screen(step))


def _words(name: str) -> str:
    """The words of a name, however it joins them."""
    return re.sub(r"[^a-z]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


LAP_WORDS = 300
"""Characters of a reply that may still be the lead-in to another lap (a guess)."""


def at_it(turn: Turn) -> bool:
    """The agent has not turned away from its last calls: no reply, or one more announcement."""
    reply = turn.reply
    if not reply:
        return True
    if len(reply) > LAP_WORDS:
        return False
    return reply.endswith((":", "：")) or announced_action.detect(turn) is not None


def spared(turn: Turn) -> bool:
    """Repeats are nothing to speak of: something is pending, or the user asked for them."""
    return bool(turn.pending) or _ASKED.search(wish(turn)) is not None


WISH = 4000
"""Characters of a request that are looked at (a guess)."""

_BATCH = re.compile(
    r"\b(?:each|every|one by one|one after|for all|all of|jede[nrs]?|chaque|cada|ogni|кажд\w+)\b"
    r"|每|各",
    re.I,
)


def batch(turn: Turn) -> bool:
    """The request names many things to go through, of which all may answer alike."""
    return _BATCH.search(wish(turn)) is not None


def wish(turn: Turn) -> str:
    """The request; of a very long one its beginning and its end, where the wish stands."""
    request = turn.request
    return request if len(request) <= WISH else request[: WISH // 2] + request[-WISH // 2 :]
