"""What a probability depends on here, by name: another value anywhere, and a certificate is void.

Owns the list of decisions.md 4.7 of the field notes, as far as a program can know it without asking
the model: what only the model can show is the canary's.
"""

from __future__ import annotations

import hashlib

from auditor.backends.llama import identity as model_identity
from auditor.calibration import Calibration, checked, encoded
from auditor.features import fingerprint
from auditor.redact import VERSION
from auditor.store import fingerprint as code


def here(calibration: Calibration, model: str | None = None) -> dict[str, str]:
    """Say where probabilities by this calibration come from. `model`: digest of the model loaded.

    Raises `CalibrationMismatch` where the calibration is for other detectors or another model.
    """
    checked(calibration, calibration.id, model)
    found = fingerprint(model or calibration.model) if calibration.model else fingerprint()
    found |= {
        "calibration": calibration.id,
        "numbers": hashlib.sha256(encoded(calibration)).hexdigest()[:16],
        "code": code(),
        "redaction": str(VERSION),
    }
    if calibration.model is not None:
        found["backend"] = model_identity(model or calibration.model)
    return found
