"""What llama.cpp computes in one call, as it is told: tokens, their places and sequences."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from auditor.errors import QuestionTooLong


class Run(Struct, frozen=True):
    """Tokens that follow `start` others in a sequence; logits are read after `read` of them."""

    sequence: int
    start: int
    tokens: Sequence[int]
    read: int | None = None


class Batch:
    """A llama_batch over arrays of our own, which numpy fills at once."""

    def __init__(self, library: Any, size: int) -> None:
        self._token, self._place, self._sequence = np.zeros((3, size), np.int32)
        self._one = np.ones(size, np.int32)
        self._read = np.zeros(size, np.int8)
        rows = np.arange(size, dtype=np.uintp) * self._sequence.itemsize
        self._rows = rows + np.uintp(self._sequence.ctypes.data)
        self.struct = library.llama_batch()
        kinds = dict(library.llama_batch._fields_)
        for name, array in (
            ("token", self._token),
            ("pos", self._place),
            ("n_seq_id", self._one),
            ("seq_id", self._rows),
            ("logits", self._read),
        ):
            kind = kinds[name]
            setattr(self.struct, name, ctypes.cast(array.ctypes.data, kind))
        self._size = size

    def fill(self, runs: Sequence[Run]) -> list[int]:
        """Write the runs one after the other; returns the places whose logits are read."""
        end, reads = 0, []
        if sum(len(run.tokens) for run in runs) > self._size:
            raise QuestionTooLong("the question is longer than the decision model's memory")
        for run in runs:
            begin, end = end, end + len(run.tokens)
            self._token[begin:end] = run.tokens
            self._place[begin:end] = np.arange(run.start, run.start + len(run.tokens))
            self._sequence[begin:end] = run.sequence
            self._read[begin:end] = 0
            if run.read is not None:
                reads.append(begin + run.read - 1)
                self._read[reads[-1]] = 1
        self.struct.n_tokens = end
        return reads
