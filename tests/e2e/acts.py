"""What a scripted model may do while it answers: one small struct each, no wire format in them.

A script is steps, a step is the acts of one answer. A step that ends without a `Finish`, `Refuse`
or a break of the connection ends as `stop`, or as `tool-calls` where it called one.
"""

from __future__ import annotations

from msgspec import Struct

PIECE = 24
"""Characters of a streamed piece: some tokens."""


class Say(Struct, frozen=True):
    """Text, streamed in pieces. `pause`: seconds between them."""

    text: str
    pause: float = 0.0
    piece: int = PIECE


class Think(Struct, frozen=True):
    """Reasoning, streamed in pieces."""

    text: str


class Call(Struct, frozen=True):
    """A tool call. `tool`: an abstract name of `TOOLS`, or any other as it is.

    `arguments`: text is sent as it stands, whether or not it parses. `name_late`: the name comes in
    the delta after next; `no_name`: never.
    """

    tool: str
    arguments: dict[str, object] | str = {}
    no_name: bool = False
    name_late: bool = False


class Hold(Struct, frozen=True):
    """Silence on the open stream until the client hangs up, or the test says `release`."""

    gate: str = ""


class Pause(Struct, frozen=True):
    """Seconds of silence on the open stream."""

    seconds: float


class Refuse(Struct, frozen=True):
    """An HTTP error instead of a stream."""

    status: int
    message: str
    headers: dict[str, str] = {}
    code: str = ""


class Reset(Struct, frozen=True):
    """The connection breaks (RST)."""


class CutOff(Struct, frozen=True):
    """The stream ends early, cleanly, inside the answer."""


class ErrorPiece(Struct, frozen=True):
    """An error object inside the stream, then its end."""

    message: str


class Finish(Struct, frozen=True):
    """The finish reason in the words of chat completions; None: the stream ends without one."""

    reason: str | None


Act = Say | Think | Call | Hold | Pause | Refuse | Reset | CutOff | ErrorPiece | Finish
Step = tuple[Act, ...]


class Script(Struct, frozen=True):
    """What the model does, step by step; after the last step the last one again.

    `when_told`: what it does instead once there is a second message of the user.
    """

    name: str
    steps: tuple[Step, ...]
    when_told: Step | None = None
