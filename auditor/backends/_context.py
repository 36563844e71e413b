"""llama.cpp in process: a loaded model, its tokeniser, and sequences of tokens in its memory.

The only module that calls llama.cpp. Everything it says goes wrong is `JudgeUnavailable`; what it
would print is not printed. Knows no question and no template.
"""

from __future__ import annotations

import ctypes
import os
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.backends._batch import Batch, Run
from auditor.errors import JudgeUnavailable

UBATCH = 512
"""Tokens computed at once: llama.cpp's default, within 2 % of 256 here."""

_FAILED = {
    1: "its memory is full",
    2: "it was stopped at the deadline",
    -1: "llama.cpp refused the batch",
}

_ERROR = 4  # GGML_LOG_LEVEL_ERROR
_loading = threading.Lock()


def library() -> Any:
    """llama.cpp, loaded once, silent, with threads that sleep while they wait.

    Spinning threads, the default of OpenMP, take two to four times as long beside a compiler.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        found = import_module("llama_cpp.llama_cpp")
    except (ImportError, OSError, RuntimeError) as error:
        raise JudgeUnavailable(
            f"llama-cpp-python cannot be loaded ({error}); install turn-auditor again"
        ) from error
    found.llama_backend_init()
    return found


# Functions of the C library in the place of call-backs: a call-back in Python would wait for the
# interpreter's lock hundreds of times in every decision, and crash when the interpreter is gone.
# `abs` does nothing; `strlen` of a buffer of one character says whether it is set.
_C = ctypes.CDLL(None)


class Context:
    """A model and its memory. Not for several threads at once, but for `stop`."""

    def __init__(
        self, path: Path, *, threads: int, size: int, sequences: int, adapter: Path | None = None
    ) -> None:
        """Load. `size`: tokens that the memory holds, over all sequences; `adapter`: a LoRA."""
        self.lib = library()
        self.size = size
        self._stop = ctypes.create_string_buffer(2)
        self._model = self._handle = None
        with _loading:
            self._silence()
            self._model = self._loaded(path)
        self._vocab = self.lib.llama_model_get_vocab(self._model)
        try:
            self._handle = self._opened(threads, size, sequences)
            if adapter is not None:
                self._adapt(adapter)
        except BaseException:
            self.close()
            raise
        self._batch = Batch(self.lib, size)
        self._memory = self.lib.llama_get_memory(self._handle)
        self.width: int = self.lib.llama_model_n_embd_out(self._model)
        self.words: int = self.lib.llama_vocab_n_tokens(self._vocab)

    def _silence(self) -> None:
        self._quiet = ctypes.cast(_C.abs, self.lib.llama_log_callback)
        self.lib.llama_log_set(self._quiet, None)

    def _loaded(self, path: Path) -> Any:
        if not path.is_file():
            raise JudgeUnavailable(f"there is no model file {path}")
        parameters = self.lib.llama_model_default_params()
        parameters.n_gpu_layers = 0
        model = self.lib.llama_model_load_from_file(os.fsencode(path), parameters)
        if not model:
            raise JudgeUnavailable(f"llama.cpp cannot load {path}: {self._why(path, parameters)}")
        return model

    def _why(self, path: Path, parameters: Any) -> str:
        """Load once more, this time listening to what llama.cpp says."""
        said: list[str] = []

        def hear(level: int, text: bytes, _: object) -> None:
            if level == _ERROR:
                said.append(text.decode("utf-8", "replace").strip())

        listener = self.lib.llama_log_callback(hear)
        self.lib.llama_log_set(listener, None)
        model = self.lib.llama_model_load_from_file(os.fsencode(path), parameters)
        self._silence()
        if model:
            self.lib.llama_model_free(model)
        return said[0] if said else "it does not say why"

    def _opened(self, threads: int, size: int, sequences: int) -> Any:
        if self.lib.llama_model_has_encoder(self._model):
            raise JudgeUnavailable("the model reads with an encoder; it cannot answer by letters")
        parameters = self.lib.llama_context_default_params()
        parameters.n_ctx = parameters.n_batch = size
        parameters.n_ubatch = min(UBATCH, size)
        parameters.n_seq_max = sequences
        parameters.n_outputs_max = sequences  # not one for each token: 87 MB less
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.kv_unified = True
        parameters.offload_kqv = False
        parameters.op_offload = False
        parameters.no_perf = True
        parameters.abort_callback = ctypes.cast(_C.strlen, self.lib.ggml_abort_callback)
        parameters.abort_callback_data = ctypes.addressof(self._stop)
        handle = self.lib.llama_init_from_model(self._model, parameters)
        if not handle:
            raise JudgeUnavailable(f"llama.cpp has no memory for a context of {size} tokens")
        return handle

    def _adapt(self, path: Path) -> None:
        """Let every decoding go through an adapter, which the model frees when it is freed."""
        found = path.is_file() and self.lib.llama_adapter_lora_init(self._model, os.fsencode(path))
        if not found:
            raise JudgeUnavailable(f"llama.cpp cannot load {path} as an adapter of this model")
        adapters = (self.lib.llama_adapter_lora_p_ctypes * 1)(found)
        scales = (ctypes.c_float * 1)(1.0)
        if self.lib.llama_set_adapters_lora(self._handle, adapters, 1, scales):
            raise JudgeUnavailable(f"llama.cpp cannot use the adapter {path}")

    def close(self) -> None:
        """Give the memory back; once is enough, twice does no harm."""
        handle, self._handle = self._handle, None
        model, self._model = self._model, None
        if handle:
            self.lib.llama_free(handle)
        if model:
            self.lib.llama_model_free(model)

    def stop(self, *, stopped: bool) -> None:
        """Make the decoding that runs, and every one from now, fail; or no more. Any thread may."""
        self._stop[0] = b"1" if stopped else b"\0"

    @property
    def trained(self) -> int:
        """Tokens of context that the model was trained for."""
        return int(self.lib.llama_model_n_ctx_train(self._model))

    @property
    def template(self) -> str | None:
        """The chat template that came with the model."""
        found = self.lib.llama_model_chat_template(self._model, None)
        return found.decode("utf-8", "replace") if found else None

    def special(self) -> list[str]:
        """Every token that is no text: control tokens, markers a trainer added."""
        text = self.lib.LLAMA_TOKEN_ATTR_NORMAL | self.lib.LLAMA_TOKEN_ATTR_BYTE
        attributes = ((i, self.lib.llama_vocab_get_attr(self._vocab, i)) for i in range(self.words))
        return [self.text(token) for token, kind in attributes if not kind & text]

    def text(self, token: int) -> str:
        """A token as it is written in the vocabulary; empty where there is none."""
        if token < 0:
            return ""
        found = self.lib.llama_vocab_get_text(self._vocab, token)
        return found.decode("utf-8", "replace") if found else ""

    def ends(self) -> tuple[int, int, int]:
        """Token ids of: beginning, end of text, end of turn; -1 for what the model has not."""
        lib, vocab = self.lib, self._vocab
        of_turn = lib.llama_vocab_eot(vocab)
        of_text = lib.llama_vocab_eos(vocab)
        return lib.llama_vocab_bos(vocab), of_text, of_turn if of_turn >= 0 else of_text

    def is_end(self, token: int) -> bool:
        """Whether generation ends with this token."""
        return bool(self.lib.llama_vocab_is_eog(self._vocab, token))

    def tokens(self, text: str, *, special: bool = False, begin: bool = False) -> list[int]:
        """Tokenise; markers stay plain text without `special`, `begin` adds what models expect."""
        raw = text.encode()
        room = len(raw) + 8
        found = (ctypes.c_int32 * room)()
        size = self.lib.llama_tokenize(self._vocab, raw, len(raw), found, room, begin, special)
        if size < 0:
            raise JudgeUnavailable("llama.cpp cannot tokenise the question")
        return found[:size]

    def decode(self, *runs: Run) -> list[NDArray[np.float32]]:
        """Compute the runs together; logits for each that reads, valid until the next call."""
        reads = self._batch.fill(runs)
        failed = self.lib.llama_decode(self._handle, self._batch.struct)
        if failed:
            why = _FAILED.get(failed, f"llama.cpp failed with {failed}")
            raise JudgeUnavailable(f"the decision model gives no answer: {why}")
        return [self._logits(place) for place in reads]

    def read(self, run: Run) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Compute a run; the logits, and the normalised state of the last layer, at its end.

        In two calls: where states are wanted, llama.cpp computes the logits of every token too.
        """
        *before, last = run.tokens
        if before:
            self.decode(Run(run.sequence, run.start, before))
        self.lib.llama_set_embeddings(self._handle, True)
        try:
            (logits,) = self.decode(Run(run.sequence, run.start + len(before), [last], 1))
            found = self.lib.llama_get_embeddings_ith(self._handle, 0)
            if not found:
                raise JudgeUnavailable("the decision model gives no answer: no state")
            return logits.copy(), np.ctypeslib.as_array(found, (self.width,)).copy()
        finally:
            self.lib.llama_set_embeddings(self._handle, False)

    def _logits(self, place: int) -> NDArray[np.float32]:
        found = self.lib.llama_get_logits_ith(self._handle, place)
        if not found:
            raise JudgeUnavailable("the decision model gives no answer: no logits")
        return np.ctypeslib.as_array(found, (self.words,))

    def fork(self, source: int, target: int) -> None:
        """Let `target` begin with everything in `source`: a mark on each token, no copy."""
        self.lib.llama_memory_seq_cp(self._memory, source, target, -1, -1)

    def saved(self, sequence: int) -> bytes:
        """Everything the memory holds of a sequence."""
        size = self.lib.llama_state_seq_get_size(self._handle, sequence)
        kept = (ctypes.c_uint8 * size)()
        self.lib.llama_state_seq_get_data(self._handle, kept, size, sequence)
        return bytes(kept)

    def forget(self) -> None:
        """Empty every sequence."""
        self.lib.llama_memory_clear(self._memory, False)

    def restore(self, state: bytes, sequence: int) -> None:
        """Forget every sequence, then let one be what was saved of it."""
        self.forget()
        kept = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if not self.lib.llama_state_seq_set_data(self._handle, kept, len(state), sequence):
            raise JudgeUnavailable("the decision model gives no answer: its state is lost")
