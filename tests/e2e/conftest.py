"""The real programs that the tests run: one server, model and watcher for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e import installing
from tests.e2e.fake_model import FakeModel
from tests.e2e.opencode import OpenCodeServer

WARM = "warm-up"
"""The first prompt in a folder takes seconds: it is asked before anything is measured."""


@pytest.fixture(scope="session")
def program() -> Path:
    """The pinned OpenCode; an error, not a skip, where it cannot be had."""
    return installing.opencode()


class Rig(NamedTuple):
    """A server and its model."""

    server: OpenCodeServer
    model: FakeModel
    home: Path


@pytest.fixture(scope="module")
def rig(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    """A server that allows everything, asked once already."""
    home = tmp_path_factory.mktemp("e2e")
    with (
        FakeModel(home / "opencode" / "project") as model,
        OpenCodeServer(
            program, home / "opencode", model.url, env={"OPENCODE_ENABLE_QUESTION_TOOL": "1"}
        ) as server,
    ):
        warm = server.session(WARM)
        server.prompt(warm, "complete")
        server.wait_idle(warm)
        yield Rig(server, model, home)
