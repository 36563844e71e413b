"""DeepSeek Harness sessions: typed ends, plugins that write as the user, packed files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.assemble import turns
from auditor.events import Unread
from auditor.harness import dsh
from auditor.turn import FinishReason, RequestKind, Turn

Row = dict[str, Any]
SESSION = {"type": "session", "id": "s1", "createdAt": 1, "cwd": "/srv", "delegationDepth": 0}


def row(kind: str, /, **data: Any) -> Row:
    return {"type": kind, "seq": 1, "time": 1777885200000, "data": data}


def start(turn: int = 1) -> Row:
    return row("turn/start", turn=turn)


def user(text: str, **source: Any) -> Row:
    content = [{"type": "text", "text": text}]
    return row("user/message", content=content, source=source or {"kind": "user"})


def say(text: str) -> Row:
    return row("assistant/message", message={"content": [{"type": "text", "text": text}]})


def call(name: str, **arguments: Any) -> Row:
    block = {"type": "tool-call", "id": "c1", "name": name, "arguments": json.dumps(arguments)}
    return row("assistant/message", message={"content": [block], "source": {"model": "m"}})


def result(text: str, *, error: bool = False) -> Row:
    block = {"type": "tool-result", "toolCallId": "c1", "isError": error}
    block["content"] = [{"type": "text", "text": text}]
    return row("tool/result", message={"content": [block]})


def end(kind: str = "completed", **more: Any) -> Row:
    return row("turn/end", turn=1, reason={"kind": kind, **more})


def read(*rows: object) -> list[Turn]:
    found = turns(dsh.events(enumerate([SESSION, *rows], 1)))
    return [turn for turn in found if isinstance(turn, Turn)]


NOTICE = {"kind": "plugin", "plugin": "jobs", "form": "notice"}
SNAPSHOT = {"kind": "plugin", "plugin": "prompt", "form": "snapshot"}


@pytest.mark.parametrize(
    ("kind", "finish"),
    [
        ("completed", FinishReason.STOP),
        ("max-tokens", FinishReason.LENGTH),
        ("aborted", FinishReason.ABORTED),
        ("evaporated", FinishReason.UNKNOWN),
    ],
)
def test_a_turn_ends(kind: str, finish: FinishReason) -> None:
    assert read(start(), user("Go."), say("On"), end(kind))[0].finish is finish
    assert read(start(), user("Go."), say("On"))[0].finish is None


def test_an_error_has_a_code_and_may_pass() -> None:
    (turn,) = read(start(), user("Go."), end("error", error={"message": "x", "code": "TRANSPORT"}))
    assert turn.error
    assert (turn.error.name, turn.error.retryable) == ("TRANSPORT", True)
    (turn,) = read(start(), user("Go."), end("error", error={"message": "x", "code": "OTHER"}))
    assert turn.error
    assert turn.error.retryable is None


@pytest.mark.parametrize("source", [NOTICE, SNAPSHOT, {"kind": "user"}], ids=str)
def test_a_message_inside_a_turn_begins_none(source: Row) -> None:
    rows = [start(), user("Go."), call("bash"), user("Faster.", **source), say("Gone."), end()]
    assert [turn.request for turn in read(*rows)] == ["Go."]
    assert len(read(*rows, start(2), user("Back."), say("Back."), end())) == 2


def test_a_turn_that_a_plugin_set_going_is_a_notification() -> None:
    rows = [start(), user("Go."), say("Gone."), end(), start(2)]
    noted = read(*rows, user("Job done.", **NOTICE), say("Good."), end())[1]
    assert (noted.request_kind, noted.request) == (RequestKind.NOTIFICATION, "Job done.")
    assert read(*rows, user("Date…", **SNAPSHOT), say("Good."))[1].request_kind is RequestKind.NUDGE
    assert read(*rows, user("Back."), say("Back."))[1].request_kind is RequestKind.HUMAN


@pytest.mark.parametrize(
    ("text", "error", "failed"),
    [
        ("a b", False, False),
        ("[stderr]\nno\n[exit code: 2]", False, True),
        ("[exit code: 2] is what the manual says.", False, False),
        ("Error: invalid arguments", True, True),
    ],
)
def test_a_result_failed(text: str, error: bool, failed: bool) -> None:
    (turn,) = read(start(), user("Go."), call("bash"), result(text, error=error))
    assert turn.results["c1"].failed is failed


def test_todos_change_when_the_call_went_well() -> None:
    rows = [start(), user("Go."), call("todo_write", todos=[{"content": "Bake"}])]
    assert [todo.content for todo in read(*rows, result("ok"))[0].open_todos] == ["Bake"]
    assert read(*rows, result("Error: invalid", error=True))[0].todos is None


def test_a_job_is_pending_until_a_notice_or_a_look_says_otherwise() -> None:
    rows = [start(), user("Go."), call("bash", run_in_background=True), result("job-7f31 runs.")]
    assert [what.kind for what in read(*rows)[0].pending] == ["background"]
    look = call("job_output", job_id="job-7f31")
    assert not read(*rows, user("job-7f31 ended.", **NOTICE), say("Good."))[0].pending
    assert not read(*rows, look, result("done\n[status: completed]"))[0].pending
    assert read(*rows, look, result("…\n[status: running]"))[0].pending
    assert read(*rows, user("job-8a42 ended.", **NOTICE), say("Good."))[0].pending


def test_a_sub_agent_runs_beside_unless_told_otherwise() -> None:
    rows = [start(), user("Go.")]
    beside = read(*rows, call("subagent", prompt="Look."), result("subagent-12ab started."))
    assert [what.kind for what in beside[0].pending] == ["subagent"]
    waited = call("subagent", prompt="Look.", run_in_background=False)
    assert not read(*rows, waited, result("Seen."))[0].pending


def test_a_delegated_session_is_an_agents(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    rows = [{**SESSION, "delegationDepth": 1}, start(), user("Look.", kind="agent"), say("Seen.")]
    packed = [zstandard.compress((json.dumps(row) + "\n").encode()) for row in rows]
    path = tmp_path / "session.jsonl.zstd"
    path.write_bytes(b"".join(packed))
    assert dsh.claims(path, path.read_bytes())
    assert not dsh.claims(path, zstandard.compress(b'{"type":"session","version":3}\n'))
    assert not dsh.claims(path, packed[0][:6])


def test_what_nobody_knows_is_counted() -> None:
    rows = [(1, row("oven/exploded")), (2, None), (3, row("sandbox/mode"))]
    assert list(dsh.events(rows)) == [
        Unread("row type oven/exploded", 1),
        Unread("row without type", 2),
    ]
