"""What an adapter learns from, in batches of texts of about equal length."""

# ruff: noqa: PLC0415 (torch: seconds, and an extra)

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from msgspec import Struct


class Row(Struct, frozen=True):
    """One thing to learn: the tokens that are read, the option by its number, its weight."""

    tokens: tuple[int, ...]
    option: int
    weight: float


class Rows:
    """Rows with the states of the lower layers."""

    def __init__(self, rows: Sequence[Row], states: Sequence[Any]) -> None:
        self._rows, self._states = rows, states

    def __len__(self) -> int:
        return len(self._rows)

    def batch(self, places: Sequence[int]) -> tuple[Any, Any, Any, Any]:
        """Give states (padded at the end), place of the last token, options and weights."""
        import torch

        states = [self._states[place].float() for place in places]
        rows = [self._rows[place] for place in places]
        return (
            torch.nn.utils.rnn.pad_sequence(states, batch_first=True),
            torch.tensor([len(row.tokens) - 1 for row in rows]),
            torch.tensor([row.option for row in rows]),
            torch.tensor([row.weight for row in rows]),
        )

    def order(self, size: int, seed: str | None) -> list[list[int]]:
        """Give batches of about equal length, shuffled where a seed is given."""
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        places = list(range(len(self)))
        if seed is not None:
            chance.shuffle(places)
        wide = 8 * size if seed is not None else len(places)
        batches = []
        for at in range(0, len(places), max(wide, 1)):
            near = sorted(places[at : at + wide], key=lambda place: len(self._rows[place].tokens))
            batches += [near[of : of + size] for of in range(0, len(near), size)]
        if seed is not None:
            chance.shuffle(batches)
        return batches
