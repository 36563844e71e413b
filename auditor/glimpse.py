"""What a person needs to see of a turn: the request's head, what was done, the end of the reply.

Short, redacted, and safe to print: control sequences of a transcript become visible characters.
The store keeps these and the screen shows them. Knows neither.
"""

from __future__ import annotations

from msgspec import structs

from auditor.audit import Audit
from auditor.redact import redact
from auditor.signals import EVIDENCE_SHOWN, shortened
from auditor.turn import ToolCall, ToolResult, Turn

REQUEST = 800
REPLY = 1500
CALLS = 10
CALL = 120
"""Characters of request and reply, calls, characters of a call: a screenful (a guess)."""

AHEAD = 600
"""Characters after a cut that are redacted too, so that no cut runs through a secret: longer than
any value that `redact` looks for, but a private key, which its beginning gives away."""

BEFORE = 4096
"""The same before a cut: longer than a private RSA key of 4096 bits in PEM (3.3 kB)."""

_CONTROL: dict[int, int | None] = {
    code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)
}
_CONTROL |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_CONTROL |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
_CONTROL |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F), None)
"""C0, DEL and C1 controls and halves of surrogate pairs made visible; marks that turn the writing
direction taken out."""


def visible(text: str) -> str:
    """Make control characters visible, so that none acts on a terminal; keep tab and newline."""
    plain = text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable()
    return text if plain else text.translate(_CONTROL)


def one_line(text: str) -> str:
    """Join everything into one line that is safe to print."""
    return visible(" ".join(text.split()))


def opening(turn: Turn) -> str:
    """Cut the head of the request, redacted."""
    text = visible(redact(turn.request[: REQUEST + AHEAD]))
    return text if len(text) <= REQUEST else text[: REQUEST - 1] + "…"


def tail(turn: Turn, length: int = REPLY) -> str:
    """Cut the end of the reply, redacted."""
    reply = turn.reply
    text = visible(redact(reply[-length - BEFORE :]))
    return text if len(text) <= length else "…" + text[1 - length :]


def activity(turn: Turn) -> list[str]:
    """List the last calls, one line each, redacted, with what came of them."""
    calls = turn.calls
    if not calls:
        return []
    raw = "\n".join([_call(call, turn.results) for call in calls[-CALLS:]])
    lines = [line if len(line) <= CALL else line[: CALL - 1] + "…" for line in _safe_lines(raw)]
    return [f"… {len(calls) - CALLS} calls before", *lines] if len(calls) > CALLS else lines


def _safe_lines(text: str) -> list[str]:
    return visible(redact(text)).split("\n")


def _call(call: ToolCall, results: dict[str | None, ToolResult]) -> str:
    result = results.get(call.id)
    outcome = "(no result) " if result is None else "(failed) " if result.failed else ""
    return outcome + " ".join(f"{call.name} {call.arguments[: CALL + AHEAD]}".split())


def redacted(audit: Audit) -> Audit:
    """Take secrets and control characters out of the evidence of an audit, and shorten it."""
    together = "\n".join([signal.evidence for signal in audit.signals.values()])
    clean = visible(redact(together)) == together  # nearly always, and cheaper than one by one
    if clean and all(len(s.evidence) <= EVIDENCE_SHOWN for s in audit.signals.values()):
        return audit
    signals = {
        name: structs.replace(
            signal,
            evidence=shortened(signal.evidence if clean else visible(redact(signal.evidence))),
        )
        for name, signal in audit.signals.items()
    }
    return structs.replace(audit, signals=signals)
