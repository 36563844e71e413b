"""Qwen Code: the rules a golden file cannot say, one sentence each, with controls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.assemble import turns
from auditor.events import Unread
from auditor.harness import qwen_code
from auditor.turn import FinishReason, PendingKind, RequestKind, Turn

SESSION = "5b0d77aa-0000-4000-8000-000000000002"


class Rows:
    """Rows in a chain, written as Qwen Code writes them."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.parent: str | None = None

    def add(self, kind: str, *parts: Any, **row: Any) -> Rows:
        uuid = row.pop("uuid", f"row-{len(self.rows)}")
        base = {"uuid": uuid, "parentUuid": row.pop("parentUuid", self.parent)}
        base |= {"sessionId": SESSION, "timestamp": f"2026-03-02T10:00:{len(self.rows):02}.000Z"}
        message = {"role": "user", "parts": list(parts)}
        self.rows.append({**base, "type": kind, **({"message": message} if parts else {}), **row})
        self.parent = uuid
        return self

    def user(self, text: str, **row: Any) -> Rows:
        return self.add("user", {"text": text}, **row)

    def model(self, *parts: Any, **row: Any) -> Rows:
        said = [{"text": part} if isinstance(part, str) else part for part in parts]
        return self.add("assistant", *said, model="qwen-test", **row)

    def result(self, call: str, response: Any, **detail: Any) -> Rows:
        part = {"functionResponse": {"id": call, "name": "t", "response": response}}
        return self.add("tool_result", part, toolCallResult={"callId": call, **detail})

    def system(self, subtype: str, payload: Any = None, **row: Any) -> Rows:
        return self.add("system", subtype=subtype, systemPayload=payload or {}, **row)

    def event(self, name: str, **event: Any) -> Rows:
        event = {"event.name": f"qwen-code.{name}", "prompt_id": f"{SESSION}########0", **event}
        return self.system("ui_telemetry", {"uiEvent": event})

    def turns(self, tmp_path: Path) -> list[Turn]:
        return [turn for turn in self.all(tmp_path) if isinstance(turn, Turn)]

    def unread(self, tmp_path: Path) -> list[str]:
        return [turn.kind for turn in self.all(tmp_path) if isinstance(turn, Unread)]

    def all(self, tmp_path: Path) -> list[Turn | Unread]:
        path = tmp_path / "session.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in self.rows))
        return list(turns(qwen_code.read(path)))


def use(call: str, name: str, **given: Any) -> dict[str, Any]:
    return {"functionCall": {"id": call, "name": name, "args": given}}


TASK_OVER = (
    "<task-notification>\n<task-id>look-1</task-id>\n<status>completed</status>\n"
    "</task-notification>"
)


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"text": "and this"}, RequestKind.HUMAN),
        ({"text": TASK_OVER, "subtype": "notification"}, RequestKind.NOTIFICATION),
        ({"text": "wake up", "subtype": "cron"}, RequestKind.NOTIFICATION),
        ({"text": "on with the goal", "subtype": "goal_runtime"}, RequestKind.NUDGE),
        ({"text": "by the way", "subtype": "mid_turn_user_message"}, None),
    ],
)
def test_who_asks(row: dict[str, Any], kind: RequestKind | None, tmp_path: Path) -> None:
    found = Rows().user("first").model("one").user(**row).model("two").turns(tmp_path)
    assert [turn.request_kind for turn in found[1:]] == ([kind] if kind else [])


def test_thoughts_are_kept_apart_and_no_row_says_why_it_stopped(tmp_path: Path) -> None:
    rows = Rows().user("go").model({"text": "hm", "thought": True}, "Hello.")
    (turn,) = rows.turns(tmp_path)
    assert (turn.reply, turn.finish, turn.model) == ("Hello.", None, "qwen-test")
    assert len(turn.parts) == 2


RESULTS = [
    ({"output": "fine"}, {"status": "success"}, ("fine", False)),
    ({"error": "no such file"}, {"status": "error"}, ("no such file", True)),
    ({"output": "who knows"}, {}, ("who knows", None)),
    ({"success": True}, {}, ('{"success":true}', None)),
]


@pytest.mark.parametrize(("response", "detail", "found"), RESULTS)
def test_a_result_and_whether_it_failed(
    response: Any, detail: Any, found: tuple[str, bool | None], tmp_path: Path
) -> None:
    rows = Rows().user("go").model(use("c1", "read_file")).result("c1", response, **detail)
    (turn,) = rows.turns(tmp_path)
    assert (turn.results["c1"].output, turn.results["c1"].failed) == found


def test_a_cancelled_call_is_the_persons_stop_unless_the_agent_goes_on(tmp_path: Path) -> None:
    rows = Rows().user("go").model(use("c1", "edit"))
    rows.result(
        "c1",
        {"error": "[Operation Cancelled] Reason: User did not allow tool call"},
        status="cancelled",
    )
    assert rows.turns(tmp_path)[0].finish is FinishReason.ABORTED
    assert rows.model("Then so.").turns(tmp_path)[0].finish is None


@pytest.mark.parametrize(
    ("event", "status", "retryable"),
    [
        ({"status_code": 500, "error_message": "broke", "error_type": "E"}, 500, True),
        ({"status_code": 401, "error_message": "key"}, 401, False),
        ({"status_code": 429, "error_message": "slow down"}, 429, None),
        ({"error_message": "terminated (cause: read ECONNRESET)"}, None, True),
    ],
)
def test_a_failed_request_ends_the_turn(
    event: dict[str, Any], status: int | None, retryable: bool | None, tmp_path: Path
) -> None:
    (turn,) = Rows().user("go").event("api_error", **event).turns(tmp_path)
    assert turn.finish is FinishReason.ERROR
    assert turn.error is not None
    assert (turn.error.status, turn.error.retryable) == (status, retryable)


def test_a_retry_that_worked_and_a_request_of_somebody_else_end_nothing(tmp_path: Path) -> None:
    again = Rows().user("go").event("api_error", status_code=500).model("Here.")
    assert again.turns(tmp_path)[0].finish is None
    other = Rows().user("go").model("Here.").event("api_error", status_code=500, prompt_id="title")
    assert other.turns(tmp_path)[0].finish is None
    child = Rows().user("go").model("Here.").event("api_error", status_code=500, subagent_id="a")
    assert child.turns(tmp_path)[0].finish is None


@pytest.mark.parametrize(
    ("result", "finish"),
    [
        ({"state": "completed", "stopReason": "end_turn"}, FinishReason.STOP),
        ({"state": "completed", "stopReason": "max_tokens"}, FinishReason.LENGTH),
        ({"state": "cancelled"}, FinishReason.ABORTED),
        ({"state": "error", "error": {"message": "broke"}}, FinishReason.ERROR),
        ({"state": "completed"}, None),
    ],
)
def test_a_recorded_turn_result_is_the_finish_reason(
    result: Any, finish: FinishReason | None, tmp_path: Path
) -> None:
    rows = Rows().user("go").model("Here.").system("turn_result", result)
    assert rows.turns(tmp_path)[0].finish is finish


def test_the_list_comes_from_the_call_and_its_result(tmp_path: Path) -> None:
    items = [{"content": "read", "status": "completed"}, {"content": "write", "status": "pending"}]
    rows = Rows().user("go").model(use("c1", "todo_write", todos=items))
    assert len(rows.turns(tmp_path)[0].open_todos) == 1
    shown = {"type": "todo_list", "todos": items[:1]}
    rows.result("c1", {"output": "ok"}, status="success", resultDisplay=shown)
    assert rows.turns(tmp_path)[0].open_todos == ()
    assert Rows().user("go").model("ok").turns(tmp_path)[0].todos is None


def test_an_agent_in_the_background_is_pending_until_its_notification(tmp_path: Path) -> None:
    rows = Rows().user("go").model(use("c1", "agent", description="look"))
    assert [what.kind for what in rows.turns(tmp_path)[0].pending] == [PendingKind.SUBAGENT]
    shown = {"type": "task_execution", "status": "background"}
    rows.result("c1", {"output": "Launched.\ntask_id: look-1 (internal)"}, resultDisplay=shown)
    rows.model("It runs.").user(TASK_OVER, subtype="notification").model("It is done.")
    first, second = rows.turns(tmp_path)
    assert [what.what for what in first.pending] == ["look"]
    assert second.pending == ()


def test_a_completed_task_is_told_with_what_happens_next(tmp_path: Path) -> None:
    shown = {"type": "task_execution", "status": "background"}
    rows = Rows().user("go").model(use("c1", "agent", description="look"))
    rows.result("c1", {"output": "task_id: look-1"}, resultDisplay=shown).model("It runs.")
    rows.system("background_task_completed", {"backgroundTask": {"taskId": "look-1"}})
    assert len(rows.turns(tmp_path)[0].pending) == 1
    rows.user("and?").model("It is done.")
    assert [len(turn.pending) for turn in rows.turns(tmp_path)] == [1, 0]


def test_an_agent_in_the_foreground_is_pending_until_its_result(tmp_path: Path) -> None:
    rows = Rows().user("go").model(use("c1", "agent", description="look"))
    rows.result(
        "c1", {"output": "found"}, resultDisplay={"type": "task_execution", "status": "completed"}
    )
    assert rows.turns(tmp_path)[0].pending == ()


def test_a_shell_in_the_background_is_pending_until_it_is_stopped(tmp_path: Path) -> None:
    rows = (
        Rows().user("go").model(use("c1", "run_shell_command", command="serve", is_background=True))
    )
    rows.result("c1", {"output": "Background shell started.\nid: sh_1\npid: 4"}, status="success")
    assert [what.kind for what in rows.turns(tmp_path)[0].pending] == [PendingKind.BACKGROUND]
    rows.model(use("c2", "task_stop", task_id="sh_1")).result("c2", {"output": "stopped"})
    assert rows.turns(tmp_path)[0].pending == ()


def test_an_open_question_is_pending(tmp_path: Path) -> None:
    rows = (
        Rows().user("go").model(use("c1", "ask_user_question", questions=[{"question": "Which?"}]))
    )
    (what,) = rows.turns(tmp_path)[0].pending
    assert (what.kind, what.what) == (PendingKind.QUESTION, "Which?")


def test_a_rewound_request_is_dropped_with_its_answer(tmp_path: Path) -> None:
    rows = Rows().user("first").model("one", uuid="fork").user("wrong").model("lost")
    assert len(rows.turns(tmp_path)) == 2
    rows.system("rewind", parentUuid="fork").user("right").model("kept")
    assert [turn.request for turn in rows.turns(tmp_path)] == ["first", "right"]


def test_a_sub_agents_file_is_a_session_of_its_own(tmp_path: Path) -> None:
    side = {"isSidechain": True, "agentId": "look-1"}
    (turn,) = Rows().user("look", **side).model("found", **side).turns(tmp_path)
    assert (turn.session, turn.parent, turn.request_kind) == ("look-1", SESSION, RequestKind.AGENT)


def test_compression_goes_on(tmp_path: Path) -> None:
    rows = Rows().user("go").model("one").system("chat_compression").model("two")
    (turn,) = rows.turns(tmp_path)
    assert (turn.compacted, turn.words) == (True, ["one", "two"])


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"type": "user", "sessionId": SESSION, "message": {"parts": 1}}, "user row without parts"),
        ({"type": "assistant", "sessionId": SESSION}, "assistant row without parts"),
        ({"type": "assistant", "sessionId": SESSION, "message": {"parts": [4]}}, "assistant part"),
        (
            {"type": "tool_result", "sessionId": SESSION, "message": {"parts": [{}]}},
            "tool result part",
        ),
        ({"type": "system", "sessionId": SESSION, "subtype": "odd"}, "system row odd"),
        ({"type": "odd", "sessionId": SESSION}, "row type odd"),
        ({"type": "user"}, "row without a type or session"),
        ("text", "row without a type or session"),
    ],
)
def test_what_is_not_understood_is_counted(row: Any, kind: str, tmp_path: Path) -> None:
    rows = Rows().user("go").model("one")
    rows.rows.append(row)
    rows.model("two")
    assert rows.unread(tmp_path) == [kind]
    assert rows.turns(tmp_path)[0].words == ["one", "two"]


def test_rows_that_keep_books_are_not_counted(tmp_path: Path) -> None:
    rows = Rows().user("go").model("one").system("attribution_snapshot").system("slash_command")
    assert rows.event("api_response", status_code=200).unread(tmp_path) == []


def test_claims_by_content_also_when_the_first_row_is_cut() -> None:
    whole = json.dumps(Rows().user("x" * 300).rows[0]).encode()
    assert qwen_code.claims(Path("a"), whole)
    assert qwen_code.claims(Path("a"), whole[:-1])
    claude = b'{"uuid":"1","parentUuid":null,"isSidechain":false,"message":{"content":"x"}}'
    assert not qwen_code.claims(Path("a"), claude)
    assert not qwen_code.claims(Path("a"), b"# notes\n")


def test_transcripts_lie_in_the_runtime_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QWEN_RUNTIME_DIR", raising=False)
    monkeypatch.setenv("QWEN_HOME", str(tmp_path))
    assert list(qwen_code.transcripts()) == []
    for folder in ("chats", "subagents/s1"):
        (tmp_path / "projects" / "-work" / folder).mkdir(parents=True)
        (tmp_path / "projects" / "-work" / folder / "a.jsonl").touch()
    assert len(list(qwen_code.transcripts())) == 2
