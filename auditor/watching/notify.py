"""Tell a person, who may look elsewhere, that a session needs them: on the desktop, or by webhook.

Owns the programs and the request. Nothing here may harm the watch: what fails is said, not raised.
The words are made safe and short here; a webhook outside this machine gets nothing else.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

import anyio
import httpx
import msgspec

from auditor.watching.board import shown

PATIENCE = 10.0
"""Seconds for a notification (a guess)."""

TITLE, MESSAGE = 80, 300
"""Characters: what the desktops show (a guess)."""

_APPLE = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)
"""The words come as arguments: they are never part of the script."""

PROGRAMS = {
    "linux": ["notify-send", "--app-name=turn auditor", "--"],
    "darwin": ["osascript", *[word for line in _APPLE for word in ("-e", line)], "--"],
}
"""By platform: the program, and what comes before the two words. No shell."""


async def tell(
    way: str | None,
    title: str,
    message: str,
    *,
    session: str | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> str | None:
    """Tell the person; give why that did not work. None also where nobody wants to be told.

    `way`: `desktop`, or the address of a webhook, which gets `{title, message, session}` as JSON.
    `transport`: for tests.
    """
    if way is None:
        return None
    words = _short(title, TITLE), _short(message, MESSAGE)
    try:
        with anyio.fail_after(PATIENCE):
            if way == "desktop":
                return await _desktop(*words)
            return await _webhook(way, *words, session, transport)
    except TimeoutError:
        return f"no notification: no answer within {PATIENCE:.0f} s"


async def _desktop(title: str, message: str) -> str | None:
    command = PROGRAMS.get(sys.platform)
    if command is None:
        return f"no notification: none is known for {sys.platform}; a webhook works everywhere"
    if (program := shutil.which(command[0])) is None:
        return f"no notification: {command[0]} is not installed"
    try:
        done = await anyio.run_process(
            [program, *command[1:], title, message],
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        return f"no notification: {command[0]}: {error.strerror or error}"
    return (
        f"no notification: {command[0]} ended with {done.returncode}" if done.returncode else None
    )


async def _webhook(
    address: str,
    title: str,
    message: str,
    session: str | None,
    transport: httpx.AsyncBaseTransport | None,
) -> str | None:
    body = msgspec.json.encode({"title": title, "message": message, "session": session})
    kind = {"content-type": "application/json"}
    try:
        async with (
            httpx.AsyncClient(transport=transport, timeout=PATIENCE) as http,
            http.stream("POST", address, content=body, headers=kind) as response,
        ):
            status = response.status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return f"no notification: the webhook: {type(error).__name__}"  # no address: it is a secret
    return None if 200 <= status < 300 else f"no notification: the webhook answered {status}"


def _short(text: str, most: int) -> str:
    words = shown(text)
    return words if len(words) <= most else words[: most - 1] + "…"
