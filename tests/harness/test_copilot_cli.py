"""Copilot CLI sessions: steps that are no turns, sub-agents in their parent's file."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.assemble import turns
from auditor.events import Unread
from auditor.harness import copilot_cli
from auditor.turn import FinishReason, RequestKind, Turn

Row = dict[str, Any]


def row(kind: str, /, **data: Any) -> Row:
    return {"type": kind, "data": data, "id": kind, "timestamp": "2026-05-04T09:00:00.000Z"}


def user(text: str, interaction: str = "i1", **more: Any) -> Row:
    return row("user.message", content=text, interactionId=interaction, **more)


def say(text: str = "", *calls: tuple[str, str, Any], **more: Any) -> Row:
    requests = [{"toolCallId": i, "name": n, "arguments": a} for i, n, a in calls]
    return row("assistant.message", content=text, toolRequests=requests, **more)


def done(id_: str, text: str = "ok", *, success: bool = True, **more: Any) -> Row:
    said = {"result": {"content": text}} if success else {"error": {"message": text}}
    return row("tool.execution_complete", toolCallId=id_, success=success, **said, **more)


STEP = row("assistant.turn_end", turnId="0")
START = row("session.start", sessionId="s1", producer="copilot-agent")
LS = ("c1", "bash", {"command": "ls"})


def read(*rows: object) -> list[Turn]:
    found = turns(copilot_cli.events(enumerate([START, *rows], 1)))
    return [turn for turn in found if isinstance(turn, Turn)]


def test_a_step_ends_the_turn_only_when_it_asked_for_no_tool() -> None:
    (turn,) = read(user("Go."), say("On it.", LS), done("c1"), STEP)
    assert turn.finish is None
    (turn,) = read(user("Go."), say("On it.", LS), done("c1"), STEP, say("Gone."), STEP)
    assert (turn.finish, turn.reply) == (FinishReason.STOP, "Gone.")


@pytest.mark.parametrize(
    ("message", "kinds"),
    [
        (user("Back."), ["human"]),  # the same interaction: queued
        (user("Back.", "i2"), ["human", "human"]),
        (user("<skill-context>", "i2", source="skill-maps"), ["human"]),
    ],
)
def test_a_message_while_the_agent_works(message: Row, kinds: list[str]) -> None:
    found = read(user("Go."), say("", LS), message, done("c1"), say("Gone."), STEP)
    assert [turn.request_kind for turn in found] == kinds


def test_a_session_that_comes_back_left_its_turn_behind() -> None:
    rows = [user("Go."), say("", LS)]
    again = [user("Again."), say("Gone."), STEP]
    assert len(read(*rows, *again)) == 1
    assert len(read(*rows, row("session.resume"), *again)) == 2


def test_a_notification_wakes_the_agent_or_is_read_while_it_works() -> None:
    note = row("system.notification", content="Shell 7 ended.", kind={"shellId": "7"})
    shell = ("c1", "bash", {"command": "buy", "mode": "async", "shellId": "7"})
    rows = [user("Go."), say("", shell), done("c1")]
    first, second = read(*rows, say("Bought soon."), STEP, note, say("Bought."), STEP)
    assert [what.kind for what in first.pending] == ["background"]
    assert (second.request_kind, second.pending) == (RequestKind.NOTIFICATION, ())
    (only,) = read(*rows, note, say("Bought."), STEP)
    assert only.pending == ()


def test_an_abort_is_not_undone_by_a_late_result() -> None:
    (turn,) = read(user("Go."), say("", LS), row("abort", reason="user"), done("c1", success=False))
    assert (turn.finish, turn.results["c1"].failed) == (FinishReason.ABORTED, True)


@pytest.mark.parametrize(
    ("kind", "status", "retryable"),
    [("rate_limit", 429, True), ("quota", 402, False), ("query", None, None)],
)
def test_an_error_ends_the_turn(kind: str, status: int | None, retryable: bool | None) -> None:
    error = row("session.error", errorType=kind, message="no", statusCode=status)
    (turn,) = read(user("Go."), say("On"), error, STEP)
    assert turn.finish is FinishReason.ERROR
    assert turn.error
    assert (turn.error.name, turn.error.status) == (kind, status)
    assert turn.error.retryable is retryable


def test_a_permission_is_pending_until_decided_or_used() -> None:
    asked = row("permission.requested", requestId="q", permissionRequest={"kind": "shell"})
    rows = [user("Go."), say("", LS), asked]
    assert [what.kind for what in read(*rows)[0].pending] == ["permission"]
    assert not read(*rows, row("permission.completed", requestId="q"))[0].pending
    assert not read(*rows, row("abort"))[0].pending
    assert read(*rows, row("hook.start"))[0].pending


def test_a_question_is_pending_until_answered() -> None:
    rows = [user("Go."), say("", ("c1", "ask_user", {"question": "Which?"}))]
    assert [what.kind for what in read(*rows)[0].pending] == ["question"]
    assert not read(*rows, done("c1", "red"))[0].pending


def test_a_sub_agent_is_a_session_of_its_own() -> None:
    task = ("c1", "task", {"prompt": "Check the fuse."})
    child = {"parentToolCallId": "c1"}
    rows = [user("Go."), say("", task), row("subagent.started", toolCallId="c1", agentName="x")]
    assert [what.kind for what in read(*rows)[0].pending] == ["subagent"]
    rows += [
        say("Whole.", **child),
        row("subagent.completed", toolCallId="c1"),
        done("c1", "Whole."),
    ]
    main, agent = read(*rows, say("The fuse is whole."), STEP)
    assert (main.reply, main.pending) == ("The fuse is whole.", ())
    assert (agent.session, agent.parent, agent.request) == ("s1/c1", "s1", "Check the fuse.")
    assert (agent.request_kind, agent.finish) == (RequestKind.AGENT, FinishReason.STOP)


def test_todos_are_a_check_list() -> None:
    todos = ("c1", "update_todo", {"todos": "- [x] Find it\n- [ ] Fix it\nno item"})
    (turn,) = read(user("Go."), say("", todos))
    assert [todo.content for todo in turn.open_todos] == ["Fix it"]
    assert read(user("Go."), say("", LS))[0].todos is None


def test_what_nobody_knows_is_counted() -> None:
    rows = [(1, row("lamp.exploded")), (2, "x"), (3, row("session.info"))]
    assert list(copilot_cli.events(rows)) == [
        Unread("row type lamp.exploded", 1),
        Unread("row without type", 2),
    ]
