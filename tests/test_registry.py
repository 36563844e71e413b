"""The registry: what it says of models, what it finds, what it refuses."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from auditor import artefacts
from auditor.backends.head import read
from auditor.errors import ConfigError, JudgeUnavailable
from auditor.models import digests, registry
from tests.models import WEIGHTS, entry, sha256, write

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of model files, in which nothing is."""
    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path / "here"))
    return tmp_path / "here"


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Path) -> Path:
    """The one model of a registry, here and sound; gives its file."""
    write(tmp_path / "auditor" / "bundled" / "models", entry())
    monkeypatch.setattr(artefacts, "_PACKAGE", tmp_path / "auditor")
    here.mkdir()
    (here / "tiny.gguf").write_bytes(WEIGHTS)
    return here / "tiny.gguf"


# what ships


def test_one_model_is_the_default_and_comes_first() -> None:
    assert [model.default for model in registry.known()] == [True, False, False, False]
    assert registry.default() == registry.known()[0]
    assert registry.default().licence == "Apache-2.0"


def test_the_default_comes_from_the_package_registry_alone() -> None:
    derived = registry.default().derived
    assert derived is not None
    (source,) = registry.named(derived.of).sources
    assert isinstance(source, registry.Wheel)


def test_what_is_derived_is_derived_from_a_model_that_has_sources() -> None:
    for model in registry.known():
        if model.derived is not None:
            assert registry.named(model.derived.of).sources, model.name


def test_names_files_and_digests_are_unique() -> None:
    for field in ("name", "digest"):
        values = [getattr(model, field) for model in registry.known()]
        assert len(set(values)) == len(values)
    for field in ("file", "sha256"):  # a tuned model has its base's
        values = [getattr(model, field) for model in registry.known() if model.own is None]
        assert len(set(values)) == len(values)


def test_the_default_is_our_own_and_its_head_is_what_its_row_says() -> None:
    model = registry.default()
    assert model.own is not None
    head, adapter = model.own.checked()
    assert head.parent == ROOT / "models"
    assert (read(head).base, read(head).adapter) == (model.sha256, adapter)


def test_a_model_is_named_by_its_file_and_says_where_it_was_measured() -> None:
    files = {path.stem for path in (ROOT / "models").glob("*.toml")}
    assert files == {model.name for model in registry.known()}
    for model in registry.known():
        assert all("measured" in line or "Re-quantised" in line for line in model.measured)
        assert len(model.letters) == len(set(model.letters))


def test_no_host_is_written_into_the_registry() -> None:
    for path in (ROOT / "models").glob("*.toml"):
        assert not re.search(r"\w://|pypi\.|\.org|\.com", path.read_text())


# what is refused


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sha256": "B179"}, "sha256"),
        ({"bytes": 0}, "bytes"),
        ({"file": "../x.gguf"}, "file"),
        ({"file": "sub/x.gguf"}, "file"),
        ({"colour": "red"}, "colour"),
        ({"letters": ["A"]}, "letters"),
        ({"sources": []}, "sources"),
        ({"derived": {"from": "x", "type": "Q8_0"}, "sources": [{"kind": "url"}]}, "url"),
        ({"sources": [{"kind": "url", "url": "http://far.example/x"}]}, "url"),
        ({"sources": [{"kind": "url", "url": "http://localhost@far.example/x"}]}, "url"),
        ({"sources": [{"kind": "url", "url": "file:///etc/passwd"}]}, "url"),
        ({"sources": [{"kind": "torrent"}]}, "torrent"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_file_that_cannot_be_used_is_named(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    assert [model.name for model in registry.known()] == ["tiny"]  # the control
    write(tmp_path / "auditor" / "bundled" / "models", entry("bad") | change)
    with pytest.raises(ConfigError, match=rf"bad\.toml cannot be used.*{said}"):
        registry.known()


@pytest.mark.usefixtures("tiny")
def test_a_registry_without_a_default_says_so() -> None:
    with pytest.raises(ConfigError, match="none of the models is the default"):
        registry.default()


# what is found


def test_a_model_that_is_not_here_says_how_to_get_it() -> None:
    with pytest.raises(JudgeUnavailable, match=r"is not here; fetch it \(145 MB\): auditor models"):
        registry.resolve(registry.default().name)


@pytest.mark.parametrize("name", ["tiny", "TINY"])
def test_a_name_is_found_in_any_case(name: str, tiny: Path) -> None:
    found = registry.resolve(name)
    assert (found.path, found.digest) == (tiny, sha256(WEIGHTS))
    assert found.model == registry.named("tiny")


@pytest.mark.usefixtures("tiny")
def test_an_unknown_name_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="'huge' is no known model; known: tiny;"):
        registry.resolve("huge")


@pytest.mark.usefixtures("tiny")
def test_any_gguf_file_is_found_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "other.gguf"
    path.write_bytes(b"GGUF other")
    assert registry.resolve(str(path)) == registry.Located(None, path, sha256(b"GGUF other"))


@pytest.mark.usefixtures("tiny")
def test_a_path_to_a_known_model_is_that_model(tmp_path: Path) -> None:
    path = tmp_path / "renamed.bin"
    path.write_bytes(WEIGHTS)
    assert registry.resolve(str(path)).model == registry.named("tiny")


def test_a_path_below_the_home_is_found(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert registry.resolve("~/here/tiny.gguf").path == tiny


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nothing.gguf", "nothing.gguf cannot be read"),
        ("no/such/file", "no/such/file cannot be read"),
        ("here/", "cannot be read"),
        ("text.gguf", "text.gguf is not a GGUF file"),
        ("empty.gguf", "empty.gguf is not a GGUF file"),
    ],
)
def test_a_path_that_leads_to_no_model_says_so(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text.gguf").write_text("a text")
    (tmp_path / "empty.gguf").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(JudgeUnavailable, match=said):
        registry.resolve(name)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (WEIGHTS[:-1], "expected 1,024,004 bytes, found 1,024,003"),
        (WEIGHTS[:-1] + b"x", "expected sha256 .*, found "),
    ],
)
def test_a_damaged_model_is_never_used(content: bytes, said: str, tiny: Path) -> None:
    tiny.write_bytes(content)
    with pytest.raises(JudgeUnavailable, match=f"is not the model tiny: {said}.*auditor models"):
        registry.resolve("tiny")


# digests


def test_a_digest_is_computed_once_and_again_when_the_file_changed(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    really = digests.computed
    monkeypatch.setattr(digests, "computed", lambda path: read.append(path) or really(path))
    first = registry.digest(tiny)
    assert registry.digest(tiny) == first == sha256(WEIGHTS)
    assert len(read) == 1
    tiny.write_bytes(WEIGHTS[::-1])
    os.utime(tiny, ns=(1, 1))
    assert registry.digest(tiny) == sha256(WEIGHTS[::-1])


def test_what_was_kept_is_not_trusted_when_a_model_is_verified(tiny: Path) -> None:
    registry.digest(tiny)
    about = tiny.stat()
    tiny.write_bytes(WEIGHTS[::-1])
    os.utime(tiny, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert registry.digest(tiny) == sha256(WEIGHTS)  # deceived, as it may be
    assert "found " + sha256(WEIGHTS[::-1]) in str(registry.verified(registry.named("tiny")))
    assert registry.digest(tiny) == sha256(WEIGHTS[::-1])  # and no longer


@pytest.mark.parametrize("kept", [b"", b"{", b"[]", b'{"x": 1}', b"\xff"])
def test_kept_digests_that_cannot_be_read_are_computed_again(
    kept: bytes, tiny: Path, here: Path
) -> None:
    (here / "digests.json").write_bytes(kept)
    assert registry.digest(tiny) == sha256(WEIGHTS)


def test_where_nothing_can_be_kept_all_is_found_nevertheless(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path / "file" / "below"))
    assert registry.resolve(str(tiny)).digest == sha256(WEIGHTS)


def test_the_place_is_the_environments_or_the_platforms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITOR_MODELS", "/somewhere")
    assert registry.folder() == Path("/somewhere")
    monkeypatch.delenv("AUDITOR_MODELS")
    assert registry.folder().parts[-2:] == ("turn-auditor", "models")
