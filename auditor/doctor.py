"""Whether everything that the auditor needs on this machine works, and what to do where not.

Owns the checks and their words; each is a function that gives findings and never raises. Changes
nothing: no file is made, no model fetched, no store brought up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from auditor import answers, doctor_model, schema, sources, store
from auditor.backends._cpus import limits
from auditor.errors import JudgeUnavailable
from auditor.findings import Finding, State
from auditor.harness import HARNESSES
from auditor.models import registry
from auditor.models.registry import Located
from auditor.show import clock

if TYPE_CHECKING:
    import sqlite3


def examined(name: str | None, *, quick: bool) -> Iterator[Finding]:
    """Check everything, one finding after the other. Raises `ConfigError` for an unknown model.

    `name`: the model, default the default one. `quick` leaves out what takes seconds.
    """
    yield from _spared("backend", backend)
    yield from _spared("threads", threads)
    located, found = model(name or registry.default().name)
    yield found
    if located is not None:
        yield from doctor_model.examined(located, quick=quick)
    yield from _spared("answers", kept_answers)
    yield from _spared("store", lambda: kept_audits(store.default_path()))
    yield from _spared("harnesses", harnesses)


def _spared(check: str, work: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Let a check that breaks be a finding: the others still say what they see."""
    try:
        yield from work()
    except Exception as error:  # noqa: BLE001 - whatever breaks here is what the doctor is for
        yield Finding(check, State.FAIL, f"the check failed: {type(error).__name__}: {error}")


def backend() -> Iterator[Finding]:
    """Say which llama.cpp would be used."""
    try:
        yield Finding("backend", State.OK, f"llama-cpp-python {version('llama-cpp-python')}")
    except PackageNotFoundError:
        yield Finding(
            "backend", State.FAIL, "llama-cpp-python is not installed", "install turn-auditor again"
        )


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
    known = next((model for model in registry.known() if model.name == name.lower()), None)
    if known is None:
        try:
            located = registry.resolve(name)
        except JudgeUnavailable as error:
            return None, Finding("model", State.FAIL, str(error), "name another file with --model")
        shown = f"{located.path}, sha256 {located.digest[:16]}…, not in the registry"
        return located, Finding("model", State.OK, shown)
    if not registry.present(known):
        found = f"{known.name} is not here ({known.bytes / 1e6:,.0f} MB); the residue is not judged"
        return None, Finding("model", State.WARN, found, f"auditor models pull {known.name}")
    try:
        problem = registry.verified(known)
    except OSError as error:
        problem = f"it cannot be read ({error.strerror})"
    if problem is not None:
        found = f"{known.name} is damaged: {problem}"
        return None, Finding("model", State.FAIL, found, f"auditor models pull {known.name}")
    found = f"{known.name}, {known.bytes / 1e6:,.0f} MB, sha256 as registered"
    return registry.resolve(name), Finding("model", State.OK, found)


def kept_answers() -> Iterator[Finding]:
    """Say whether answers of models are remembered."""
    path = answers.default_path()
    if not path.exists():
        yield Finding("answers", State.OK, f"none kept yet; they will be in {path}")
        return
    with closing(_opened(path)) as db:
        count = db.execute("SELECT count(*) FROM answers").fetchone()[0]
    size = path.stat().st_size / 1e6
    yield Finding("answers", State.OK, f"{count:,} kept in {path}, {size:.1f} MB")


def kept_audits(path: Path) -> Iterator[Finding]:
    """Say whether the store is there, ours and of a schema that this program knows."""
    if not path.exists():
        yield Finding("store", State.OK, f"none yet; auditor scan makes {path}")
        return
    with closing(_opened(path)) as db:
        ours = db.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION
        number = db.execute("PRAGMA user_version").fetchone()[0]
        sound = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    newest = len(schema.MIGRATIONS)
    size = path.stat().st_size / 1e6
    if not ours:
        found, advice = f"{path} is another program's database", "name another file with --db"
        yield Finding("store", State.FAIL, found, advice)
    elif sound != "ok":
        found, advice = f"{path} is damaged: {sound}", "move it away; auditor scan makes a new one"
        yield Finding("store", State.FAIL, found, advice)
    elif number > newest:
        found = f"{path} has schema {number}, this program knows {newest}"
        yield Finding("store", State.FAIL, found, "update turn-auditor")
    else:
        later = "" if number == newest else f", brought to {newest} by the next scan"
        yield Finding("store", State.OK, f"{path}, schema {number}{later}, {size:.1f} MB")


def _opened(path: Path) -> sqlite3.Connection:
    """Open a database without leave to change it."""
    import sqlite3  # noqa: PLC0415

    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)


def harnesses() -> Iterator[Finding]:
    """Say for every harness what lies in its default places, and whether the newest is readable."""
    absent = []
    for name in HARNESSES:
        found = sources.in_default_places(name)
        for problem in found.unreadable:
            advice = "make it readable for you, or leave it: a scan goes on without it"
            yield Finding(name, State.WARN, f"{problem.path}: {problem.reason}", advice)
        if found.sources:
            yield _newest(name, [source.path for source in found.sources])
        elif not found.unreadable:
            absent.append(name)
    if absent:
        advice = "where they keep transcripts elsewhere: auditor scan PATH"
        yield Finding("harnesses", State.NOTE, f"no transcripts of {', '.join(absent)}", advice)


def _newest(name: str, paths: list[Path]) -> Finding:
    """Look at the newest transcript as a scan would."""
    touched = [(path.stat().st_mtime if path.exists() else 0.0, path) for path in paths]
    when, path = max(touched)
    count = f"{len(paths):,} transcript{'s' if len(paths) > 1 else ''}, newest {clock(when)}"
    try:
        head = b"" if path.is_dir() else sources.head_of(path)
        known = HARNESSES[name].claims(path, head)
    except OSError as error:
        return Finding(name, State.WARN, f"{count}; {path}: {error.strerror}", "make it readable")
    if not known:
        found = f"{count}; the newest, {path}, is not recognised"
        return Finding(name, State.WARN, found, f"auditor scan {path} --harness {name} says more")
    return Finding(name, State.OK, count)
