"""Where `data/`, `calibration/` and `models/` lie: bundled in the package, or in the checkout.

A wheel carries the three folders below `auditor/bundled/` (see `pyproject.toml`); an editable
installation and a checkout have them at the top.
"""

from __future__ import annotations

from pathlib import Path

from auditor.errors import ConfigError

_PACKAGE = Path(__file__).parent


def folder(name: str) -> Path:
    """Find the folder of that name. Raises `ConfigError` where this installation lacks it."""
    for place in (_PACKAGE / "bundled" / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise ConfigError(f"the folder {name}/ is missing from this installation; install it anew")
