"""What runs beside OpenCode in the live benchmarks: nothing, the watcher, or another tool's plugin.

Owns how each is installed and set. A plugin that is on no registry is named by its file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from auditor import calibrations
from auditor.gating import blind, canary_taking, certify
from auditor.gating.residue import residue
from auditor.gating.review import identified
from auditor.gating.states import Move, told
from auditor.store import Store
from tests.e2e import installing
from tests.e2e.fake_model import FakeModel
from tests.e2e.opencode import OpenCodeServer
from tests.e2e.watcher import Watcher
from tests.gate_words import fill, frozen, labelled, spread

SETTINGS = """\
warm_up = 0
quiet = 8
child_failed = 4
child_quiet = 8
parent_quiet = 5
rate_limit = [2.0]
"""
"""Of the watcher: its defaults, but a stall is 8 seconds instead of 180, a rate limit 2 instead of
900, and sessions are judged from their first second (15), as scripts answer at once."""

OMO = ("oh-my-opencode", "4.19.4")
"""Newest on npm."""

QUIET = {"OMO_DISABLE_POSTHOG": "1", "OMO_SEND_ANONYMOUS_TELEMETRY": "0", "DO_NOT_TRACK": "1"}
"""The plugin's own switches against telemetry."""

RULES = ("--mode", "nudge", "--rules-only")
ALL = ("--mode", "nudge")


class Beside(NamedTuple):
    """One tool. `plugin`: loaded into OpenCode; `mode`: of the watcher; `agent`: that is asked."""

    name: str
    plugin: Callable[[], Path] | None = None
    mode: tuple[str, ...] = ()
    agent: str = "build"


ALONE = Beside("OpenCode alone")
OURS = Beside("turn auditor, rules only", mode=RULES)
PROMOTED = Beside("turn auditor, promoted", mode=ALL)
"""Certified on made-up labels: what a promotion allows is measured, not how it is earned."""

PEER = Beside(
    " ".join(OMO),
    plugin=lambda: installing.package(*OMO) / "dist" / "index.js",
    agent="Sisyphus - ultraworker",
)
"""Its default agent; OpenCode's own is no primary one beside it."""


class Rig(NamedTuple):
    """OpenCode with the tool beside it, asked once already."""

    server: OpenCodeServer
    model: FakeModel
    watcher: Watcher | None


@contextlib.contextmanager
def begun(beside: Beside, home: Path, settings: str = SETTINGS) -> Iterator[Rig]:
    """Start OpenCode in a home of its own, and the tool."""
    env = QUIET | {"OPENCODE_ENABLE_QUESTION_TOOL": "1"}
    plugins = [] if beside.plugin is None else [beside.plugin().as_uri()]
    with contextlib.ExitStack() as stack:
        model = stack.enter_context(FakeModel(home / "opencode" / "project"))
        server = stack.enter_context(
            OpenCodeServer(
                installing.opencode(), home / "opencode", model.url, env=env, plugin=plugins
            )
        )
        warm = server.session("warm-up")
        server.prompt(warm, "complete", agent=beside.agent)
        server.wait_idle(warm)
        watcher = None
        if beside.mode:
            watcher = Watcher(
                server.url, server.project, home / "watch", settings=settings, mode=beside.mode
            )
            if beside.mode == ALL:
                promoted(watcher.db)
            stack.enter_context(watcher)
        yield Rig(server, model, watcher)


def promoted(db: Path) -> None:
    """Write a store whose policy was certified on made-up labels, and promoted."""
    name = calibrations.PLAIN
    with Store(db) as store:
        fill(store, spread(40), calibration=name)
        policy_name, policy = frozen(store, identity=identified(name))
        labelled(store, policy_name, policy, ["yes"] * 40)
        found = blind.gathered(store, policy_name, policy, residue(store))
        made = certify.certificate(policy_name, policy, certify.progress(policy, found.labels))
        readings, why = canary_taking.take(policy, offline=True)
        if made is None or readings is None:
            raise RuntimeError(f"no certificate: {why}")
        certificate = certify.issue(store, told(store.events()), made)
        taken = store.add_artefact("canary", msgspec.json.encode(readings, order="sorted"))
        body = {"policy": policy_name, "certificate": certificate}
        store.append_event(Move.CERTIFIED, body)
        store.append_event(Move.PROMOTED, body | {"canary": taken})
