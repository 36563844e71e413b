"""Cline's and Roo Code's two files: rules as sentences, each with its control."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor import assemble
from auditor.errors import HarnessUnavailable
from auditor.events import Unread
from auditor.harness import cline
from auditor.turn import FinishReason, Reasoning, RequestKind, Text, ToolCall, Turn

Rows = list[dict[str, Any]]


def say(kind: str, words: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "say", "say": kind, "text": words, **more}


def ask(kind: str, words: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "ask", "ask": kind, "text": words, **more}


def request(sent: str = "", **more: Any) -> dict[str, Any]:
    return say("api_req_started", json.dumps({"request": sent, **more}))


def used(name: str = "readFile", way: Any = say, **given: Any) -> dict[str, Any]:
    return way("tool", json.dumps({"tool": name, **given}))


def numbered(rows: Rows) -> Rows:
    return [{"ts": 1_750_000_000_000 + 1000 * place, **row} for place, row in enumerate(rows)]


def shown(*rows: dict[str, Any]) -> list[Turn]:
    found = assemble.turns(cline.events("t1", numbered([say("text", "do it"), *rows])))
    return [turn for turn in found if isinstance(turn, Turn)]


DONE = say("completion_result", "All tidy.HAS_CHANGES")
OVER = ask("completion_result")
FOLLOWUP = ask("followup", '{"question":"Which one?","options":["a","b"]}')
FEEDBACK = say("user_feedback", "and the labels")

BEGINS = [
    ("feedback after a completion", [DONE, OVER, FEEDBACK, DONE], 2),
    ("the answer to a question", [FOLLOWUP, FEEDBACK, request(), DONE], 1),
    ("feedback on a call that waits for approval", [used(way=ask), FEEDBACK, request(), DONE], 1),
    ("a reply in plan mode", [ask("plan_mode_respond", '{"response":"x"}'), FEEDBACK, DONE], 2),
    ("feedback after a resumption", [say("text", "x"), ask("resume_task"), FEEDBACK, DONE], 2),
    ("a resumption without words", [say("text", "x"), ask("resume_task"), request(), DONE], 1),
    (
        "the harness asks again after an answer without a call",
        [say("text", "x"), request("[ERROR] You did not use a tool in your …"), DONE],
        2,
    ),
    ("an ordinary request", [say("text", "x"), request("[read_file] Result:\nx"), DONE], 1),
]


@pytest.mark.parametrize(("rows", "turns"), [pytest.param(r, n, id=i) for i, r, n in BEGINS])
def test_what_begins_a_turn(rows: Rows, turns: int) -> None:
    assert len(shown(*rows)) == turns


def test_who_asked() -> None:
    again = request("[ERROR] You did not use a tool\n\n<environment_details>\nx")
    first, second = shown(say("text", "x"), again, DONE)
    assert (first.request, first.request_kind) == ("do it", RequestKind.HUMAN)
    assert (second.request, second.request_kind) == (
        "[ERROR] You did not use a tool",
        RequestKind.NUDGE,
    )


CANCELLED = request("", cancelReason="user_cancelled")
BROKEN = request("", cancelReason="streaming_failed", streamingFailedMessage="503 busy")
ENDS = [
    ("a completion", [DONE, OVER], FinishReason.STOP),
    ("a completion nobody has looked at", [DONE], FinishReason.STOP),
    (
        "a completion whose task was opened again",
        [DONE, OVER, ask("resume_completed_task")],
        "stop",
    ),
    ("a cancelled request", [CANCELLED, say("text", "I")], FinishReason.ABORTED),
    ("a cancelled request gone on from", [CANCELLED, say("text", "I"), request(), DONE], "stop"),
    ("a broken stream", [BROKEN, say("text", "I")], FinishReason.ERROR),
    ("a broken stream tried again", [BROKEN, say("text", "I"), request(), DONE], "stop"),
    ("a failed request", [ask("api_req_failed", "429 slow")], FinishReason.ERROR),
    (
        "a failed request tried again",
        [ask("api_req_failed", "x"), say("api_req_retried"), say("text", "I"), DONE],
        FinishReason.STOP,
    ),
    ("too many mistakes", [ask("mistake_limit_reached", "x")], FinishReason.ERROR),
    ("a task opened again in the middle", [say("text", "I"), ask("resume_task")], "aborted"),
    ("a question when the task was opened again", [FOLLOWUP, ask("resume_task")], None),
    ("words and no call", [request(), say("text", "I look.")], None),
    ("a plan", [ask("plan_mode_respond", '{"response":"x"}')], FinishReason.STOP),
    ("a call", [request(), used()], None),
]


@pytest.mark.parametrize(("rows", "finish"), [pytest.param(r, f, id=i) for i, r, f in ENDS])
def test_how_a_turn_ended(rows: Rows, finish: str | None) -> None:
    assert shown(*rows)[-1].finish == finish


def test_errors() -> None:
    (plain,) = shown(ask("api_req_failed", "429 too many"))
    assert plain.error is not None
    assert (plain.error.name, plain.error.status) == ("api_req_failed", 429)
    (newer,) = shown(ask("api_req_failed", '{"message":"no credit","status":402}'))
    assert newer.error is not None
    assert (newer.error.message, newer.error.status) == ("no credit", 402)
    (unnumbered,) = shown(ask("api_req_failed", "it took 500 seconds"))
    assert unnumbered.error is not None
    assert unnumbered.error.status is None


PENDING = [
    ("an open question", [FOLLOWUP], "question"),
    ("an answered question", [FOLLOWUP, FEEDBACK, request()], ""),
    ("a question answered by a click", [ask("followup", '{"question":"?","selected":"a"}')], ""),
    ("a question with a list beside it", [FOLLOWUP, say("task_progress", "- [ ] x")], "question"),
    ("a plan", [ask("plan_mode_respond", "x")], "question"),
    ("a call that waits for approval", [used(way=ask)], "permission"),
    ("a command that waits for approval", [ask("command", "rm x")], "permission"),
    ("a call that was approved", [used(way=ask), request("[x] Result:\ny")], ""),
    ("a call that needed no approval", [used()], ""),
    ("a running command", [say("command", "ls"), ask("command_output", "a")], ""),
    (
        "a budget of calls used up",
        [say("text", "x"), ask("auto_approval_max_req_reached", "{}")],
        "permission",
    ),
]


@pytest.mark.parametrize(("rows", "kinds"), [pytest.param(r, k, id=i) for i, r, k in PENDING])
def test_what_is_pending(rows: Rows, kinds: str) -> None:
    (turn,) = shown(*rows)
    assert " ".join(what.kind for what in turn.pending) == kinds


def test_a_plan_was_pending_at_its_end_though_it_was_answered_later() -> None:
    plan, after = shown(ask("plan_mode_respond", '{"response":"x"}'), FEEDBACK, DONE)
    assert (plan.reply, len(plan.pending), after.pending) == ("x", 1, ())


def test_a_completion_is_a_call_and_its_words_are_the_reply() -> None:
    (turn,) = shown(say("text", "I tidy."), used(), request("[readFile] Result:\nx"), DONE, OVER)
    assert [call.name for call in turn.calls] == ["readFile", "attempt_completion"]
    assert turn.reply == "All tidy."


def test_results_come_with_the_next_request() -> None:
    sent = "[read_file for 'a'] Result:\none\n\n[read_file for 'b'] Result:\ntwo\n\n"
    sent += "<environment_details>\nnoise"
    (turn,) = shown(used(path="a"), used(path="b"), request(sent), DONE)
    assert [turn.results[call.id].output for call in turn.calls[:2]] == ["one", "two"]


def test_a_result_that_quotes_a_result_is_one_result() -> None:
    sent = "[read_file for 'a'] Result:\none\n[read_file for 'b'] Result:\ntwo"
    (turn,) = shown(used(path="a"), request(sent), DONE)
    assert turn.results[turn.calls[0].id].output.endswith("two")


def test_output_is_the_result_where_the_request_does_not_say() -> None:
    (turn,) = shown(
        say("command", "ls"), ask("command_output", "a"), say("command_output", "b"), request()
    )
    assert turn.results[turn.calls[0].id].output == "a\nb"
    assert turn.calls[0] == ToolCall("execute_command", '{"command":"ls"}', turn.calls[0].id)


def test_a_denied_call_failed_and_the_turn_goes_on() -> None:
    denied = request("[execute_command for 'rm x'] Result:\nThe user denied this operation.")
    (turn,) = shown(ask("command", "rm xREQ_APP"), denied, DONE)
    first = turn.results[turn.calls[0].id]
    assert (first.failed, turn.finish) == (True, FinishReason.STOP)
    assert turn.calls[0].arguments == '{"command":"rm x"}'
    (approved,) = shown(ask("command", "rm x"), request("[x] Result:\nThe user saw it"), DONE)
    assert approved.results[approved.calls[0].id].failed is None


def test_lists() -> None:
    (turn,) = shown(say("text", "x"), say("task_progress", "- [x] read\n  - [ ] write\n- no item"))
    assert [todo.content for todo in turn.todos or ()] == ["read", "write"]
    assert [todo.content for todo in turn.open_todos] == ["write"]
    roo = used("updateTodoList", todos=[{"content": "read", "status": "in_progress"}, 3])
    (turn,) = shown(roo)
    assert [todo.status for todo in turn.todos or ()] == ["in_progress"]
    (none,) = shown(say("text", "x"))
    assert none.todos is None


def test_compaction() -> None:
    assert shown(say("text", "x"), say("condense_context"), DONE)[0].compacted
    assert shown(used("summarizeTask", content="x"), request(), DONE)[0].compacted
    assert not shown(say("text", "x"), say("checkpoint_created"), DONE)[0].compacted


def test_other_calls() -> None:
    mcp = say("use_mcp_server", '{"serverName":"s","toolName":"find","arguments":"{\\"a\\":1}"}')
    (turn,) = shown(
        mcp, say("mcp_server_response", "found"), request(), say("browser_action_launch", "u")
    )
    assert [(call.name, call.arguments) for call in turn.calls] == [
        ("find", '{"a":1}'),
        ("browser_action", '{"action":"launch","url":"u"}'),
    ]
    assert turn.results[turn.calls[0].id].output == "found"


def test_the_model_the_time_and_the_id() -> None:
    info = {"modelInfo": {"modelId": "fictive-1"}}
    (turn,) = shown(say("reasoning", "hm", **info), say("text", "x", **info))
    assert (turn.model, turn.started, turn.id) == ("fictive-1", 1_750_000_000.0, "t1#1750000000000")


JUNK = [
    None,
    3,
    "x",
    [],
    {},
    {"ts": "x"},
    {"ts": 1, "type": "say"},
    {"ts": 1, "type": "say", "say": 3},
]
MORE = [
    {"role": "oracle", "content": []},
    {"role": "user"},
    {"role": "user", "content": [None, {}]},
]


@pytest.mark.parametrize("junk", [*JUNK, *MORE])
def test_junk_is_counted_and_never_raises(junk: Any) -> None:
    found = list(cline.events("t1", [junk]))
    assert found
    assert all(isinstance(event, Unread) for event in found)


def test_kinds_nobody_knows_are_counted_and_bookkeeping_is_not() -> None:
    rows = [say("text", "x"), say("astrology"), ask("palmistry"), say("checkpoint_created")]
    found = cline.events("t1", numbered([*rows, used("x")]))
    assert [one.kind for one in found if isinstance(one, Unread)] == [
        "say astrology",
        "ask palmistry",
    ]
    broken = cline.events("t1", numbered([say("text", "x"), say("tool", "no JSON")]))
    assert [one.kind for one in broken if isinstance(one, Unread)] == ["say tool"]


# What the model saw.


def user(*blocks: Any) -> dict[str, Any]:
    found = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    return {"role": "user", "content": found}


def agent(*blocks: Any) -> dict[str, Any]:
    return {**user(*blocks), "role": "assistant"}


def use(name: str, id_: str = "u1", **given: Any) -> Any:
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


def answered(output: Any, id_: str = "u1", **more: Any) -> Any:
    return {"type": "tool_result", "tool_use_id": id_, "content": output, **more}


TASK = user("<task>\ndo it\n</task>", "<environment_details>\nx\n</environment_details>")
COMPLETED = agent(use("attempt_completion", result="All tidy."))


def sent(*messages: Any) -> list[Turn]:
    found = assemble.turns(cline.events("t1", list(messages)))
    return [turn for turn in found if isinstance(turn, Turn)]


SENT = [
    (
        "feedback on a completion",
        [TASK, COMPLETED, user(answered("<feedback>\nmore\n</feedback>")), COMPLETED],
        2,
    ),
    (
        "feedback on a denied call",
        [
            TASK,
            agent(use("execute_command", command="rm")),
            user(answered("The user denied this operation.\n<feedback>\nno\n</feedback>")),
            COMPLETED,
        ],
        1,
    ),
    (
        "the answer to a question",
        [
            TASK,
            agent(use("ask_followup_question", question="?")),
            user(answered("<answer>\na\n</answer>")),
            COMPLETED,
        ],
        1,
    ),
    (
        "a resumption with words",
        [
            TASK,
            agent("x"),
            user("[TASK RESUMPTION] …\n<user_message>\nmore\n</user_message>"),
            COMPLETED,
        ],
        2,
    ),
    ("a resumption without words", [TASK, agent("x"), user("[TASK RESUMPTION] …"), COMPLETED], 1),
    (
        "the harness asks again",
        [TASK, agent("x"), user("[ERROR] You did not use a tool"), COMPLETED],
        2,
    ),
    (
        "a file that says feedback",
        [TASK, agent(use("read_file")), user(answered("<task>\nx\n</task>")), COMPLETED],
        1,
    ),
]


@pytest.mark.parametrize(("messages", "turns"), [pytest.param(m, n, id=i) for i, m, n in SENT])
def test_what_begins_a_turn_for_the_model(messages: Any, turns: int) -> None:
    assert len(sent(*messages)) == turns


def test_calls_as_xml_are_calls() -> None:
    answer = (
        "<thinking>\nfirst read\n</thinking>\n\nI read it.\n\n<read_file>\n<path>a.md</path>\n"
        "<task_progress>\n- [x] look\n- [ ] write\n</task_progress>\n</read_file>"
    )
    (turn,) = sent(TASK, agent(answer), user("[read_file for 'a.md'] Result:", "one"), COMPLETED)
    assert turn.request == "do it"
    assert turn.parts[:2] == (Reasoning("first read"), Text("I read it."))
    first = turn.calls[0]
    assert (first.name, first.arguments) == ("read_file", '{"path":"a.md"}')
    assert turn.results[first.id].output == "one"
    assert [todo.content for todo in turn.open_todos] == ["write"]
    assert (turn.reply, turn.finish) == ("All tidy.", FinishReason.STOP)


def test_a_file_full_of_tags_is_one_argument() -> None:
    answer = (
        "<write_to_file><path>a</path><content>\n<b>x</b></content>\n</content></write_to_file>"
    )
    (turn,) = sent(TASK, agent(answer))
    assert json.loads(turn.calls[0].arguments) == {"path": "a", "content": "<b>x</b></content>"}


@pytest.mark.parametrize("words", ["<read_file>\n<path>a", "<b>bold</b>", "use <read_file> next"])
def test_other_tags_are_text(words: str) -> None:
    (turn,) = sent(TASK, agent(words))
    assert (turn.calls, turn.reply) == ((), words)


CUT = [
    ("[Response interrupted by user]", FinishReason.ABORTED),
    ("[Response interrupted by API Error]", FinishReason.ERROR),
    ("[Response interrupted]", None),
]


@pytest.mark.parametrize(("mark", "finish"), CUT)
def test_a_cut_answer(mark: str, finish: FinishReason | None) -> None:
    (turn,) = sent(TASK, agent(f"I was\n\n{mark}"))
    assert turn.finish is finish
    assert (mark in turn.reply) is (finish is None)


def test_an_open_question_is_pending_until_it_is_answered() -> None:
    question = agent(use("ask_followup_question", question="Which?"))
    (turn,) = sent(TASK, question)
    assert [what.kind for what in turn.pending] == ["question"]
    (turn,) = sent(TASK, question, user(answered("<answer>\nthe first\n</answer>")))
    assert (turn.pending, turn.results["u1"].output) == ((), "the first")


def test_a_result_can_be_blocks_and_say_that_it_failed() -> None:
    blocks = answered([{"type": "text", "text": "no file"}, {"type": "image"}], is_error=True)
    (turn,) = sent(TASK, agent(use("read_file")), user(blocks))
    assert (turn.results["u1"].output, turn.results["u1"].failed) == ("no file", True)


def test_a_summary_compacts_the_turn() -> None:
    (turn,) = sent(TASK, agent("x"), {**agent("sum"), "isSummary": True}, COMPLETED)
    assert turn.compacted
    assert "sum" not in turn.words


# Where they lie.


def task(folder: Path, *, panel: bool = True) -> Path:
    folder.mkdir(parents=True)
    history = [TASK, COMPLETED]
    (folder / "api_conversation_history.json").write_text(json.dumps(history))
    if panel:
        rows = numbered([say("text", "do it"), DONE, OVER])
        (folder / "ui_messages.json").write_text(json.dumps(rows))
    return folder


def test_a_folder_is_read_once_and_the_panel_comes_first(tmp_path: Path) -> None:
    both = task(tmp_path / "1750000000000")
    assert cline.claims(both, b"")
    (turn,) = [one for one in assemble.turns(cline.read(both)) if isinstance(one, Turn)]
    assert (turn.session, turn.started) == ("1750000000000", 1_750_000_000.0)
    (both / "ui_messages.json").unlink()
    (turn,) = [one for one in assemble.turns(cline.read(both)) if isinstance(one, Turn)]
    assert (turn.session, turn.started) == ("1750000000000", None)


def test_claims_look_at_the_content(tmp_path: Path) -> None:
    both = task(tmp_path / "1")
    for path in both.iterdir():
        head = path.read_bytes()
        assert cline.claims(path, head)
        assert cline.claims(path, head[:90])
    for other in (b"[]", b'[{"role":"user","content":"hello"}]', b'[{"ts":1,"kind":"say"}]', b"x"):
        assert not cline.claims(tmp_path / "x.json", other)
    assert not cline.claims(tmp_path, b"")


@pytest.mark.parametrize("found", ["", "{", "{}", '"x"'])
def test_a_file_that_is_no_list_says_so(tmp_path: Path, found: str) -> None:
    path = tmp_path / "ui_messages.json"
    path.write_text(found)
    with pytest.raises(HarnessUnavailable):
        list(cline.read(path))


def test_its_default_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CLINE_DIR", raising=False)
    assert list(cline.transcripts()) == []
    editor = tmp_path / "config" / "Code" / "User" / "globalStorage"
    first = task(editor / "saoudrizwan.claude-dev" / "tasks" / "1")
    second = task(editor / "rooveterinaryinc.roo-cline" / "tasks" / "2", panel=False)
    third = task(tmp_path / ".cline" / "data" / "tasks" / "3")
    (tmp_path / ".cline" / "data" / "tasks" / "4").mkdir()
    assert list(cline.transcripts()) == [first, second, third]
