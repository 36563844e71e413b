"""Finding transcripts: by content, each once, whatever lies around them."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest
import zstandard

from auditor import sources
from auditor.errors import ConfigError
from auditor.events import Unread
from auditor.harness import HARNESSES
from auditor.sources import RECORDS, Source, in_default_places, in_paths, names
from auditor.turn import Turn
from tests.harness.structure import own_recordings

RECORD = (
    b'{"schema": "turn-record/1", "id": "r1", "session": "s", "harness": "test",'
    b' "parts": [{"type": "text", "text": "Done."}], "finish": "stop"}\n'
)


def found(*paths: Path, harness: str | None = None) -> list[tuple[str, str]]:
    return [(s.harness, s.path.name) for s in in_paths(paths, harness).sources]


def test_records_are_recognised_by_content_and_read(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(RECORD + b"not json\n")
    assert found(tmp_path) == [(RECORDS, "x.txt")]
    turn, unread = sources.turns(Source(RECORDS, tmp_path / "x.txt"))
    assert isinstance(turn, Turn)
    assert turn.reply == "Done."
    assert isinstance(unread, Unread)
    assert unread.line == 2


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_packed_files_are_recognised(tmp_path: Path, pack: object) -> None:
    (tmp_path / "x").write_bytes(pack(RECORD))  # type: ignore[operator]
    assert found(tmp_path / "x") == [(RECORDS, "x")]


@pytest.mark.parametrize(
    ("harness", "path"), own_recordings(), ids=lambda value: getattr(value, "name", value)
)
def test_every_recording_of_ours_is_recognised(harness: str, path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    if path.is_dir():
        shutil.copytree(path, copy)
    else:
        shutil.copy(path, copy)
    claimed = {s.harness for s in in_paths([copy]).sources}
    assert claimed == {harness}


def test_what_nobody_claims_is_counted_or_named(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# notes\n")
    assert in_paths([tmp_path]).ignored == 1
    named = in_paths([tmp_path / "notes.md"])
    assert named.unclaimed == [tmp_path / "notes.md"]
    assert named.ignored == 0


def test_a_named_file_is_read_as_the_user_says(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("{}\n")
    assert found(tmp_path / "x", harness="codex") == [("codex", "x")]
    assert found(tmp_path, harness="codex") == []  # in folders it only chooses


def test_a_harness_chooses_in_folders(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(RECORD)
    assert found(tmp_path, harness=RECORDS) == [(RECORDS, "x")]
    assert found(tmp_path, harness="codex") == []


def test_links_lead_nowhere_twice(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_bytes(RECORD)
    (tmp_path / "a" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "again").symlink_to(tmp_path / "a" / "x")
    (tmp_path / "self").symlink_to(tmp_path / "self")
    where = in_paths([tmp_path, tmp_path / "a"])
    assert [(s.harness, s.path.name) for s in where.sources] in (
        [(RECORDS, "x")],
        [(RECORDS, "again")],
    )
    assert [Path(problem.path).name for problem in where.unreadable] == ["self"]


def test_pipes_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert in_paths([tmp_path]).ignored == 1
    assert in_paths([tmp_path / "pipe"]).unreadable[0].reason == "neither a file nor a folder"


def test_other_peoples_code_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "x").write_bytes(RECORD)
    assert found(tmp_path) == []
    assert found(tmp_path / "node_modules") == [(RECORDS, "x")]  # unless it was named


def test_what_may_not_be_read_is_reported_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(RECORD)
    (tmp_path / "b").write_bytes(RECORD)

    def opened(path: Path) -> object:
        if path.name == "a":
            raise PermissionError(13, "Permission denied", str(path))
        return path.open("rb")

    monkeypatch.setattr(sources, "opened", opened)  # root may read everything
    where = in_paths([tmp_path])
    assert [(p.path, p.reason) for p in where.unreadable] == [
        (str(tmp_path / "a"), "Permission denied")
    ]
    assert [s.path.name for s in where.sources] == ["b"]


def test_a_broken_archive_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\x1f\x8b broken")
    (tmp_path / "b").write_bytes(b"\x28\xb5\x2f\xfd broken")
    (tmp_path / "c").write_bytes(RECORD)
    assert [s.path.name for s in in_paths([tmp_path]).sources] == ["c"]


def test_a_small_archive_that_breaks_off_keeps_its_head(tmp_path: Path) -> None:
    packed = gzip.compress(RECORD + bytes(range(128)))
    (tmp_path / "x").write_bytes(packed[:-60])
    assert found(tmp_path) == [(RECORDS, "x")]


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file or folder"):
        in_paths([tmp_path / "gone"])


def test_an_unknown_harness_is_an_error() -> None:
    with pytest.raises(ConfigError, match="'emacs' is none of"):
        sources.checked("emacs")
    assert sources.checked("codex") == "codex"
    assert sources.checked(None) is None


def test_default_places_are_the_harnesses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def transcripts() -> object:
        yield tmp_path / "x"
        yield tmp_path / "gone"
        raise PermissionError(13, "Permission denied", "somewhere")

    (tmp_path / "x").write_bytes(RECORD)
    for module in HARNESSES.values():
        monkeypatch.setattr(module, "transcripts", lambda: iter(()))
    monkeypatch.setattr(HARNESSES["codex"], "transcripts", transcripts)
    where = in_default_places()
    assert [(s.harness, s.path.name) for s in where.sources] == [("codex", "x")]
    assert len(where.unreadable) == 2
    assert in_default_places("pi").sources == []


def test_names_are_the_harnesses_and_records() -> None:
    assert set(names()) == {*HARNESSES, RECORDS}
