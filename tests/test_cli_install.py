"""`auditor install` and `uninstall`: where the plugin goes, and that nothing else is touched."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from auditor.cli import app
from auditor.watching import installing

ROOT = Path(__file__).parents[1]
FOREIGN = "// a plugin of mine\nexport const Mine = async () => ({})\n"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("AUDITOR_DB", str(tmp_path / "data" / "auditor.db"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "config" / "opencode" / "plugin" / "turn-auditor.js"


def ran(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_it_is_written_where_opencode_looks_and_knows_where_the_watcher_is(
    place: Path, tmp_path: Path
) -> None:
    done = ran("install", "opencode")
    assert done.exit_code == 0
    assert done.output.startswith(str(place))
    text = place.read_text()
    assert text.startswith(installing.OURS)
    assert str(tmp_path / "data" / "relay.json") in text
    assert [file.name for file in place.parent.iterdir()] == [place.name]


def test_twice_is_as_good_as_once(place: Path) -> None:
    ran("install", "opencode")
    before = place.stat()
    done = ran("install", "opencode")
    assert (done.exit_code, "was there already" in done.output) == (0, True)
    assert place.stat().st_mtime_ns == before.st_mtime_ns


def test_without_the_variable_it_goes_under_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert ran("install", "opencode").exit_code == 0
    assert (tmp_path / ".config" / "opencode" / "plugin" / installing.NAME).is_file()


@pytest.mark.parametrize(
    "older",
    [
        pytest.param(f"{installing.OURS}, version 0\nold", id="another version"),
        pytest.param(installing.written(Path("/else/relay.json")), id="another store"),
    ],
)
def test_an_older_one_of_ours_is_renewed_or_deleted(place: Path, older: str) -> None:
    place.parent.mkdir(parents=True)
    place.write_text(older)
    assert "auditor install opencode" in ran("install", "--status").output
    assert "is renewed" in ran("install", "opencode").output
    assert "version 1\n" in place.read_text()
    place.write_text(older)
    assert ran("uninstall", "opencode").exit_code == 0
    assert not place.exists()


@pytest.mark.parametrize(
    "foreign", [FOREIGN, "", f"x {installing.OURS}, version 1\n", "\x00\udcff"]
)
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_file_that_is_not_ours_is_never_touched(place: Path, command: str, foreign: str) -> None:
    place.parent.mkdir(parents=True)
    place.write_text(foreign, errors="surrogateescape")
    before = place.read_bytes()
    done = ran(command, "opencode")
    assert done.exit_code == 2
    assert "not ours" in done.output
    assert place.read_bytes() == before
    assert "not ours" in ran("install", "--status").output


def test_only_in_a_project(place: Path, tmp_path: Path) -> None:
    project = tmp_path / "my project"
    project.mkdir()
    file = project / ".opencode" / "plugin" / installing.NAME
    assert ran("install", "opencode", "--project", str(project)).exit_code == 0
    assert file.is_file()
    assert not place.exists()
    status = ran("install", "--status", "--project", str(project)).output.splitlines()
    assert status[0].startswith("all projects        not installed")
    assert status[1].startswith("project my project  installed")
    assert ran("uninstall", "opencode", "--project", str(project)).exit_code == 0
    assert not file.exists()


def test_status_changes_nothing(tmp_path: Path) -> None:
    done = ran("install", "--status")
    assert done.exit_code == 0
    assert "watcher" in done.output
    assert "none runs" in done.output
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_there_is_uninstalled_without_a_word_of_blame(place: Path) -> None:
    done = ran("uninstall", "opencode")
    assert (done.exit_code, done.output) == (0, f"{place}: there is none\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("install",), "say in which harness"),
        (("install", "emacs"), "emacs"),
        (("uninstall",), "harness"),
        (("install", "opencode", "--project", "nowhere"), "nowhere is no folder"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[str, ...], said: str) -> None:
    done = ran(*arguments)
    assert done.exit_code == 2
    assert said in done.output


def test_a_folder_that_is_a_file_is_said(place: Path) -> None:
    place.parent.parent.mkdir(parents=True)
    place.parent.write_text("no folder")
    done = ran("install", "opencode")
    assert done.exit_code == 2
    assert "cannot be" in done.output


def test_a_link_stays_one(place: Path, tmp_path: Path) -> None:
    """Configurations are often kept elsewhere and linked."""
    kept = tmp_path / "dotfiles.js"
    kept.write_text(f"{installing.OURS}, version 0\n")
    place.parent.mkdir(parents=True)
    place.symlink_to(kept)
    assert ran("install", "opencode").exit_code == 0
    assert place.is_symlink()
    assert "version 1\n" in kept.read_text()


def test_the_plugin_is_packaged() -> None:
    """Hatchling packs whatever is in the package, unless git ignores it or somebody excludes it."""
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]
    assert targets["wheel"]["packages"] == ["auditor"]
    assert not {"exclude", "only-include", "only-packages"} & targets["wheel"].keys()
    assert "auditor" in targets["sdist"]["include"]
    ignored = (ROOT / ".gitignore").read_text().split()
    assert not [line for line in ignored if line.endswith((".js", "watching", "watching/"))]
