"""A decision model opened for whoever asks it: more room for the question than our own needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from auditor.backends.llama import Llama
from auditor.models import registry
from auditor.models.loaded import loaded
from auditor.models.registry import Located
from auditor.serving.desk import Hosted

STATE, ROOM = 1024, 1024
"""Tokens of the state, and of the question with its orders: 2,048 is what nearly every model was
trained for, and twice what the clients we know send."""


@contextmanager
def opened(name: str | None) -> Iterator[tuple[Llama, Hosted]]:
    """Load a model; default: the default one. Raises `JudgeUnavailable` or `ConfigError`."""
    located = registry.resolve(name or registry.default().name)
    with _loaded(located) as judge:
        known = located.model
        yield (
            judge,
            Hosted(
                name=known.name if known else located.path.stem,
                about=known.title if known else "A model by its path.",
                day=f"{datetime.fromtimestamp(located.path.stat().st_mtime, UTC):%Y-%m-%d}",
                letters=judge.decision.options,
            ),
        )


def _loaded(located: Located) -> Llama:
    judge = loaded(located, budget=STATE, room=ROOM)
    if (trained := judge.decision.context.trained) >= STATE + ROOM:
        return judge
    judge.close()
    return loaded(located, budget=trained // 2, room=trained // 2)
