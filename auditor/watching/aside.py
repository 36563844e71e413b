"""Slow work, out of the loop's way: a thread, or whatever a test puts in its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from anyio import to_thread

Aside = Callable[..., Awaitable[Any]]
"""Calls a function with its arguments, and gives what it gives."""


async def in_thread(do: Callable[..., Any], *arguments: Any) -> Any:
    """Call it in a thread, to the end."""
    return await to_thread.run_sync(do, *arguments)
