"""The detectors: one file each, `detect(turn) -> Signal | None`, pure and total.

A detector says what it saw, never what to do. Its file name is its name everywhere: in the
store, in a calibration, in the report, in a test. `STAGE` says where it stands in the order of
evidence. The set is closed: a file in this folder is a detector.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from msgspec import Struct

from auditor.signals import Signal, Stage
from auditor.turn import Turn

Detect = Callable[[Turn], Signal | None]


class Detector(Struct, frozen=True):
    """One detector: its name, its stage in the order of evidence, its function."""

    name: str
    stage: Stage
    detect: Detect


def _load(name: str) -> Detector:
    module = import_module(f"{__name__}.{name}")
    return Detector(name, module.STAGE, module.detect)


DETECTORS: tuple[Detector, ...] = tuple(
    _load(found.name) for found in iter_modules(__path__) if not found.name.startswith("_")
)
