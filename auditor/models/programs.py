"""Other programs, run to their end; none outlives us."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence

TICK = 0.1
"""Seconds between two looks at how far another process is: a bar that moves."""


def run(command: Sequence[str], look: Callable[[], None], **environment: str) -> str | None:
    """Run a program to its end, looking now and then; give the last line it says when it fails.

    It does not outlive us: whatever ends the waiting ends the program.
    """
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(  # noqa: S603 - commands of our own
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=os.environ | environment,
        ) as process:
            try:
                while _running(process):
                    look()
            except BaseException:
                process.kill()
                raise
        if process.returncode == 0:
            return None
        said.seek(0)
        return _reason(said.read().decode(errors="replace"), process.returncode)


def _running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(TICK)
    except subprocess.TimeoutExpired:
        return True
    return False


def _reason(said: str, code: int) -> str:
    """Choose what is worth telling: the last error line, else the last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return [f"exit code {code}", *lines[-1:], *errors[-1:]][-1]
