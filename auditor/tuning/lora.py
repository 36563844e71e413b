"""An adapter (LoRA) of the top layers, trained so that a head reads whose move is next.

Owns the training: what the lower layers hold is computed once and kept, only the layers above are
learned through. torch, peft and transformers are the extra `tune`, imported where they are used.
Every few steps all is kept, so that an interruption costs minutes.
"""

# ruff: noqa: PLC0415 (torch and what stands on it: seconds, and an extra)

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from auditor.backends.head import Head
from auditor.tuning.lower import Lower, opened
from auditor.tuning.rows import Row, Rows

MODULES = {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output"}
"""What is adapted of a layer, by the name in torch, and what llama.cpp calls it."""


Matrix = NDArray[np.float32]

SAMPLE = 16
"""Validation rows on which llama.cpp is compared with torch (a guess)."""


class Settings(Struct, frozen=True):
    """How an adapter is trained.

    `layers`: from the top; `rank` and `alpha` of the adapter; `rate` of AdamW, after `warm` steps,
    from where it falls to 0 with the last step; `every`: steps between two looks at the validation
    groups, after each of which all is kept; `patience`: looks without a lower loss after which it
    ends. Guesses, tried twice: on 832 made turns the loss (0.372) was lowest after one epoch
    (0.319), and higher than at the beginning after two, with an even rate; on 2,464 it was 0.296
    after one, with a falling one.
    """

    layers: int = 8
    rank: int = 8
    alpha: int = 16
    rate: float = 4e-4
    warm: int = 20
    batch: int = 8
    epochs: int = 2
    every: int = 50
    patience: int = 3
    seed: int = 0
    threads: int = 2


class Trained(Struct, frozen=True):
    """The best adapter found: (A, B) by layer and module in llama.cpp's words, rows as in torch.

    `heads`: of queries and of keys. `change`: what it adds to the last states of the first
    validation rows. `losses`: of the validation groups by steps; at 0 steps, the head alone.
    """

    pairs: dict[str, tuple[Matrix, Matrix]]
    alpha: float
    heads: tuple[int, int]
    change: Matrix
    losses: dict[int, float]
    steps: int
    ended: str


Told = Callable[[str, int, int, str], None]
"""Takes what is being done, how much of how much is, and a remark."""


def trained(  # noqa: PLR0913 - data, model, place, settings
    base: Path,
    head: Head,
    learned: Sequence[Row],
    validation: Sequence[Row],
    folder: Path,
    *,
    settings: Settings,
    until: float,
    told: Told,
) -> Trained:
    """Train, or go on where an earlier call with the same files in `folder` ended.

    `until`: time.monotonic() after which the best so far is given. Raises `ConfigError` where the
    extra is missing or the model's architecture is another than llama.
    """
    lower = opened(base, settings.layers, settings.threads, folder / "lower")
    kept = lower.of([row.tokens for row in (*learned, *validation)], told)
    course = _Course(lower, head, settings, folder / "checkpoint.pt")
    held = Rows(validation, kept[len(learned) :])
    course.learn(Rows(learned, kept), held, until, told)
    return course.best(held)


class _Course:
    """One training: adapter, head, optimiser, and what was seen of the validation groups."""

    def __init__(self, lower: Lower, head: Head, settings: Settings, file: Path) -> None:
        import torch
        from peft import LoraConfig, get_peft_model

        torch.manual_seed(settings.seed)
        self._settings, self._file, self._lower = settings, file, lower
        wanted = LoraConfig(
            r=settings.rank, lora_alpha=settings.alpha, target_modules=list(MODULES)
        )
        with warnings.catch_warnings():  # peft asks transformers in an old way
            warnings.simplefilter("ignore", FutureWarning)
            self._model = get_peft_model(lower.upper(), wanted)
        self._mean, self._scale = (
            torch.tensor(numbers, dtype=torch.float32) for numbers in (head.mean, head.scale)
        )
        self._head = torch.nn.Linear(head.width, len(head.options))
        self._head.weight.data = torch.tensor(head.weights, dtype=torch.float32)
        self._head.bias.data = torch.tensor(head.bias, dtype=torch.float32)
        learns = [part for part in self._model.parameters() if part.requires_grad]
        self._optimiser = torch.optim.AdamW(
            [*learns, *self._head.parameters()], lr=settings.rate, weight_decay=0.01
        )
        self._step = 0
        self._losses: dict[int, float] = {}
        self._best: dict[str, Any] = {}
        self._ended = "all epochs"

    def learn(self, rows: Rows, validation: Rows, until: float, told: Told) -> None:
        """Take steps until it no longer helps, the epochs are over, or the time is."""
        self._resume()
        if not self._losses:
            self._look(validation)
        batches = list(self._batches(rows))
        while self._step < len(batches):
            if self._over():
                self._ended = "no lower loss of the validation groups"
                return
            if time.monotonic() > until:
                self._ended = "the time was over"
                break
            self._take(rows.batch(batches[self._step]), 1 - self._step / len(batches))
            self._step += 1
            least = min(self._losses.values())
            told("training the adapter", self._step, len(batches), f"validation loss {least:.4f}")
            if self._step % self._settings.every == 0:
                self._look(validation)
        if self._step not in self._losses:
            self._look(validation)

    def best(self, validation: Rows) -> Trained:
        """Give the weights at the lowest loss."""
        pairs, below = {}, self._lower.below
        for name in [name for name in self._best if ".lora_A." in name]:
            _, _, rest = name.partition("layers.")
            layer, _, module, *_ = rest.split(".")
            where = f"blk.{int(layer) + below}.{MODULES[module]}"
            other = name.replace(".lora_A.", ".lora_B.")
            pairs[where] = (self._best[name].numpy(), self._best[other].numpy())
        change = self._change(validation.batch(range(min(SAMPLE, len(validation)))))
        alpha, heads = self._settings.alpha, self._lower.heads
        return Trained(pairs, alpha, heads, change, self._losses, self._step, self._ended)

    def _change(self, batch: tuple[Any, Any, Any, Any]) -> Matrix:
        """Give what the best adapter adds to the last states."""
        import torch

        self._model.load_state_dict(self._best, strict=False)
        self._model.eval()
        with torch.no_grad():
            after = self._last(batch)
            with self._model.disable_adapter():
                found: Matrix = (after - self._last(batch)).numpy()
        return found

    def _batches(self, rows: Rows) -> Iterator[list[int]]:
        for epoch in range(self._settings.epochs):
            yield from rows.order(self._settings.batch, f"{self._settings.seed} {epoch}")

    def _losses_of(self, batch: tuple[Any, Any, Any, Any]) -> Any:
        """Weighted cross-entropy of each row of a batch."""
        import torch

        _, _, options, weights = batch
        read = (self._last(batch) - self._mean) / self._scale
        losses = torch.nn.functional.cross_entropy(self._head(read), options, reduction="none")
        return losses * weights

    def _last(self, batch: tuple[Any, Any, Any, Any]) -> Any:
        """State of the last layer at the last token of each row of a batch."""
        import torch

        states, last, _, _ = batch
        with self._lower.precision():
            found = self._model(inputs_embeds=states, use_cache=False).last_hidden_state
        return found[torch.arange(len(last)), last].float()

    def _take(self, batch: tuple[Any, Any, Any, Any], left: float) -> None:
        """Take one step; `left`: share of all steps that are still to be taken."""
        self._model.train()
        rise = min(1.0, (self._step + 1) / self._settings.warm)
        for group in self._optimiser.param_groups:
            group["lr"] = self._settings.rate * rise * left
        self._optimiser.zero_grad()
        self._losses_of(batch).mean().backward()
        self._optimiser.step()

    def _look(self, validation: Rows) -> None:
        """Take the loss of the validation groups, and keep everything."""
        import torch

        self._model.eval()
        lost = weighed = 0.0
        with torch.no_grad():
            for places in validation.order(self._settings.batch, None):
                batch = validation.batch(places)
                lost += float(self._losses_of(batch).sum())
                weighed += float(batch[3].sum())
        loss = lost / weighed
        if not self._best or loss < min(self._losses.values()):
            learned = self._model.state_dict().items()
            self._best = {name: part.clone() for name, part in learned if ".lora_" in name}
        self._losses[self._step] = loss
        self._keep()

    def _over(self) -> bool:
        least = min(self._losses, key=self._losses.__getitem__)
        return sum(step > least for step in self._losses) >= self._settings.patience

    def _keep(self) -> None:
        import torch

        part = self._file.with_suffix(".part")
        lora = {n: p for n, p in self._model.state_dict().items() if ".lora_" in n}
        kept = {
            "step": self._step,
            "losses": self._losses,
            "best": self._best,
            "lora": lora,
            "head": self._head.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }
        torch.save(kept, part)
        part.replace(self._file)

    def _resume(self) -> None:
        import torch

        if not self._file.is_file():
            return
        kept = torch.load(self._file, weights_only=True)
        self._step, self._losses, self._best = kept["step"], kept["losses"], kept["best"]
        self._model.load_state_dict(kept["lora"], strict=False)
        self._head.load_state_dict(kept["head"])
        self._optimiser.load_state_dict(kept["optimiser"])
