"""Bytes on disk, whatever they are: each bad line is counted, and nothing else is lost."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import HarnessUnavailable
from auditor.events import Unread
from auditor.files import MAX_LINE, decode, json_document, json_lines, raw_lines

GOOD = [b'{"n": 1}', b'{"n": 2}', b'{"n": 3}']
LINES = b"\n".join(GOOD) + b"\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lines.jsonl"


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def noise(size: int) -> bytes:
    """Lines that no archive can shrink much, so that a cut falls inside real content."""
    rows = (json.dumps({"n": n, "x": os.urandom(60).hex()}) for n in range(size // 140))
    return "\n".join(rows).encode() + b"\n"


BAD_LINES = [
    pytest.param(b"{", "malformed JSON", id="cut"),
    pytest.param(b'{"a": 1} trailing', "malformed JSON", id="something behind it"),
    pytest.param(b"NaN", "malformed JSON", id="a number that is none"),
    pytest.param(b'{"a": 1e999}', "malformed JSON", id="a number too large"),
    pytest.param(b"[" * 100_000 + b"]" * 100_000, "malformed JSON", id="nested too deeply"),
    pytest.param(b"\x00\x00\x00", "malformed JSON", id="NUL bytes alone"),
    pytest.param(b"\xff\xfe{\x00}\x00", "malformed JSON", id="UTF-16"),
    pytest.param(b"not JSON at all", "malformed JSON", id="prose"),
]


@pytest.mark.parametrize(("bad", "kind"), BAD_LINES)
@pytest.mark.parametrize("place", range(4))
def test_a_bad_line_costs_only_itself(file: Path, bad: bytes, kind: str, place: int) -> None:
    lines = [*GOOD[:place], bad, *GOOD[place:]]
    file.write_bytes(b"\n".join(lines))
    found = list(json_lines(file))
    assert [x for x in found if isinstance(x, Unread)] == [Unread(kind, place + 1)]
    assert [x[1] for x in found if not isinstance(x, Unread)] == [{"n": 1}, {"n": 2}, {"n": 3}]


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        pytest.param(b'{"a": "x\xffy"}', {"a": "x\ufffdy"}, id="broken UTF-8"),
        pytest.param(b'{"a": "\xed\xa0\x80"}', {"a": "\ufffd\ufffd\ufffd"}, id="CESU-8"),
        pytest.param(b'\x00\x00{"a": 1}\x00', {"a": 1}, id="NUL padding around it"),
        pytest.param(b'\xef\xbb\xbf{"a": 1}', {"a": 1}, id="a byte order mark"),
        pytest.param(b'{"a": 1}\r', {"a": 1}, id="CRLF"),
        pytest.param(rb'{"a": "x\ud83d"}', {"a": "x\ufffd"}, id="a high half alone"),
        pytest.param(rb'{"a": "\ude00x"}', {"a": "\ufffdx"}, id="a low half alone"),
        pytest.param(rb'["\ud83d\ud83d\ude00"]', ["\ufffd\U0001f600"], id="a half before a pair"),
        pytest.param(rb'["\ud83d\\ude00"]', ["\ufffd\\ude00"], id="a half before a backslash"),
        pytest.param(rb'["\\ud83d", "\ud83d"]', ["\\ud83d", "\ufffd"], id="an escaped backslash"),
        pytest.param(rb'["\ud83d\ude00"]', ["\U0001f600"], id="control: a pair"),
        pytest.param(b"123456789012345678901234567890", 123456789012345678901234567890, id="big"),
    ],
)
def test_what_can_be_repaired_is(raw: bytes, value: object) -> None:
    assert decode(raw) == value


@given(st.binary(max_size=300))
def test_decode_is_total(raw: bytes) -> None:
    try:
        value = decode(raw)
    except ValueError:
        return
    json.dumps(value, allow_nan=False).encode()


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=9))
def test_decode_agrees_with_the_standard_library(value: object) -> None:
    for escaped in (True, False):
        raw = json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
        assert decode(raw) == value


def test_line_numbers_count_blank_lines(file: Path) -> None:
    file.write_bytes(b"\n\n1\n \t\r\n2\n\n")
    assert list(json_lines(file)) == [(3, 1), (5, 2)]


def test_a_line_over_the_limit_is_skipped_and_counted(file: Path) -> None:
    with file.open("wb") as out:
        out.write(b"1\n[")
        out.truncate(MAX_LINE + 1_000_000)  # NUL bytes that take no room on the disk
        out.seek(0, os.SEEK_END)
        out.write(b"]\n2\n")
        out.write(b"[")
        out.truncate(out.tell() + MAX_LINE)
    assert list(json_lines(file)) == [
        (1, 1),
        Unread("line too long", 2),
        (3, 2),
        Unread("line too long", 4),
    ]


def test_a_line_at_the_limit_is_read(file: Path) -> None:
    file.write_bytes(b'"' + b"x" * (MAX_LINE - 2) + b'"\n1')
    (_, long), last = json_lines(file)  # type: ignore[misc]
    assert len(long) == MAX_LINE - 2  # type: ignore[arg-type]
    assert last == (2, 1)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n\n"])
def test_the_last_line_needs_no_end(file: Path, end: bytes) -> None:
    file.write_bytes(b"1\n2" + end)
    assert list(json_lines(file)) == [(1, 1), (2, 2)]


@given(st.lists(st.binary(max_size=40).filter(lambda x: b"\n" not in x), max_size=30))
def test_raw_lines_are_what_splitting_gives(tmp_path_factory, lines: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("x") / "x"
    whole = b"\n".join(lines)
    plain = [(n, x) for n, x in enumerate(whole.split(b"\n"), 1) if x and not x.isspace()]
    for packed in (whole, gzip.compress(whole), zstd(whole)):
        path.write_bytes(packed)
        if packed is not whole or not whole.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
            assert list(raw_lines(path)) == plain


def test_lines_cut_by_reads_are_whole(file: Path) -> None:
    long = [json.dumps("x" * size).encode() for size in (1 << 20, (1 << 20) - 3, 5, 3 << 20)]
    file.write_bytes(b"\n".join(long))
    assert [len(x[1]) for x in raw_lines(file) if not isinstance(x, Unread)] == [
        len(x) for x in long
    ]


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_archives_are_told_by_their_content(file: Path, pack) -> None:
    file.write_bytes(pack(LINES))
    assert [x[1] for x in json_lines(file) if not isinstance(x, Unread)] == [
        {"n": 1},
        {"n": 2},
        {"n": 3},
    ]
    file.write_bytes(pack(b'{"a": "\xff"}'))
    assert json_document(file) == {"a": "\ufffd"}


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_archives_may_be_written_in_pieces(file: Path, pack) -> None:
    file.write_bytes(pack(b"1\n2") + pack(b"3\n") + pack(b"") + pack(b"4\n"))
    assert list(json_lines(file)) == [(1, 1), (2, 23), (3, 4)]


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_a_cut_archive_gives_what_it_has_and_says_so(file: Path, pack) -> None:
    plain = noise(400_000)
    packed = pack(plain)
    file.write_bytes(packed[: len(packed) * 3 // 4])
    found = list(json_lines(file))
    good = [x for x in found if not isinstance(x, Unread)]
    assert 100 < len(good) < len(plain.splitlines())
    assert [x[0] for x in good] == list(range(1, len(good) + 1))
    cut = [x.kind for x in found if isinstance(x, Unread)]
    assert cut[0].startswith("cut off: ")
    assert cut[1:] in ([], ["malformed JSON"])


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_a_small_cut_archive_keeps_its_first_lines(file: Path, pack) -> None:
    file.write_bytes(pack(LINES) + pack(LINES)[:12])
    found = list(json_lines(file))
    assert found[:3] == [(1, {"n": 1}), (2, {"n": 2}), (3, {"n": 3})]
    assert isinstance(found[-1], Unread)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(gzip.compress(LINES)[:10], id="gzip without content"),
        pytest.param(b"\x1f\x8bno gzip", id="gzip that is none"),
        pytest.param(b"\x28\xb5\x2f\xfdno zstd at all", id="zstd that is none"),
        pytest.param(zstd(LINES)[:9], id="zstd without content"),
    ],
)
def test_an_archive_without_content_is_unavailable(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    for read in (lambda path: list(json_lines(path)), json_document):
        with pytest.raises(HarnessUnavailable, match=r"lines\.jsonl"):
            read(file)


def test_damage_inside_an_archive_is_counted(file: Path) -> None:
    first, second = noise(200_000), noise(200_000)
    for pack in (gzip.compress, zstd):
        packed = bytearray(pack(second))
        packed[len(packed) // 2 : len(packed) // 2 + 40] = bytes(40)
        file.write_bytes(pack(first) + bytes(packed))
        found = list(json_lines(file))
        assert len([x for x in found if not isinstance(x, Unread)]) >= len(first.splitlines())
        assert any(isinstance(x, Unread) and x.kind.startswith("cut off") for x in found)


def test_an_empty_file_has_no_lines(file: Path) -> None:
    file.touch()
    assert list(json_lines(file)) == []
    with pytest.raises(HarnessUnavailable, match="not one whole JSON document"):
        json_document(file)


@pytest.mark.parametrize("read", [lambda path: list(json_lines(path)), json_document])
def test_what_cannot_be_opened_says_why(tmp_path: Path, read) -> None:
    with pytest.raises(HarnessUnavailable, match="No such file"):
        read(tmp_path / "vanished")
    with pytest.raises(HarnessUnavailable, match="directory"):
        read(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_says_why(file: Path) -> None:
    file.write_bytes(LINES)
    file.chmod(0)
    with pytest.raises(HarnessUnavailable, match="Permission denied"):
        list(json_lines(file))


def test_a_file_that_vanishes_while_it_is_read_is_read_to_its_end(file: Path) -> None:
    file.write_bytes(LINES)
    lines = json_lines(file)
    assert next(lines) == (1, {"n": 1})
    file.unlink()
    assert len(list(lines)) == 2


def test_a_document_over_the_limit_is_refused(file: Path, monkeypatch) -> None:
    monkeypatch.setattr("auditor.files.MAX_DOCUMENT", 1 << 20)
    file.write_bytes(gzip.compress(b" " * (2 << 20)))
    assert file.stat().st_size < 1 << 20
    with pytest.raises(HarnessUnavailable, match="larger than 1 MiB"):
        json_document(file)
    file.write_bytes(gzip.compress(b" " * ((1 << 20) - 1) + b"1"))
    assert json_document(file) == 1
