"""CPUs granted: by affinity and by quota, whichever is less."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.backends import _cpus
from auditor.backends._cpus import granted


@pytest.fixture
def grants(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Writes control groups: `grants(allowed, {"group/file": "content"}, "the row of mine")`."""

    def write(allowed: int, files: dict[str, str], mine: str = "0::/a/b\n") -> int:
        for name, content in files.items():
            path = tmp_path / "cgroup" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        (tmp_path / "mine").write_text(mine)
        monkeypatch.setattr(_cpus, "_CGROUPS", tmp_path / "cgroup")
        monkeypatch.setattr(_cpus, "_MINE", tmp_path / "mine")
        monkeypatch.setattr(_cpus.os, "sched_getaffinity", lambda _: set(range(allowed)))
        return granted()

    return write


V1 = {"cpu/a/cpu.cfs_quota_us": "300000", "cpu/a/cpu.cfs_period_us": "100000"}


@pytest.mark.parametrize(
    ("allowed", "files", "mine", "expected"),
    [
        pytest.param(8, {}, "0::/a/b\n", 8, id="no quota anywhere"),
        pytest.param(1, {"a/b/cpu.max": "400000 100000"}, "0::/a/b\n", 1, id="affinity is less"),
        pytest.param(8, {"a/b/cpu.max": "250000 100000"}, "0::/a/b\n", 2, id="a quota of 2.5"),
        pytest.param(8, {"a/b/cpu.max": "50000 100000"}, "0::/a/b\n", 1, id="at least one"),
        pytest.param(8, {"a/b/cpu.max": "max 100000"}, "0::/a/b\n", 8, id="no quota set"),
        pytest.param(8, {"a/cpu.max": "300000 100000"}, "0::/a/b\n", 3, id="the group above"),
        pytest.param(8, {"cpu.max": "200000 100000"}, "0::/\n", 2, id="inside a container"),
        pytest.param(8, {"cpu.max": "broken"}, "0::/\n", 8, id="a file that says nothing"),
        pytest.param(8, V1, "5:cpu,cpuacct:/a/b\n0::/\n", 3, id="version 1"),
        pytest.param(64, {}, "0::/\n", _cpus.MOST, id="more than helps"),
    ],
)
def test_granted(grants, allowed: int, files: dict[str, str], mine: str, expected: int) -> None:
    assert grants(allowed, files, mine) == expected


def test_without_control_groups(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_cpus, "_MINE", tmp_path / "none")
    assert granted() >= 1
