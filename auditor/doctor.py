"""Whether everything that the auditor needs on this machine works, and what to do where not.

Owns the order of the checks, and the ones of llama.cpp, threads, the model's file and the
harnesses; each is a function that gives findings. Changes nothing: no model is fetched, no store is
made or brought up to date. (The digest of a model's file that was read is kept, as by a scan.)
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from auditor import answers, doctor_files, doctor_model, sources, store
from auditor.backends._cpus import limits
from auditor.errors import HarnessUnavailable, JudgeUnavailable
from auditor.findings import Finding, State
from auditor.harness import HARNESSES
from auditor.models import registry
from auditor.models.registry import Located, Model
from auditor.show import clock
from auditor.sources import Source

NONE = "none"
"""Stands where a model's name stands, for: ask no model."""


def examined(name: str | None, *, quick: bool) -> Iterator[Finding]:
    """Check everything, one finding after the other. Raises `ConfigError` for an unknown model.

    `name`: the model, default the default one; `none` for none. `quick` leaves out the timing.
    """
    located, file = model(name or registry.default().name)  # first: a wrong name ends it at once
    yield from _spared("backend", backend)
    yield from _spared("threads", threads)
    yield file
    if located is not None:
        yield from _spared("model", lambda: doctor_model.examined(located, quick=quick))
    yield from _spared("answers", lambda: doctor_files.kept_answers(answers.default_path()))
    yield from _spared("store", lambda: doctor_files.kept_audits(store.default_path()))
    yield from harnesses()


def _spared(check: str, work: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Let a check that breaks be a finding: the others still say what they see."""
    try:
        yield from work()
    except Exception as error:  # noqa: BLE001 - whatever breaks here is what the doctor is for
        said = f"the check failed: {type(error).__name__}: {error}"
        yield Finding(check, State.FAIL, said, "report it with this output")


def backend() -> Iterator[Finding]:
    """Say which llama.cpp is used, and load it."""
    try:
        found = f"llama-cpp-python {version('llama-cpp-python')}"
    except PackageNotFoundError:
        said, advice = "llama-cpp-python is not installed", "install turn-auditor again"
        yield Finding("backend", State.FAIL, said, advice)
        return
    try:
        features = doctor_model.features()
    except JudgeUnavailable as error:
        yield Finding("backend", State.FAIL, f"{found}: {error}", "install turn-auditor again")
    else:
        yield Finding("backend", State.OK, f"{found}, built with {features}")


def threads() -> Iterator[Finding]:
    """Say how many threads a model gets, and why no more."""
    found = limits()
    count = max(1, int(min(found.values())))
    causes = ", ".join(f"{name} {cpus:g}" for name, cpus in found.items())
    advice = None
    if count == 1:
        advice = "a decision takes about twice as long as with two; grant another CPU if you can"
    state = State.NOTE if count == 1 else State.OK
    yield Finding("threads", state, f"{count} (limits in CPUs: {causes})", advice)


def model(name: str) -> tuple[Located | None, Finding]:
    """Find the model and read its file anew. Raises `ConfigError` for a name nobody knows."""
    if name == NONE:
        found = "none is asked (--model or AUDITOR_MODEL): the residue is not judged"
        return None, Finding(
            "model", State.NOTE, found, "to check one: auditor doctor --model NAME"
        )
    known = registry.found(name)
    return _at_path(name) if known is None else _registered(known)


def _at_path(name: str) -> tuple[Located | None, Finding]:
    """Look at a file that is named by its path."""
    try:
        with suppress(OSError):
            registry.digest(Path(name).expanduser(), anew=True)  # so that none is trusted
        located = registry.resolve(name)
    except JudgeUnavailable as error:
        return None, Finding("model", State.FAIL, str(error), "name another file with --model")
    is_known = f"it is {located.model.name}" if located.model else "not in the registry"
    found = f"{located.path}, sha256 {located.digest[:16]}…, {is_known}"
    return located, Finding("model", State.OK, found)


def _registered(model: Model) -> tuple[Located | None, Finding]:
    """Look at the file of a known model."""
    advice = f"auditor models pull {model.name}"
    if not registry.present(model):
        found = f"{model.name} is not here ({model.bytes / 1e6:,.0f} MB); the residue is not judged"
        return None, Finding("model", State.WARN, found, advice)
    try:
        problem = registry.verified(model)
        located = None if problem else registry.located(model)
    except OSError as error:
        found = f"{model.name} cannot be read ({error.strerror})"
        return None, Finding("model", State.FAIL, found, "make it readable for you")
    except JudgeUnavailable as error:  # changed since we looked
        return None, Finding("model", State.FAIL, str(error), advice)
    if problem is not None:
        return None, Finding("model", State.FAIL, f"{model.name} is damaged: {problem}", advice)
    found = f"{model.name}, {model.bytes / 1e6:,.0f} MB, sha256 as registered"
    return located, Finding("model", State.OK, found)


def harnesses() -> Iterator[Finding]:
    """Say for every harness what lies in its default places, and whether the newest is readable."""
    absent = []
    for name in HARNESSES:
        found = list(_spared(name, partial(harness, name)))
        yield from found
        if not found:
            absent.append(name)
    if absent:
        advice = "where they keep transcripts elsewhere: auditor scan PATH"
        yield Finding("harnesses", State.NOTE, f"no transcripts of {', '.join(absent)}", advice)


def harness(name: str) -> Iterator[Finding]:
    """Say what there is of one harness; nothing where there is nothing."""
    found = sources.in_default_places(name)
    for problem in found.unreadable:
        advice = "make it readable for you, or leave it: a scan goes on without it"
        yield Finding(name, State.WARN, f"{problem.path}: {problem.reason}", advice)
    if found.sources:
        yield _newest(found.sources)


def _newest(found: list[Source]) -> Finding:
    """Look at the newest transcript as a scan would, as far as its first turn."""
    when, newest = max(((_touched(source.path), source) for source in found), key=lambda at: at[0])
    name, path = newest.harness, newest.path
    count = f"{len(found):,} transcript{'s' if len(found) > 1 else ''}, newest {clock(when)}"
    try:
        known = HARNESSES[name].claims(path, b"" if path.is_dir() else sources.head_of(path))
        if known:
            next(sources.turns(newest), None)
    except (OSError, HarnessUnavailable) as error:
        why = error.strerror if isinstance(error, OSError) else None
        advice = "make it readable for you, or leave it: a scan goes on without it"
        return Finding(name, State.WARN, f"{count}; {f'{path}: {why}' if why else error}", advice)
    if not known:
        advice = f"auditor scan {shlex.quote(str(path))} --harness {name} says more"
        return Finding(name, State.WARN, f"{count}; the newest, {path}, is not recognised", advice)
    return Finding(name, State.OK, count)


def _touched(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # gone meanwhile
