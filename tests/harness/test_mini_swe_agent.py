"""mini-swe-agent trajectories: its one tool in both ways, and who put in which message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.assemble import turns
from auditor.events import Unread
from auditor.harness import mini_swe_agent
from auditor.turn import FinishReason, Reasoning, Text, ToolCall, Turn

RECORDINGS = Path(__file__).parent / "recordings" / "mini-swe-agent"
Message = dict[str, Any]


def user(text: str, **more: Any) -> Message:
    return {"role": "user", "content": text, **more}


def fenced(text: str, *commands: str) -> Message:
    return {
        "role": "assistant",
        "content": "\n\n".join([text, *(f"```bash\n{c}\n```" for c in commands)]),
    }


def called(text: str | None, command: str, id_: str = "c1") -> Message:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    return {"role": "assistant", "content": text, "tool_calls": [{"id": id_, "function": function}]}


def told(*messages: Any, status: Any = None, said: str = "") -> list[Turn | Unread]:
    info = {"exit_status": status, "submission": said}
    return list(turns(mini_swe_agent.events({"info": info, "messages": list(messages)}, "run")))


def one(*messages: Any, status: Any = None, said: str = "") -> Turn:
    (found,) = told(user("fix it"), *messages, status=status, said=said)
    assert isinstance(found, Turn)
    return found


OUTPUT = user("<returncode>0</returncode>\n<output>\na\n</output>")


def test_a_fenced_block_is_the_call_and_leaves_the_text() -> None:
    found = one(fenced("THOUGHT: look", "ls"), OUTPUT)
    assert found.parts[:2] == (
        Text("THOUGHT: look"),
        ToolCall("bash", '{"command":"ls"}', "c1"),
    )
    assert [result.failed for result in found.results.values()] == [False]


@pytest.mark.parametrize("commands", [(), ("ls", "pwd")])
def test_no_block_or_two_are_no_call_and_the_complaint_is_no_turn(commands) -> None:
    found = one(fenced("hm", *commands), user("Please always provide EXACTLY ONE action"))
    assert found.calls == ()
    assert found.request == "fix it"


def test_a_call_of_the_api_and_its_result() -> None:
    answer = {"role": "tool", "tool_call_id": "c1", "content": "no", "extra": {"returncode": 2}}
    found = one(called(None, "ls"), answer)
    assert found.calls == (ToolCall("bash", '{"command":"ls"}', "c1"),)
    assert found.results["c1"].failed is True


def test_the_responses_api() -> None:
    found = one(
        {
            "object": "response",
            "output": [
                {"type": "message", "content": [{"type": "output_text", "text": "Look."}]},
                {"type": "function_call", "call_id": "f1", "name": "bash", "arguments": "{}"},
            ],
        },
        {"type": "function_call_output", "call_id": "f1", "output": "a"},
    )
    assert [type(part).__name__ for part in found.parts] == ["Text", "ToolCall", "ToolResult"]
    assert found.results["f1"].output == "a"


def test_reasoning_is_kept_apart() -> None:
    found = one({**fenced("Look.", "ls"), "reasoning_content": "hm"})
    assert found.parts[0] == Reasoning("hm")


def test_a_submission_answers_its_call_and_ends_the_turn() -> None:
    submit = called("Done.", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat p")
    leave = {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted"}}
    found = one(submit, leave)
    assert (found.finish, found.error) == (FinishReason.STOP, None)
    assert found.results["c1"].output == "diff"
    running = one(submit)
    assert (running.finish, running.results) == (None, {})


@pytest.mark.parametrize(
    ("status", "finish", "error"),
    [
        ("Submitted", FinishReason.STOP, None),
        ("LimitsExceeded", FinishReason.ERROR, ("LimitsExceeded", None, False)),
        ("InternalServerError", FinishReason.ERROR, ("InternalServerError", 500, True)),
        ("AuthenticationError", FinishReason.ERROR, ("AuthenticationError", 401, False)),
        ("ValueError", FinishReason.ERROR, ("ValueError", None, None)),
        ("KeyboardInterrupt", FinishReason.ABORTED, None),
        ("Vanished", FinishReason.UNKNOWN, ("Vanished", None, None)),
        ("", None, None),
        (None, None, None),
        (7, None, None),
    ],
)
def test_how_a_run_ended(status, finish, error) -> None:
    found = one(fenced("x", "ls"), OUTPUT, status=status, said="why")
    assert found.finish is finish
    got = found.error and (found.error.name, found.error.status, found.error.retryable)
    assert got == error


def test_a_refused_command_begins_no_turn() -> None:
    refusal = "Command not executed. The user rejected your command with the following message: no"
    found = one(fenced("x", "rm a"), user(refusal), fenced("y", "ls"))
    assert found.results["c1"].failed is True
    assert [call.arguments for call in found.calls] == ['{"command":"rm a"}', '{"command":"ls"}']


def test_an_interruption_with_a_comment_is_the_users_stop_and_a_new_request() -> None:
    first, second = told(user("a"), fenced("x", "ls"), user("Interrupted by user: b"), fenced("y"))
    assert isinstance(first, Turn)
    assert isinstance(second, Turn)
    assert (first.finish, second.finish) == (FinishReason.ABORTED, None)
    assert second.request == "b"


def test_an_interruption_without_a_comment_is_nothing() -> None:
    found = one(
        fenced("x", "ls"), OUTPUT, user("Interrupted by user: Temporary interruption caught.")
    )
    assert found.finish is None


def test_a_new_task_begins_a_turn_after_the_submission() -> None:
    _, second, third = turns(mini_swe_agent.read(RECORDINGS / "tasks-error.traj.json"))
    assert isinstance(second, Turn)
    assert isinstance(third, Turn)
    assert (second.finish, third.request) == (FinishReason.STOP, "now the red ones")
    assert third.finish is FinishReason.ERROR


def test_times_model_and_instance() -> None:
    *_, found = turns(mini_swe_agent.read(RECORDINGS / "calls-limit.traj.json"))
    assert isinstance(found, Turn)
    assert (found.session, found.model) == ("pottery__bowls-12", "sample-clay-4")
    assert found.ended == 1900000003.0


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, {"role": 7}, {"role": "owl"}])
def test_a_message_that_is_none_costs_only_itself(junk: object) -> None:
    found = told(user("fix it"), fenced("x", "ls"), junk, OUTPUT)
    assert [type(x).__name__ for x in found] == ["Unread", "Turn"]
    assert isinstance(found[0], Unread)
    assert found[0].line == 3


@pytest.mark.parametrize(
    "junk",
    [
        {"role": "assistant", "content": 7, "tool_calls": "x"},
        {"role": "assistant", "content": [7, {"text": 7}], "tool_calls": [7, {"id": 7}]},
        {"role": "tool", "tool_call_id": "nobody", "content": None},
        {"role": "exit", "extra": {"exit_status": ""}, "content": None},
        {"role": "user", "content": {"a": 1}, "extra": 7},
    ],
)
def test_wrong_types_never_raise(junk: Message) -> None:
    assert one(fenced("x", "ls"), OUTPUT, junk, fenced("y", "pwd")).calls[-1].arguments == (
        '{"command":"pwd"}'
    )


@pytest.mark.parametrize("junk", [None, 7, [], {}, {"messages": {}}])
def test_what_has_no_messages_is_counted(junk: object) -> None:
    assert list(mini_swe_agent.events(junk, "run")) == [Unread("no messages")]


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (b'{\n  "info": {\n    "exit_status": "Submitted"', True),
        (b'{"info": {"model_stats": {"instance_cost": 0', True),
        (b'{"messages": [], "trajectory_format": "mini-swe-agent-1"', True),
        (b'{"info": {"id": "ses_1", "title": "x"}, "messages": []}', False),
        (b'{"trajectory": [{"action": "ls"}], "info": {"exit_status": "submitted"}}', False),
        (b'{"messages": [{"role": "user", "content": "mini-swe-agent"}]}', False),
        (b"", False),
    ],
)
def test_claims(head: bytes, claimed: bool) -> None:
    assert mini_swe_agent.claims(Path("x"), head) is claimed


def test_default_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MSWEA_GLOBAL_CONFIG_DIR", str(tmp_path))
    assert list(mini_swe_agent.transcripts()) == []
    (tmp_path / "last_mini_run.traj.json").touch()
    assert [p.name for p in mini_swe_agent.transcripts()] == ["last_mini_run.traj.json"]
