"""Where the artefacts are found: in the package first, else in the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor import artefacts
from auditor.errors import ConfigError


def test_a_checkout_has_them_at_the_top() -> None:
    assert artefacts.folder("data") == Path(__file__).parents[1] / "data"


def test_an_installation_has_them_in_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "auditor" / "bundled" / "data").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(artefacts, "_PACKAGE", tmp_path / "auditor")
    assert artefacts.folder("data") == tmp_path / "auditor" / "bundled" / "data"


def test_a_missing_folder_says_so() -> None:
    with pytest.raises(ConfigError, match="nothing-of-the-kind/ is missing"):
        artefacts.folder("nothing-of-the-kind")


def test_the_wheel_carries_them_where_they_are_looked_for() -> None:
    declared = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    for name in ("data", "calibration", "models"):
        assert f'"{name}" = "auditor/bundled/{name}"' in declared
