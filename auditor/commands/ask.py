"""`auditor ask`: put one ad-hoc turn to the decision model; parse, call, print."""

# ruff: noqa: D301, PLC0415 (\b for click; lazy imports)

from __future__ import annotations

import sys
from math import exp
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from auditor.judge import Answer


def ask(
    reply: Annotated[
        str, typer.Option(metavar="TEXT", help="The end of the turn; - reads standard input.")
    ],
    request: Annotated[
        str, typer.Option(metavar="TEXT", help="What the agent had been asked to do.")
    ] = "",
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="A known model, or the path of a GGUF file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Ask the decision model whose move is next after one turn.

    Prints what the model reads, the probability of each option, and how sure one can be of it: of
    a model that is asked with letters, how much of all probability these had (coverage), and how
    far the orders of the options were apart (spread).

    \b
    Example:
      auditor ask --request "fix the test" --reply "Now let me run it again:"
    """
    from auditor.commands.answering import answering

    with answering():
        from auditor.evidence import evidence
        from auditor.judge import WHOSE_MOVE, Asked
        from auditor.models import registry
        from auditor.models.loaded import loaded
        from auditor.turn import Text, Turn

        words = sys.stdin.read() if reply == "-" else reply
        turn = Turn(id="ask", session="ask", harness="ask", request=request, parts=(Text(words),))
        asked = Asked(WHOSE_MOVE, evidence(turn))
        located = registry.resolve(model or registry.default().name)
        with loaded(located) as judge:
            shown, answer = judge.shown(asked), judge.ask(asked)
        name = located.model.name if located.model else located.path.name
        typer.echo(_as_json(shown, answer) if json else _as_text(shown, answer, name))


def _sureness(answer: Answer) -> str:
    """How sure one can be of letters; a head is read, not asked."""
    if answer.coverage is None or answer.spread is None:
        return "read by the head of the model, without a question"
    spread = f"spread {answer.spread:.3f} over {answer.orders} orders"
    return f"coverage {answer.coverage:.3f} · {spread}"


def _as_json(shown: str, answer: Answer) -> str:
    import msgspec

    return msgspec.json.encode({"prompt": shown, "answer": answer}).decode()


def _as_text(shown: str, answer: Answer, name: str) -> str:
    by_probability = sorted(answer.logprobs.items(), key=lambda item: -item[1])
    lines = [
        shown.rstrip(),
        "",
        *(f"{100 * exp(log):5.1f} %  {option}" for option, log in by_probability),
        "",
        _sureness(answer),
        *(f"{scalar.replace('_', ' ')} {value:.2f}" for scalar, value in answer.scalars.items()),
        f"{answer.tokens} tokens in {answer.seconds:.2f} s · {name}",
    ]
    return "\n".join(lines)
