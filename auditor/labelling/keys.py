"""Single keys from a terminal, or one key a line from anything else.

Owns the terminal's mode while it is used: it is restored at whatever end, a signal included. Knows
no screen.
"""

from __future__ import annotations

import codecs
import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import IO, Protocol

ENTER, ESCAPE, DOWN, UP, END = "\n", "\x1b", "down", "up", ""
"""Keys without a letter; `END`: nothing more will come."""

_SEQUENCES = {"[B": DOWN, "OB": DOWN, "[6~": DOWN, "[A": UP, "OA": UP, "[5~": UP}
"""What arrow and page keys send after Escape (ECMA-48, xterm)."""

PAUSE = 0.05
"""Seconds after Escape in which the rest of a key's sequence comes (a guess; editors use 0.05)."""

CTRL_D = "\x04"


class Keys(Protocol):
    """Where keys come from. `live`: from a person at a terminal, who sees a screen."""

    live: bool

    def next(self) -> str:
        """Wait for a key: a character, `ENTER`, `ESCAPE`, `DOWN`, `UP`, or `END`."""
        ...


class Lines:
    """One key a line: its first character; an empty line is Enter."""

    live = False

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def next(self) -> str:
        """Give the key of the next line."""
        line = self._file.readline()
        return line.strip()[:1] or ENTER if line else END


class Terminal:
    """Keys as they are pressed."""

    live = True

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def next(self) -> str:
        """Give the next key."""
        while True:
            key = self._character()
            if key in (END, CTRL_D):
                return END
            if key in ("\r", "\n"):
                return ENTER
            if key != ESCAPE:
                return key
            rest = self._rest()
            if not rest:
                return ESCAPE
            if rest in _SEQUENCES:
                return _SEQUENCES[rest]

    def _character(self) -> str:
        while True:
            try:
                byte = os.read(self._descriptor, 1)
            except OSError:  # the terminal is gone
                return END
            if not byte:
                return END
            if found := self._decoder.decode(byte):
                return found

    def _rest(self) -> str:
        """Give what came with Escape at once: the rest of an arrow key, say."""
        found = ""
        while select.select([self._descriptor], [], [], PAUSE)[0]:
            found += (more := self._character())
            if not more or (len(found) > 1 and (more.isalpha() or more == "~")):
                break
        return found


@contextmanager
def opened() -> Iterator[Keys]:
    """Read standard input key by key where it is a terminal, else line by line."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Lines(sys.stdin)
        return
    import termios  # noqa: PLC0415 - not on Windows
    import tty  # noqa: PLC0415

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def left(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)  # so that the mode is restored on the way out

    def back(_: int, __: FrameType | None) -> None:
        tty.setcbreak(descriptor)  # after a pause (Ctrl-Z): the shell has set its own mode

    handlers = {signal.SIGTERM: left, signal.SIGHUP: left, signal.SIGCONT: back}
    kept = {number: signal.signal(number, act) for number, act in handlers.items()}
    try:
        tty.setcbreak(descriptor)
        yield Terminal(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        for number, act in kept.items():
            signal.signal(number, act)
