"""A tuned model on disk: head, adapter, the row that names them, and a card.

Owns their names and wording. Each file is whole or not there, and the row comes last.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from auditor.backends.head import encoded
from auditor.errors import ConfigError
from auditor.models.own import OWN, Own, Piece, together
from auditor.tuning.adapter import written
from auditor.tuning.tune import Tuned
from auditor.tuning.work import WORK

LIMITS = """\
- It has learned from the turns named above, and it does not know other ways to end a turn. Its
  numbers are those of repositories or sessions that it had not seen, of the same data.
- Made turns are easier than real ones: the loss is over all examples, the AUC over labelled ones.
- It reads the end of a reply, what was done and the head of the request, in so many tokens as the
  budget says; what lies before is not seen.
- A probability needs a calibration; no nudge is sent without a certificate."""


def write(made: Tuned) -> tuple[str, list[Path]]:
    """Write everything, and delete the unfinished work. Gives the model's digest and the paths.

    Raises `ConfigError` where that cannot be.
    """
    out, name = made.order.out, made.name
    raw = encoded(made.head)
    head = Piece(f"{name}.head.json", hashlib.sha256(raw).hexdigest())
    adapter = Piece(f"{name}.adapter.gguf", made.kept.sha256) if made.kept else None
    files = {head.file: raw}
    if made.kept is not None and adapter is not None:
        files[adapter.file] = made.kept.path.read_bytes()
    files[f"{name}.md"] = card(made).encode()
    files[f"{name}{OWN}"] = _row(made, head, adapter).encode()
    try:
        paths = [written(out / file, content) for file, content in files.items()]
    except OSError as error:
        raise ConfigError(f"{out} cannot be written ({error.strerror})") from error
    _tidy(out / f"{name}{WORK}")
    return together(made.head.base, Own(str(out), head, adapter)), paths


def _tidy(work: Path) -> None:
    import shutil  # noqa: PLC0415 - only at the end

    shutil.rmtree(work, ignore_errors=True)


def _row(made: Tuned, head: Piece, adapter: Piece | None) -> str:
    """Give the row of the registry, as TOML; JSON's strings are TOML's."""
    model = made.base.model
    lines = [
        "# Made by `auditor tune`; its card lies beside it.",
        f"name = {json.dumps(made.name)}",
        f"title = {json.dumps(f'Tuned on {_labels(made)} labelled turns')}",
        f"base = {json.dumps(model.name if model else '')}",
        f"licence = {json.dumps(model.licence if model else '')}",
        'question = "whose-move"',
        f"measured = [{json.dumps(_measured(made))}]",
        "",
        *_table("head", head),
        *(_table("adapter", adapter) if adapter else ()),
    ]
    return "\n".join(lines) + "\n"


def _table(name: str, piece: Piece) -> list[str]:
    return [f"[{name}]", f'file = "{piece.file}"', f'sha256 = "{piece.sha256}"', ""]


def _labels(made: Tuned) -> int:
    return int(made.lesson.labels.sum())


def _measured(made: Tuned) -> str:
    auc = "—" if made.auc is None else f"{made.auc:.3f}"
    return (
        f"Whose move is next, the agent's or not: AUC {auc}; measured on"
        f" {len(made.answers)} labelled turns of groups that it had not seen."
    )


def card(made: Tuned) -> str:
    """Write the card."""
    return "\n\n".join(_blocks(made)) + "\n"


def _blocks(made: Tuned) -> Iterator[str]:
    learned, order, model = made.lesson, made.order, made.base.model
    yield f"# Decision model `{made.name}`"
    yield "Made by `auditor tune`; do not edit."
    yield "## Data"
    files = ", ".join(f"`{path.name}`" for path in order.data)
    yield f"{learned.records:,} turn records of {files}; {len(set(learned.groups)):,} groups."
    rows = Counter((example.kind, example.option) for example in learned.examples)
    yield _columns(
        ("kind", "whose move", "examples"), [(*pair, n) for pair, n in sorted(rows.items())]
    )
    yield "## Recipe"
    name = model.name if model else made.base.path.name
    yield (
        f"Base `{name}`, sha256 `{made.head.base}`. Read after at most {order.budget} tokens of"
        f" evidence (`{made.head.evidence}`). A head of {len(made.head.options)} options by L2"
        f" logistic regression, C = {made.chosen.strength:g}, seed {order.seed}."
    )
    yield "## How good, on groups that had no part"
    yield _measured(made)
    tried = [(f"{c:g}", f"{loss:.4f}") for c, loss in made.chosen.losses.items()]
    yield _columns(
        ("C", "loss"), [*tried, ("shares of the options alone", f"{made.chosen.base:.4f}")]
    )
    yield "## Adapter"
    yield _adapter(made)
    yield "## Limits"
    yield LIMITS
    yield f"Licence of the base: {model.licence if model else 'not known'}. Mind that of your data."


def _adapter(made: Tuned) -> str:
    found = made.adapted
    if found is None:
        return f"None: {made.why}."
    about = (
        f"Trained for {found.steps} steps ({found.ended}): loss {found.before:.4f} with the head"
        f" alone, {found.after:.4f} with the adapter, on labelled turns of groups held back; gain"
        f" {found.gain:.4f}, standard error {found.error:.4f}. What it adds to a state in llama.cpp"
        f" has correlation {found.agrees:.3f} with torch."
    )
    return about if made.why is None else f"{about} Not kept: {made.why}."


def _columns(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
