"""Codex rollouts: what begins a turn and what does not, how it ended, what runs beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auditor.assemble import turns
from auditor.events import Unread
from auditor.harness import HARNESSES, codex
from auditor.turn import FinishReason, RequestKind, ToolResult, Turn

STAMP = "2026-05-04T09:00:00.000Z"
Row = dict[str, Any]


def row(kind: str, /, **payload: Any) -> Row:
    return {"timestamp": STAMP, "type": kind, "payload": payload}


def meta(**more: Any) -> Row:
    return row("session_meta", id="s1", cwd="/srv", **more)


def user(*texts: str) -> Row:
    content = [{"type": "input_text", "text": text} for text in texts]
    return row("response_item", type="message", role="user", content=content)


def say(text: str) -> Row:
    content = [{"type": "output_text", "text": text}]
    return row("response_item", type="message", role="assistant", content=content)


def call(name: str = "exec_command", arguments: str = '{"cmd":"ls"}', id_: str = "c1") -> Row:
    return row("response_item", type="function_call", name=name, arguments=arguments, call_id=id_)


def output(text: Any, id_: str = "c1") -> Row:
    return row("response_item", type="function_call_output", output=text, call_id=id_)


def event(kind: str, **more: Any) -> Row:
    return row("event_msg", type=kind, **more)


def begin(task: str = "t1") -> Row:
    return event("task_started", turn_id=task)


def complete(task: str = "t1", **more: Any) -> Row:
    return event("task_complete", turn_id=task, **more)


def read(*rows: object) -> list[Turn]:
    found = turns(codex.events(enumerate(rows, 1)))
    return [turn for turn in found if isinstance(turn, Turn)]


INJECTIONS = [
    ("the environment", "<environment_context>\n<cwd>/srv</cwd>\n</environment_context>"),
    ("old user instructions", "<user_instructions>\nBe kind.\n</user_instructions>"),
    ("an AGENTS file", "# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>…</INSTRUCTIONS>"),
    ("a skill", "<skill>\n<name>bake</name>\n</skill>"),
    ("a shell command of the person", "<user_shell_command>\nls\n</user_shell_command>"),
    ("a report of a sub-agent", '<subagent_notification>\n{"agent_id":"a"}\n'),
    ("an interrupt's note", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>"),
]


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in INJECTIONS])
def test_no_request_are(text: str) -> None:
    assert [turn.request for turn in read(meta(), user("Go."), say("Gone."), user(text))] == ["Go."]
    assert len(read(meta(), user("Go."), say("Gone."), user("Now back."), say("Back."))) == 2


def test_a_message_that_only_looks_like_markup_is_a_request() -> None:
    assert read(meta(), user("<b>Make this bold</b>"), say("Done."))[0].request.startswith("<b>")


def test_context_and_request_in_one_item_are_told_apart() -> None:
    told = read(meta(), user("<environment_context>x</environment_context>", "Go."), say("Gone."))
    assert [turn.request for turn in told] == ["Go."]


def test_the_ide_extension_puts_open_files_before_the_request() -> None:
    text = "# Context from my IDE setup:\n## Open tabs: a.py\n## My request for Codex:\nGo.\n"
    assert read(meta(), user(text), say("Gone."))[0].request == "Go."


def test_a_message_inside_a_running_task_is_queued() -> None:
    queued = read(meta(), begin(), user("Go."), say("On it."), user("faster"), say("Gone."))
    assert [turn.request for turn in queued] == ["Go."]
    unbounded = read(meta(), user("Go."), say("On it."), user("faster"), say("Gone."))
    assert [turn.request for turn in unbounded] == ["Go.", "faster"]


def test_a_stop_hook_ends_the_turn_and_begins_one_of_its_own() -> None:
    hook = '<hook_prompt hook_run_id="stop:1">Go &amp; on.</hook_prompt>'
    first, second = read(meta(), begin(), user("Go."), say("Well:"), user(hook), say("Done."))
    assert (first.finish, first.id) == (FinishReason.STOP, "t1")
    assert (second.request_kind, second.request) == (RequestKind.STOP_HOOK, "Go & on.")
    assert (second.id, second.finish) == ("t1#1", None)


def test_a_task_nobody_asked_for_is_a_turn_and_one_without_parts_is_none() -> None:
    rows = [meta(), begin(), user("Go."), say("Gone."), complete(), begin("t2")]
    assert [turn.request_kind for turn in read(*rows, say("More."), complete("t2"))] == [
        RequestKind.HUMAN,
        RequestKind.NUDGE,
    ]
    (only,) = read(*rows, row("compacted", message="…"), complete("t2", error={"message": "no"}))
    assert (only.finish, only.compacted) == (FinishReason.STOP, False)


def test_a_compaction_inside_a_turn_is_noted() -> None:
    (turn,) = read(meta(), begin(), user("Go."), call(), event("context_compacted"), say("Gone."))
    assert turn.compacted


ENDINGS = [
    ("completed", complete(), FinishReason.STOP, None, None),
    ("interrupted", event("turn_aborted", reason="interrupted"), FinishReason.ABORTED, None, None),
    (
        "clipped",
        complete(error={"message": "Incomplete response returned, reason: max_output_tokens"}),
        FinishReason.LENGTH,
        None,
        None,
    ),
    (
        "too many requests",
        complete(
            error={"message": "no", "codex_error_info": {"too_many": {"http_status_code": 429}}}
        ),
        FinishReason.ERROR,
        429,
        True,
    ),
    (
        "not logged in",
        complete(error={"message": "no", "codex_error_info": "unauthorized"}),
        FinishReason.ERROR,
        None,
        False,
    ),
    (
        "overloaded",
        complete(error={"message": "no", "codex_error_info": "server_overloaded"}),
        FinishReason.ERROR,
        None,
        True,
    ),
    (
        "something else",
        complete(error={"message": "no", "codex_error_info": "other"}),
        FinishReason.ERROR,
        None,
        None,
    ),
]


@pytest.mark.parametrize(
    ("end", "finish", "status", "retryable"),
    [pytest.param(*values, id=name) for name, *values in ENDINGS],
)
def test_a_turn_ends(end: Row, finish: FinishReason, status: int, retryable: bool) -> None:
    (turn,) = read(meta(), begin(), user("Go."), say("A kite is"), end)
    assert turn.finish is finish
    assert (turn.error and turn.error.status) == status
    assert (turn.error and turn.error.retryable) == retryable
    assert read(meta(), begin(), user("Go."), say("A kite is"))[0].finish is None


def test_an_error_row_tells_why_the_task_completed_unless_the_agent_went_on() -> None:
    error = event("error", message="no", codex_error_info="server_overloaded")
    (failed,) = read(meta(), begin(), user("Go."), error, complete())
    assert failed.finish is FinishReason.ERROR
    (fine,) = read(meta(), begin(), user("Go."), error, say("Gone."), complete())
    assert (fine.finish, fine.error) == (FinishReason.STOP, None)


def test_a_late_result_does_not_undo_the_interrupt() -> None:
    abort = event("turn_aborted", reason="interrupted")
    (turn,) = read(meta(), begin(), user("Go."), call(), abort, output("aborted by user"))
    assert turn.finish is FinishReason.ABORTED


RAN = "Chunk ID: {}\nWall time: {} seconds\nProcess exited with code {}\nOutput:\n{}"
OUTPUTS = [
    ("exit code 0", RAN.format("a1", "0.1", 0, "ok\n"), "ok\n", False),
    ("exit code 1", RAN.format("b2", "0.2", 1, "no\n"), "no\n", True),
    ("older header", "Exit code: 2\nWall time: 1 seconds\nOutput:\nno\n", "no\n", True),
    ("JSON", '{"output":"no\\n","metadata":{"exit_code":1,"duration_seconds":0.1}}', "no\n", True),
    ("object", {"content": "no", "success": False}, "no", True),
    ("blocks", [{"type": "input_text", "text": "Plan updated"}], "Plan updated", False),
    ("rejected", "exec command rejected by user", "exec command rejected by user", True),
    ("stopped", "Wall time: 17.0 seconds\naborted by user", "aborted by user", True),
    ("who knows", "A page of text.", "A page of text.", None),
    ("nothing", None, "", None),
]


@pytest.mark.parametrize(
    ("written", "text", "failed"), [pytest.param(*rest, id=name) for name, *rest in OUTPUTS]
)
def test_an_output_says(written: Any, text: str, failed: bool | None) -> None:
    (turn,) = read(meta(), user("Go."), call(), output(written))
    assert turn.last == ToolResult(text, "c1", failed)


def test_equal_results_are_equal_whatever_their_header_says() -> None:
    rows = [call(id_="c1"), output(RAN.format("a1", "0.1", 1, "no"), "c1")]
    rows += [call(id_="c2"), output(RAN.format("b2", "0.9", 1, "no"), "c2")]
    (turn,) = read(meta(), user("Go."), *rows)
    assert turn.results["c1"].output == turn.results["c2"].output


def test_the_plan_changes_only_when_the_call_went_well() -> None:
    plan = call("update_plan", '{"plan":[{"step":"Bake","status":"in_progress"},{"step":7}]}')
    (done,) = read(meta(), user("Go."), plan, output("Plan updated"))
    assert [todo.content for todo in done.open_todos] == ["Bake"]
    assert read(meta(), user("Go."), plan, output("failed to parse"))[0].todos is None


def test_a_process_is_pending_until_something_says_that_it_ended() -> None:
    rows = [
        meta(),
        user("Go."),
        call(),
        output("Wall time: 1 s\nProcess running with session ID 5\n"),
    ]
    assert [what.kind for what in read(*rows)[0].pending] == ["background"]
    ended = event("exec_command_end", process_id="5")
    polled = [call("write_stdin", '{"session_id":5}', "c2"), output(RAN.format(1, 1, 0, ""), "c2")]
    still = [call("write_stdin", '{"session_id":6}', "c2"), output(RAN.format(1, 1, 0, ""), "c2")]
    assert not read(*rows, ended)[0].pending
    assert not read(*rows, *polled)[0].pending
    assert read(*rows, *still)[0].pending


def test_a_sub_agent_is_pending_until_a_report_names_it() -> None:
    rows = [meta(), user("Go."), call("spawn_agent", "{}"), output('{"agent_id":"helper-1"}')]
    assert [what.kind for what in read(*rows)[0].pending] == ["subagent"]
    report = "<subagent_notification>\n{}\n</subagent_notification>"
    assert not read(*rows, user(report.format('{"agent_id":"helper-1"}')))[0].pending
    assert read(*rows, user(report.format('{"agent_id":"helper-2"}')))[0].pending


def test_a_question_is_pending_until_answered_or_interrupted() -> None:
    rows = [meta(), begin(), user("Go."), call("request_user_input", "{}")]
    assert [what.kind for what in read(*rows)[0].pending] == ["question"]
    assert not read(*rows, output("red"))[0].pending
    assert not read(*rows, event("turn_aborted", reason="interrupted"))[0].pending


def test_a_sub_agents_rollout_names_its_parent_and_a_fork_keeps_its_own_name() -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "p1", "depth": 1}}}
    origin = row("session_meta", id="p1")
    (turn,) = read(meta(source=source), origin, begin(), user("Look."), say("Seen."))
    assert (turn.session, turn.parent, turn.request_kind) == ("s1", "p1", RequestKind.AGENT)
    (own,) = read(meta(source="cli"), begin(), user("Look."), say("Seen."))
    assert (own.parent, own.request_kind) == (None, RequestKind.HUMAN)


def test_a_search_that_the_provider_ran_is_an_answered_call() -> None:
    search = row("response_item", type="web_search_call", status="completed", action={"q": "x"})
    (turn,) = read(meta(), user("Go."), search)
    assert [call.id in turn.results for call in turn.calls] == [True]
    search["payload"]["status"] = "in_progress"
    (turn,) = read(meta(), user("Go."), search)
    assert [call.id in turn.results for call in turn.calls] == [False]


@pytest.mark.parametrize(
    ("strange", "kind"),
    [
        (row("tea_break", cups=2), "row type tea_break"),
        (row("response_item", type="hologram"), "item type hologram"),
        (event("kite_landed"), "event type kite_landed"),
        ([1], "row without type"),
    ],
)
def test_what_nobody_knows_is_counted(strange: object, kind: str) -> None:
    found = list(turns(codex.events([(1, meta()), (2, strange)])))
    assert found == [Unread(kind, 2)]
    assert not list(turns(codex.events([(1, meta()), (2, event("token_count"))])))


def test_transcripts_lie_under_codex_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    assert not list(codex.transcripts())
    path = tmp_path / "sessions" / "2026" / "05" / "04" / "rollout-x.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    assert list(HARNESSES["codex"].transcripts()) == [path]
