"""Write a GGUF file in another type: `python requantise.py FROM TO TYPE`, a process of its own.

Of its own, so that llama.cpp is not loaded before the decision model wants it with its settings,
and so that a crash in it is an exit code. Imports nothing of ours, for it is run by its path.
"""

from __future__ import annotations

import ctypes
import sys


def requantise(source: str, target: str, kind: str) -> None:
    """Re-quantise to a type by its name in llama.cpp, such as Q8_0. Raises SystemExit."""
    try:
        from llama_cpp import llama_cpp  # noqa: PLC0415 - to say what is missing
    except (ImportError, OSError, RuntimeError) as error:
        raise SystemExit(f"llama-cpp-python cannot be loaded ({error})") from error
    wanted = getattr(llama_cpp, f"LLAMA_FTYPE_MOSTLY_{kind}", None)
    if wanted is None:
        raise SystemExit(f"this llama.cpp does not know the type {kind}")
    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype = wanted
    parameters.allow_requantize = True
    failed = llama_cpp.llama_model_quantize(
        source.encode(), target.encode(), ctypes.byref(parameters)
    )
    if failed:
        raise SystemExit(f"llama.cpp cannot re-quantise {source} to {kind}")


if __name__ == "__main__":
    requantise(*sys.argv[1:])
