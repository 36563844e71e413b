"""What a golden file keeps of a turn: ids, kinds and lengths of parts, flags, digests; no text.

`python -m tests.harness.structure` writes every golden file anew: one beside each recording of
ours, and one for all shared samples where those exist. Look at the difference before committing.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from auditor import assemble, records
from auditor.events import Unread
from auditor.harness import HARNESSES
from auditor.turn import Reasoning, Text, ToolCall, Turn

HERE = Path(__file__).parent
RECORDINGS = HERE / "recordings"
SHARED = Path(os.environ.get("AUDITOR_SHARED", HERE.parents[2] / "shared"))
SHARED_GOLDEN = HERE / "shared.turns.json"
SAMPLES = (
    ("transcripts", "*"),
    ("recordings/claude-code", "*.transcript.jsonl"),
    ("recordings/codex", "*.rollout.jsonl"),
    ("recordings/gemini", "*.session.jsonl"),
    ("recordings/qwen", "*.session.jsonl"),
    ("recordings/dsh", "*.session.jsonl"),
    ("recordings/opencode", "*.final.json"),
    ("recordings/opencode", "session-export.json"),
)


def part(value: Any) -> str:
    match value:
        case Text(text):
            return f"text {len(text)} {digest(text)}"
        case Reasoning(text):
            return f"reasoning {len(text)} {digest(text)}"
        case ToolCall(name, arguments, id_):
            return f"call {name} {len(arguments)} {digest(f'{id_} {arguments}')}"
        case _:
            state = {True: "failed", False: "ok", None: "?"}[value.failed]
            return f"result {state} {len(value.output)} {digest(f'{value.call} {value.output}')}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def of_turn(turn: Turn) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": turn.id,
        "session": turn.session,
        "harness": turn.harness,
        "request": f"{turn.request_kind} {len(turn.request)} {digest(turn.request)}",
        "parts": [part(value) for value in turn.parts],
        "finish": turn.finish,
    }
    if turn.error:
        found["error"] = f"{turn.error.name} {turn.error.status} {turn.error.retryable}"
    if turn.todos is not None:
        found["todos"] = " ".join(todo.status for todo in turn.todos)
    if turn.pending:
        found["pending"] = " ".join(what.kind for what in turn.pending)
    if turn.parent:
        found["parent"] = turn.parent
    if turn.compacted:
        found["compacted"] = True
    if turn.model:
        found["model"] = turn.model
    return found


def harness_of(path: Path) -> str | None:
    """The harness that claims the file, "records" for turn records, None for neither."""
    head = b"" if path.is_dir() else path.read_bytes()[:65_536]
    if records.claims(head):
        return "records"
    claimed = [name for name, module in HARNESSES.items() if module.claims(path, head)]
    assert len(claimed) <= 1, f"{path.name}: claimed by {claimed}"
    return claimed[0] if claimed else None


def of_file(path: Path, harness: str) -> dict[str, Any]:
    turns: list[Any] = []
    unread: dict[str, int] = {}
    for found in assemble.turns(HARNESSES[harness].read(path)):
        if isinstance(found, Unread):
            unread[found.kind] = unread.get(found.kind, 0) + 1
        else:
            turns.append(of_turn(found))
    return {"turns": turns, "unread": dict(sorted(unread.items()))}


def own_recordings() -> list[tuple[str, Path]]:
    """(harness, path) of every recording of ours; a folder per harness."""
    return [
        (folder.name, path)
        for folder in sorted(RECORDINGS.iterdir())
        for path in sorted(folder.iterdir())
        if not path.name.endswith(".turns.json")
    ]


def shared_samples() -> list[Path]:
    if not SHARED.is_dir():
        return []
    return [
        path
        for folder, pattern in SAMPLES
        for path in sorted((SHARED / folder).rglob(pattern))
        if path.is_file() and not path.name.endswith(("MANIFEST.jsonl", "-shm", "-wal"))
    ]


def golden(path: Path) -> Path:
    return path.with_name(path.name + ".turns.json")


def main() -> None:
    only = sys.argv[1:]  # harness names; all when none
    for harness, path in own_recordings():
        if not only or harness in only:
            golden(path).write_text(json.dumps(of_file(path, harness), indent=1) + "\n")
    if samples := shared_samples():
        kept = json.loads(SHARED_GOLDEN.read_text()) if SHARED_GOLDEN.exists() else {}
        for path in samples:
            harness = harness_of(path)
            assert harness, f"nobody claims {path}"
            if not only or harness in only:
                kept[str(path.relative_to(SHARED))] = of_file(path, harness)
        SHARED_GOLDEN.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
