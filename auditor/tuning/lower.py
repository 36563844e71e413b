"""The lower layers of a model in torch, and what they hold of each text, computed once and kept.

Owns how a GGUF file becomes a torch model, cut in two: transformers and gguf read it.
"""

# ruff: noqa: PLC0415 (torch and transformers: seconds, and an extra)

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auditor.errors import ConfigError

NEEDED = ("torch", "peft", "transformers", "gguf")
"""What the extra `tune` brings."""

CHUNK = 32
"""Texts of one file: seconds are lost at most."""

BATCH = 8
"""Texts computed together (a guess)."""


def missing() -> list[str]:
    """Name what of the extra `tune` is not installed."""
    return [name for name in NEEDED if find_spec(name) is None]


def opened(base: Path, layers: int, threads: int, folder: Path) -> Lower:
    """Load a GGUF file. Raises `ConfigError` for a model that no adapter is written for."""
    os.environ.setdefault("TQDM_DISABLE", "1")  # a bar of its own beside ours
    import torch
    import transformers
    from transformers import AutoModelForCausalLM

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(threads)
    found = AutoModelForCausalLM.from_pretrained(
        str(base.parent), gguf_file=base.name, dtype=torch.float32, local_files_only=True
    )
    if found.config.model_type != "llama":
        raise ConfigError(
            f"an adapter can be trained for models of the architecture llama, and {base.name} is"
            f" of {found.config.model_type}; --head-only works with any"
        )
    return Lower(found.model, layers, folder)


class Lower:
    """A model cut in two, and a folder of what the lower part gave."""

    def __init__(self, model: Any, layers: int, folder: Path) -> None:
        """`layers`: how many are above the cut."""
        self._model, self._folder = model, folder
        self._layers, self._norm = model.layers, model.norm
        self.below = max(len(model.layers) - layers, 0)
        self.heads = (model.config.num_attention_heads, model.config.num_key_value_heads)
        self._bfloat = _bfloat()

    def of(self, texts: Sequence[tuple[int, ...]], told: Callable[..., None]) -> list[Any]:
        """Give the states under the cut, one for each token, for each text, in bfloat16."""
        import torch

        self._folder.mkdir(parents=True, exist_ok=True)
        self._part(self._layers[: self.below], torch.nn.Identity())
        found: list[Any] = []
        for at in range(0, len(texts), CHUNK):
            found += self._chunk(texts[at : at + CHUNK])
            told("reading with the lower layers", len(found), len(texts), "")
        return found

    def upper(self) -> Any:
        """Give the part above the cut: takes states as `inputs_embeds`."""
        self._part(self._layers[self.below :], self._norm)
        return self._model

    @contextlib.contextmanager
    def precision(self) -> Iterator[None]:
        """Compute in bfloat16 where the CPU multiplies it, half as long."""
        import torch

        with torch.autocast("cpu", torch.bfloat16, enabled=self._bfloat):
            yield

    def _part(self, layers: Any, norm: Any) -> None:
        self._model.layers, self._model.norm = layers, norm

    def _chunk(self, texts: Sequence[tuple[int, ...]]) -> list[Any]:
        import torch

        name = hashlib.sha256(repr((self.below, texts)).encode()).hexdigest()[:32]
        file = self._folder / f"{name}.pt"
        if file.is_file():
            return list(torch.load(file, weights_only=True, mmap=True))
        found: list[Any] = [None] * len(texts)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for at in range(0, len(order), BATCH):
            places = order[at : at + BATCH]
            for place, states in zip(places, self._states([texts[p] for p in places]), strict=True):
                found[place] = states
        part = file.with_suffix(".part")
        torch.save(found, part)
        part.replace(file)
        return found

    def _states(self, texts: Sequence[tuple[int, ...]]) -> list[Any]:
        """Compute; texts are padded at their end, which no token before it sees."""
        import torch

        rows = [torch.tensor(text) for text in texts]
        padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        with torch.no_grad(), self.precision():
            states = self._model(input_ids=padded, use_cache=False).last_hidden_state
        return [
            states[place, : len(text)].to(torch.bfloat16).clone()
            for place, text in enumerate(texts)
        ]


def _bfloat() -> bool:
    """Whether this CPU multiplies bfloat16 itself; others are slower with it."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags
