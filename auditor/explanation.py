"""One turn explained to a person: what was seen, what settled it, what held a nudge back.

Everything out of a transcript is redacted and safe to print, and is never read as mark-up.
"""

from __future__ import annotations

from math import exp
from pathlib import Path

from rich.console import Console
from rich.text import Text

from auditor.audit import Audit
from auditor.glimpse import activity, one_line, opening, tail, visible
from auditor.judge import Answer
from auditor.redact import redact
from auditor.show import NONE, STYLE, clock
from auditor.signals import Signal
from auditor.turn import Turn


def explain(to: Console, turn: Turn, audit: Audit, path: Path) -> None:
    """Print one turn and why it was audited so."""
    to.print(Text(f"turn {visible(audit.turn)}", style="bold"))
    to.print(Text(f"session {visible(audit.session)} · {one_line(audit.harness)}", style="dim"))
    to.print(Text(f"model {one_line(audit.model or NONE)} · {clock(audit.ended)}", style="dim"))
    to.print(Text(f"in {visible(str(path))}", style="dim"), soft_wrap=True)
    _block(to, f"request ({turn.request_kind})", opening(turn))
    _block(to, "what was done", "\n".join(activity(turn)))
    _block(to, "end of the reply", tail(turn))
    _block(to, "how it ended", _ending(turn))
    to.print(Text("\nsignals, in the order of evidence", style="bold"))
    for name, signal in audit.signals.items():
        _signal(to, name, signal)
    if not audit.signals:
        to.print("  none")
    if audit.answer is not None:
        _block(to, "answer of the decision model", _answer(audit.answer))
    _block(to, "verdict", _why(audit))
    _block(to, "decision", _decision(audit))


def _block(to: Console, title: str, text: str) -> None:
    to.print(Text(f"\n{title}", style="bold"))
    for line in (text or NONE).splitlines():
        to.print(Text(f"  {line}"), soft_wrap=True)


def _signal(to: Console, name: str, signal: Signal) -> None:
    settles = ", settles" if signal.settles else ""
    head = f"  {name}: points to {signal.points_to}, strength {signal.strength:.2f}{settles}"
    to.print(Text(head, style=STYLE[signal.points_to]), soft_wrap=True)
    to.print(Text(f"    {one_line(redact(signal.evidence))}"), soft_wrap=True)


def _ending(turn: Turn) -> str:
    lines = [f"finish reason: {turn.finish or 'not recorded'}"]
    if turn.error:
        status = f"{turn.error.status} " if turn.error.status else ""
        lines.append(
            f"error: {status}{one_line(redact(f'{turn.error.name} {turn.error.message}'))}"
        )
    if turn.todos is not None:
        lines.append(f"to-dos: {len(turn.open_todos)} open of {len(turn.todos)}")
    lines += [f"pending: {what.kind} {one_line(redact(what.what))}" for what in turn.pending]
    return "\n".join(lines)


def _answer(answer: Answer) -> str:
    by_probability = sorted(answer.logprobs.items(), key=lambda item: -item[1])
    lines = [" · ".join(f"{one_line(name)} {exp(log):.2f}" for name, log in by_probability)]
    if answer.coverage is not None and answer.spread is not None:
        lines.append(f"coverage {answer.coverage:.2f}, spread over orders {answer.spread:.2f}")
    lines += [f"{name.replace('_', ' ')} {value:.2f}" for name, value in answer.scalars.items()]
    return "\n".join(lines)


def _why(audit: Audit) -> str:
    if audit.by:
        return f"{audit.verdict}, settled by {audit.by}"
    proofs = {signal.points_to for signal in audit.signals.values() if signal.settles}
    why = "proofs of one stage disagree" if len(proofs) > 1 else "no signal proves a verdict"
    return f"{audit.verdict or 'none'}: {why}"


def _decision(audit: Audit) -> str:
    likely = "a nudge would be right" if audit.would_nudge else "no nudge"
    lines = [f"{audit.decision}: {audit.reason}", f"{likely} (score {audit.score:.2f})"]
    if audit.probability is not None:
        lines.append(f"probability {audit.probability:.2f}, calibrated by {audit.calibration}")
    if audit.would_nudge and audit.decision == "log":
        lines.append(f"held back: {audit.reason}")
    if audit.remedy:
        lines.append(f"remedy: {audit.remedy}")
    return "\n".join(lines)
