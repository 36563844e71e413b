"""Gemini CLI sessions: repeated records, patch lines, and the little the file says about an end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.assemble import turns
from auditor.errors import HarnessUnavailable
from auditor.events import Unread
from auditor.harness import gemini_cli
from auditor.turn import FinishReason, Reasoning, RequestKind, Text, Turn

STAMP = "2026-05-04T09:00:00.000Z"
Row = dict[str, Any]
HEADER = {"sessionId": "s1", "projectHash": "ab", "startTime": STAMP, "kind": "main"}


def user(id_: str, text: str, **more: Any) -> Row:
    return {"id": id_, "timestamp": STAMP, "type": "user", "content": [{"text": text}], **more}


def say(id_: str, text: str = "", *calls: Row, **more: Any) -> Row:
    row = {"id": id_, "timestamp": STAMP, "type": "gemini", "content": text, "model": "m", **more}
    return {**row, "toolCalls": list(calls)} if calls else row


def call(name: str, status: str = "success", args: Any = None, **response: Any) -> Row:
    result = [{"functionResponse": {"id": "c1", "name": name, "response": response}}]
    return {"id": "c1", "name": name, "args": args, "status": status, "result": result}


def info(text: str, kind: str = "info") -> Row:
    return {"id": f"i {text}", "timestamp": STAMP, "type": kind, "content": text}


def read(*rows: object) -> list[Turn]:
    found = turns(gemini_cli.events(enumerate([HEADER, *rows], 1)))
    return [turn for turn in found if isinstance(turn, Turn)]


GO = user("u1", "Go.")


def test_a_record_that_comes_again_adds_only_what_is_new() -> None:
    text, with_call = say("a1", "On it."), say("a1", "On it.", call("glob", output="x"))
    (turn,) = read(GO, text, {"$set": {"lastUpdated": STAMP}}, with_call, with_call)
    assert [type(part).__name__ for part in turn.parts] == ["Text", "ToolCall", "ToolResult"]
    (control,) = read(GO, text, say("a2", "On it."))
    assert [type(part) for part in control.parts] == [Text, Text]


def test_a_call_that_runs_is_answered_once_by_whoever_says_so_first() -> None:
    running, done = (
        say("a1", "", call("glob", "executing")),
        say("a1", "", call("glob", output="x")),
    )
    assert "c1" not in read(GO, running)[0].results
    said = {"functionResponse": {"id": "c1", "response": {"output": "x"}}}
    row = {"id": "r1", "type": "user", "content": [said]}
    (turn,) = read(GO, running, row, done)
    assert [part.output for part in turn.results.values()] == ["x"]
    assert len(turn.parts) == 2


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<session_context>\nToday is…</session_context>", id="the session's context"),
        pytest.param("System: Potential loop detected. Details: …", id="its own loop warning"),
    ],
)
def test_no_request_is(text: str) -> None:
    assert len(read(GO, say("a1", "Gone."), user("x", text), say("a2", "Back."))) == 1
    assert len(read(GO, say("a1", "Gone."), user("x", "Back."), say("a2", "Back."))) == 2


def test_its_own_continue_begins_a_turn_that_no_person_asked_for() -> None:
    rows = [GO, say("a1", "Go"), user("x", "System: Please continue."), say("a2", "ing.")]
    assert [turn.request_kind for turn in read(*rows)] == [RequestKind.HUMAN, RequestKind.NUDGE]


def test_a_hooks_reason_stands_under_the_request_that_it_is_about() -> None:
    shown = {"displayContent": [{"text": "Go."}]}
    hook = user("h1", "You are not there yet.", **shown)
    first, second = read(GO, say("a1", "Let me go:"), hook, say("a2", "Gone."))
    assert (first.finish, second.request_kind) == (FinishReason.STOP, RequestKind.STOP_HOOK)
    file = user("u2", "Go.\n--- map.txt ---\nnorth", **shown)  # the person asks again, with a file
    first, second = read(GO, say("a1", "Gone."), file, say("a2", "Gone."))
    assert (first.finish, second.request_kind) == (None, RequestKind.HUMAN)


@pytest.mark.parametrize(
    ("row", "finish", "status"),
    [
        (info("Request cancelled."), FinishReason.ABORTED, None),
        (info("⚠️  Response truncated due to token limits."), FinishReason.LENGTH, None),
        (info("⚠️  Response stopped due to safety reasons."), FinishReason.CONTENT_FILTER, None),
        (info("A potential loop was detected."), FinishReason.ERROR, None),
        (info('[API Error: {"error":{"code":503}}]', "error"), FinishReason.ERROR, 503),
        (info("Update successful!"), None, None),
        ({"$set": {"lastUpdated": STAMP}}, None, None),
    ],
)
def test_an_end_is_told_by_words_only(row: Row, finish: Any, status: int | None) -> None:
    (turn,) = read(GO, say("a1", "A shell is"), row)
    assert turn.finish == finish
    assert (turn.error and turn.error.status) == status


def test_refusing_every_call_is_the_persons_stop() -> None:
    refused, ran = call("shell", "cancelled"), {**call("glob", output="x"), "id": "c2"}
    assert read(GO, say("a1", "", refused))[0].finish is FinishReason.ABORTED
    assert read(GO, say("a1", "", refused, ran))[0].finish is None


@pytest.mark.parametrize(
    ("name", "status", "said", "failed"),
    [
        ("run_shell_command", "success", "Output: no\nExit Code: 1\nProcess Group PGID: 7\n", True),
        ("run_shell_command", "success", "Output: yes\nProcess Group PGID: 8\n", False),
        ("read_file", "success", "Exit Code: 1\n", False),
        ("glob", "error", "no such tool", True),
        ("glob", "brewing", "tea", None),
    ],
)
def test_a_result_failed(name: str, status: str, said: str, failed: bool | None) -> None:
    (turn,) = read(GO, say("a1", "", call(name, status, output=said)))
    assert turn.results["c1"].failed is failed
    assert "PGID" not in turn.results["c1"].output


def test_todos_change_when_the_call_went_well() -> None:
    args = {"todos": [{"description": "Sort", "status": "cancelled"}, {"description": "Glue"}]}
    (turn,) = read(GO, say("a1", "", call("write_todos", args=args)))
    assert [todo.content for todo in turn.open_todos] == ["Glue"]
    assert read(GO, say("a1", "", call("write_todos", "error", args=args)))[0].todos is None


def test_an_open_question_or_approval_is_pending_until_its_result() -> None:
    asks = say("a1", "", call("ask_user", "awaiting_approval"))
    assert [what.kind for what in read(GO, asks)[0].pending] == ["question"]
    shell = say("a1", "", call("shell", "awaiting_approval"))
    assert [what.kind for what in read(GO, shell)[0].pending] == ["permission"]
    assert not read(GO, asks, say("a1", "", call("ask_user", output="red")))[0].pending
    assert not read(GO, say("a1", "", call("shell", "executing")))[0].pending


def test_streamed_thoughts_are_one_and_a_compaction_is_noted() -> None:
    thoughts = [{"subject": "", "description": word} for word in ("I", "count.")]
    (turn,) = read(
        GO, say("a1", "Two.", thoughts=thoughts), info("Context compressed to 90 tokens")
    )
    assert turn.parts[0] == Reasoning("I count.")
    assert turn.compacted


def test_a_list_that_is_set_tells_only_what_is_newer() -> None:
    rows = [GO, say("a1", "Gone.")]
    more = [user("u2", "Back."), say("a2", "Back.")]
    assert len(read({"$set": {"messages": rows}}, {"$set": {"messages": rows + more}})) == 2
    taken_back = read(*rows, user("u2", "Back."), {"$set": {"messages": rows}}, *more[1:])
    assert len(taken_back) == 2
    assert len(read({"$set": {"messages": rows}}, {"$set": {"messages": rows}})) == 1


def test_both_forms_read_alike(tmp_path: Path) -> None:
    rows = [GO, say("a1", "Gone."), user("u2", "Back."), say("a2", "Back.")]
    document, lines = tmp_path / "a.json", tmp_path / "a.jsonl"
    document.write_text(json.dumps({**HEADER, "messages": rows}, indent=1))
    lines.write_text("".join(json.dumps(row) + "\n" for row in [HEADER, *rows]))
    assert list(gemini_cli.read(document)) == list(gemini_cli.read(lines))
    assert gemini_cli.claims(document, document.read_bytes())
    document.write_text(document.read_text()[:-20])
    with pytest.raises(HarnessUnavailable):
        list(gemini_cli.read(document))


def test_a_sub_agents_file_lies_in_a_folder_named_after_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "chats" / "parent-1" / "child.jsonl"
    path.parent.mkdir(parents=True)
    rows = [{**HEADER, "kind": "subagent"}, GO, say("a1", "Gone.")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (turn,) = turns(gemini_cli.read(path))
    assert isinstance(turn, Turn)
    assert (turn.parent, turn.request_kind) == ("parent-1", RequestKind.AGENT)
    assert (read(GO, say("a1", "Gone."))[0].parent) is None


def test_what_nobody_knows_is_counted() -> None:
    rows = [(1, {"id": "x", "type": "hologram"}), (2, 7), (3, {"$rewindTo": "u1"})]
    assert list(gemini_cli.events(rows)) == [
        Unread("record type hologram", 1),
        Unread("row without type", 2),
    ]
