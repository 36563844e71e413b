"""A store on another machine's disk is refused, one on this machine's is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor import mounts
from auditor.errors import StoreError
from auditor.mounts import network
from auditor.store import Store


def listed(to: Path, *places: tuple[str, str]) -> Path:
    lines = [
        f"{number} 1 0:{number} / {place} rw,relatime shared:1 - {kind} server:/x rw\n"
        for number, (place, kind) in enumerate(places, 20)
    ]
    to.write_text("".join(lines))
    return to


@pytest.fixture
def share(tmp_path: Path) -> Path:
    folder = tmp_path / "my share"
    folder.mkdir()
    return folder


CASES = {
    "a share": ([("/", "ext4"), ("{}", "nfs4")], "nfs4"),
    "a local disk": ([("/", "nfs4"), ("{}", "ext4")], None),
    "the disk of everything": ([("/", "cifs")], "cifs"),
    "a share with another name": ([("/", "ext4"), ("{}2", "nfs4")], None),
    "a disk mounted over a share": ([("{}", "nfs4"), ("{}", "xfs")], None),
    "no mount at all": ([], None),
}


@pytest.mark.parametrize("case", CASES)
def test_the_innermost_mount_decides(
    share: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    places, expected = CASES[case]
    escaped = str(share).replace(" ", r"\040")
    given = [(place.format(escaped), kind) for place, kind in places]
    monkeypatch.setattr(mounts, "MOUNTS", listed(tmp_path / "mountinfo", *given))
    assert network(share) == expected


def test_a_system_that_does_not_say_is_believed(
    share: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "MOUNTS", share / "not there")
    assert network(share) is None


def test_a_store_on_a_share_is_refused_and_nothing_is_written(
    share: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    escaped = str(share).replace(" ", r"\040")
    monkeypatch.setattr(mounts, "MOUNTS", listed(tmp_path / "mountinfo", (escaped, "nfs4")))
    with pytest.raises(StoreError, match=r"nfs4.*local disk.*--db"):
        Store(share / "a.db")
    assert list(share.iterdir()) == []
