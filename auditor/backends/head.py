"""A head: how probable each option is, from what a model holds after the last token of a turn.

Owns the file of a head and its arithmetic. Knows neither how it was fitted (`tuning.heads`) nor
how the state is read (`_readout`).
"""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from auditor.errors import JudgeUnavailable
from auditor.judge import WHOSE_MOVE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EVIDENCE = "turn-evidence/1"
"""Version of what is shown of a turn: changes with what `auditor.evidence` says and with how
`judge.rendered` cuts it. A head that learned from another one is refused."""

OPTIONS = tuple([option.name for option in WHOSE_MOVE.options])

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Numbers = Annotated[tuple[float, ...], Meta(min_length=1)]


class Head(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """log P(option) = log softmax of bias + weights · (state - mean) / scale.

    `mean` and `scale` have a number for each of the state, `weights` a row of as many for each
    option. `budget`: tokens of evidence. `base` and `adapter`: sha256 of the files whose states
    it was fitted on; `evidence`: what of a turn these had been shown (`EVIDENCE`).
    """

    schema: Literal["head/1"] = "head/1"
    options: tuple[str, ...]
    mean: Numbers
    scale: Numbers
    weights: tuple[Numbers, ...]
    bias: Numbers
    evidence: str
    budget: Annotated[int, Meta(ge=16, le=8192)]
    base: Sha256
    adapter: Sha256 | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for numbers that do not fit together."""
        width, rows = len(self.mean), (self.mean, self.scale, self.bias, *self.weights)
        if self.options != OPTIONS:
            raise ValueError(f"its options are {self.options}; expected {OPTIONS}")
        if {len(self.scale), *map(len, self.weights)} != {width}:
            raise ValueError(f"rows of different lengths; expected {width} numbers in each")
        if {len(self.weights), len(self.bias)} != {len(self.options)}:
            raise ValueError(f"expected {len(self.options)} rows of weights, and a bias for each")
        if not all(isfinite(number) for row in rows for number in row) or min(self.scale) <= 0:
            raise ValueError("a number of it is not finite, or a scale is not above 0")

    @property
    def width(self) -> int:
        """How many numbers a state has."""
        return len(self.mean)


class Arithmetic:
    """A head as arrays."""

    def __init__(self, head: Head) -> None:
        """Make the arrays."""
        import numpy as np  # noqa: PLC0415 - the file of a head is read without it

        self._mean, self._scale = np.array(head.mean), np.array(head.scale)
        self._weights, self._bias = np.array(head.weights), np.array(head.bias)

    def logprobs(self, states: NDArray[np.floating]) -> NDArray[np.float64]:
        """Give the log-probability of each option, a row for each state.

        Sums of products, no matrix product: these are the same whatever library and threads.
        """
        import numpy as np  # noqa: PLC0415

        found = [self._one(np.asarray(state, np.float64)) for state in np.atleast_2d(states)]
        return np.array(found).reshape(len(found), len(self._bias))

    def _one(self, state: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np  # noqa: PLC0415

        line = (self._weights * ((state - self._mean) / self._scale)).sum(axis=1) + self._bias
        line -= line.max()
        found: NDArray[np.float64] = line - np.log(np.exp(line).sum())
        return found


def encoded(head: Head) -> bytes:
    """Give its JSON: the same head, the same bytes."""
    return msgspec.json.encode(head) + b"\n"


def decoded(raw: bytes) -> Head:
    """Read one. Raises ValueError that says what is wrong and where."""
    try:
        return msgspec.json.decode(raw, type=Head)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from error


def read(path: Path) -> Head:
    """Read a file. Raises `JudgeUnavailable` for one that cannot be used here."""
    try:
        head = decoded(path.read_bytes())
    except OSError as error:
        raise JudgeUnavailable(f"{path} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise JudgeUnavailable(f"{path} is no head of a decision model: {error}") from error
    if head.evidence != EVIDENCE:
        raise JudgeUnavailable(
            f"{path} learned from {head.evidence}, and {EVIDENCE} is shown here; tune it anew"
        )
    return head
