"""The whole exception tree; every message says what, where and what was expected.

AuditorError                  the base: the message is for the person
├── ConfigError               a file, flag or key that cannot be used            (exit 2)
├── HarnessUnavailable        a harness that cannot be reached or read           (watch retries)
├── JudgeUnavailable          no model, a timeout, an answer nobody can read     (exit 5)
│   └── QuestionTooLong       more than the decision model can be shown at once
├── CalibrationMismatch       names a detector, model or question we do not have (exit 3)
├── NotEnough                 too few labels to say anything                     (exit 4)
└── StoreError                a newer schema, a lock, a full disk                (exit 1)
"""

from __future__ import annotations

from typing import ClassVar


class AuditorError(Exception):
    """Base of all errors that are meant for the person."""

    exit_code: ClassVar[int] = 1


class ConfigError(AuditorError):
    """A file, flag or key that cannot be used."""

    exit_code = 2


class HarnessUnavailable(AuditorError):
    """A harness or its files cannot be reached or read."""


class JudgeUnavailable(AuditorError):
    """No decision model, a timeout, or an answer that cannot be read."""

    exit_code = 5


class QuestionTooLong(JudgeUnavailable):
    """The question, or evidence that must not be cut, is more than the decision model holds."""


class CalibrationMismatch(AuditorError):
    """A calibration that was fitted for other detectors, another model or another question."""

    exit_code = 3


class NotEnough(AuditorError):
    """Too few labels, or of one class only, for what was asked."""

    exit_code = 4


class StoreError(AuditorError):
    """The store is newer than this program, locked, damaged or not writable."""
