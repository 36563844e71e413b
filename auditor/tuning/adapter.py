"""A LoRA adapter as the GGUF file that llama.cpp loads beside its model.

Owns the format (GGUF version 3) and the order of rows: llama.cpp keeps the rows of `attn_q` and
`attn_k` in pairs that its rotation turns, torch in halves. Knows no training.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

ALIGNED = 32
"""Bytes: GGUF's own default."""

_U32, _F32, _TEXT = 4, 6, 8  # value types of GGUF
_IN_F32 = 0  # type of a tensor


def paired(rows: Matrix, heads: int) -> Matrix:
    """Put the rows of each head from halves into pairs: 0, n/2, 1, n/2 + 1, ….

    The same as llama.cpp's own conversion does to the weights that the rows are added to.
    """
    size = len(rows) // heads // 2
    return rows.reshape(heads, 2, size, -1).swapaxes(1, 2).reshape(rows.shape)


def encoded(
    pairs: Mapping[str, tuple[Matrix, Matrix]], *, alpha: float, heads: int, heads_kv: int
) -> bytes:
    """Give the file: (A, B) by the name of the weight, `blk.0.attn_q`, rows as in torch.

    The weight becomes W + alpha / rank · B A. `heads`: of the queries, `heads_kv`: of the keys.
    """
    tensors: dict[str, Matrix] = {}
    for name, (down, up) in sorted(pairs.items()):
        kind = name.rpartition(".")[2]
        turned = {"attn_q": heads, "attn_k": heads_kv}.get(kind)
        tensors[f"{name}.weight.lora_a"] = down
        tensors[f"{name}.weight.lora_b"] = up if turned is None else paired(up, turned)
    about = [
        _pair("general.type", _TEXT, "adapter"),
        _pair("general.architecture", _TEXT, "llama"),
        _pair("general.alignment", _U32, ALIGNED),
        _pair("adapter.type", _TEXT, "lora"),
        _pair("adapter.lora.alpha", _F32, alpha),
    ]
    infos, data = b"", b""
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        infos += _text(name) + struct.pack("<IQQIQ", 2, *shape, _IN_F32, len(data))
        data += _padded(np.ascontiguousarray(tensor, "<f4").tobytes())
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(about)) + b"".join(about) + infos
    return _padded(head) + data


def written(path: Path, raw: bytes) -> Path:
    """Write a file whole or not at all. May raise OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(raw)
    return part.replace(path)


def _padded(raw: bytes) -> bytes:
    return raw + b"\0" * (-len(raw) % ALIGNED)


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _pair(name: str, kind: int, value: str | float) -> bytes:
    head = _text(name) + struct.pack("<I", kind)
    if isinstance(value, str):
        return head + _text(value)
    return head + struct.pack("<I" if kind == _U32 else "<f", value)
