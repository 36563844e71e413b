"""A decision model of half a megabyte with random weights, written here in milliseconds.

It decides nothing, but llama.cpp computes it like any other: for everything but quality.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "[INST]", "</s>")
WORDS = "agent message answer letter announces something offered reported tests user whose next"
"""Words of the question that are one token here."""
WIDTH, HEADS, INNER, LAYERS = 64, 2, 128, 2
CONTEXT = 4096

NORMAL, CONTROL, USER_DEFINED = 1, 3, 4  # token types of GGUF
_U32, _F32, _BOOL, _TEXT, _LIST, _I32 = 4, 6, 7, 8, 9, 5  # value types of GGUF
_ALIGNED = 32


def _byte_letters() -> list[str]:
    """How GPT-2 writes each byte as one character."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    written = {byte: chr(byte) for byte in plain}
    written |= {byte: chr(256 + number) for number, byte in enumerate(others)}
    return [written[byte] for byte in range(256)]


def _merges(words: str) -> list[str]:
    """Rules that join the letters of each word, and the space before it, one after the other."""
    found = [
        f"Ġ{word}"[:end] + " " + word[end - 1]
        for word in words.split()
        for end in range(1, len(word) + 1)
    ]
    return list(dict.fromkeys(found))


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(kind: int, value: Any) -> bytes:
    match kind:
        case 4:
            return struct.pack("<I", value)
        case 5:
            return struct.pack("<i", value)
        case 6:
            return struct.pack("<f", value)
        case 7:
            return struct.pack("<?", value)
        case _:
            return _text(value)


def _pair(name: str, kind: int, value: Any, inside: int = 0) -> bytes:
    head = _text(name) + struct.pack("<I", kind)
    if kind != _LIST:
        return head + _value(kind, value)
    items = b"".join([_value(inside, item) for item in value])
    return head + struct.pack("<IQ", inside, len(value)) + items


def _tensors(words: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    def random(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.15, shape).astype(np.float32)

    found = {"token_embd.weight": random(words, WIDTH), "output.weight": random(words, WIDTH)}
    found["output_norm.weight"] = np.ones(WIDTH, np.float32)
    for number in range(LAYERS):
        layer = {
            "attn_q": random(WIDTH, WIDTH),
            "attn_k": random(WIDTH, WIDTH),
            "attn_v": random(WIDTH, WIDTH),
            "attn_output": random(WIDTH, WIDTH),
            "ffn_gate": random(INNER, WIDTH),
            "ffn_up": random(INNER, WIDTH),
            "ffn_down": random(WIDTH, INNER),
            "attn_norm": np.ones(WIDTH, np.float32),
            "ffn_norm": np.ones(WIDTH, np.float32),
        }
        found |= {f"blk.{number}.{name}.weight": tensor for name, tensor in layer.items()}
    return found


def write(
    path: Path,
    *,
    template: str | None = CHATML,
    seed: int = 1,
    nan: bool = False,
    added: dict[str, np.ndarray] | None = None,
) -> Path:
    """Write the model as GGUF version 3; `nan`: with weights that compute nothing.

    `added` is added to the weights of that name, as an adapter does.
    """
    merged = _merges(WORDS)
    words = [*_byte_letters(), *SPECIAL, *[merge.replace(" ", "") for merge in merged]]
    kinds = [NORMAL] * 256 + [CONTROL] * 3 + [USER_DEFINED] * 2 + [CONTROL] + [NORMAL] * len(merged)
    pairs = [
        _pair("general.architecture", _TEXT, "llama"),
        _pair("general.alignment", _U32, _ALIGNED),
        _pair("llama.context_length", _U32, CONTEXT),
        _pair("llama.embedding_length", _U32, WIDTH),
        _pair("llama.block_count", _U32, LAYERS),
        _pair("llama.feed_forward_length", _U32, INNER),
        _pair("llama.attention.head_count", _U32, HEADS),
        _pair("llama.attention.head_count_kv", _U32, HEADS),
        _pair("llama.attention.layer_norm_rms_epsilon", _F32, 1e-5),
        _pair("llama.rope.dimension_count", _U32, WIDTH // HEADS),
        _pair("tokenizer.ggml.model", _TEXT, "gpt2"),
        _pair("tokenizer.ggml.pre", _TEXT, "gpt-2"),
        _pair("tokenizer.ggml.tokens", _LIST, words, _TEXT),
        _pair("tokenizer.ggml.token_type", _LIST, kinds, _I32),
        _pair("tokenizer.ggml.merges", _LIST, merged, _TEXT),
        _pair("tokenizer.ggml.bos_token_id", _U32, 256),
        _pair("tokenizer.ggml.eos_token_id", _U32, 258),
        _pair("tokenizer.ggml.add_bos_token", _BOOL, False),
    ]
    if template is not None:
        pairs.append(_pair("tokenizer.chat_template", _TEXT, template))
    tensors = _tensors(len(kinds), np.random.default_rng(seed))
    for name, more in (added or {}).items():
        tensors[name] = (tensors[name] + more).astype(np.float32)
    if nan:
        tensors["output.weight"][:] = np.nan
    infos, data = b"", b""
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        infos += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        data += tensor.tobytes()
        data += b"\0" * (-len(data) % _ALIGNED)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + b"".join(pairs) + infos
    path.write_bytes(head + b"\0" * (-len(head) % _ALIGNED) + data)
    return path
