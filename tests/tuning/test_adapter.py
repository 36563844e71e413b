"""An adapter's file: what llama.cpp computes with it is what the weights with it would compute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from auditor.backends.llama import Llama
from auditor.evidence import Evidence
from auditor.judge import WHOSE_MOVE, Asked
from auditor.tuning.adapter import Matrix, encoded, paired
from tests import tiny_model

WIDTH, HEADS = tiny_model.WIDTH, tiny_model.HEADS
RANK, ALPHA = 3, 6.0
ASKED = Asked(WHOSE_MOVE, Evidence("Fix it.", (), "I fixed it; all tests pass."))
NAMES = ("attn_q", "attn_k", "attn_v", "attn_output")


def pairs(seed: int = 4) -> dict[str, tuple[Matrix, Matrix]]:
    """A and B for every matrix of the attention of both layers, rows as in torch."""
    chance = np.random.default_rng(seed)

    def random(*shape: int) -> Matrix:
        return chance.normal(0, 0.12, shape).astype(np.float32)

    return {
        f"blk.{layer}.{name}": (random(RANK, WIDTH), random(WIDTH, RANK))
        for layer in range(tiny_model.LAYERS)
        for name in NAMES
    }


def read(path: Path, adapter: Path | None = None) -> Matrix:
    with Llama(path, "x", threads=1, adapter=adapter) as model:
        return model.reading(ASKED, 96).state


def test_it_is_the_same_as_weights_to_which_it_was_added(tmp_path: Path) -> None:
    added = {}
    for name, (down, up) in pairs().items():
        rows = paired(up, HEADS) if name.endswith(("attn_q", "attn_k")) else up
        added[f"{name}.weight"] = ALPHA / RANK * rows @ down
    file = tmp_path / "adapter.gguf"
    file.write_bytes(encoded(pairs(), alpha=ALPHA, heads=HEADS, heads_kv=HEADS))
    plain = tiny_model.write(tmp_path / "plain.gguf")
    merged = read(tiny_model.write(tmp_path / "merged.gguf", added=added))
    apart = np.abs(merged - read(plain)).max()
    assert apart > 0.3  # the adapter does something
    assert np.abs(merged - read(plain, file)).max() < 0.05 * apart


def test_its_rows_turn_as_torchs_do() -> None:
    """llama.cpp turns pairs of rows, torch the halves: the same numbers, in another order."""
    size, heads = 8, 2
    rows = np.random.default_rng(1).normal(size=(heads * size, 1)).astype(np.float32)
    angles = np.arange(1, size // 2 + 1) / 3

    def halves(head: Matrix) -> Matrix:
        low, high = head[: size // 2, 0], head[size // 2 :, 0]
        turned = (low * np.cos(angles) - high * np.sin(angles), low * np.sin(angles))
        return np.concatenate([turned[0], turned[1] + high * np.cos(angles)])

    def in_pairs(head: Matrix) -> Matrix:
        low, high = head[::2, 0], head[1::2, 0]
        out = np.empty(size)
        out[::2] = low * np.cos(angles) - high * np.sin(angles)
        out[1::2] = low * np.sin(angles) + high * np.cos(angles)
        return out

    theirs = paired(rows, heads)
    for head in range(heads):
        of = slice(head * size, (head + 1) * size)
        back = halves(rows[of])
        assert np.allclose(in_pairs(theirs[of]), paired(back[:, None], 1)[:, 0], atol=1e-6)


def test_the_same_adapter_is_the_same_bytes() -> None:
    once = encoded(pairs(), alpha=ALPHA, heads=HEADS, heads_kv=HEADS)
    again = encoded(dict(reversed(pairs().items())), alpha=ALPHA, heads=HEADS, heads_kv=HEADS)
    assert once == again
    assert once[:4] == b"GGUF"


def test_an_adapter_of_another_width_is_refused_by_llama(tmp_path: Path) -> None:
    from auditor.errors import JudgeUnavailable  # noqa: PLC0415 - next to its use

    wide = {"blk.0.attn_v": (np.ones((2, 8), np.float32), np.ones((8, 2), np.float32))}
    file = tmp_path / "adapter.gguf"
    file.write_bytes(encoded(wide, alpha=1, heads=2, heads_kv=2))
    with pytest.raises(JudgeUnavailable, match="as an adapter of this model"):
        read(tiny_model.write(tmp_path / "plain.gguf"), file)
